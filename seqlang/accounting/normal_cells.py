"""Chances of intervals of a normal variable whose ends depend on one or two other normal variables, surely enclosed.

What is integrated is H(z) = product over t of F_t(z), where F_t = (min of upper ends - max of lower ends)+ and each end
is Phi of an affine function of one coordinate of z. Coordinates are independent normal variables, cut into cells; in a
cell H is taken at the mean c of the cell. The error of that, given the cell, is

    at most E |R|, R the remainder of Taylor's theorem,   where the order of the ends is the same all over the cell:
                                                          E (z - c) = 0
    at most by how much the ends vary over the cell       elsewhere: H is 1-Lipschitz in each end

With s the slope of the ends (per coordinate, times the density of the variable at most phi(0)), n factors:
|H_ii| <= 2 n k s^2 + (2 n s phi(0))^2, k = max |phi'|, and |H_12| <= (2 n s phi(0))^2; the variance of a unimodal law
on an interval of length h is at most h^2 / 9 (Jacobson 1969). What lies outside of the cells is less than `OUTSIDE`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from seqlang.record import record

if TYPE_CHECKING:
    from typing import Any

REACH = 7.0  # standard deviations
OUTSIDE = 3e-12  # of one coordinate: 2 P(N(0,1) > 7) = 2.6e-12
ROUNDING = 1e-9  # of all sums: of at most 2^21 cells, each off by less than 1e-15
LARGEST = 1e6  # an end, in standard deviations: beyond, its rounding would matter
CELLS = {1: 4096, 2: 768}
DENSITY, STEEPEST = 0.3989422804014327, 0.24197072451914337  # the largest phi and |phi'|


@record
class End:
    """Phi(constant + slope * z_axis)."""

    axis: int
    constant: float
    slope: float


@record
class Extreme:
    """The largest (`sign` 1) or smallest (-1) of several ends."""

    sign: int
    ends: tuple[End, ...]


@record
class Between:
    """One factor: the chance to lie above all of `lower` and below all of `upper`."""

    lower: tuple[Extreme, ...]
    upper: tuple[Extreme, ...]


@record
class Chances:
    """`values`: of the events in order; each is off by at most `error`."""

    values: tuple[float, ...]
    error: float


Events = Sequence[tuple[Between, ...]]


def chances(axes: int, cases: Sequence[Events]) -> list[Chances] | None:
    """Of each case's events (all factors of an event together), for standard normal coordinates; None if an end is too
    far out, or if there are no cells for so many coordinates."""
    ends = [end for events in cases for event in events for end in _ends(event)]
    if axes not in CELLS or any(not abs(e.constant) + REACH * abs(e.slope) <= LARGEST for e in ends):
        return None
    grid = _Grid(axes, CELLS[axes])
    slope = max((abs(end.slope) for end in ends), default=0.0)
    factors = max((len(event) for events in cases for event in events), default=0)
    smooth = grid.smooth(factors * slope * slope, factors * slope) + axes * OUTSIDE + ROUNDING
    return [Chances(tuple(map(grid.mean, events)), smooth + grid.kinks(events)) for events in cases]


def _ends(event: tuple[Between, ...]) -> list[End]:
    """As often as they occur."""
    return [end for f in event for side in (f.lower, f.upper) for extreme in side for end in extreme.ends]


class _Grid:
    """Cells of equal width of each coordinate, their masses and means."""

    def __init__(self, axes: int, cells: int) -> None:
        import numpy as np
        from scipy.special import ndtr

        self.np, self.ndtr, self.axes = np, ndtr, axes
        self.width = 2 * REACH / cells
        self.edges = np.linspace(-REACH, REACH, cells + 1)
        self.edges[cells // 2] = 0.0
        density = np.exp(-(self.edges**2) / 2) * DENSITY
        half = ndtr(-np.abs(self.edges))
        mass = np.where(self.edges[:-1] >= 0, half[:-1] - half[1:], half[1:] - half[:-1])
        self.mass = mass
        self.means = np.clip((density[:-1] - density[1:]) / mass, self.edges[:-1], self.edges[1:])
        self.factors: dict[Between, Any] = {}

    def _along(self, end: End, places: Any) -> Any:
        found = self.ndtr(end.constant + end.slope * places)
        return found[:, None] if end.axis == 0 and self.axes == 2 else found

    def _end(self, extreme: Extreme, places: Any) -> Any:
        pick = self.np.maximum if extreme.sign > 0 else self.np.minimum
        found = self._along(extreme.ends[0], places)
        for end in extreme.ends[1:]:
            found = pick(found, self._along(end, places))
        return found

    def mean(self, event: tuple[Between, ...]) -> float:
        """H at the means of the cells, summed."""
        whole = self.np.ones((len(self.mass),) * self.axes)
        for factor in event:
            whole *= self._factor(factor)
        return self._sum(whole)

    def _sum(self, values: Any) -> float:
        return float(self.mass @ values @ self.mass if self.axes == 2 else self.mass @ values)

    def _factor(self, factor: Between) -> Any:
        if factor not in self.factors:
            low: Any = 0.0
            high: Any = 1.0
            for extreme in factor.lower:
                low = self.np.maximum(low, self._end(extreme, self.means))
            for extreme in factor.upper:
                high = self.np.minimum(high, self._end(extreme, self.means))
            self.factors[factor] = self.np.maximum(high - low, 0.0)
        return self.factors[factor]

    def smooth(self, curved: float, steep: float) -> float:
        """The error in cells in which H is smooth. `curved`, `steep`: factors times slope^2, and times slope."""
        variance = self.width**2 / 9
        first = (2 * steep * DENSITY) ** 2
        second = 2 * curved * STEEPEST + first
        return 0.5 * variance * (self.axes * second + (2 * first if self.axes == 2 else 0.0)) * (1 + ROUNDING)

    def kinks(self, events: Events) -> float:
        """The error in cells in which the order of two ends is open: what all ends vary by there."""
        np, shape = self.np, (len(self.mass),) * self.axes
        compared = {pair for event in events for f in event for pair in _compared(f)}
        if not compared:
            return 0.0
        counted = [Counter(_ends(event)) for event in events]
        most = {end: max(count[end] for count in counted) for end in set().union(*counted)}
        sides = {end: (self._along(end, self.edges[:-1]), self._along(end, self.edges[1:])) for end in most}
        ranges = {end: (np.minimum(a, b), np.maximum(a, b)) for end, (a, b) in sides.items()}
        open_, varies = np.zeros(shape, dtype=bool), np.zeros(shape)
        for one, other in compared:
            (a, b), (c, d) = ranges[one], ranges[other]
            open_ |= (a <= d) & (c <= b)
        for end, times in most.items():
            varies += times * (ranges[end][1] - ranges[end][0])
        return self._sum(np.where(open_, np.minimum(varies, 1.0), 0.0)) * (1 + ROUNDING)


def _compared(factor: Between) -> set[tuple[End, End]]:
    """The pairs of ends whose order decides the factor, or an extreme in it."""
    ends = [end for side in (factor.lower, factor.upper) for extreme in side for end in extreme.ends]
    return {(a, b) for n, a in enumerate(ends) for b in ends[n + 1 :] if a != b}


def least_epsilon(laws: Sequence[Chances], pairs: Sequence[tuple[int, int]], delta: float) -> float:
    """The least epsilon, rounded up, such that for all pairs the sum of (P - e^epsilon Q)+ over the events is at most
    `delta`; infinity if none up to 40 is known to serve."""
    import numpy as np

    values = np.array([law.values for law in laws])
    errors = np.array([law.error for law in laws])[:, None]
    most, least = np.minimum(values + errors, 1.0), np.maximum(values - errors, 0.0)
    first, second = (np.array([pair[k] for pair in pairs], dtype=int) for k in (0, 1))

    def enough(epsilon: float) -> bool:
        lost = np.maximum(most[first] - math.exp(epsilon) * least[second] * (1 - ROUNDING), 0.0).sum(axis=1)
        return not pairs or float(lost.max()) + ROUNDING <= delta

    low, high = 0.0, 40.0
    if enough(low):
        return low
    if not enough(high):
        return math.inf
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
