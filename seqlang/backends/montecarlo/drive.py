"""The parts of the work, one after the other or in threads, and their runs in order of number."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from itertools import islice, pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from seqlang.backends.montecarlo.chunks import BlockEnd, Chunk, Engine, Part, Watch, block_end
from seqlang.backends.montecarlo.progress import EVERY, Teller

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

FIRST_PART = 1 << 16
"""Runs of the first parts, at most; while parts are done in less than QUICK seconds there are more and more in one."""
QUICK = 0.1
PARTS_A_THREAD = 4
"""Parts differ in length: with some more of them than threads, no thread waits long for the last."""

_Work = tuple["Future[Part]", Watch, int]


class Drive:
    """Runs an engine on runs that are asked for with `parts`, of which blocks with these `ends` will be made. To be
    used with `with`: what is still at work at its end is left."""

    def __init__(self, engine: Engine, cap: int | None, teller: Teller, ends: BlockEnd = block_end) -> None:
        self.engine = engine
        self.ends = ends
        self.cap = cap
        self.teller = teller
        self.interrupted = False
        self._flag = np.zeros(1, dtype=np.int64)
        self._pool: ThreadPoolExecutor | None = None
        self._most = FIRST_PART

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._flag[0] = 1
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def parts(self, first: int, end: int, single: int) -> Iterator[Part]:
        """The runs `first` .. `end - 1`, in order; those from `single` on, the end of a block, need only be counted.
        After a KeyboardInterrupt they end early, the last unfinished, and `interrupted` says so."""
        parts = self._pieces(first, end)
        return self._in_threads(parts, single) if self.engine.threads else self._here(parts)

    def chunks(self, first: int, end: int) -> Iterator[Chunk]:
        """These runs one by one: see `parts`."""
        return (part for part in self.parts(first, end, end) if isinstance(part, Chunk))

    def _pieces(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """First runs and sizes. In threads no part goes across the end of a block, so that most need not be joined."""
        if not self.engine.threads:
            return _equal(first, end, self.engine.batch)
        few = -(-(end - first) // (PARTS_A_THREAD * self.engine.threads))
        return self._in_blocks(first, end, min(self.engine.batch, few))

    def _in_blocks(self, first: int, end: int, most: int) -> Iterator[tuple[int, int]]:
        while first < end:
            until = min(end, self.ends(first))
            yield from _equal(first, until, min(most, self._most))
            first = until

    def _here(self, parts: Iterator[tuple[int, int]]) -> Iterator[Part]:
        for first, count in parts:
            watch = Watch(self._flag, self.teller.look)
            self.teller.working = [watch]
            chunk = self.engine.run(first, count, self.cap, watch)
            self.teller.working = []
            self.teller.finished(chunk)
            self.interrupted = watch.leaving
            yield chunk
            if self.interrupted:
                return

    def _in_threads(self, parts: Iterator[tuple[int, int]], single: int) -> Iterator[Part]:
        from concurrent.futures import ThreadPoolExecutor  # a solved law, which takes arrays from here, does without

        pool = self._pool = self._pool or ThreadPoolExecutor(self.engine.threads)
        begun = deque[_Work]()
        while True:
            # One more than there are threads: what is finished waits in memory for its turn.
            for first, count in islice(parts, self.engine.threads + 1 - len(begun)):
                watch = Watch(self._flag, lambda: None)
                begun.append((pool.submit(self._work, first, count, watch, first < single), watch, count))
            if not begun:
                return
            self.teller.working = [watch for _, watch, _ in begun]
            future, _, count = begun.popleft()
            part = self._result(future, begun)
            if part is None:
                return
            self.teller.working = [watch for _, watch, _ in begun]
            self.teller.finished(part)
            if self.interrupted:
                parts = iter(())
            yield part
            if part.count < count:
                return

    def _work(self, first: int, count: int, watch: Watch, single: bool) -> Part:
        began = time.perf_counter()
        part = (self.engine.run if single else self.engine.counted)(first, count, self.cap, watch)
        if time.perf_counter() - began < QUICK:
            self._most = max(self._most, 4 * count)
        return part

    def _result(self, future: Future[Part], others: deque[_Work]) -> Part | None:
        """The part when it is done; None if it was never begun."""
        self._look(future, others)  # where parts are quick, nobody waits for one
        while True:
            try:
                return None if future.cancelled() else future.result(timeout=EVERY)
            except TimeoutError:
                self._look(future, others)
            except KeyboardInterrupt:
                self._interrupt(future, others)

    def _look(self, future: Future[Part], others: deque[_Work]) -> None:
        try:
            self.teller.look()
        except KeyboardInterrupt:
            self._interrupt(future, others)

    def _interrupt(self, future: Future[Part], others: deque[_Work]) -> None:
        """Those at work leave soon; a second interrupt does not wait for them."""
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        self._flag[0] = 1
        for waiting in (future, *(f for f, _, _ in others)):
            waiting.cancel()


def _equal(first: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Parts of about the same size: a short one at the end would cost about as much as a full one."""
    runs = end - first
    number = -(-runs // most)
    ends = (first + runs * i // number for i in range(number + 1))
    return ((a, b - a) for a, b in pairwise(ends))
