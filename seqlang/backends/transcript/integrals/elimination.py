"""The chance that noisy values come out in order, on panels of the line with a few nodes each.

One value after the other is summed out, as long as it is compared with at most two others that are left (elimination
in a graph of treewidth 2: Koller & Friedman 2009, Probabilistic Graphical Models, section 9.4). With Gauss's nodes this
is a quadrature. With panels as cells of one node each, in which two values count as in order, or as not in order, it is
an upper bound, or a lower one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import ceil, inf, log
from typing import TYPE_CHECKING

import numpy as np

from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw
from seqlang.backends.transcript.integrals.orderings import Ordering, Value
from seqlang.backends.transcript.integrals.quadrature import Answer
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.process.time_limit import poll
from seqlang.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ROUGH = (5, 1.5, 15.0)
FINE_PANELS, FINEST_PANELS = (8, 3.0, 25.0), (10, 2.5, 32.0)
"""Nodes of a panel, its width (in shortest scales) before it is halved, how far the panels reach (in longest ones)."""
MOST_NODES, MOST_LISTED = 2500, 60_000
"""Of all panels together, where tables are made of them, and where only lists are."""
CHECKED = (10, 400)  # cells of bounds that a quadrature is compared with
DIFFERENT = 1e-6  # of two logarithms
LEAST_ERROR = 1e-9
SEEN, HALVED = 1e-4, 3  # an error for which panels are halved again, and how often
SURELY = 2.0  # times the difference that halving makes: no less than what further halving would make
WIDER = 1.5  # of a cell far away, than the one before
NEAR, FAR = 12.0, 60.0
"""Scales of a noise: so far around its value cells are narrow, and so far there are cells at all."""
NEVER_LOST = 1e-140
"""Added to every entry of an upper bound that is scaled to 1, so that no product of two is lost at the lower end of
floats."""
LOST = 2.0**-52  # of a sum that floats round


@record
class Rule:
    """What of a panel's integral lies above each of its nodes: `above[i, j]` is the share of node j that counts above
    node i. `nodes` in [-1, 1], with `weights`. `behind`: the same for what lies not above (1 - above but for ties)."""

    nodes: Array
    weights: Array
    above: Array
    behind: Array


@cache
def cell(tie: float) -> Rule:
    """One node; two values of one cell are in order by this chance: 0 for lower bounds, 1 for upper ones."""
    one = np.ones((1, 1))
    return Rule(np.zeros(1), 2 * np.ones(1), tie * one, (1 - tie) * one)


@cache
def gauss(count: int) -> Rule:
    """So many nodes of Gauss and Legendre; parts of a panel by the polynomial through the nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    shares = np.empty((count, count))
    for j in range(count):
        others = np.delete(nodes, j)
        basis = np.polynomial.Polynomial.fromroots(others) / np.prod(nodes[j] - others)
        whole = basis.integ()
        shares[:, j] = (whole(1.0) - whole(nodes)) / weights[j]
    return Rule(nodes, weights, shares, shares)


def log_chance(order: Ordering, alone: Mapping[Value, Array], rule: Rule) -> float:
    """log of the chance that the values come out in order. `alone`: the chances that a value is at each node of all
    panels, from left to right. Raises `Unsupported` where more than two values would have to be kept together."""
    return _Elimination(dict(alone), order.above, rule).log()


def log_integral_in_order(
    order: Ordering, law: Callable[[Value], NoiseLaw], count: int, width: float, reach: float
) -> float:
    """The same by `count` nodes on panels of at most `width` times the shortest scale; what lies more than `reach`
    scales beyond all values is left out."""
    ends = _panels(order, law, count, width, reach)
    rule = gauss(count)
    left, half = ends[:-1, None], (ends[1:] - ends[:-1])[:, None] / 2
    nodes = left + half * (1 + rule.nodes[None, :])
    weights = half * rule.weights[None, :]
    known: dict[object, Array] = {}
    alone = {}
    for value, place in order.places.items():
        key = (value[0], place)
        if key not in known:
            logs = [law(value).log_density(x) for x in (nodes - float(place)).ravel().tolist()]
            known[key] = np.exp(np.array(logs)) * weights.ravel()
        low, high = (None if end is None else float(end) for end in order.ranges[value])
        inside = np.ones(nodes.size, dtype=bool)
        if low is not None:
            inside &= nodes.ravel() > low
        if high is not None:
            inside &= nodes.ravel() < high
        alone[value] = np.where(inside, known[key], 0.0)
    return log_chance(order, alone, rule)


def _panels(order: Ordering, law: Callable[[Value], NoiseLaw], count: int, width: float, reach: float) -> Array:
    """The ends of panels: no density and no range changes its form inside of one."""
    scales = [law(value).scale for value in order.places]
    low = float(min(order.places.values())) - reach * max(scales)
    high = float(max(order.places.values())) + reach * max(scales)
    cuts = {float(end) for ends in order.ranges.values() for end in ends if end is not None}
    for value, place in order.places.items():
        cuts |= {float(place) + kink for kink in law(value).kinks(-inf, inf)}
    found = [low]
    most = (MOST_LISTED if order.is_forest else MOST_NODES) / count
    for a, b in pairwise(sorted({low, high, *[x for x in cuts if low < x < high]})):
        pieces = max(1, ceil((b - a) / (width * min(scales))))
        if len(found) + pieces > most:
            raise Unsupported("noises of very different scales would have to be integrated together")
        found += [a + (b - a) * k / pieces for k in range(1, pieces + 1)]
    return np.array(found)


def log_estimate(order: Ordering, law: Callable[[Value], NoiseLaw]) -> float:
    """About the log of the chance, for a search."""
    return log_integral_in_order(order, law, *ROUGH)


def log_by_quadrature(order: Ordering, law: Callable[[Value], NoiseLaw], finest: bool) -> Answer:
    """The log of the chance, its error from a second quadrature. Raises `Unsupported` where it lies outside of the
    bounds by cells."""
    count, width, reach = FINEST_PANELS if finest else FINE_PANELS
    found, error = log_integral_in_order(order, law, count, width, 0.8 * reach), inf
    for _ in range(HALVED):  # where two values meet, their tables have a bend, on which Gauss's nodes gain little
        if error < SEEN:
            break
        width /= 2
        before, found = found, log_integral_in_order(order, law, count, width, reach)
        error = SURELY * abs(found - before)
    low, high = log_bounds(order, lambda value: law(value).scale, lambda value, at: _masses(law(value), at), CHECKED)
    if found == -inf or not low - DIFFERENT <= found <= high + DIFFERENT:
        raise Unsupported("a quadrature does not lie between the bounds by cells")
    return Answer(min(0.0, found), error + LEAST_ERROR)


def _masses(law: NoiseLaw, ends: Array) -> tuple[Array, Array]:
    logs = [law.log_between(a, b) for a, b in pairwise(ends.tolist())]
    chances = np.exp(np.array(logs))
    return chances * (1 - LEAST_ERROR), chances * (1 + LEAST_ERROR)


Masses = Callable[[Value, "Array"], "tuple[Array, Array]"]
"""A value, and the ends of cells of its noise: lower and upper bounds on the chances of the cells."""


def log_bounds(
    order: Ordering, scale: Callable[[Value], float], masses: Masses, fine: tuple[int, int]
) -> tuple[float, float]:
    """Logs of a lower and an upper bound. `scale`: the length on which the noise of a value changes; `fine`: how many
    cells there are to the shortest of them, and how many narrow ones in all at most."""
    ends = np.array(_cells(order, scale, fine))
    lower, upper = {}, {}
    for value, place in order.places.items():
        lower[value], upper[value] = masses(value, ends - float(place))
        upper[value] = np.maximum(upper[value], NEVER_LOST)
        low, high = order.ranges[value]
        if low is not None:
            lower[value] = np.where(ends[:-1] >= float(low), lower[value], 0.0)
            upper[value] = np.where(ends[1:] > float(low), upper[value], 0.0)
        if high is not None:
            lower[value] = np.where(ends[1:] <= float(high), lower[value], 0.0)
            upper[value] = np.where(ends[:-1] < float(high), upper[value], 0.0)
    return log_chance(order, lower, cell(0.0)), log_chance(order, upper, cell(1.0))


def _cells(order: Ordering, scale: Callable[[Value], float], most: tuple[int, int]) -> list[float]:
    """The ends of cells, rising, first and last infinite: narrow ones where the noises are likely."""
    low = min(float(place) - NEAR * scale(value) for value, place in order.places.items())
    high = max(float(place) + NEAR * scale(value) for value, place in order.places.items())
    reach = (FAR - NEAR) * max(map(scale, order.places))
    count = max(1, min(most[1], ceil(most[0] * (high - low) / min(map(scale, order.places)))))
    width = (high - low) / count
    ends = {low + k * width for k in range(count + 1)}
    step, gone = width, 0.0
    while gone < reach:
        step *= WIDER
        gone += step
        ends |= {low - gone, high + gone}
    ends |= {float(end) for pair in order.ranges.values() for end in pair if end is not None}  # some far away
    return [-inf, *sorted(ends), inf]


class _Elimination:
    """`alone`: value -> the chances of its nodes. `pairs`: (a, b) -> what is left of the values that were compared with
    both, by the nodes of a and of b."""

    def __init__(self, alone: dict[Value, Array], above: Sequence[tuple[Value, Value]], rule: Rule) -> None:
        self.alone, self.rule, self.found = alone, rule, 0.0
        self.bounds = bool(len(rule.nodes) == 1)
        self.upper = self.bounds and float(rule.above[0, 0]) > 0
        self.pairs: dict[tuple[Value, Value], Array] = {}
        self.larger: dict[Value, dict[Value, bool]] = {value: {} for value in alone}
        self.beside: dict[Value, set[Value]] = {value: set() for value in alone}
        for larger, smaller in above:
            if self.larger[smaller].get(larger):
                raise Unsupported("two values are compared both ways")
            self.larger[larger][smaller], self.larger[smaller][larger] = True, False
            self.beside[larger].add(smaller)
            self.beside[smaller].add(larger)

    def log(self) -> float:
        while self.alone:
            poll()
            value = min(self.alone, key=lambda v: len(self.beside[v]))
            others = sorted(self.beside.pop(value), key=lambda v: (self._pair(value, v) is not None, str(v)))
            if len(others) > 2:
                raise Unsupported("three noisy values would have to be kept together")
            if not self._sum_out(value, self.alone.pop(value), others):
                return -inf
        return self.found

    def _sum_out(self, value: Value, mine: Array, others: Sequence[Value]) -> bool:
        """False where no value is possible."""
        left = self._left(value, mine, others)
        for other in others:
            self.beside[other].discard(value)
            self.larger[other].pop(value, None)
            self.pairs.pop((value, other), None)
            self.pairs.pop((other, value), None)
        if left is None:
            return False
        if len(others) == 2:
            return self._join(others[0], others[1], left)
        if not others:
            return True
        joined = self._scaled(self.alone[others[0]] * left[:, 0])
        self.alone[others[0]] = mine if joined is None else joined
        return joined is not None

    def _left(self, value: Value, mine: Array, others: Sequence[Value]) -> Array | None:
        """What is left of the value: a table by the nodes of the others; None where it is nowhere above 0."""
        if not others:
            return self._scaled(mine.sum(keepdims=True))
        first, *rest = others
        if rest and all(self._pair(value, other) is None for other in others):
            return self._between(mine, self.larger[value][first], self.larger[value][rest[0]])
        table = mine[:, None]
        for other in rest:
            table = table * self._factor(value, other)
        scaled = self._scaled(table)
        if scaled is None:
            return None
        if self._pair(value, first) is None:
            return self._over_order(scaled, self.larger[value][first], self.rule.above)
        return np.asarray(self._factor(value, first).T @ scaled)

    def _join(self, first: Value, second: Value, left: Array) -> bool:
        """Takes in a table by the nodes of two values. False where none of them is possible."""
        self.beside[first].add(second)
        self.beside[second].add(first)
        known = self._pair(first, second)
        self.pairs.pop((second, first), None)
        joined = self._scaled(left if known is None else known * left)
        self.pairs[first, second] = left if joined is None else joined
        return joined is not None

    def _over_order(self, table: Array, larger: bool, above: Array) -> Array:
        """Row a: the sum of the rows that lie above node a (not above it, if not `larger`). Sums of what is counted,
        never differences, which may be rounded to too much."""
        nodes, columns = len(self.rule.nodes), table.shape[1]
        panels = table.reshape(-1, nodes, columns)
        sums = panels.sum(axis=1)
        whole = np.zeros_like(sums)
        if larger:
            whole[:-1] = np.cumsum(sums[:0:-1], axis=0)[::-1]
        else:
            whole[1:] = np.cumsum(sums[:-1], axis=0)
        shares = above if larger or self.bounds else 1 - above
        return np.asarray((whole[:, None, :] + np.einsum("ij,pjc->pic", shares, panels)).reshape(-1, columns))

    def _between(self, mine: Array, larger: bool, as_well: bool) -> Array:
        """Of a value of which nothing else is known than how it compares with two others, by their nodes."""
        column = mine[:, None]
        one, other = (self._over_order(column, way, self.rule.above)[:, 0] for way in (larger, as_well))
        if larger == as_well:
            return np.asarray(np.minimum.outer(one, other))
        above = one if larger else other
        behind = self._over_order(column, True, self.rule.behind)[:, 0]  # above the other end: not what is wanted
        lost = LOST * len(mine) * float(mine.sum()) * (1 if self.upper else -1 if self.bounds else 0)
        table = np.maximum(np.subtract.outer(above, behind) + lost, 0.0)
        return np.asarray(table if larger else table.T)

    def _factor(self, value: Value, other: Value) -> Array:
        """By the nodes of the value and of the other one."""
        pair = self._pair(value, other)
        if other not in self.larger[value]:
            assert pair is not None
            return pair
        eye = np.eye(len(self.alone[other]))
        mask = self._over_order(eye, self.larger[value][other], self.rule.above).T
        return np.asarray(mask if pair is None else mask * pair)

    def _pair(self, value: Value, other: Value) -> Array | None:
        if (value, other) in self.pairs:
            return self.pairs[value, other]
        turned = self.pairs.get((other, value))
        return None if turned is None else turned.T

    def _scaled(self, table: Array) -> Array | None:
        """Divided by its largest entry, of which the logarithm is kept; None where all are 0."""
        top = float(table.max())
        if top <= 0:
            return None
        self.found += log(top)
        return table / top + (NEVER_LOST if self.upper else 0.0)
