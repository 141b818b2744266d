"""How far a simulation is."""

from __future__ import annotations

import time
from collections.abc import Callable

from seqlang.record import record

EVERY = 0.25  # seconds between two calls


@record
class Progress:
    """`mean_steps` is over the runs that are finished; in the middle of a batch these are the shorter ones."""

    runs_done: int
    runs: int
    steps_done: int
    mean_steps: float | None
    seconds: float


class Teller:
    """Calls `progress` a few times a second."""

    def __init__(self, progress: Callable[[Progress], None] | None, runs: int) -> None:
        self.progress = progress
        self.runs = runs
        self.began = time.perf_counter()
        self._next = self.began + EVERY

    def tell(self, runs_done: Callable[[], tuple[int, int, float | None]], last: bool = False) -> None:
        """`runs_done()` gives runs done, steps done and mean steps; it is only asked when it is time."""
        if self.progress is None:
            return
        now = time.perf_counter()
        if now >= self._next or last:
            self._next = now + EVERY
            done, steps, mean = runs_done()
            self.progress(Progress(done, self.runs, steps, mean, now - self.began))
