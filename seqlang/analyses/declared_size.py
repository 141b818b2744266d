"""Bounds that hold for data sets of the declared size only: the mean of 10 records moves by 1/10, that of 3 by 1/3."""

from __future__ import annotations

from seqlang.analyses.bounds import Bounds
from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Expression
from seqlang.model.program import AddRemove, Program
from seqlang.proof.derivation import Derivation
from seqlang.proof.replay import replay
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


def relies_on_size(program: Program, derivation: Derivation) -> bool:
    """Whether the derivation does not replay where the number of records is unknown."""
    return program.size is not None and bool(replay(replace(program, size=None), derivation))


def relying(program: Program, bounds: Bounds) -> tuple[str, ...]:
    """The notions of which the best bound relies on the declared size."""
    best = {"pure": bounds.pure, "dp": bounds.dp, "zcdp": bounds.zcdp}
    found = [name for name, d in best.items() if d is not None and relies_on_size(program, d)]
    return (*found, "rdp") if any(relies_on_size(program, d) for d in bounds.rdp) else tuple(found)


def sizes_words(program: Program) -> str:
    """The data sets that such a bound is about."""
    size = declared_size(program)
    assert size is not None
    if not isinstance(program.adjacency, AddRemove):
        return f"data sets of {size} records"
    moved = _whole(program, program.adjacency.count)
    return f"data sets of {size} records and their neighbours of {max(size - moved, 0)} to {size + moved}"


def declared_size(program: Program) -> int | None:
    return None if program.size is None else _whole(program, program.size)


def _whole(program: Program, expression: Expression) -> int:
    formula = formula_of(program, expression)
    assert formula is not None, "sizes are constant: elaboration checks it"
    return int(enclose(formula, parameter_values(program)).high)
