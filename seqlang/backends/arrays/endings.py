"""What happens when runs stop: what an engine is told of stops and steps, and the plain way, which writes runs down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.frame import Frame
from seqlang.backends.arrays.record import Record
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.arrays.statements import Step, where
from seqlang.backends.arrays.values import Ragged, Rows, spread, take
from seqlang.model.program import Stop

Array = NDArray[Any]


class Endings(ABC):
    """Decides what a stop does to the runs. A run has ended when it is not `Runs.alive`."""

    @abstractmethod
    def compiled(self, runs: Runs, stop: Stop) -> Step:
        """The stop as a statement of the step."""

    def begin(self, runs: Runs) -> None:
        """Called at the start of each step."""
        return

    def settle(self, runs: Runs) -> None:
        """Called at the end of each step, before finished runs are dropped."""
        return

    @abstractmethod
    def leave(self, runs: Runs, steps: int) -> None:
        """Ends the runs that have not stopped, after so many full steps."""


class Recorded(Endings):
    """Runs in which a stop's condition holds end there, and are written down in `record`. `also(runs, rows, steps)` is
    called for the rows that end after so many steps."""

    def __init__(self, record: Record, also: Callable[[Runs, Rows, int], None] | None = None) -> None:
        self.record = record
        self.also = also

    def compiled(self, runs: Runs, stop: Stop) -> Step:
        """See `Endings`."""
        holds = where(runs, stop.when)
        result = None if stop.result is None else runs.compiler.compile(stop.result)
        is_label = stop.result is not None and runs.compiler.is_label(stop.result)

        def run(frame: Frame) -> None:
            rows = np.flatnonzero(holds(frame))
            if not len(rows):
                return
            value = None
            if result is not None:
                some = Frame(runs, rows)
                value = spread(runs.checked(result(some), some, "the return value", stop.span), len(rows))
            self._close(runs, rows, runs.step_number, True, value, is_label)

        return run

    def leave(self, runs: Runs, steps: int) -> None:
        """See `Endings`: they are written down as unstopped."""
        self._close(runs, np.flatnonzero(runs.alive), steps, False, None, False)

    def _close(self, runs: Runs, rows: Rows, steps: int, stopped: bool, value: Array | None, is_label: bool) -> None:
        numbers, record = runs.runs[rows], self.record
        runs.alive[rows] = False
        record.close(numbers, steps, stopped, value, is_label)
        statistics = {name: runs.locals[name] for name in runs.statistics if name in runs.locals}
        for table, values in ((record.statistics, statistics), (record.released, runs.last)):
            for name, last in values.items():
                if not isinstance(last, Ragged):
                    record.last(table, name, numbers, spread(take(last, rows, runs.count), len(rows)))
        for name, earlier in runs.earlier.items():
            record.reports[name][numbers - record.first] = earlier[rows] + runs.fired[name][rows]
        if self.also is not None:
            self.also(runs, rows, steps)
