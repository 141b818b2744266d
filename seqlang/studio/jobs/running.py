"""The loop of a process that does jobs: takes one, answers, takes the next."""

from __future__ import annotations

import os
import signal
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.process.doing import heard

MEMORY = 6 * 2**30
"""Bytes of address space that a job may have."""
NICENESS = 10
"""By which long jobs give way to those that somebody waits for."""
JOBS = (
    "chart", "check", "columns", "compare", "curve", "design", "follow", "learn", "library", "path", "price",
    "report", "run", "solve",
)  # fmt: skip
"""Modules of this package with a function `job(argument, tell)`."""


def serve(connection: Connection, long: bool) -> None:
    """Until the connection is closed. Ctrl-C is the server's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    if long:
        os.nice(NICENESS)
    while True:
        try:
            name, argument = connection.recv()
        except (EOFError, OSError):
            return
        try:
            connection.send(_answer(connection, name, argument))
        except OSError:
            return


def _answer(connection: Connection, name: str, argument: Any) -> tuple[str, Any]:
    def tell(value: Any) -> None:
        connection.send(("told", value))

    try:
        if name not in JOBS:
            return "failed", f"there is no job `{name}`"
        with heard(lambda what: tell({"doing": what})):
            return "done", import_module(f"seqlang.studio.jobs.{name}").job(argument, tell)
    except SpecError as error:
        return "failed", "\n".join(
            f"{d.code}: {d.message}{f' ({d.help})' if d.help else ''}" for d in error.diagnostics
        )
    except MemoryError:
        return "failed", f"this takes more than {MEMORY // 2**30} GiB of memory"
    except RecursionError:
        return "failed", "the text is nested too deeply"
    except Exception as bug:  # the page goes on, whatever a job does
        return "failed", f"a fault of seqlang: {type(bug).__name__}: {bug}"


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return  # a system without such limits
