"""What can be said once a test has ended, from the stage at which it did.

Ends of the test are ordered by how much they speak against the null: rejections before acceptances; of rejections the
one after fewer blocks, of acceptances the one after more blocks; after as many blocks, the larger score. What a public
coin decides alone comes as if after no block. Let T be the end that happened, and P the law of all ends, the coin and
the sizes of all blocks included.

p-value. P(an end at least as extreme as T), under the null. As with every order of the ends, it is at most a with
probability at most a; and it is at most P(reject) exactly where the test rejects, as no acceptance comes before a
rejection. (Siegmund 1978; Fairbanks & Madsen 1982; Jennison & Turnbull 2000, section 8.4.)

Interval. The values of the open number at which neither P(an end at least as extreme as T) nor P(an end at most as
extreme as T) is (1 - level) / 2 or less: under each value, each of these happens with a chance of at most
(1 - level) / 2, so that the interval holds the true value with probability at least `level` (Tsiatis, Rosner & Mehta
1984). Between the outermost such values nothing is left out.

Estimate. The value at which P(an end more extreme than T) + P(T) / 2 is 1/2: too high as often as too low, but for the
chance of a single end (Emerson & Fleming 1990).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Protocol

import numpy as np
from scipy.optimize import brentq

from seqlang.backends.solve.blocks.sum_law import SumLaws
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.expression import Label
from seqlang.monitoring.paths import AT_ONCE, PLAN, Paths
from seqlang.record import record
from seqlang.results.monitor import EVEN

EVENLY, NEARBY = 65, 49
"""Places at which chances are looked at: in the whole range, and around the hypotheses."""
BEYOND = 8
"""A range without an end is looked at up to so many distances of the hypotheses beyond them."""
CLOSE = 1e-9
"""Ends of intervals are found within this, relative to the distance of the hypotheses, and lie outside by as much."""
ROUNDING = 1e-9


@record
class End:
    """After `block` blocks (0: a coin alone) the test has ended with the score `score`."""

    rejected: bool
    block: int
    score: float


class Stages:
    """The order of the ends of one test, seen from one of them. `plan`: chances are those given that the public coin
    chose this plan; None: those before the coin is thrown. Raises Unsolved where the returns are no `reject` and
    `accept`, or a stop happens within a block."""

    def __init__(self, paths: Paths, end: End, plan: int | None = None) -> None:
        self.paths, self.blocks = paths, max(1, end.block)
        paths.explore(self.blocks)
        by, how = paths.ended()
        labels = [s.result.name if isinstance(s.result, Label) else "" for s in paths.stops]
        if not set(labels) <= {"reject", "accept"}:
            raise Unsolved("its returns are not `reject` and `accept`")
        rejects = np.array([*(label == "reject" for label in labels), False])
        same, self.coin = (by >= 0) & (rejects[by] == end.rejected), how == AT_ONCE
        score = paths.column("score")
        ahead = np.zeros(paths.count) if score is None else (score - end.score) * (1 if end.rejected else -1)
        self.end, self.same = end, same
        self.first, self.tied = same & (ahead > 0) & ~self.coin, same & (ahead == 0) & ~self.coin
        plans = paths.column(PLAN)
        self.possible = None if plan is None or plans is None else plans == plan

    def tails(self, mass: Array) -> tuple[float, float]:
        """P(more extreme) and P(T), from the chances of all states after each block, (blocks, states)."""
        if mass[1:, self.coin].any():
            raise Unsolved("a stop that happens within a block")
        if self.possible is not None:  # the coin has fallen before the first block ends
            mass = mass * self.possible / mass[0, self.possible].sum()
        coin = float(mass[0, self.coin & self.same].sum())
        if self.end.block == 0:
            sooner, tie = 0.0, coin
        else:
            sooner = coin + float(mass[: self.blocks - 1, self.same & ~self.coin].sum())
            sooner += float(mass[self.blocks - 1, self.first].sum())
            tie = float(mass[self.blocks - 1, self.tied].sum())
        return (sooner, tie) if self.end.rejected else (max(0.0, 1 - sooner - tie), tie)


@record
class Estimated:
    """`estimate`: None where there is none; `interval` may reach to infinity."""

    estimate: float | None
    interval: tuple[float, float]


def p_value(stages: Stages, null: SumLaws) -> float:
    """By stages; see the module."""
    return float(min(1.0, sum(stages.tails(stages.paths.masses(null, stages.blocks)))))


class Line(Protocol):
    """Laws in which one number is open; see `family`."""

    @property
    def null(self) -> float: ...

    @property
    def alternative(self) -> float: ...

    @property
    def distance(self) -> float: ...

    @property
    def ends(self) -> tuple[float, float]: ...


Tails = Callable[[float], tuple[float, float]]
"""At a value of the open number: P(an end at least as extreme as T), and P(one at most as extreme)."""


def estimated(stages: Stages, family: Line, laws: Callable[[float], SumLaws], level: float) -> Estimated:
    """The interval and the estimate; see the module. `laws`: what blocks release at a value of the open number."""
    tails = cache(lambda value: both_tails(stages, laws(value)))
    return Estimated(median(family, tails, stages.end.block > 0), interval(family, tails, level))


def both_tails(stages: Stages, laws: SumLaws) -> tuple[float, float]:
    """See `Tails`."""
    sooner, tie = stages.tails(stages.paths.masses(laws, stages.blocks))
    return sooner + tie, 1 - sooner


def interval(family: Line, tails: Tails, level: float) -> tuple[float, float]:
    """From the first to the last value that neither tail excludes. The null is one of the places that are looked at: it
    lies outside where its p-value is (1 - level) / 2 or less, unless some value beyond it, further from the
    alternative, is not excluded."""
    sign, left = _sign(family), (1 - level) / 2
    grid, close = places(family, sign), CLOSE * family.distance
    least, most = sorted(sign * end for end in family.ends)

    def upper(place: float) -> float:  # both rise, from the null to the alternative
        return tails(sign * place)[0] - left

    def lower(place: float) -> float:
        return left - tails(sign * place)[1]

    null = sign * family.null
    first, last = _first(upper, grid, least, close), _last(lower, grid, most, close)
    if first <= null and upper(null) <= EVEN and all(upper(place) <= 0 for place in grid if place < null):
        first = float(np.nextafter(null, np.inf))
    low, high = sorted((sign * first, sign * last))
    return low, high


def excludes_null(family: Line, ends: tuple[float, float]) -> bool:
    """Whether all of an interval lies on the alternative's side of the null."""
    return min(_sign(family) * end for end in ends) > _sign(family) * family.null


def median(family: Line, tails: Tails, told: bool) -> float | None:
    """The estimate; None where the chance that it is about does not rise. `told`: some block was released."""
    sign = _sign(family)
    grid, close = places(family, sign), CLOSE * family.distance
    least, most = sorted(sign * end for end in family.ends)

    def middle(place: float) -> float:
        return (tails(sign * place)[0] - tails(sign * place)[1]) / 2

    heights = np.array([middle(place) for place in grid])
    known = bool((np.diff(heights) >= -ROUNDING).all()) and told
    known &= heights[0] <= 0 or np.isfinite(least)
    known &= heights[-1] > 0 or np.isfinite(most)
    return sign * _first(middle, grid, least, close) if known else None


def _sign(family: Line) -> float:
    return 1.0 if family.alternative > family.null else -1.0


def places(family: Line, sign: float) -> list[float]:
    """Where chances are looked at, in increasing order of sign times the open number."""
    low, high = sorted((family.null, family.alternative))
    near, far = 2 * family.distance, BEYOND * family.distance
    least, most = max(family.ends[0], low - far), min(family.ends[1], high + far)
    if np.isfinite(family.ends).all():
        least, most = family.ends
    close = np.linspace(max(least, low - near), min(most, high + near), NEARBY)
    listed = np.clip(np.r_[np.linspace(least, most, EVENLY), close, family.null], least, most)
    return [float(x) for x in np.unique(sign * listed)]


def _first(rising: Callable[[float], float], grid: list[float], least: float, close: float) -> float:
    """A little before the function first passes 0; `least` where it is above 0 from the start, and the last place where
    it nowhere is."""
    at = next((i for i, place in enumerate(grid) if rising(place) > 0), len(grid))
    if at == 0 or at == len(grid):
        return least if at == 0 else grid[-1]
    return max(grid[at - 1], float(brentq(rising, grid[at - 1], grid[at], xtol=close)) - close)


def _last(rising: Callable[[float], float], grid: list[float], most: float, close: float) -> float:
    """A little after it last passes 0; `most` where it is below 0 to the end, and the first place where it nowhere
    is."""
    at = next((i for i in reversed(range(len(grid))) if rising(grid[i]) < 0), -1)
    if at == len(grid) - 1 or at == -1:
        return grid[0] if at == -1 else most
    return min(grid[at + 1], float(brentq(rising, grid[at], grid[at + 1], xtol=close)) + close)
