"""Many upper tails of one Gaussian noise at once: what a long stream demands of the noise of its steps.

A witness of a hundred steps takes a hundred thousand tails. They are multiplied, and one logarithm is taken of many.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby
from math import erfc, log, prod

from seqlang.analyses.witnesses.enclosure.factors import FAR, MISSING, ROOT, Choice, Line, Range
from seqlang.analyses.witnesses.enclosure.tails import FARTHEST, ROUNDING, Tail, half_square
from seqlang.record import record

_LEAST = 1e-290
"""Products above this have rounded normally all along: no factor is above 1."""


@record
class Bundle:
    """The product of P(W >= start + slope z) for many starts, all with this slope, for Gaussian W. It has no kinks."""

    tail: Tail
    slope: float
    once: tuple[float, ...]
    """The starts, rising, of the tails that occur one time."""
    more: tuple[tuple[float, int], ...]
    """(start, times) of the others."""

    def __len__(self) -> int:
        return len(self.once) + len(self.more)

    def lines(self) -> list[Line]:
        return [(start, self.slope) for start in (*self.once, *[start for start, _ in self.more])]

    def log_most(self, low: float, high: float) -> float:
        """A bound on the logarithm for low <= z <= high (which may be infinite)."""
        return self._log(self._moves(low, high)[0])

    def log_bound(self, low: float, high: float, imaginary: float) -> float:
        """A bound on log |value| for low <= Re z <= high, |Im z| <= imaginary."""
        times = len(self.once) + sum([times for _, times in self.more])
        return self.log_most(low, high) + times * half_square(abs(self.slope) * imaginary / self.tail.unit)

    def without_certain(self, low: float, high: float) -> tuple[Bundle, float]:
        """Those that are not nearly 1 wherever low <= z <= high; and what the others miss."""
        least = -FAR * self.tail.unit - self._moves(low, high)[1]
        first = bisect_left(self.once, least)
        more = tuple([one for one in self.more if one[0] >= least])
        if not first and len(more) == len(self.more):
            return self, 0.0
        missing = first + sum([times for start, times in self.more if start < least])
        return Bundle(self.tail, self.slope, self.once[first:], more), missing * MISSING

    def logs(self, places: Sequence[float]) -> tuple[list[float], float]:
        """The logarithms at all places, and a bound on their errors."""
        found = [self._log(self.slope * z) for z in places]
        reach = abs(self.slope) * max(map(abs, places))
        error = self.tail.roundings([abs(start) + reach for start in self.once])
        for start, times in self.more:
            error += times * self.tail.rounding(abs(start) + reach)
        # each product and each sum is off by at most an eighth of ROUNDING; no logarithm is above 0
        return found, error + ROUNDING * (len(self.once) + (4 + len(self.more)) * max(map(abs, found)))

    def _moves(self, low: float, high: float) -> tuple[float, float]:
        """The least and the largest of slope z."""
        if not self.slope:
            return 0.0, 0.0
        one, other = self.slope * low, self.slope * high
        return (one, other) if one <= other else (other, one)

    def _log(self, move: float) -> float:
        """The sum of log P(W >= start + move)."""
        above, unit = self.tail.log_above, self.tail.unit
        root, end = unit * ROOT, FARTHEST * unit * (1 - 1e-9)  # so far `log_above` takes erfc too
        found = 0.0
        if self.once and self.once[-1] + move < end:
            found = _log_product([0.5 * erfc((start + move) / root) for start in self.once])
        elif self.once:
            found = sum([above(start + move) for start in self.once])
        for start, times in self.more:
            e = start + move
            found += times * (log(0.5 * erfc(e / root)) if e < end else above(e))
        return found


def _log_product(values: list[float]) -> float:
    """Of numbers from 1e-150 to 1. The sum of logarithms of parts where the product may be too small for a float."""
    product = prod(values)
    if product > _LEAST:
        return log(product)
    half = len(values) // 2
    return _log_product(values[:half]) + _log_product(values[half:])


def bundled(factors: Sequence[Range | Choice]) -> list[Range | Choice | Bundle]:
    """The factors in their order, those that stand beside each other and can be bundled as one."""
    found: list[Range | Choice | Bundle] = []
    for shape, group in groupby(factors, _shape):
        if shape is None:
            found += group
            continue
        tails = [(_line(one)[0], one.times) for one in group]
        once = tuple(sorted([start for start, times in tails if times == 1]))
        found.append(Bundle(*shape, once, tuple([one for one in tails if one[1] != 1])))
    return found


def _shape(factor: Range | Choice) -> tuple[Tail, float] | None:
    if isinstance(factor, Choice) or factor.tail is None or factor.tail.family != "gaussian":
        return None
    return (factor.tail, _line(factor)[1]) if len(factor.lows) + len(factor.highs) == 1 else None


def _line(one: Range | Choice) -> Line:
    """The only end, as a lower one: W is symmetric."""
    assert isinstance(one, Range)
    ((start, slope),) = one.lows or one.highs
    return (start, slope) if one.lows else (-start, -slope)
