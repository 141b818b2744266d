"""What the models of a program say of its public columns.

A test of two arms promises its errors under models in which entries take turns: `arm ~ point(1 - step % 2)`. On rows in
another order they promise nothing, though the price is the same. So rows whose public values have no chance under any
model that a claim on errors or steps speaks of are not what the program was written for. A program without such
claims, or whose models draw the public values at random, takes all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import SimpleNamespace

from seqlang.model.expression import Law
from seqlang.model.print import show_expression
from seqlang.model.program import Model, Program
from seqlang.record import record
from seqlang.release.exact.code import Code, Compiler
from seqlang.release.exact.functions import NoValue, Value
from seqlang.release.exact.laws import ExactLaw, NotExact


@record
class Unforeseen:
    """What no model foresees, and the remedy."""

    message: str
    help: str


class Foreseen:
    """The models that the rows so far are possible under."""

    def __init__(self, program: Program) -> None:
        self._public = frozenset(field.name for field in program.inputs if field.kind == "public")
        self._compiler = Compiler(program)
        self._models = {m.name: tuple(self._laws(m)) for m in _promised(program)} if self._public else {}
        self._texts = {(m.name, field): show_expression(law) for m in program.models for field, law in m.laws}

    def _laws(self, model: Model) -> Iterator[tuple[str, Code]]:
        for field, law in model.laws:
            if field in self._public:
                try:
                    yield field, self._compiler.compile(law)
                except NotExact:
                    continue

    def wrong(self, step: int, entry: Mapping[str, Value]) -> Unforeseen | None:
        """Of the public values of a step; the steps before it were asked for. None if some model foresees them all."""
        if not self._models:
            return None
        odd = {name: found for name, laws in self._models.items() if (found := _impossible(laws, step, entry))}
        if len(odd) < len(self._models):
            for name in odd:
                del self._models[name]
            return None
        name, (field, law) = next(iter(odd.items()))
        wanted = f" {law.arguments[0]}" if law.family == "point" else " another value"
        text = f"{field} ~ {self._texts[name, field]}"
        return Unforeseen(
            f"`{field}` is {entry[field]} in row {step}, where the program's models have{wanted} (`{text}`): what it "
            "claims of errors and steps does not hold for such rows",
            f"take the rows with each value of `{field}` in the order in which they came, one row for each step as "
            f"`{text}` says, and leave out what is left over; rows in another order need a program whose models have "
            f"another law of `{field}`, and whose claims are proved of it",
        )


def one_order_only(program: Program) -> bool:
    """Whether all models that claims on errors or steps speak of give each public column one value in each step. A
    release of other rows is then refused."""
    public = [field.name for field in program.inputs if field.kind == "public"]
    laws = [dict(model.laws).get(name) for model in _promised(program) for name in public]
    return bool(laws) and all(isinstance(law, Law) and law.family == "point" for law in laws)


def _promised(program: Program) -> tuple[Model, ...]:
    """The models that operating claims speak of; a claim that names none speaks of all."""
    names = {claim.model for claim in program.claims if claim.kind == "operating"}
    return tuple(m for m in program.models if m.name in names or None in names)


def _impossible(
    laws: tuple[tuple[str, Code], ...], step: int, entry: Mapping[str, Value]
) -> tuple[str, ExactLaw] | None:
    """The first field that cannot have its value, with its law; None if there is none. A law that reads private values
    or what was released allows every value."""
    state = SimpleNamespace(step=step, fields=dict(entry), bound={}, elements=0)
    for field, code in laws:
        try:
            law = code(state)
            if not isinstance(law, ExactLaw):
                continue
            chance = law.pmf(entry[field])
        except (NotExact, NoValue, KeyError, AttributeError):
            continue
        if isinstance(chance, int | Fraction) and chance == 0:
            return field, law
    return None
