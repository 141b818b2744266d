"""Integrals of products of tails against one noise, between a lower and an upper bound that hold.

Between the kinks the integrand is analytic. Sixteen Gauss nodes on a panel miss its integral by at most
64/15 h M r^-30 / (1 - r^-2), M being a bound on the Bernstein ellipse of parameter r around the panel of half-width h
(Trefethen 2013, Theorem 19.3); panels are halved until that is negligible, and what is not integrated is bounded.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import exp, inf, log, log1p

from seqlang.analyses.witnesses.enclosure.bundle import Bundle, bundled
from seqlang.analyses.witnesses.enclosure.factors import Choice, Line, Part, Range, log_add
from seqlang.analyses.witnesses.enclosure.simplified import simplified
from seqlang.analyses.witnesses.enclosure.tails import ROUNDING, Tail

# nodes and weights of the rule with 16 nodes on [-1, 1], the positive half
NODES = (
    (0.0950125098376374402, 0.1894506104550684963), (0.2816035507792589133, 0.1826034150449235889),
    (0.4580167776572273864, 0.1691565193950025382), (0.6178762444026437485, 0.1495959888165767320),
    (0.7554044083550030339, 0.1246289712555338720), (0.8656312023878317439, 0.0951585116824927848),
    (0.9445750230732325761, 0.0622535239386478929), (0.9894009349916499326, 0.0271524594117540949),
)  # fmt: skip
RULE = tuple(sorted((sign * x, w) for x, w in NODES for sign in (1, -1)))
ELLIPSE = 4.0
LONG, SHORT = (ELLIPSE + 1 / ELLIPSE) / 2, (ELLIPSE - 1 / ELLIPSE) / 2
LOG_MISSED = log(64 / 15) - 30 * log(ELLIPSE) - log1p(-(ELLIPSE**-2))
NEGLIGIBLE = log(1e-11)
Factor = Range | Choice


class TooMuch(Exception):
    """More values would be needed than are worth it."""


class Integral:
    """E[product of the factors] for Z of this law, Z in `inside` (else 0): an enclosure by `found()`."""

    def __init__(self, law: Tail, factors: Sequence[Factor], inside: tuple[float, float], most: float) -> None:
        self.law, self.inside, self.left = law, inside, most
        self.factors, self.count = bundled(factors), len(factors)
        self.sums = [-inf]  # logs of the panels' integrals
        self.total = -inf
        self.doubt: list[float] = []  # logs of bounds on what they miss
        self.relative = 0.0
        self.guides: list[float] = []
        self.heap: list[tuple[float, float, float, float]] = []

    def found(self) -> tuple[float, float]:
        """Logs of a lower and an upper bound. Raises `TooMuch`."""
        low, high = self.inside
        if low >= high:
            return -inf, -inf
        self.guides = sorted(g for g in self._guides() if low < g < high)
        first, last = (self.guides[0], self.guides[-1]) if self.guides else (max(low, min(0.0, high)),) * 2
        if first < last:
            self._push(first, last, 0.0)
        for edge, end, step in ((first, low, -self.law.unit), (last, high, self.law.unit)):
            if abs(end) == inf:
                self._push(edge, end, step)
            elif edge != end:
                self._push(min(edge, end), max(edge, end), 0.0)
        while self.heap and -self.heap[0][0] > self.total + NEGLIGIBLE - log(len(self.heap)):
            most, a, b, step = heapq.heappop(self.heap)
            if step:
                near = a + step
                self._push(min(a, near), max(a, near), 0.0)
                self._push(near, b, 2 * step)
                continue
            inner = bisect_right(self.guides, a), bisect_left(self.guides, b)
            if inner[0] < inner[1]:
                middle = self.guides[sum(inner) // 2]
                self._push(a, middle, 0.0)
                self._push(middle, b, 0.0)
            else:
                self._panel(a, b, -most)
        missed = log_add([*self.doubt, *(-item[0] for item in self.heap)])
        total = log_add(self.sums)
        slack = self.relative + ROUNDING * (4 + len(self.sums) + abs(total))
        if total == -inf:
            return -inf, missed
        ratio = exp(missed - total) + slack
        return (total + log1p(-ratio) if ratio < 1 else -inf), log_add([total, missed]) + slack

    def _guides(self) -> set[float]:
        """The kinks; and where the first and the last tail are 1/2, as places near the mass."""
        ends = {-a / s for f in self.factors for a, s in _lines(f) if s}
        kinks = [k for f in self.factors if not isinstance(f, Bundle) for k in f.kinks()]
        return {0.0, *kinks, *({min(ends), max(ends)} if ends else ())}

    def _push(self, a: float, b: float, step: float) -> None:
        """A panel, or (step) the line from a to the infinite end b, with a bound on its integral."""
        low, high = min(a, b), max(a, b)
        if low >= high:
            return
        self._spend(self.count)
        bound = self.law.log_above(a if step > 0 else -a) if step else self._mass(low, high)
        for factor in self.factors:
            bound += factor.log_most(low, high)
            if bound == -inf:
                return
        heapq.heappush(self.heap, (-(bound + 1e-9 + 1e-12 * abs(bound)), a, b, step))

    def _mass(self, low: float, high: float) -> float:
        """A bound on the log of the noise's own mass between."""
        tails = 0.0 if low <= 0 <= high else self.law.log_above(min(abs(low), abs(high)))
        return min(tails, log(high - low) + self.law.log_density(0.0 if low <= 0 <= high else min(abs(low), abs(high))))

    def _parts(self, middle: float, low: float, high: float) -> list[Part | Bundle] | None:
        self._spend(self.count)
        found: list[Part | Bundle] = []
        for factor in self.factors:
            part = factor if isinstance(factor, Bundle) else factor.between(middle)
            if part is None:
                return None
            found.append(part)
        return simplified(found, low, high)

    def _panel(self, a: float, b: float, most: float) -> None:
        """Integrates a panel without kinks inside, or halves it. `most`: a bound on the log of its integral."""
        middle, half = (a + b) / 2, (b - a) / 2
        parts = self._parts(middle, a, b)
        if parts is None:
            return
        self._spend(20 * sum([len(p) if isinstance(p, Bundle) else 1 for p in parts]))
        left, right, up = middle - LONG * half, middle + LONG * half, SHORT * half
        bound = sum([part.log_bound(left, right, up) for part in parts])
        bound += self.law.log_density_bound(left, right, up, middle > 0)
        missed = LOG_MISSED + log(half) + bound + 1e-9 + 1e-12 * abs(bound)
        value, error = most, 0.0
        if missed <= max(self.total, most) + NEGLIGIBLE:
            values, error = self._values(parts, middle, half)
            value = log_add(values)
        if missed > max(self.total, value) + NEGLIGIBLE:
            if half <= 1e-12 * (1 + abs(middle)):
                raise TooMuch
            self._push(a, middle, 0.0)
            self._push(middle, b, 0.0)
            return
        self.doubt.append(missed)
        self.sums.append(value)
        self.total = log_add([self.total, value])
        self.relative = max(self.relative, error)

    def _values(self, parts: Sequence[Part | Bundle], middle: float, half: float) -> tuple[list[float], float]:
        places = [middle + half * node for node, _ in RULE]
        totals = [self.law.log_density(z) + log(weight * half) for z, (_, weight) in zip(places, RULE, strict=True)]
        error, largest = self.law.rounding(max(map(abs, places))), max(map(abs, totals))
        for part in parts:
            values, wrong = part.logs(places)
            totals = [t + v for t, v in zip(totals, values, strict=True)]
            error += wrong
        if error == inf:
            raise TooMuch  # a difference without any digits
        largest = max(largest, *map(abs, totals))  # no part's logarithm is above 0: so is each sum on the way
        return totals, error + ROUNDING * (2 + largest * (1 + len(parts) / 8))

    def _spend(self, values: float) -> None:
        self.left -= values
        if self.left < 0:
            raise TooMuch


def _lines(factor: Factor | Bundle) -> list[Line]:
    if isinstance(factor, Bundle):
        return factor.lines()
    ranges = [factor] if isinstance(factor, Range) else [r for way in factor.ways for r in way]
    return [line for r in ranges for line in (*r.lows, *r.highs)]
