"""One program on the same rows in many orders, side by side: the numpy engine, fed with rows instead of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.endings import Recorded
from seqlang.backends.arrays.engine import Engine
from seqlang.backends.arrays.record import Record
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.arrays.values import Ragged, Value, spread, take
from seqlang.backends.train.rows import Rows
from seqlang.model.program import Program
from seqlang.process.time_limit import poll

Array = NDArray[Any]
AHEAD = 1 << 16
"""Numbers of a field that are fetched at once, about."""


class RowFeed:
    """The rows of each run in its order."""

    def __init__(self, rows: Rows, orders: NDArray[np.int64], first_run: int) -> None:
        self.rows = rows
        self.orders = orders  # (runs, steps)
        self.first_run = first_run
        self._first, self._runs = -1, orders[:0, 0]
        self._fetched: dict[str, Array] = {}

    def entry(self, runs: Runs) -> dict[str, Value]:
        """This step's row of every run."""
        at = runs.step_number - 1
        last = self._first + len(next(iter(self._fetched.values()), ()))
        if runs.runs is not self._runs or not self._first <= at < last:
            self._fetch(runs.runs, at)
        return {name: values[at - self._first] for name, values in self._fetched.items()}

    def dataset(self, runs: Runs) -> dict[str, Value]:
        """There is none."""
        return {}

    def _fetch(self, runs: NDArray[np.int64], first: int) -> None:
        width = max(v.shape[1] if v.ndim == 2 else 1 for v in self.rows.fields.values())
        steps = max(1, AHEAD // (width * len(runs)))
        places = self.orders[runs - self.first_run, first : first + steps].T
        self._first, self._runs = first, runs
        self._fetched = {
            name: values[places] if values.ndim == 1 else np.ascontiguousarray(values[places].transpose(0, 2, 1))
            for name, values in self.rows.fields.items()
        }


class Lanes:
    """`orders[i]` are the rows that run i reads, in order. At every step number in `checkpoints` (ascending) the
    memories and the statistics in `tracked` are written down: `memories[name][c]` is (.., runs); from its stop on a
    run keeps what it had."""

    def __init__(
        self,
        program: Program,
        rows: Rows,
        orders: NDArray[np.int64],
        *,
        seed: int,
        first: int = 0,
        checkpoints: Sequence[int],
        tracked: Sequence[str] = (),
    ) -> None:
        self.record = Record(first, len(orders), program.report_names)
        self.runs = Runs(VectorCompiler(program), seed, first + np.arange(len(orders)))
        self._engine = Engine(self.runs, RowFeed(rows, orders, first), Recorded(self.record, self._ended))
        self.checkpoints = tuple(checkpoints)
        size = (len(self.checkpoints), len(orders))
        self.memories = {m: np.full((size[0], *v.shape[:-1], size[1]), np.nan) for m, v in self.runs.memory.items()}
        self.tracked = {name: np.full(size, np.nan) for name in tracked}

    def go(
        self, longest: int, tell: Callable[[int, int], None] | None, heard: Callable[[], None] | None = None
    ) -> None:
        """Runs all runs to their stop, or to `longest` steps. `tell(steps, of so many)` is called now and then,
        `heard()` after each checkpoint."""
        marks = set(self.checkpoints)

        def follow(engine: Engine) -> None:
            poll()
            step = self.runs.step_number
            if step in marks:
                self._write(np.flatnonzero(self.runs.alive), np.equal(self.checkpoints, step)[:, None])
                if heard is not None:
                    heard()
            if tell is not None and step % 64 == 0:
                tell(step, longest)

        self._engine.run(longest, follow)

    def _ended(self, runs: Runs, rows: Array, steps: int) -> None:
        self._write(rows, np.greater_equal.outer(self.checkpoints, np.broadcast_to(steps, (len(rows),))))

    def _write(self, rows: Array, which: Array) -> None:
        """Writes down the runs `rows`, at the checkpoints (checkpoints, rows) that are marked."""
        runs = self.runs.runs[rows] - self.record.first
        for c in np.flatnonzero(which.any(axis=1)):
            some = np.flatnonzero(np.broadcast_to(which[c], (len(rows),)))
            for name, value in self.runs.memory.items():
                self.memories[name][c][..., runs[some]] = value[..., rows[some]]
            for name, kept in self.tracked.items():
                kept[c, runs[some]] = _number(self.runs.locals.get(name), rows[some], self.runs.count)


def _number(value: Value, rows: Array, count: int) -> Value:
    if value is None or isinstance(value, Ragged) or np.ndim(value) > 1:
        return np.nan
    return spread(take(value, rows, count), len(rows))


def orders_of(rows: int, steps: int, permutations: int | None, seed: int) -> NDArray[np.int64]:
    """(runs, steps): the first rows of as many random orders, or with None the file's order once."""
    if permutations is None:
        return np.arange(steps)[None]
    found = np.empty((permutations, steps), dtype=np.int64)
    for i in range(permutations):
        found[i] = _first_of_order(np.random.default_rng([seed, i]), rows, steps)
    return found


def _first_of_order(random: np.random.Generator, rows: int, steps: int) -> NDArray[np.int64]:
    """The first rows of a random order. Of many rows: random ones, without those that came before."""
    if 4 * steps > rows:
        return random.permutation(rows)[:steps]
    drawn = np.empty(0, dtype=np.int64)
    while True:
        drawn = np.concatenate([drawn, random.integers(0, rows, steps)])
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if len(first) >= steps:
            return drawn[first[:steps]]
