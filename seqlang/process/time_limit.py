"""How long a command may take: one limit for whatever runs inside `limited`, polled by the loops that can be long.

    with limited(60):
        ...  poll() raises OutOfTime once 60 seconds of CPU time have gone by

The time is that of this process, all its threads together, so that busy neighbours change nothing. Where the work is
done by other processes (a sweep), give `limited` the clock on the wall.

`OutOfTime` is an interrupt: what ends early and tidily on Ctrl-C, with the results so far, does so here too, and code
that recovers from errors does not take it for one. Loops poll where nothing is half done: what was found before stays
valid, and what was not found is unknown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from seqlang.record import record


class OutOfTime(KeyboardInterrupt):
    """The limit is over; the text says which it was."""


@record
class _Limit:
    """`ends`: when it is over, by `clock` (seconds)."""

    seconds: float
    ends: float
    clock: Callable[[], float]


_LIMIT: ContextVar[_Limit | None] = ContextVar("the time limit", default=None)


@contextmanager
def limited(seconds: float | None, clock: Callable[[], float] = time.process_time) -> Iterator[None]:
    """What runs inside may take so many seconds by the clock; None leaves an outer limit, or none, as it is."""
    if seconds is None:
        yield
        return
    before = _LIMIT.set(_Limit(seconds, clock() + seconds, clock))
    try:
        yield
    finally:
        _LIMIT.reset(before)


def poll() -> None:
    """Raises OutOfTime if the limit is over."""
    if over():
        raise OutOfTime(lack())


def over() -> bool:
    """Whether the limit is over."""
    limit = _LIMIT.get()
    return limit is not None and limit.clock() >= limit.ends


def lack() -> str:
    """Why something is unknown: "for lack of time, after 60 s"."""
    limit = _LIMIT.get()
    seconds = inf if limit is None else limit.seconds
    return f"for lack of time, after {seconds:g} s"
