"""The least error that any private test of n entries has, where its other error is bounded: `Flips` for one coin,
exactly; `Coupled` for all laws, from below.

Let y be the chance of an event and G(y) the largest one at a neighbour: an increasing function, here the least of all
lines (`events.py`) and of those for complements.

Flips. Averaged over the orders of the flips, a test is its chance f(s) to reject after s ones, with f(s + 1) <=
G(f(s)). Let g be 0 before some k, anything up to G(0) at k, or anything at all if k = 0, and g(s + 1) = G(g(s)). If
f(s) <= g(s) at some s >= k, then also for all larger s. So f is at least g before some place and at most g after it;
where more ones speak for the alternative, f has no more power than g at the same error (Karlin & Rubin 1956). For a
pure notion these are the tests of Awan & Slavkovic (2018), in general those of Awan & Vadhan (2023, canonical noise).

Coupled. Laws P and Q at a distance t in total variation are the images of P' and Q', under which an entry is a blank
with chance 1 - t, and else a plus under P' and a minus under Q'. A test of P against Q that first draws each entry from
its mark is a private test of P' against Q', with the same errors. With h entries no blanks, h replacements lead from
one law to the other. So if x_h and y_h are the chances to reject then, each averaged over the places of the h entries,
y_h >= L_h(x_h), the largest of all lines for h neighbours and complements; with p_h the chance of h, and any price c,

    sum p_h y_h  >=  c (sum p_h x_h)  +  sum p_h min over x of (L_h(x) - c x).

The minimum is at 0, at 1, or where two lines cross."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Protocol

import numpy as np

from seqlang.designs.bounds.events import Line
from seqlang.designs.problem.entry import Array, law_of_sum
from seqlang.designs.problem.problem import Problem
from seqlang.record import record

DEEPEST = 700.0
"""A test of flips begins with a chance of e^-DEEPEST at least: smaller floats are rounded to 0."""
HALVED = 45
"""Halvings of where such a test begins."""
PRICES = np.geomspace(1e-4, 1e2, 60)
"""Of the power."""
RARE = 1e-15
"""Numbers of marks that are rarer are left out."""
LARGE = 1e9
"""Slopes beyond it are taken as this one, with an offset of 1."""


class BestTests(Protocol):
    """Of n entries."""

    def errors(self, side: int, lengths: Sequence[int], missed: float) -> Array:
        """The least error under the null (0) or the alternative (1) for each of these n, from below, where the other
        one is at most `missed`."""
        ...


@record
class Flips:
    """Of a coin, where events of neighbours keep to these lines."""

    problem: Problem
    known: tuple[Line, ...]

    def most(self, y: Array) -> Array:
        """G."""
        slopes, offsets = np.array([(line.slope, line.offset) for line in self.known]).T[:, :, None]
        above = (slopes * y + offsets).min(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = np.where(slopes > 0, 1 - (1 - y - offsets) / slopes, 1.0).min(axis=0)
        return np.asarray(np.maximum(np.minimum(np.minimum(above, beyond), 1.0), y))

    def started(self, where: Array, count: int) -> Array:
        """(count, tests): g(0), g(1), .. of the tests that begin at these places: k is the whole part, and the chance
        there falls from G(0) to 0; below 0, k is 0 and it falls from 1 to G(0)."""
        least = self.most(np.zeros(1))[0]
        first = np.floor(np.maximum(where, 0.0))
        early = np.maximum(least, np.exp(-np.maximum(where + DEEPEST, 0.0)))
        chance = np.where(where < 0, early, least * (1 - where + first))
        rows, g = [], np.zeros(len(where))
        for s in range(count):
            g = np.where(s < first, 0.0, np.where(s == first, chance, self.most(g)))
            rows.append(g)
        return np.array(rows)

    def errors(self, side: int, lengths: Sequence[int], missed: float) -> Array:
        """By halving; the test that is taken at the end has less power than is asked for, and so less error."""
        first, second = (self._laws(one, side, lengths) for one in (side, 1 - side))
        count = len(first)
        low, high = np.full(len(lengths), -DEEPEST), np.full(len(lengths), float(count))
        for _ in range(HALVED):
            middle = (low + high) / 2
            enough = (second * self.started(middle, count)).sum(axis=0) >= 1 - missed
            low, high = np.where(enough, middle, low), np.where(enough, high, middle)
        return np.asarray((first * self.started(high, count)).sum(axis=0))

    def _laws(self, of: int, side: int, lengths: Sequence[int]) -> Array:
        """Under a hypothesis, (ones, lengths); of zeros where fewer ones speak against the side."""
        sides = (self.problem.null, self.problem.alternative)
        chances = sides[of].chances
        if sides[side].chances[1] > sides[1 - side].chances[1]:
            chances = chances[::-1]
        laws = np.zeros((max(lengths) + 1, len(lengths)))
        for i, n in enumerate(lengths):
            laws[: n + 1, i] = law_of_sum(chances, n)
        return laws


@record
class Coupled:
    """Of any law. `apart`: by arm, how far the laws of an entry are apart in total variation, not below; arms take
    turns."""

    apart: tuple[float, ...]
    known: tuple[Line, ...]

    def errors(self, side: int, lengths: Sequence[int], missed: float) -> Array:
        return np.array([self._error(n, missed) for n in lengths])

    def _error(self, n: int, missed: float) -> float:
        law = np.ones(1)
        for turn, chance in enumerate(self.apart):
            many = (n + len(self.apart) - 1 - turn) // len(self.apart)
            law = np.convolve(law, law_of_sum((1 - Fraction(chance), Fraction(chance)), many))
        marks = np.flatnonzero(law > RARE)
        best = np.array([_best(self.known, int(h)) for h in marks])
        return max(0.0, float((PRICES * (1 - missed) + law[marks] @ best - PRICES * (1 - law[marks].sum())).max()))


def _best(known: Sequence[Line], h: int) -> Array:
    """min over x of (L_h(x) - c x), for all prices c."""
    below = [(0.0, 0.0)]  # (slope, height at 0)
    for line in known:
        slope, offset = _repeated(line, h)
        below += [(1 / slope, -offset / slope), (slope, 1 - slope - offset)]
    at = [0.0, 1.0]
    for (a, b), (c, d) in combinations(below, 2):
        if a != c:
            at.append(min(1.0, max(0.0, (d - b) / (a - c))))
    x = np.array(at)
    height = np.max([a * x + b for a, b in below], axis=0)
    return np.asarray((height - PRICES[:, None] * x).min(axis=1))


def _repeated(line: Line, h: int) -> tuple[float, float]:
    """The line for h neighbours in a row."""
    if line.slope <= 1:
        return 1.0, min(1.0, h * line.offset)
    if h * np.log(line.slope) > np.log(LARGE):
        return LARGE, 1.0
    slope = line.slope**h
    return slope, line.offset * (slope - 1) / (line.slope - 1)
