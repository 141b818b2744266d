"""The values that one entry of the stream can have: what weak privacy compares."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from seqlang.arithmetic.formula import enclose
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.finite import domain_values

MOST = 64
"""More values than this are not compared one with another."""

Entry = Mapping[str, float]
"""field -> value"""


def entries_of(program: Program) -> tuple[Entry, ...]:
    """All values of one entry, in the order of the domains. Raises Unsolved if they are too many or no numbers."""
    facts = facts_of(program)
    columns: list[list[float]] = []
    size = 1
    for field in program.inputs:
        if field.kind != "stream":
            raise Unsolved(f"weak privacy is about one entry of a stream, and `{field.name}` is a {field.kind} field")
        values = domain_values(facts, field.domain)
        if values is None:
            raise Unsolved(f"the domain of `{field.name}` has infinitely many values: no exact maximum over pairs")
        numbers: list[float] = []
        for value in values:
            if isinstance(value, bool | tuple | str):
                raise Unsolved(f"the values of `{field.name}` are not numbers")
            ends = enclose(value, facts.values)
            numbers.append((ends.low + ends.high) / 2)
        size *= len(numbers)
        if size > MOST:
            raise Unsolved(f"an entry has more than {MOST} values")
        columns.append(numbers)
    names = [field.name for field in program.inputs]
    return tuple(dict(zip(names, row, strict=True)) for row in product(*columns))
