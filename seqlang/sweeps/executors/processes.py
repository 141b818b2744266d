"""Processes of this machine. Plain data go through pipes as lines of JSON.

They are not those of `concurrent.futures`: a pool of that kind is broken as a whole when one process dies, its
processes outlive a parent that was killed, and it imports the caller's main module again in each of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from seqlang.diagnostics import SpecError
from seqlang.process.time_limit import poll
from seqlang.sweeps.executors.executor import Executor, Plain, Tell

_LOOK = 0.5
"""Seconds between looks at the time limit."""
TRIES = 3
"""So many workers may die over one unit."""

_ONE_THREAD = ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "VECLIB_MAXIMUM", "NUMEXPR_NUM", "NUMBA_NUM")


def cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Processes(Executor):
    """At most `workers` processes, started when they are first needed, each with so many threads for a simulation
    (default: the processors are shared out)."""

    def __init__(self, workers: int, threads: int | None = None) -> None:
        self._most = workers
        self._threads = threads or max(1, cores() // workers)
        self._workers: dict[int, _Worker] = {}
        self._inbox: SimpleQueue[tuple[int, Plain | None]] = SimpleQueue()
        self._started = 0

    @property
    def title(self) -> str:
        return f"in {self._most} processes"

    def answers(self, units: Iterator[tuple[int, Plain]], tell: Tell) -> Iterator[tuple[int, Plain]]:
        busy: dict[int, tuple[int, Plain]] = {}
        tries: dict[int, int] = {}
        again: list[tuple[int, Plain]] = []
        while True:
            while len(busy) < self._most:
                job = again.pop() if again else next(units, None)
                if job is None:
                    break
                busy[self._give(job[1], busy)] = job
                tell(job[0], {})
            if not busy:
                return
            try:
                worker, message = self._inbox.get(timeout=_LOOK)
            except Empty:
                poll()
                continue
            if worker not in busy:
                continue  # the end of one that was idle, or whose end is known already
            if message is None:
                job = busy.pop(worker)
                tries[job[0]] = tries.get(job[0], 0) + 1
                self._buried(worker, job[1], tries[job[0]])
                again.append(job)
            elif "state" in message:
                tell(busy[worker][0], message["state"])
            else:
                yield busy.pop(worker)[0], message["answer"]

    def close(self) -> None:
        for worker in self._workers.values():
            worker.kill()
        self._workers.clear()

    def _give(self, unit: Plain, busy: dict[int, tuple[int, Plain]]) -> int:
        """The number of an idle worker that has the unit now."""
        for number in [n for n in self._workers if n not in busy]:
            if self._workers[number].give(unit):
                return number
            self._workers.pop(number).kill()  # it died while it was idle
        self._started += 1
        worker = _Worker(self._started, self._threads, self._inbox)
        self._workers[self._started] = worker
        worker.give(unit)  # one that dies at once is noticed when its output ends
        return self._started

    def _buried(self, number: int, unit: Plain, tries: int) -> None:
        code, said = self._workers.pop(number).kill()
        if tries < TRIES:
            return
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        values = ", ".join(f"{name} = {value}" for name, value in unit["parameters"].items())
        message = f"{tries} processes died over `{unit['name']}` with {values or 'its defaults'}: {how}"
        remedy = "if memory ran out, use fewer --workers"
        notes = (f"the last words of the process: {said}",) if said else ()
        raise SpecError.of("E0643", message, notes=notes, help=remedy)


class _Worker:
    """One process, and a thread that passes on what it says."""

    def __init__(self, number: int, threads: int, inbox: SimpleQueue[tuple[int, Plain | None]]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 # it is open as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "seqlang.sweeps.executors.worker", str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            env=_environment(),
            process_group=0 if os.name == "posix" else None,  # Ctrl-C is for the parent
        )
        Thread(target=self._listen, args=(number, inbox), daemon=True).start()

    def give(self, unit: Plain) -> bool:
        """Whether the unit could be handed over."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(unit) + "\n")
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def kill(self) -> tuple[int, str]:
        """Ends it; its exit code and the last line of its stderr."""
        self._process.kill()
        code = self._process.wait()
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()  # what it did not read is of no interest
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        return code, lines[-1] if lines else ""

    def _listen(self, number: int, inbox: SimpleQueue[tuple[int, Plain | None]]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                inbox.put((number, json.loads(line)))
            except ValueError:
                break  # it died in the middle of a line
        inbox.put((number, None))


def _environment() -> dict[str, str]:
    """That of this process, with the package in reach, and libraries on one thread each."""
    folder = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join(p for p in (folder, os.environ.get("PYTHONPATH", "")) if p)
    return {**os.environ, **{f"{name}_THREADS": "1" for name in _ONE_THREAD}, "PYTHONPATH": path}
