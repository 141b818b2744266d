"""Processes that compute for the page, so that its server always answers and any work can be cancelled.

A job is a function of `seqlang.studio.jobs` by its name, from plain data to plain data. Quick jobs share a few warm
processes; a long one has a process of its own, which ends with it, so that its memory returns. An owner (a panel of a
tab) has at most one job: the next one cancels it, by ending its process.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import Any

from seqlang.studio.jobs.running import serve

WARM = 2
"""Processes that wait for quick jobs."""
MOST = 24
"""Jobs that are under way at one time; others wait for their turn."""
Told = Callable[[Any], None]


def _context() -> ForkServerContext | SpawnContext:
    """By which processes start: forked from one that has what jobs import, where there is such a thing."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["seqlang.studio.jobs.check"])
    return context


class JobFailed(Exception):
    """What a job could not do, in words for the user."""


class _Worker:
    """One process, and the connection to it."""

    def __init__(self, long: bool) -> None:
        context = _context()
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, long), daemon=True)
        self.process.start()
        other.close()

    def ask(self, job: str, argument: Any, tell: Told) -> Any:
        """Waits for the answer, in a thread. Raises JobFailed, and EOFError where the process was ended."""
        connection: Connection = self.connection
        try:
            connection.send((job, argument))
            while True:
                kind, value = connection.recv()
                if kind == "told":
                    tell(value)
                elif kind == "done":
                    return value
                else:
                    raise JobFailed(value)
        except (EOFError, OSError) as lost:
            connection.close()  # here and not in `end`: another thread may not close what this one reads
            raise EOFError from lost

    def end(self) -> None:
        """At once; whoever waits in `ask` hears of it."""
        self.process.kill()


class Workers:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._at: dict[str, tuple[asyncio.Task[Any], _Worker | None]] = {}
        self._threads = ThreadPoolExecutor(MOST, "studio job")
        self._turns = asyncio.Semaphore(MOST)
        self._once: dict[str, asyncio.Task[Any]] = {}

    async def call(self, job: str, argument: Any, *, owner: str, tell: Told | None = None, long: bool = False) -> Any:
        """The job's answer; `tell` hears, in the event loop, what it says on the way. Cancels what the owner had
        asked for before, of which the caller gets asyncio.CancelledError. Raises JobFailed."""
        self.cancel(owner)
        task = asyncio.current_task()
        assert task is not None
        self._at[owner] = task, None
        worker: _Worker | None = None
        try:
            async with self._turns:
                waiting = None if long else self._waiting()
                used = await asyncio.to_thread(_Worker, long) if waiting is None else waiting
                worker = used
                self._at[owner] = task, used
                answer = await self._answer(used, job, argument, tell or (lambda _: None))
                if not long and len(self._idle) < WARM:
                    self._idle.append(used)
                    worker = None
                return answer
        finally:
            if worker is not None:
                worker.end()
            if owner in self._at and self._at[owner][0] is task:
                del self._at[owner]

    async def _answer(self, worker: _Worker, job: str, argument: Any, tell: Told) -> Any:
        loop = asyncio.get_running_loop()

        def hear(value: Any) -> None:
            loop.call_soon_threadsafe(tell, value)

        try:
            return await loop.run_in_executor(self._threads, worker.ask, job, argument, hear)
        except EOFError:
            raise JobFailed("the process that computed this was ended: it may have asked for too much memory") from None

    def _waiting(self) -> _Worker | None:
        """One that lives."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.is_alive():
                return worker
        return None

    async def once(self, job: str) -> Any:
        """The answer of a quick job that is the same for all: computed when it is first asked for. Raises JobFailed,
        and is then computed anew."""
        if job not in self._once:
            self._once[job] = asyncio.create_task(self.call(job, {}, owner=job))
        try:
            return await asyncio.shield(self._once[job])
        except JobFailed:
            self._once.pop(job, None)
            raise

    def cancel(self, owner: str) -> None:
        """Ends what the owner asked for, if anything."""
        task, worker = self._at.pop(owner, (None, None))
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            if worker is not None:
                worker.end()

    def warm_up(self) -> None:
        """Starts the processes that wait, in the background."""

        def start() -> None:
            self._idle.extend(_Worker(False) for _ in range(WARM - len(self._idle)))

        self._threads.submit(start)

    def close(self) -> None:
        """Ends everything."""
        for owner in list(self._at):
            self.cancel(owner)
        for worker in self._idle:
            worker.end()
        self._idle.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
