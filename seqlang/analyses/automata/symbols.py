"""Expressions as linear terms over whatever they read, for the search; the kernel does not see these."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

from seqlang.analyses.automata.inline import Inliner
from seqlang.kernel.core import Expression, Program, Read
from seqlang.kernel.refused import Refused
from seqlang.kernel.terms import Linear, number
from seqlang.kernel.values import Reader, Space


def factor_of(e: Expression, draw: int) -> Fraction:
    """Of the draw in an expression that is linear in it; 0 if it is not."""
    symbols = Symbols(Space())
    try:
        value = symbols.number(e)
    except Refused:
        return Fraction(0)
    own = symbols.read(Read("draw", draw))
    assert isinstance(own, Linear)
    return dict(value.parts).get(own.parts[0][0], Fraction(0))


def combination(value: Linear, others: Sequence[Linear]) -> list[Fraction] | None:
    """Factors with which the others add up to the value; None if there are none."""
    rows = [(other, [Fraction(int(j == k)) for j in range(len(others))]) for k, other in enumerate(others)]
    done: list[tuple[int, Linear, list[Fraction]]] = []

    def reduced(term: Linear, factors: list[Fraction]) -> tuple[Linear, list[Fraction]]:
        for variable, row, by in done:
            share = dict(term.parts).get(variable, Fraction(0))
            term = term - row.times(share)
            factors = [a - share * b for a, b in zip(factors, by, strict=True)]
        return term, factors

    for row, by in rows:
        term, factors = reduced(row, by)
        if term.parts:
            variable, lead = term.parts[0]
            done.append((variable, term.times(1 / lead), [f / lead for f in factors]))
    rest, factors = reduced(value, [Fraction(0)] * len(others))
    return [-f for f in factors] if others and rest == number(0) else None


def proportional(value: Linear, other: Linear) -> Fraction | None:
    """The ratio of the two, if there is one."""
    if value.is_constant or other.is_constant:
        return None
    ratio = value.parts[0][1] / other.parts[0][1]
    return ratio if value == other.times(ratio) else None


class Moved(Inliner):
    """Run 1's states with run 2's entries."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, 1, rows=2)

    def of(self, e: Expression) -> Expression:
        if isinstance(e, Read) and e.kind == "input":
            return Read("input", e.index, 2)
        return super().of(e)


class Symbols:
    """A variable for whatever is read."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.made: dict[Any, Linear] = {}

    def number(self, e: Expression) -> Linear:
        return Reader(self.space, self.read, table=self).number(e)

    def read(self, what: Any) -> Any:
        if what not in self.made:
            self.made[what] = self.space.new(str(what))
        return self.made[what]

    def total(self, body: Expression, reader: Reader) -> Linear:
        return cast(Linear, self.read(("total", body)))

    def moved(self, body: Expression, reader: Reader) -> Linear:
        return cast(Linear, self.read(("moved", body)))
