"""What a design makes small, and what it must keep to besides errors and privacy."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

import numpy as np

from seqlang.designs.problem.entry import Array
from seqlang.record import record

Course = Literal["both ends", "one-sided", "futility"]
"""How a test ends: at either boundary; `one-sided`: it stops to reject only, and else at its last look, if it has one;
`futility`: it stops at either, and the null's error is kept also where ends for futility are not heeded."""
TIE = 1e-6
"""What an entry costs where a chance is minimised: of equal designs, the one with fewer entries."""


@record
class Criterion:
    """Expected entries: under the hypotheses with these `weights`, or, where there are `places`, the largest of those
    where an entry is 1 with these chances. `worst`: places are added until none between the hypotheses is worse;
    `weights` then give a bound from below. `level`: that quantile of the entries is minimised, under the hypothesis of
    weight 1, by the chance to need more than `beyond` entries."""

    text: str = "average"
    weights: tuple[float, float] = (0.5, 0.5)
    places: tuple[Fraction, ...] = ()
    worst: bool = False
    level: float | None = None
    beyond: int | None = None

    @property
    def needs_end(self) -> bool:
        """Whether the best test has an end, which the search must be given."""
        return bool(self.places) or self.level is not None

    def cost(self, entries: Array) -> Array:
        """What these numbers of entries cost."""
        return entries if self.beyond is None else (entries > self.beyond) + TIE * entries


@record
class Limits:
    """`most`: entries at most. `looks`: the numbers of entries after which the test looks, all of them given; `every`:
    a look after so many entries each. `smallest`: no block is smaller; `unit`: sizes are multiples of it."""

    most: int | None = None
    looks: tuple[int, ...] = ()
    every: int | None = None
    smallest: int = 1
    unit: int = 1

    def fit(self, sizes: Iterable[int]) -> tuple[int, ...]:
        """Sizes near these that a block may have."""
        if self.every is not None:
            return (self.every,)
        least = -(-self.smallest // self.unit) * self.unit
        return tuple(sorted({max(least, round(m / self.unit) * self.unit) for m in sizes}))


def multiples(unit: int, most: int) -> tuple[int, ...]:
    """unit, 2 unit, .. up to most."""
    return tuple(int(m) for m in np.arange(unit, most + 1, unit))
