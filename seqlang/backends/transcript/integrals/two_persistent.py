"""The integral over two persistent noises that fresh ones connect, as two drawn thresholds of one noisy statistic.

Where each end of a fresh noise's range depends on one of the two only, all tails are computed once for each node of
each axis, and a cell of the plane costs one product: a tensor rule instead of an integral inside an integral.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import ceil, exp, inf, log
from typing import TYPE_CHECKING, Any

from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    Key,
    System,
    components,
    is_shared,
    variables,
)
from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw
from seqlang.backends.transcript.integrals.one_noise import Laws, interval
from seqlang.backends.transcript.integrals.quadrature import NOT_FOUND, RULE, Accuracy, Answer
from seqlang.backends.transcript.unsupported import Unsupported, Work
from seqlang.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

FIRST = 32
"""Nodes of an axis in the grids that look for the mass."""
MOST_NODES = 1500
"""Nodes of an axis in the rule itself: 1500 * 1500 numbers are 18 megabytes."""
MOST_BOXES = 14
"""Grids that are tried before the search for the mass is given up."""
SEEN = 1e-4
"""A relative error that a witness may have."""
FAR = 3.0
"""In scales of the fresh noise. Where the two ends of its range lie further apart than this, a search treats the two
conditions as if each had a noise of its own: what it miscounts is the chance that both fail, which is small."""


@record
class End:
    """One end of a fresh noise's range: start + slope * the noise of this axis (0 or 1)."""

    axis: int
    start: float
    slope: float


@record
class Band:
    """`times` steps in which the fresh noise lies above all of `lows` and below all of `highs`."""

    lows: tuple[End, ...]
    highs: tuple[End, ...]
    law: NoiseLaw
    times: int

    @property
    def axes(self) -> set[int]:
        return {end.axis for end in (*self.lows, *self.highs)}

    def range_at(self, axis: int, x: float) -> tuple[float, float]:
        """The least and the largest value that the ends on this axis allow when its noise is x."""
        low = max([e.start + e.slope * x for e in self.lows if e.axis == axis], default=-inf)
        return low, min([e.start + e.slope * x for e in self.highs if e.axis == axis], default=inf)

    def tails(self, axis: int, nodes: list[float]) -> Array:
        """P(noise <= low), P(noise >= low), P(noise <= high), P(noise >= high) at the nodes of this axis."""
        import numpy as np

        x = np.array(nodes)
        low, high = np.full(len(x), -inf), np.full(len(x), inf)
        for ends, join, kept in ((self.lows, np.maximum, low), (self.highs, np.minimum, high)):
            for end in ends:
                if end.axis == axis:
                    join(kept, end.start + end.slope * x, out=kept)
        return np.array([tail for ends in (low, high) for tail in self._at(ends)])

    def _at(self, ends: Array) -> tuple[Array, Array]:
        """P(noise <= end) and P(noise >= end)."""
        import numpy as np

        if not np.isfinite(ends).any():
            at = (0.0, 1.0) if (ends < 0).all() else (1.0, 0.0)
            return np.full(len(ends), at[0]), np.full(len(ends), at[1])
        if self.law.of_arrays is not None:
            below, above = self.law.of_arrays
            return below(ends), above(ends)
        logs = [(self.law.log_below(e), self.law.log_above(e)) for e in ends.tolist()]
        return np.exp([b for b, _ in logs]), np.exp([a for _, a in logs])


class Plane:
    """The part of a system whose persistent noises are the two `keys`. `simple` says whether it has the shape."""

    def __init__(self, keys: Sequence[Key], part: System, laws: Laws, work: Work) -> None:
        self.keys, self.work = tuple(keys), work
        self.laws = [laws(key) for key in keys]
        self.inside = [law.support for law in self.laws]
        self.bands: list[Band] = []
        self.simple = all(law.kind == "density" for law in self.laws) and all(
            self._add(step, times, laws) for step, times in part.items()
        )
        self.together = [b for b in self.bands if len(b.axes) == 2]
        # ends that meet along a diagonal need panels so narrow that no other integral may stand around them
        self.meets = any(
            {e.axis for e in b.lows if e.slope} != {e.axis for e in b.highs if e.slope} for b in self.together
        )

    def _add(self, step: Alternatives, times: int, laws: Laws) -> bool:
        if len(step) != 1:
            return False
        fresh = sorted({k for k in variables(step) if not is_shared(k)}, key=str)
        if len(fresh) > 1:
            return False
        if not fresh:
            for component in components(step[0]):
                for condition in component:
                    if len(condition[1]) != 1:
                        return False
                    axis = self.keys.index(condition[1][0][0])
                    low, high = interval(condition, self.laws[axis])
                    self.inside[axis] = max(self.inside[axis][0], low), min(self.inside[axis][1], high)
            return True
        law = laws(fresh[0])
        ends: dict[bool, list[End]] = {True: [], False: []}
        for constant, terms, _ in step[0]:
            found = dict(terms)
            factor = found.pop(fresh[0], 0.0)
            if not factor or len(found) > 1:
                return False
            key, slope = next(iter(found.items()), (self.keys[0], 0.0))
            ends[factor > 0].append(End(self.keys.index(key), -constant / factor, -slope / factor))
        self.bands.append(Band(tuple(ends[True]), tuple(ends[False]), law, times))
        return law.kind == "density"

    def integral(self, accuracy: Accuracy, finer: bool) -> Answer:
        """log of the probability of the part. `finer`: on narrower panels where it is not seen well, as where the ends
        of a range meet along a diagonal."""
        box, estimate = self._box(1e-12 if accuracy.cut else 1e-5)
        if box is None:
            return NOT_FOUND
        if not accuracy.cut:
            return Answer(estimate, accuracy.relative)
        scales = [min([law.scale, *(b.law.scale for b in self.bands)]) for law in self.laws]
        width = accuracy.width / 3 + 0.5
        while True:
            answer = self._integral(box, scales, width)
            width /= 2
            enough = not finer or answer.error < SEEN or answer == NOT_FOUND
            if enough or not self._fits(box, scales, width) or self.work.done > self.work.most / 8:
                return answer

    def _integral(self, box: list[tuple[float, float]], scales: list[float], width: float) -> Answer:
        """On panels of that width, in scales."""
        if not self._fits(box, scales, width):
            raise Unsupported("two noises of very different scales would have to be integrated together")
        axes = [
            _panels(*ends, width * s, sorted({*law.kinks(*ends), *self._bends(axis, *ends)}))
            for axis, (ends, s, law) in enumerate(zip(box, scales, self.laws, strict=True))
        ]
        fine, rough, top = self._sums(*axes)
        if fine <= 0:
            return NOT_FOUND
        return Answer(min(0.0, top + log(fine)), abs(fine - rough) / fine + exp(-30))

    def _fits(self, box: list[tuple[float, float]], scales: list[float], width: float) -> bool:
        return all(b - a <= width * s * MOST_NODES / len(RULE) for (a, b), s in zip(box, scales, strict=True))

    def _bends(self, axis: int, low: float, high: float) -> set[float]:
        """Where a range's end on this axis is another one from there on, or passes a place where its tail bends."""
        found: set[float] = set()
        for band in self.bands:
            ends = [e for e in (*band.lows, *band.highs) if e.axis == axis]
            places = [End(axis, bend, 0.0) for bend in band.law.tail_kinks(-inf, inf)]
            for one, other in combinations(dict.fromkeys((*ends, *places)), 2):
                if one.slope != other.slope:
                    found.add((other.start - one.start) / (one.slope - other.slope))
        return {x for x in found if low < x < high}

    def _box(self, least: float) -> tuple[list[tuple[float, float]] | None, float]:
        """Where the mass is: a grid that is laid anew around all that is not below `least` of the largest value, until
        it stays; and log of the sum over the last grid."""
        box = [
            (max(low, -40 * law.scale), min(high, 40 * law.scale))
            for (low, high), law in zip(self.inside, self.laws, strict=True)
        ]
        for _ in range(MOST_BOXES):
            nodes = [[a + (b - a) * (k + 0.5) / FIRST for k in range(FIRST)] for a, b in box]
            cells, top = self._values(*nodes)
            if top == -inf:
                return None, top
            kept = [[k for k, v in enumerate(cells.max(axis=axis)) if v > least] for axis in (1, 0)]
            steps = [(b - a) / FIRST for a, b in box]
            estimate = min(0.0, top + log(float(cells.sum()) * steps[0] * steps[1]))
            new = [_around(*one) for one in zip(kept, box, steps, self.inside, strict=True)]
            same = all(c <= a and b <= d and b - a > 0.7 * (d - c) for (a, b), (c, d) in zip(new, box, strict=True))
            box = new
            if same:
                return box, estimate
        return None, -inf

    def _sums(self, first: list[_Node], second: list[_Node]) -> tuple[float, float, float]:
        """The integral by both rules, over e^top."""
        cells, top = self._values([n[0] for n in first], [n[0] for n in second])
        if top == -inf:
            return 0.0, 0.0, top
        fine, rough = ([n[k] for n in first] @ cells @ [n[k] for n in second] for k in (1, 2))
        return float(fine), float(rough), top

    def _values(self, first: list[float], second: list[float]) -> tuple[Array, float]:
        """The integrand over e^top at every pair of nodes."""
        import numpy as np  # a plane is seldom met, and slow without

        self.work.add((len(first) + len(second)) * len(self.bands) + len(first) * len(second) * len(self.together) / 50)
        logs = [np.array(self._alone(axis, nodes)) for axis, nodes in enumerate((first, second))]
        tops = [float(column.max(initial=-inf)) for column in logs]
        if -inf in tops:
            return np.zeros((1, 1)), -inf
        cells = np.outer(*(np.exp(column - top) for column, top in zip(logs, tops, strict=True)))
        for band in self.together:
            cells *= _chances(band, first, second)
        top = float(cells.max())
        if top <= 0:
            return cells, -inf
        return cells / top, tops[0] + tops[1] + log(top)

    def _alone(self, axis: int, nodes: list[float]) -> list[float]:
        """log of what depends on one noise only, at its nodes; what depends on none belongs to the first."""
        law, (low, high) = self.laws[axis], self.inside[axis]
        mine = [b for b in self.bands if b.axes == {axis}]
        found = []
        for x in nodes:
            total = law.log_density(x) if low <= x <= high else -inf
            for band in mine:
                if total == -inf:
                    break
                total += band.times * band.law.log_between(*band.range_at(axis, x))
            found.append(total)
        return found


_Node = tuple[float, float, float]
"""A place, its weight by the rule of 15 and by that of 7 nodes."""


def _around(
    kept: Sequence[int], ends: tuple[float, float], step: float, limits: tuple[float, float]
) -> tuple[float, float]:
    """The cells that are kept and one more on each side; where that is outside the grid, much more."""
    low, high = ends
    first = low + (kept[0] - 1) * step if kept[0] > 0 else low - (high - low)
    last = low + (kept[-1] + 2) * step if kept[-1] < FIRST - 1 else high + (high - low)
    return max(first, limits[0]), min(last, limits[1])


def _chances(band: Band, first: list[float], second: list[float]) -> Array:
    """P(low end <= fresh noise <= high end) at every pair of nodes: the difference of two upper tails, or of two lower
    ones where those are the small ones."""
    import numpy as np

    rows, columns = band.tails(0, first)[:, :, None], band.tails(1, second)[:, None, :]
    sides = [{e.axis for e in ends} for ends in (band.lows, band.highs)]

    def both(k: int, axes: set[int], join: Any) -> Array:
        found: Array = rows[k] if axes == {0} else columns[k] if axes == {1} else join(rows[k], columns[k])
        return found

    before, behind = both(0, sides[0], np.maximum), both(1, sides[0], np.minimum)
    below_high, above_high = both(2, sides[1], np.minimum), both(3, sides[1], np.maximum)
    upper = (behind < 0.5) | (below_high >= 0.5)
    found = behind - above_high
    if not upper.all():
        found = np.where(upper, found, below_high - before)
    chances: Array = np.maximum(0.0, found)
    return chances if band.times == 1 else chances**band.times


def apart(system: System, laws: Laws) -> System:
    """For a search: the far ends of a fresh noise's range as if each had a noise of its own, where two persistent
    noises would have to be integrated together otherwise. What is miscounted is the chance of both tails."""
    found: dict[Alternatives, int] = {}
    for step, times in system.items():
        for piece in _apart(step, laws) if len(step) == 1 and len(step[0]) == 2 else (step,):
            found[piece] = found.get(piece, 0) + times
    return found


def _apart(step: Alternatives, laws: Laws) -> tuple[Alternatives, ...]:
    """Of a step of two conditions."""
    first, second = step[0]
    shared = [{k for k, _ in condition[1] if is_shared(k)} for condition in step[0]]
    fresh = [{k: f for k, f in condition[1] if not is_shared(k)} for condition in step[0]]
    if shared[0] & shared[1] or not all(shared) or len(fresh[0]) != 1 or fresh[0].keys() != fresh[1].keys():
        return (step,)
    ((key, one),), ((_, other),) = fresh[0].items(), fresh[1].items()
    ends = first[0] / one, second[0] / other
    if abs(ends[0] - ends[1]) > FAR * laws(key).scale:
        return ((first,),), ((second,),)
    return (step,)


def _panels(low: float, high: float, width: float, bends: Sequence[float]) -> list[_Node]:
    """Nodes of the Kronrod rule on panels of about that width, cut where the integrand is not smooth."""
    cuts = [low, *bends, high]
    most = MOST_NODES // len(RULE)
    nodes: list[_Node] = []
    for a, b in pairwise(cuts):
        pieces = max(1, min(most, ceil((b - a) / width)))
        half = (b - a) / pieces / 2
        for k in range(pieces):
            middle = a + (2 * k + 1) * half
            nodes += [(middle + half * node, kronrod * half, gauss * half) for node, kronrod, gauss in RULE]
    return nodes
