"""One unit after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from seqlang.sweeps.compute import compute
from seqlang.sweeps.executors.executor import Executor, Plain, Tell


class Serial(Executor):
    """For little work: nothing has to be started. A simulation may use `threads` (default: one a processor)."""

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads

    @property
    def title(self) -> str:
        return "in this process"

    def answers(self, units: Iterator[tuple[int, Plain]], tell: Tell) -> Iterator[tuple[int, Plain]]:
        for number, unit in units:
            tell(number, {})
            yield number, compute(unit, partial(tell, number), self._threads)
