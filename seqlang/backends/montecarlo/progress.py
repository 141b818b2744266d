"""How far a simulation is, and what it has found so far."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from seqlang.backends.montecarlo.chunks import Part, Watch
from seqlang.backends.montecarlo.interval import Z95, wilson
from seqlang.backends.montecarlo.tally import lengths
from seqlang.process.time_limit import OutOfTime, lack, over
from seqlang.record import record

EVERY = 0.25  # seconds between two calls


@record
class Estimate:
    """`name` is "P(label)" or "mean steps"; `low` and `high` are its 95 % interval."""

    name: str
    value: float
    low: float
    high: float


@record
class Progress:
    """`runs` is how many runs there will be, as far as is known. `mean_steps` and `estimate` (of the returned label
    whose interval is widest; mean steps if no labels are returned) are over complete parts of the runs, so that shorter
    runs do not count more; `seconds_left` goes by the time so far. None: nothing is known yet."""

    runs_done: int
    runs: int
    steps_done: int
    mean_steps: float | None
    seconds: float
    estimate: Estimate | None = None
    seconds_left: float | None = None

    @property
    def steps_per_second(self) -> float:
        return self.steps_done / self.seconds if self.seconds > 0 else 0.0


class Teller:
    """Calls `progress` a few times a second. `wanted(estimate, runs)` says how many runs it will take in all, from the
    estimate after so many runs."""

    def __init__(
        self,
        progress: Callable[[Progress], None] | None,
        labels: tuple[str, ...],
        wanted: Callable[[Estimate | None, int], int],
    ) -> None:
        self.progress = progress
        self.labels = labels
        self.wanted = wanted
        self.working: list[Watch] = []
        self._ended = False
        self._began = time.perf_counter()
        self._next = self._began + EVERY
        self._runs, self._steps, self._squares = 0, 0, 0
        self._kinds = np.zeros(2 + len(labels), dtype=np.int64)

    def finished(self, part: Part) -> None:
        """These runs are done: the parts in order of run number, each once."""
        if self.progress is None or not part.count:
            return
        steps, made, *_ = lengths(part, len(self._kinds))
        self._runs += made.runs
        self._steps += made.total
        self._squares += made.squares
        self._kinds += steps.kinds

    def look(self) -> None:
        """Tells, if it is time. Raises OutOfTime, once, when the limit is over."""
        if not self._ended and over():
            self._ended = True
            raise OutOfTime(lack())
        if self.progress is None:
            return
        now = time.perf_counter()
        if now >= self._next:
            self._next = now + EVERY
            self.progress(self._state(now - self._began))

    def _state(self, seconds: float) -> Progress:
        done = self._runs + sum(int(w.done[0]) for w in self.working)
        steps = self._steps + sum(int(w.done[1]) for w in self.working)
        estimate = self._estimate()
        runs = max(done, self.wanted(estimate, self._runs))
        return Progress(
            runs_done=done,
            runs=runs,
            steps_done=steps,
            mean_steps=self._steps / self._runs if self._runs else None,
            seconds=seconds,
            estimate=estimate,
            seconds_left=(runs - done) * seconds / done if done else None,
        )

    def _estimate(self) -> Estimate | None:
        n = self._runs
        if not n:
            return None
        if self.labels:
            counts = self._kinds[2:].tolist()
            _, k, label = max(
                (wilson(k, n)[1] - wilson(k, n)[0], k, name) for k, name in zip(counts, self.labels, strict=True)
            )
            return Estimate(f"P({label})", k / n, *wilson(k, n))
        mean = self._steps / n
        half = Z95 * math.sqrt(max(0.0, self._squares / n - mean * mean) / n)
        return Estimate("mean steps", mean, mean - half, mean + half)
