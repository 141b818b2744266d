"""The chances of a released value under one law of the entries, however far out it is."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from seqlang.backends.solve.blocks.block_plan import ShownSum
from seqlang.backends.solve.blocks.sum_law import SumLaws
from seqlang.backends.solve.solution import Array
from seqlang.model.expression import Number
from seqlang.model.program import Program
from seqlang.record import record

LAWS = tuple[Array, Array]
"""Values and their chances."""
Told = Mapping[str, float]
"""What a block released, by the name of the sum."""
LEAST = 1e-300
"""No chance is taken to be smaller."""


@record
class Released:
    """What blocks release under one law of the entries: of the sums `names`, of which those in `geometric` have
    geometric noise, which tells no more beyond the sums that are possible."""

    laws: SumLaws
    names: tuple[str, ...]
    geometric: frozenset[str]

    def law(self, name: str, size: int) -> LAWS:
        """(values, chances) of what a block of that size releases; of geometric noise up to the possible sums only, as
        the rest of the table is cut off somewhere."""
        values, chances, _ = self.laws.shown(name, size)
        reach = round(-self.laws.of[name].noise[0]) if name in self.geometric else 0
        return values[reach : len(values) - reach], chances[reach : len(values) - reach]

    def ratio(self, name: str) -> float:
        """What the chances of released values fall by, from one to the next, beyond what `law` lists; 1 if no more than
        next to nothing lies there."""
        chances = self.laws.of[name].noise[1]
        if name not in self.geometric:
            return 1.0
        return float(chances[0] / chances[1]) if len(chances) > 1 else 0.0

    def noise(self, name: str) -> LAWS:
        """(values, chances) of what is released besides the sum."""
        least, chances, _ = self.laws.of[name].noise
        return np.arange(len(chances), dtype=np.float64) + least, chances


def geometric_sums(program: Program, sums: tuple[ShownSum, ...]) -> frozenset[str]:
    """Those with geometric noise of factor 1, and no other."""
    found = set()
    for one in sums:
        terms = [(program.noise(t.noise).family, t.factor) for t in one.terms]
        if len(terms) == 1 and terms[0][0] == "geometric" and terms[0][1] == Number(Fraction(1)):
            found.add(one.shown)
    return frozenset(found)


def chances_of(one: Released, other: Released, size: int, told: Told) -> tuple[float, float]:
    """The chances of what a block released under two laws, at least LEAST for each sum. Beyond a table the chance falls
    by `ratio` from value to value. Beyond both tables the likelihood ratio hence stays what it is at the last value of
    either."""
    found = [1.0, 1.0]
    for name, value in told.items():
        laws = one.law(name, size), other.law(name, size)
        ends = min(law[0][0] for law in laws), max(law[0][-1] for law in laws)
        held = float(np.clip(value, *ends))
        for side, law in enumerate(laws):
            found[side] *= chance(law, held, one.ratio(name))
    return found[0], found[1]


def chance(law: LAWS, value: float, ratio: float) -> float:
    """Of a value that may lie beyond the table."""
    values, chances = law
    held = float(np.clip(value, values[0], values[-1]))
    at = int(np.searchsorted(values, held))
    found = float(chances[at]) if values[at] == held else 0.0
    return max(found * float(ratio ** abs(value - held)), LEAST)
