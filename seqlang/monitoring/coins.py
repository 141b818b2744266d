"""Sums that count the ones among coins: how many coins a block has in each, whatever they show."""

from __future__ import annotations

from fractions import Fraction

from seqlang.backends.solve.blocks.block_plan import ShownSum
from seqlang.model.domain import Finite
from seqlang.model.expression import CellValue, Expression, Field, Law, Number, walk
from seqlang.model.program import Model, Program
from seqlang.monitoring.paths import Paths
from seqlang.record import replace

ONES = "all ones"
"""The name of a model; none that is written has a blank."""


def coin_of(program: Program) -> str | None:
    """The one stream, if its entries are 0 or 1; others may be public."""
    fields = [field for field in program.inputs if field.kind != "public"]
    listed = fields[0].domain if len(fields) == 1 else None
    if not isinstance(listed, Finite) or {getattr(v, "value", None) for v in listed.values} != {0, 1}:
        return None
    return fields[0].name


def _counts(one: ShownSum, field: str) -> bool:
    cell = one.cell
    public = cell.where is None or all(e != Field(field) for e in walk(cell.where))
    return cell.operator == "sum" and cell.body == Field(field) and public and one.value == CellValue(cell.name)


SURELY = Number(Fraction(1))


def counted(paths: Paths, model: str, size: int, shows: Expression = SURELY) -> dict[str, int] | None:
    """How many coins each sum of a block of that size counts, whatever they show: what it is where all show 1, or
    those for which `shows` is 1. `model` says what the public fields are. None where some sum counts something else, or
    nobody knows how many."""
    field = coin_of(paths.program)
    if field is None or not all(_counts(one, field) for one in paths.sums):
        return None
    given = next(m for m in paths.program.models if m.name == model)
    laws = tuple((n, Law("bernoulli", (shows,)) if n == field else law) for n, law in given.laws)
    found = paths.laws(replace(paths.program, models=(*paths.program.models, Model(ONES, laws))), ONES)
    if any(any(law.varies) for law in found.of.values()):
        return None
    return {name: round(found.ends(name, size)[0] - law.noise[0]) for name, law in found.of.items()}
