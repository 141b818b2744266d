"""What is written down of each run when it ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.model import expression as ir
from seqlang.model.program import Program, Stop

UNSTOPPED = -2
NOTHING = -1


class Record:
    """Arrays with one entry a run, for the runs `first` .. `first + count - 1`.

    `codes` holds the number of the label that was returned, NOTHING (a stop without a label) or UNSTOPPED.
    """

    def __init__(self, first: int, count: int, reports: tuple[str, ...]) -> None:
        self.first = first
        self.count = count
        self.steps = np.zeros(count, dtype=np.int64)
        self.codes = np.full(count, UNSTOPPED, dtype=np.int64)
        self.values: NDArray[Any] | None = None
        self.statistics: dict[str, NDArray[Any]] = {}
        self.released: dict[str, NDArray[Any]] = {}
        self.reports = {name: np.zeros(count, dtype=np.int64) for name in reports}

    def close(
        self, runs: NDArray[np.int64], steps: int, stopped: bool, value: NDArray[Any] | None, is_label: bool
    ) -> None:
        """These runs end after `steps` steps; `value` (.., runs) are labels' numbers or returned numbers."""
        at = runs - self.first
        self.steps[at] = steps
        if not stopped:
            return
        self.codes[at] = NOTHING
        if value is None:
            return
        if is_label:
            self.codes[at] = value
            return
        if self.values is None:
            self.values = np.full((*value.shape[:-1], self.count), np.nan)
        self.values[..., at] = value

    def last(self, table: dict[str, NDArray[Any]], name: str, runs: NDArray[np.int64], value: NDArray[Any]) -> None:
        """The last value of a statistic, or that a report released last, in these runs (NaN: never)."""
        if name not in table:
            table[name] = np.full((*value.shape[:-1], self.count), np.nan)
        table[name][..., runs - self.first] = value


def returned_labels(program: Program) -> tuple[str, ...]:
    """The labels that stops may return, in the file's order (a flipped return may be any of them)."""
    found: dict[str, None] = {}
    for stop in program.body:
        if isinstance(stop, Stop) and stop.result is not None:
            for e in ir.walk(stop.result):
                if isinstance(e, ir.Label):
                    found.setdefault(e.name)
                if isinstance(e, (ir.Drawn, ir.Local)):
                    found.update(dict.fromkeys(program.labels))
    flipped = any(n.target == "return" for n in program.noises)
    return tuple(dict.fromkeys((*found, *program.labels))) if flipped else tuple(found)
