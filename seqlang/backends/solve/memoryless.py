"""The chain for programs that remember nothing from step to step, such as queries with fresh noise.

Given the persistent noises, the chance to go on is then a product over the steps.
`MemorylessChain(points, chances, weights, watch, forced_chances)`: `points` are the entries that the model draws with
their chances, or one entry of zeros where data with a density are treated as fresh noise (`entries_as_noise`).
`forced_chances` computes the chances for a given entry; `only_drawn`: no entry can be given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.solution import Array, Outcome, Tail, tail_after
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.backends.solve.stops.watched import Watched
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.record import record

NOTHING = np.zeros(0)
BLOCK = 64
"""Steps that are computed in one call, where the chances depend on the step."""


@record
class MemorylessFrontier:
    """The runs that have not stopped after `step` steps, as mass by node."""

    step: int
    survivors: Array
    lost: float
    terms: float = 1.0
    """In how many terms a probability is summed: the entries."""

    @property
    def size(self) -> int:
        return len(self.survivors)


@record
class DrawnEntries:
    """Entries (field -> (points,)) and their chances."""

    fields: Mapping[str, Array]
    chances: Array
    missing: float = 0.0


class MemorylessChain:
    """A `Chain` whose frontier is the mass by node of the persistent noises."""

    def __init__(
        self,
        points: DrawnEntries,
        chances: Chances,
        weights: Array,
        watch: tuple[ir.Expression, ...] = (),
        forced_chances: Chances | None = None,
        only_drawn: bool = False,
    ) -> None:
        self.points, self.chances, self.weights, self.watch = points, chances, np.asarray(weights, float), watch
        self.forced_chances = forced_chances or chances
        self._only_drawn = only_drawn
        self._watched = Watched(chances, watch) if watch else None
        self._made: dict[int, tuple[Array, Array]] = {}

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return self.chances.outcomes

    def begin(self) -> MemorylessFrontier:
        return MemorylessFrontier(0, self.weights.copy(), 0.0, float(len(self.points.chances)))

    def advance(
        self, frontier: MemorylessFrontier, forced: Mapping[str, Any] | None = None
    ) -> tuple[MemorylessFrontier, Stopped]:
        step = frontier.step + 1
        mean, watched = self._at(step) if forced is None else self._given(step, forced)
        mass = frontier.survivors
        seen = watched @ mass if self.watch else NOTHING
        lost = frontier.lost + (self.points.missing * float(mass.sum()) if self.points.missing else 0.0)
        return MemorylessFrontier(step, mean[-1] * mass, lost, frontier.terms), Stopped(
            self.chances.mixing.T @ (mean[:-1] * mass), seen
        )

    def close(self, frontier: MemorylessFrontier) -> Tail | None:
        """A geometric law by node."""
        if not self.chances.time_invariant or self.watch:
            return None
        mean, _ = self._at(frontier.step + 1)
        mass, stop = frontier.survivors, mean[:-1].sum(axis=0)
        weight = np.where(stop > 0, mass, 0.0)
        stop = np.where(stop > 0, stop, 1.0)  # not 1 - the chance to stay: that may be 1 up to rounding
        outcomes = self.chances.mixing.T @ (mean[:-1] * (weight / stop)).sum(axis=1)
        with np.errstate(all="ignore"):
            tail = tail_after(frontier.step, weight, weight / stop, weight / stop**2, outcomes)
        return tail if np.isfinite(tail.squares) else None

    def stuck(self, frontier: MemorylessFrontier) -> float:
        if not self.chances.time_invariant:
            return 0.0
        mean, _ = self._at(frontier.step + 1)
        return float(frontier.survivors[mean[:-1].sum(axis=0) == 0.0].sum())

    # ---- parts

    def _at(self, step: int) -> tuple[Array, Array]:
        """(stops + 1, theta) and, for watched expressions, (expressions, theta): means over the entry."""
        key = 0 if self.chances.time_invariant else step
        if key not in self._made:
            if len(self._made) > 4 * BLOCK:
                self._made.clear()
            self._make(key, step)
        return self._made[key]

    def _make(self, key: int, step: int) -> None:
        """The means of one step, or of a block of them in one call."""
        steps = BLOCK if key else 1
        count = len(self.points.chances)
        steps = max(1, min(steps, 500_000 // (count * len(self.weights))))
        fields = {name: np.tile(value, steps) for name, value in self.points.fields.items()}
        times: Any = step if steps == 1 else np.repeat(np.arange(step, step + steps), count)
        table = self.chances.table(times, Environment(times, {}, fields, True))
        table = np.broadcast_to(table, (*table.shape[:2], steps * count)) if table.shape[2] == 1 else table
        table = np.broadcast_to(table, (table.shape[0], len(self.weights), steps * count))
        table = table.reshape(*table.shape[:2], steps, count)
        means = table @ self.points.chances
        values = None
        if self._watched is not None:
            found = self._watched.at(times, Environment(times, {}, fields), steps * count)
            values = found.reshape(*found.shape[:2], steps, count)
        for i in range(steps):
            watched = NOTHING
            if values is not None:
                watched = np.einsum("wsp,stp,p->wt", values[:, :, i], table[:-1, :, i], self.points.chances)
            self._made[key + i] = (means[:, :, i], watched)

    def _given(self, step: int, entry: Mapping[str, Any]) -> tuple[Array, Array]:
        if self._only_drawn:
            raise Unsolved("a given entry in place of one with a density")
        fields = {name: np.array([float(value)]) for name, value in entry.items()}
        table = self.forced_chances.table(step, Environment(step, {}, fields, True))
        return np.broadcast_to(table, (table.shape[0], len(self.weights), 1))[:, :, 0], NOTHING
