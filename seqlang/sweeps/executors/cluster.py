"""Workers of a dask.distributed scheduler. They need nothing but the same release of this package."""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any
from uuid import uuid4

from seqlang.diagnostics import SpecError
from seqlang.sweeps.executors.executor import Executor, Plain, Tell
from seqlang.version import __version__

PATIENCE = 30.0
"""Seconds to wait for the scheduler, and for a first worker."""
_AHEAD = 2  # units a worker: one underway, one that waits there
_ADDRESS = re.compile(r"[a-z]+://.+:\d+")


class Cluster(Executor):
    """Raises SpecError E0643 where dask.distributed is missing, there is no scheduler or no worker, or a worker has
    another release or none."""

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            message = "--cluster needs dask.distributed"
            raise SpecError.of("E0643", message, help="pip install 'seqlang[cluster]'") from None
        if not _ADDRESS.fullmatch(address):  # dask would find that out late, and leave half a client behind
            raise _refused(f"`{address}` is not the address of a scheduler", "write tcp://HOST:PORT")
        self._address = address
        # What goes wrong is said once and in our words, not in a log of tracebacks besides. (Tornado: a Ctrl-C while
        # dask has asked and not begun to wait makes it cancel what is not there yet, in a callback of its loop.)
        logs = [logging.getLogger(name) for name in ("distributed.client", "distributed.core", "tornado.application")]
        self._levels = [(log, log.level) for log in logs]
        for log in logs:
            log.setLevel(logging.CRITICAL + 1)
        self._client: Any = distributed.Client.__new__(distributed.Client)  # in hand also where it fails
        try:
            self._client.__init__(address, timeout=patience, set_as_default=False)
        except BaseException as error:  # where something else answers, dask fails in any way at all
            self._talk_again()
            self._client.status = "closed"  # else it is closed when it is forgotten, which takes a minute and fails
            if not isinstance(error, Exception):
                raise
            why = str(error) if isinstance(error, OSError) else f"something else answers ({type(error).__name__})"
            raise _refused(f"there is no scheduler at `{address}`: {why}", "start one: dask scheduler") from None
        try:
            self._require_workers(patience)
        except BaseException:
            self.close()
            raise

    @property
    def title(self) -> str:
        return f"on {self._address}"

    def answers(self, units: Iterator[tuple[int, Plain]], tell: Tell) -> Iterator[tuple[int, Plain]]:
        done: Any = import_module("distributed").as_completed(loop=self._client.loop)
        numbers: dict[Any, int] = {}
        work, _ = _portable()

        def fill() -> None:
            while len(numbers) < _AHEAD * max(1, len(self._client.ncores())):
                job = next(units, None)
                if job is None:
                    return
                # A key of its own: results are remembered by a store, and not by who happens to share the scheduler.
                future = self._client.submit(work, job[1], key=f"seqlang-{uuid4()}", pure=False)
                numbers[future] = job[0]
                tell(job[0], {})
                done.add(future)

        try:
            fill()
            for future in done:
                yield numbers.pop(future), _answer(future)
                fill()
        except OSError as error:
            raise _refused(f"the scheduler at `{self._address}` went away: {error}",
                           "with --store the same command goes on where it was") from None  # fmt: skip
        finally:
            if numbers:
                with suppress(Exception):  # where the scheduler is gone there is nothing to cancel
                    self._client.cancel(list(numbers), force=True)

    def close(self) -> None:
        with suppress(Exception):
            self._client.close(timeout=5)
        self._talk_again()

    def _talk_again(self) -> None:
        for log, level in self._levels:
            log.setLevel(level)

    def _require_workers(self, patience: float) -> None:
        until = time.monotonic() + patience
        while not (workers := self._client.get_versions()["workers"]):
            if time.monotonic() > until:
                raise _refused(f"the scheduler at `{self._address}` has no workers",
                               f"start some: dask worker {self._address}")  # fmt: skip
            time.sleep(0.2)
        for worker, found in sorted(workers.items()):
            python = found["host"]["python"].split(".")[:2]
            if [int(n) for n in python] != list(sys.version_info[:2]):
                here = ".".join(map(str, sys.version_info[:2]))
                raise _refused(f"the worker at {worker} has Python {'.'.join(python)}, and here it is {here}",
                               "dask needs the same Python on both ends")  # fmt: skip
        _, release_there = _portable()
        for worker, release in sorted(self._client.run(release_there).items()):
            if release != __version__:
                raise other_release(f"the worker at {worker}", release)


def _portable() -> tuple[Any, Any]:
    """`compute`, and a function that tells the release of a worker (None: it has none). Being local they travel by
    value: a worker that cannot import what it is sent loses its connection, and whoever else uses it suffers."""

    def work(unit: dict[str, Any]) -> dict[str, Any]:
        from distributed import get_worker

        try:
            from seqlang.sweeps.compute import compute
        except ImportError:
            return {"version": None}
        return compute(unit, threads=get_worker().state.nthreads)

    def release() -> str | None:
        try:
            from seqlang.version import __version__
        except ImportError:
            return None
        return __version__

    return work, release


def other_release(who: str, release: str | None) -> SpecError:
    """The numbers of two releases are not for one table."""
    has = "has no seqlang" if release is None else f"has seqlang {release}"
    return _refused(f"{who} {has}, and here it is {__version__}", f"on the worker: pip install seqlang=={__version__}")


def _answer(future: Any) -> Plain:
    """Exceptions are those of the cluster: `compute` raises none. OSError where the scheduler is gone."""
    distributed: Any = import_module("distributed")
    try:
        answer: Plain = future.result()
    except distributed.KilledWorker as error:
        raise _refused(f"a unit took down every worker that it was given to: {error}",
                       "look into the workers' logs; often memory ran out") from None  # fmt: skip
    except distributed.CancelledError as error:
        if getattr(error, "reason", "") == "scheduler-connection-lost":
            raise ConnectionError("the connection was lost") from None
        raise _refused(f"the cluster has dropped a unit: {error}", "is the scheduler still there?") from None
    return answer


def _refused(message: str, remedy: str) -> SpecError:
    return SpecError.of("E0643", message, help=remedy)
