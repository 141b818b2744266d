"""A bound from below on the expected entries at a chance between the hypotheses, for any policy over the times of a
calendar, whatever it remembers of what was shown.

At prices of both errors it is the value of a dynamic program over three masses: of the null and of the alternative,
each by that of the third law, x and z. V(x, z) is the least of C0 x, C1 z, and for each size m of a block

    m + sum over y of f(y) V(x f0(y) / f(y), z f1(y) / f(y)),

where a block shows y with chance f(y) under the third law, f0(y) and f1(y) under the hypotheses; a test that stops to
reject only accepts at the last time. V is concave, rises in both masses, and is at least 0 where one is 0. Its values
are kept where both logarithms are multiples of a step. Between these points they are interpolated linearly in x and in
z, which gives no more than V; below the first point in proportion to x or z; beyond the last as there. So every value
is a bound from below by induction. The logarithms of all moves are the same everywhere: a block is a convolution.

Prices that are near the best ones are searched: any give a bound (weak duality)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.fft import irfft2, next_fast_len, rfft2

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.places import between
from seqlang.designs.problem.entry import Array
from seqlang.designs.search.calendar import Calendar
from seqlang.designs.search.pricing import Prices
from seqlang.process.time_limit import poll
from seqlang.record import record

COARSE, FINE = 0.2, 0.1
"""Distance of two points in both logarithms: where prices are searched, and for the bound."""
ROUNDING = 1e-12
"""More than the error of a transform, of the largest value."""
DEAREST = 20.0
"""No value is taken to be larger than the sum of both prices, times this."""
ROUNDS = 4
"""Sweeps of the search for prices."""


@record
class Grid:
    """`side` points in each logarithm, `step` apart, 0 in the middle; moves of more than `reach` points are cut."""

    side: int
    reach: int
    step: float

    @property
    def width(self) -> int:
        return self.side + 2 * self.reach

    @property
    def length(self) -> int:
        return next_fast_len(self.width + 1, real=True)

    def widened(self, values: Array) -> Array:
        """The values, and those beyond both ends."""
        falling = np.exp(-self.step * np.arange(self.reach, 0, -1))
        for _ in range(2):
            below, above = falling[:, None] * values[:1], np.broadcast_to(values[-1:], (self.reach, values.shape[1]))
            values = np.vstack([below, values, above]).T
        return values


class ThirdLaw:
    """The dynamic program for a place."""

    def __init__(self, blocks: Blocks, calendar: Calendar, place: Fraction, step: float) -> None:
        self.calendar, self.one_sided = calendar, blocks.problem.course == "one-sided"
        half = int(np.ceil((2 * float(np.log(1 / min(blocks.problem.errors))) + 4) / step))
        laws = {m: (*blocks[m].laws, blocks.laws_at(between(place))(m)) for m in calendar.all_sizes}
        logs = {m: [_logs(side / third) / step for side in (null, other)] for m, (null, other, third) in laws.items()}
        farthest = max(int(np.abs(side).max()) for pair in logs.values() for side in pair) + 2
        self.grid = Grid(2 * half + 1, min(farthest, 2 * half), step)
        self.hats = {m: self._kernel(logs[m][0], logs[m][1], laws[m][2]) for m in calendar.all_sizes}
        self.mass = np.exp(step * np.arange(-half, half + 1))

    def _kernel(self, null: Array, alternative: Array, law: Array) -> Any:
        """The transform of what a block moves, by points; a move below the grid is left out, which lowers bounds, and
        one beyond it ends at the last point, which does too."""
        reach, step, whole = self.grid.reach, self.grid.step, np.zeros((self.grid.length,) * 2)
        kept = (np.minimum(null, alternative) > 1 - reach) & (law > 0)
        ends = [np.minimum(side[kept], reach - 1) for side in (null, alternative)]
        firsts = [np.floor(side).astype(np.int64) for side in ends]
        shares = [np.expm1(step * (side - first)) / np.expm1(step) for side, first in zip(ends, firsts, strict=True)]
        for up in (0, 1):
            for over in (0, 1):
                part = law[kept] * np.abs(1 - up - shares[0]) * np.abs(1 - over - shares[1])
                np.add.at(whole, (firsts[0] + up + reach, firsts[1] + over + reach), part)
        return rfft2(whole).conj()

    def least(self, prices: Prices) -> float:
        """At these prices, from below."""
        grid, middle = self.grid, self.grid.side // 2
        most = DEAREST * (prices.null + prices.alternative)
        decided = np.minimum(np.minimum.outer(prices.null * self.mass, prices.alternative * self.mass), most)
        early = decided  # before the last time
        if self.one_sided:
            early = np.minimum(np.broadcast_to(prices.null * self.mass[:, None], decided.shape), most)
        ahead: dict[int, Any] = {}
        values = decided
        for used in reversed(self.calendar.times):
            poll()
            values = decided if used == self.calendar.most else early if used else np.full(decided.shape, most)
            for size in self.calendar.sizes(used):
                after = irfft2(ahead[used + size] * self.hats[size], (grid.length,) * 2)[: grid.side, : grid.side]
                values = np.minimum(values, size + after - ROUNDING * most)
            ahead[used] = rfft2(grid.widened(values), (grid.length,) * 2)
        started = float(values[middle, middle])
        return started if self.calendar.forced else min(started, 1 + float(early[middle, middle]))


def bound_between(blocks: Blocks, calendar: Calendar, place: Fraction, prices: Prices) -> float:
    """On the expected entries at the place where both errors are kept; `prices`: where the search for them begins."""
    errors, tied = blocks.problem.errors, blocks.problem.symmetric

    def value(program: ThirdLaw, logs: Array) -> float:
        null, alternative = (float(price) for price in np.exp(logs))
        return program.least(Prices(null, alternative)) - null * errors[0] - alternative * errors[1]

    mean = (prices.null + prices.alternative) / 2
    start = np.log(np.maximum([mean, mean] if tied else [prices.null, prices.alternative], 1.0))
    coarse = ThirdLaw(blocks, calendar, place, COARSE)
    best = climbed(lambda logs: value(coarse, logs), start, np.ones((1, 2)) if tied else np.eye(2))
    return value(ThirdLaw(blocks, calendar, place, FINE), best)


def climbed(value: Callable[[Array], float], at: Array, ways: Array, step: float = 0.3) -> Array:
    """Where a function is largest of all places that were met by steps along these ways, which shrink."""
    best = value(at)
    for _ in range(ROUNDS):
        moved = False
        for way in ways:
            for sign in (step, -step):
                found = value(at + sign * way)
                if found > best:
                    best, at, moved = found, at + sign * way, True
                    break
        step = step if moved else step / 3
    return at


def _logs(ratio: Array) -> Array:
    return np.asarray(np.log(np.maximum(ratio, 1e-300)))
