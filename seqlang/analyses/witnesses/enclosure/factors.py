"""The chance of one step's condition as a function of the persistent noise z: a tail, or the difference of two.

Between the kinks the chance is analytic in z. A `Range` is P(lows <= W <= highs), the ends being lines in z.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, exp, expm1, inf, log, log1p, sqrt

from seqlang.analyses.witnesses.enclosure.tails import FARTHEST, ROUNDING, Tail
from seqlang.record import record

ROOT = sqrt(2)
FAR = 32.0  # scales, or standard deviations, from which on a tail counts as all or nothing
MISSING = 1e-14
Line = tuple[float, float]
"""start, slope: the end start + slope z."""

Value = tuple[float, float]
"""A logarithm and a bound on its error."""

NOTHING: Value = (-inf, 0.0)


@record
class Range:
    """P(every low <= W <= every high), `times` times. `tail` is None for a condition on z alone (W = 0)."""

    tail: Tail | None
    lows: tuple[Line, ...]
    highs: tuple[Line, ...]
    times: int

    def kinks(self) -> list[float]:
        """Where an end meets the law's kink, or another end."""
        lines = [*self.lows, *self.highs]
        zeros = [-a / s for a, s in lines if s and (self.tail is None or self.tail.kinked)]
        pairs = [(x, y) for i, x in enumerate(lines) for y in lines[i + 1 :]]
        return zeros + [(b - a) / (s - r) for (a, s), (b, r) in pairs if s != r]

    def log_most(self, low: float, high: float) -> float:
        """A bound on the logarithm for low <= z <= high (which may be infinite), kinks or not: each end alone."""
        found = 0.0
        for lines, sign in ((self.lows, 1.0), (self.highs, -1.0)):
            for a, s in lines:
                # the end where it is farthest from what it demands
                e = sign * a + min(sign * s * low, sign * s * high) if s else sign * a
                if self.tail is not None:
                    found = min(found, 0.0 if e == -inf else self.tail.log_above(e))
                elif e > 0:
                    return -inf
        return self.times * found

    def between(self, middle: float) -> Piece | None:
        """The range on the panel around `middle`; None if it is empty there."""
        low = _highest(self.lows, middle)
        high = _highest(self.highs, middle, -1.0)
        line = low if low is not None else None if high is None else (-high[0], -high[1])
        if self.tail is not None and line is not None and (low is None or high is None):
            return Piece(self.tail, (line,), self.times, 1 if line[0] + line[1] * middle >= 0 else -1)
        ends = [None if line is None else line[0] + line[1] * middle for line in (low, high)]
        if self.tail is None:
            inside = (ends[0] is None or ends[0] <= 0) and (ends[1] is None or ends[1] >= 0)
            return Piece(None, (), self.times, 0) if inside else None
        if ends[0] is not None and ends[1] is not None and ends[0] >= ends[1]:
            return None
        if low is None or high is None:
            return Piece(None, (), self.times, 0)
        if ends[1] is not None and ends[1] <= 0:  # in the lower tail: turned round
            return Piece(self.tail, ((-high[0], -high[1]), (-low[0], -low[1])), self.times, 1)
        if ends[0] is not None and ends[0] >= 0:
            return Piece(self.tail, (low, high), self.times, 1)
        return Piece(self.tail, (low, high), self.times, 0)


def _highest(lines: Sequence[Line], z: float, sign: float = 1.0) -> Line | None:
    """The line that is the highest there, with `sign` -1 the lowest; None if there is none."""
    if len(lines) < 2:
        return lines[0] if lines else None
    return max(lines, key=lambda line: sign * (line[0] + line[1] * z))


@record
class Piece:
    """A range on one panel. One line: P(W >= line). Two: P(first <= W <= second), both in the upper tail (`side` 1) or
    on both sides of 0 (`side` 0). No line: certain."""

    tail: Tail | None
    lines: tuple[Line, ...]
    times: int
    side: int

    def log(self, z: float) -> Value:
        if self.tail is None:
            return 0.0, 0.0
        (a, s), *rest = self.lines
        first = self.tail.log_above(a + s * z)
        error = self.tail.rounding(abs(a) + abs(s * z)) + ROUNDING * abs(first)
        if not rest:
            return self.times * first, self.times * error
        ((b, r),) = rest
        second_error = self.tail.rounding(abs(b) + abs(r * z))
        if self.side:
            second = self.tail.log_above(b + r * z)
            gap = second - first
            if gap >= 0:
                return NOTHING[0], inf
            error += (second_error + error + ROUNDING * abs(second)) * exp(gap) / -expm1(gap)
            return self.times * (first + log(-expm1(gap))), self.times * (error + ROUNDING)
        below, above = exp(self.tail.log_above(-a - s * z)), exp(self.tail.log_above(b + r * z))
        inside = 1 - below - above
        if inside <= 0:
            return NOTHING[0], inf
        absolute = below * (error + ROUNDING) + above * (second_error + ROUNDING) + ROUNDING
        return self.times * log(inside), self.times * (absolute / inside + ROUNDING)

    def logs(self, places: Sequence[float]) -> tuple[list[float], float]:
        """`log` at many places, with the largest of the errors."""
        tail = self.tail
        if tail is not None and len(self.lines) == 1:
            ((a, s),), unit, times = self.lines, tail.unit, self.times
            size = abs(a) + abs(s) * max(map(abs, places))
            if tail.family == "laplace" and self.side < 0:
                found = [log1p(-0.5 * exp((a + s * z) / unit)) for z in places]
            elif tail.family == "gaussian" and max(a + s * places[0], a + s * places[-1]) < FARTHEST * unit:
                root = unit * ROOT
                found = [log(0.5 * erfc((a + s * z) / root)) for z in places]
            else:
                found = [tail.log_above(a + s * z) for z in places]
            error = tail.rounding(size) + ROUNDING * max(map(abs, found))
            return ([times * v for v in found] if times != 1 else found), times * error
        values = [self.log(z) for z in places]
        return [v for v, _ in values], max([e for _, e in values])

    def log_bound(self, low: float, high: float, imaginary: float) -> float:
        """A bound on log |value| for low <= Re z <= high, |Im z| <= imaginary."""
        if self.tail is None:
            return 0.0
        bounds = [_line_bound(self.tail, line, low, high, imaginary, self.side >= 0) for line in self.lines]
        if len(bounds) == 1:
            return self.times * bounds[0]
        if not self.side:  # 1 - P(W >= -first) - P(W >= second)
            first = (-self.lines[0][0], -self.lines[0][1])
            bounds[0] = _line_bound(self.tail, first, low, high, imaginary, True)
            bounds.append(0.0)
        return self.times * log_add(bounds)


def _line_bound(tail: Tail, line: Line, low: float, high: float, imaginary: float, right: bool) -> float:
    a, s = line
    one, other = (a + s * low, a + s * high) if s else (a, a)
    if one > other:
        one, other = other, one
    return tail.log_bound(one, other, abs(s) * imaginary, right)


@record
class Exponential:
    """The product of all upper tails of Laplace noises on a panel: e^(constant - slope z)."""

    constant: float
    slope: float
    size: float
    times: int

    def log(self, z: float) -> Value:
        return self.constant - self.slope * z, ROUNDING * (self.size * (1 + abs(z)) + self.times)

    def logs(self, places: Sequence[float]) -> tuple[list[float], float]:
        values = [self.log(z) for z in places]
        return [v for v, _ in values], max([e for _, e in values])

    def log_bound(self, low: float, high: float, imaginary: float) -> float:
        return self.constant - (self.slope * low if self.slope > 0 else self.slope * high if self.slope else 0.0)


@record
class Almost:
    """Tails of which not even e^-32 is missing on the panel: taken for 1."""

    error: float

    def log(self, z: float) -> Value:
        return 0.0, self.error

    def logs(self, places: Sequence[float]) -> tuple[list[float], float]:
        values = [self.log(z) for z in places]
        return [v for v, _ in values], max([e for _, e in values])

    def log_bound(self, low: float, high: float, imaginary: float) -> float:
        return 0.0


@record
class Choice:
    """A step that may come about in several disjoint ways: each way all of its ranges."""

    ways: tuple[tuple[Range, ...], ...]
    times: int

    def kinks(self) -> list[float]:
        return [k for way in self.ways for one in way for k in one.kinks()]

    def log_most(self, low: float, high: float) -> float:
        return self.times * min(0.0, log_add([sum(one.log_most(low, high) for one in way) for way in self.ways]))

    def between(self, middle: float) -> Ways | None:
        found = []
        for way in self.ways:
            pieces = [one.between(middle) for one in way]
            if None not in pieces:
                found.append(tuple(piece for piece in pieces if piece is not None))
        return Ways(tuple(found), self.times) if found else None


@record
class Ways:
    """A choice on one panel."""

    ways: tuple[tuple[Piece, ...], ...]
    times: int

    def log(self, z: float) -> Value:
        values = [[piece.log(z) for piece in way] for way in self.ways]
        logs = [sum(v for v, _ in way) for way in values]
        error = max((sum(e for _, e in way) for way in values), default=0.0)
        return self.times * log_add(logs), self.times * (error + ROUNDING * (1 + abs(max(logs))))

    def logs(self, places: Sequence[float]) -> tuple[list[float], float]:
        values = [self.log(z) for z in places]
        return [v for v, _ in values], max([e for _, e in values])

    def log_bound(self, low: float, high: float, imaginary: float) -> float:
        found = log_add([sum(piece.log_bound(low, high, imaginary) for piece in way) for way in self.ways])
        return self.times * found


Part = Piece | Ways | Exponential | Almost


def log_add(logs: Sequence[float]) -> float:
    """log of the sum of e^log."""
    top = max(logs, default=-inf)
    return top if top in (inf, -inf) else top + log(sum(exp(x - top) for x in logs))
