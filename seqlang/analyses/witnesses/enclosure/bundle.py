"""Many upper tails of one Gaussian noise at once: what a long stream demands of the noise of its steps.

The same numbers as from one `Range` after another, in the same order, by loops of few calls: a witness of a hundred
steps takes a hundred thousand tails.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import erfc, log

from seqlang.analyses.witnesses.enclosure.factors import FAR, MISSING, ROOT, Choice, Line, Range
from seqlang.analyses.witnesses.enclosure.tails import FARTHEST, ROUNDING, Tail, half_square
from seqlang.record import record


@record
class Bundle:
    """The product of P(W >= start + slope z), each `times` times, all with this slope, for Gaussian W. No kinks."""

    tail: Tail
    slope: float
    tails: tuple[tuple[float, int], ...]
    """(start, times)"""

    def __len__(self) -> int:
        return len(self.tails)

    def lines(self) -> list[Line]:
        return [(start, self.slope) for start, _ in self.tails]

    def log_most(self, low: float, high: float) -> list[float]:
        """A bound on each logarithm for low <= z <= high (which may be infinite)."""
        return self._above(self._moves(low, high)[0], 0.0)

    def log_bound(self, low: float, high: float, imaginary: float) -> list[float]:
        """A bound on log |value| of each, for low <= Re z <= high, |Im z| <= imaginary."""
        return self._above(self._moves(low, high)[0], half_square(abs(self.slope) * imaginary / self.tail.unit))

    def without_certain(self, low: float, high: float) -> tuple[Bundle, list[float]]:
        """Those that are not nearly 1 wherever low <= z <= high; and what each of the others misses."""
        most, far = self._moves(low, high)[1], -FAR * self.tail.unit
        kept = tuple([one for one in self.tails if one[0] + most >= far])
        if len(kept) == len(self.tails):
            return self, []
        missing = [times * MISSING for start, times in self.tails if start + most < far]
        return Bundle(self.tail, self.slope, kept), missing

    def added(self, totals: list[float], error: float, places: Sequence[float]) -> tuple[list[float], float]:
        """`totals` with the logarithms at all places, and `error` with the largest error of each."""
        tail, unit = self.tail, self.tail.unit
        moves = [self.slope * z for z in places]
        farthest, reach = max(moves[0], moves[-1]), abs(self.slope) * max(map(abs, places))
        root = unit * ROOT
        for start, times in self.tails:
            if start + farthest < FARTHEST * unit:
                found = [log(0.5 * erfc((start + move) / root)) for move in moves]
            else:
                found = [tail.log_above(start + move) for move in moves]
            error += times * (tail.rounding(abs(start) + reach) - ROUNDING * min(found))  # no logarithm is above 0
            if times != 1:
                found = [times * v for v in found]
            totals = [t + v for t, v in zip(totals, found, strict=True)]
        return totals, error

    def _moves(self, low: float, high: float) -> tuple[float, float]:
        """The least and the largest of slope z."""
        if not self.slope:
            return 0.0, 0.0
        one, other = self.slope * low, self.slope * high
        return (one, other) if one <= other else (other, one)

    def _above(self, move: float, more: float) -> list[float]:
        """log P(W >= start + move) + more, times."""
        above, unit = self.tail.log_above, self.tail.unit
        end = FARTHEST * unit * (1 - 1e-9)  # up to here `log_above` would do the same
        found = []
        for start, times in self.tails:
            e = start + move
            found.append(times * ((log(0.5 * erfc(e / unit / ROOT)) if e < end else above(e)) + more))
        return found


def bundled(factors: Sequence[Range | Choice]) -> list[Range | Choice | Bundle]:
    """The factors in their order, those that stand beside each other and can be bundled as one."""
    found: list[Range | Choice | Bundle] = []
    for shape, group in groupby(factors, _shape):
        if shape is None:
            found += group
        else:
            found.append(Bundle(*shape, tuple([(_line(one)[0], one.times) for one in group])))
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
