"""The exact law of (stopping step, return) on one stream and on its neighbours, and how far apart these laws are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.analyses.instances.neighbours import Neighbours
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.fixed_streams.chances import Quadrature, plan_of
from seqlang.backends.transcript.fixed_streams.walk import Walk
from seqlang.record import record, replace

Array = NDArray[np.float64]
Entry = Mapping[str, Any]
NEGLIGIBLE = 1e-9
"""A stream is followed until the chance of stopping later is below this."""
MOST_POSITIONS = 400
MOST_PATHS = 150_000
"""Positions * steps of one stream."""
MOST_NUMBERS = (2.5e8, 3e7)
"""Positions * steps * nodes of one stream: where entries recur, and where they do not: then no two neighbours meet, and
every chance is computed for itself."""
MOST_LETTERS = 16
MOST_WORK = 4e9
"""Numbers that one stream may take, about: neighbours * steps * nodes."""


@record
class Neighbour:
    """The stream with the entry at `position` replaced; `onward` (1, -1): the later entries are moved as well."""

    position: int
    old: Entry
    new: Entry
    onward: int


@record
class Law:
    """P(T = t, outcome): (steps, outcomes); `later` is the chance of stopping after the last step."""

    table: Array
    later: float


@record
class Compared:
    """One stream against its neighbours. Arrays have one element a neighbour, unless said otherwise.

    `loss`: the largest |log P/Q| over the outcomes that have a chance of at least `floor` under one of the two, and
    `at` where: (step, place of the outcome); the step after the last one stands for "later". `deltas`: (neighbours,
    epsilons), the larger of both directions. `realised`: (steps, outcomes), the largest |log P/Q| over the neighbours
    where P is at least the floor, else NaN. `error`: the largest relative change of a chance of the stream's own law,
    at least the floor, when the nodes are refined, with what is cut off in the tails of the
    noises. `thinned`: not all positions were changed."""

    law: Law
    neighbours: tuple[Neighbour, ...]
    loss: Array
    at: tuple[tuple[int, int], ...]
    deltas: Array
    realised: Array
    error: float
    thinned: bool


class Comparison:
    """Compares streams of one program; remembers steps and nodes from stream to stream."""

    def __init__(self, walk: Walk, neighbours: Neighbours, epsilons: Sequence[float], floor: float, cap: int) -> None:
        self.walk, self.neighbours = walk, neighbours
        self.epsilons, self.floor, self.cap = tuple(epsilons), floor, cap
        self._quadrature: dict[int, Quadrature] = {}

    def compare(self, entry: Callable[[int], Entry]) -> Compared:
        """`entry(step)` is the stream. Raises `Unsolved` and `Unsupported`."""
        length = self._length(entry)
        reached = range(1, length + 1)
        positions = list(reached) if length <= (most := self._most(entry, length)) else _spread(length, most)
        changed = [n for position in positions for n in self._changes(entry(position), position)]
        steps = min(self.cap, length + length // 8 + 4)  # neighbours may take longer
        while True:
            paths = self._paths(entry, changed, steps)
            result = self._compared(paths, changed, len(positions) < length)
            if result[1] < NEGLIGIBLE or steps >= self.cap:
                return result[0]
            steps = min(self.cap, steps + steps // 4 + 8)

    def _most(self, entry: Callable[[int], Entry], length: int) -> int:
        """How many positions of a stream are changed."""
        letters = {self.walk.entry(entry(t)) for t in range(1, length + 1)}
        nodes = 1 + sum(len(g.weights) for g in self._quadrature[0].groups)
        numbers = MOST_NUMBERS[len(letters) > MOST_LETTERS] / nodes
        most = min(MOST_POSITIONS, int(min(numbers, MOST_PATHS) / max(1, length)))
        return max(4, most)

    # ---- plain paths

    def _changes(self, entry: Entry, position: int) -> list[Neighbour]:
        if self.neighbours.onward:
            moved = [(self.neighbours.moved(entry, sign), sign) for sign in (1, -1)]
            return [Neighbour(position, entry, other, sign) for other, sign in moved if other != entry]
        return [Neighbour(position, entry, other, 0) for other in self.neighbours.others(entry)]

    def _length(self, entry: Callable[[int], Entry]) -> int:
        """The first step after which stopping has negligible probability, or the cap."""
        steps = min(32, self.cap)
        while True:
            law = self._compared(self._paths(entry, (), steps), (), False)[0].law
            left = law.later + np.cumsum(law.table.sum(axis=1)[::-1])[::-1]
            if law.later < NEGLIGIBLE:
                return int(np.count_nonzero(left >= NEGLIGIBLE))
            if steps >= self.cap:
                return steps
            steps = min(self.cap, 2 * steps)

    def _paths(
        self, entry: Callable[[int], Entry], changed: Sequence[Neighbour], steps: int
    ) -> list[NDArray[np.int64]]:
        """Step by step the numbers of the steps that are taken: first the stream's own, then those of the neighbours
        whose change is not later. -1: the stream cannot have come so far."""
        walk = self.walk
        starts = np.array([n.position for n in changed])
        onward = np.array([n.onward for n in changed])
        states = np.full(1 + len(changed), walk.start)
        rows = []
        for t in range(1, steps + 1):
            known = 1 + int(np.searchsorted(starts, t, side="right"))
            own = entry(t)
            states[1 + int(np.searchsorted(starts, t)) : known] = states[0]
            entries = np.full(known, walk.entry(own))
            for sign in (1, -1) if self.neighbours.onward else ():
                entries[1:][onward[: known - 1] == sign] = walk.entry(self.neighbours.moved(own, sign))
            for k in range(int(np.searchsorted(starts, t)), known - 1):
                entries[k + 1] = walk.entry(changed[k].new)
            row = np.full(known, -1)
            pairs, back = np.unique(np.stack([states[:known], entries]), axis=1, return_inverse=True)
            back = back.reshape(-1)
            for i, (state, at) in enumerate(pairs.T.tolist()):
                moved, step = walk.move(state, at) if state >= 0 else (-1, -1)
                mine = back == i
                states[:known][mine] = moved
                row[mine] = step
            rows.append(row)
        return rows

    # ---- numbers

    def _compared(
        self, paths: list[NDArray[np.int64]], changed: Sequence[Neighbour], thinned: bool
    ) -> tuple[Compared, float]:
        """And the largest chance, over all of these streams, of stopping later."""
        used = sorted({int(s) for row in paths for s in np.unique(row) if s >= 0})
        plan = plan_of(self.walk, [self.walk.steps[s] for s in used])
        quadrature = self._at(plan, 0)
        nodes = sum(len(g.weights) for g in quadrature.groups) + 1
        if nodes * sum(len(row) for row in paths) > MOST_WORK:
            raise Unsolved("the streams are too long, or have too many neighbours, for the nodes of the noises")
        result, worst = self._measured(quadrature, paths, changed, thinned)
        if not changed or not quadrature.groups:
            return result, worst
        fine = self._measured(self._at(plan, 1), [row[:1] for row in paths], (), False)[0].law.table
        seen = np.maximum(fine, result.law.table) >= self.floor
        with np.errstate(divide="ignore", invalid="ignore"):
            error = float(np.max(np.abs(fine / result.law.table - 1)[seen], initial=0.0))
        missing = sum(g.missing for g in quadrature.groups) / self.floor
        return replace(result, error=error + missing), worst

    def _at(self, plan: Any, level: int) -> Quadrature:
        known = self._quadrature.get(level)
        if known is None or known.plan != plan:
            known = self._quadrature[level] = Quadrature(self.walk, plan, level)
        return known

    def _measured(
        self, quadrature: Quadrature, paths: list[NDArray[np.int64]], changed: Sequence[Neighbour], thinned: bool
    ) -> tuple[Compared, float]:
        count, outcomes = 1 + len(changed), len(self.walk.outcomes)
        alive = [np.empty((count, len(g.weights))) for g in quadrature.groups]
        for array, group in zip(alive, quadrature.groups, strict=True):
            array[:] = group.weights
        scale = np.ones(count)
        table = np.zeros((len(paths), outcomes))
        measure = _Measure(count, self.epsilons, self.floor)
        realised = np.full((len(paths), outcomes), np.nan)
        known = 1
        for t, row in enumerate(paths):
            for array in alive:
                array[known : len(row)] = array[0]  # a neighbour is the stream itself until its change
            scale[known : len(row)] = scale[0]
            known = len(row)
            chances = np.zeros((count, outcomes))
            for step in np.unique(row).tolist():
                mine = np.flatnonzero(row == step)
                if step < 0:
                    scale[mine] = 0.0
                else:
                    self._step(quadrature, step, mine, alive, scale, chances)
            chances[known:] = chances[0]
            table[t] = chances[0]
            realised[t] = measure.add(t + 1, chances)
        later = scale * np.prod([a.sum(axis=1) for a in alive], axis=0)
        later[known:] = later[0]
        measure.add(len(paths) + 1, later[:, None])
        compared = Compared(
            Law(table, float(later[0])), tuple(changed), measure.loss[1:], tuple(measure.places()), measure.deltas[1:],
            realised, 0.0, thinned,
        )  # fmt: skip
        return compared, float(later.max())

    def _step(
        self, quadrature: Quadrature, step: int, mine: Any, alive: list[Array], scale: Array, chances: Array
    ) -> None:
        """The streams `mine` take the step: what stops is added to their `chances`, the others stay in `alive` (by
        group of noises and node) and `scale`."""
        rows = [array[mine] for array in alive]
        for which, (place, _) in enumerate(self.walk.steps[step].stops):
            numbers = quadrature.numbers(step, which)
            assert numbers is not None
            found = scale[mine] * numbers.factor
            for g, array in enumerate(rows):
                at = numbers.arrays.get(g)
                found = found * (array.sum(axis=1) if at is None else array @ at)
            chances[mine, place] += found
        going = quadrature.numbers(step, -1)
        scale[mine] *= 0.0 if going is None else going.factor
        for g, at in going.arrays.items() if going is not None else ():
            alive[g][mine] = rows[g] * at


class _Measure:
    """Collects, outcome by outcome, how far rows of chances are from the first row."""

    def __init__(self, count: int, epsilons: Sequence[float], floor: float) -> None:
        self.floor = floor
        self.loss = np.zeros(count)
        self._step = np.zeros(count, dtype=int)
        self._place = np.zeros(count, dtype=int)
        self._factors = np.exp(np.array(epsilons))
        self._over = np.zeros((2, count, len(epsilons)))

    @property
    def deltas(self) -> Array:
        """What is below 1e-15 is not told from rounding and from what the nodes leave out: it is 0."""
        found = self._over.max(axis=0)
        return np.where(found < 1e-15, 0.0, found)

    def places(self) -> list[tuple[int, int]]:
        return list(zip(self._step[1:].tolist(), self._place[1:].tolist(), strict=True))

    def add(self, step: int, chances: Array) -> Array:
        """Chances: (streams, outcomes). The largest loss over the neighbours, by outcome."""
        own = chances[:1]
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = np.abs(np.log(chances) - np.log(own))
        losses[(chances == 0) & (own == 0)] = 0.0
        seen = np.where(np.maximum(chances, own) >= self.floor, losses, 0.0)
        place = seen.argmax(axis=1)
        best = seen.max(axis=1)
        better = best > self.loss
        self.loss[better], self._step[better], self._place[better] = best[better], step, place[better]
        for i, factor in enumerate(self._factors.tolist()):
            self._over[0, :, i] += np.maximum(own - factor * chances, 0.0).sum(axis=1)
            self._over[1, :, i] += np.maximum(chances - factor * own, 0.0).sum(axis=1)
        return np.where(own[0] >= self.floor, losses.max(axis=0), np.nan)


def _spread(length: int, most: int) -> list[int]:
    """About that many positions of 1 .. length: all early ones, then ever wider apart, and all powers of two (only
    these and the last where there is room for a few)."""
    if most < 16:
        return sorted({*[2**k for k in range(length.bit_length())], length})
    early = most // 2
    late = np.geomspace(early, length, most - early).astype(int).tolist()
    return sorted({*range(1, early + 1), *late, *[2**k for k in range(length.bit_length())]})
