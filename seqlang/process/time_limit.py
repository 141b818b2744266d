"""How long a command may take: one limit for whatever runs inside `limited`, polled by the loops that can be long.

    with limited(60):
        ...  poll() raises OutOfTime once 60 seconds of CPU time have gone by

The time is that of this process, all its threads together, so that busy neighbours change nothing. Where the work is
done by other processes (a sweep), give `limited` the clock on the wall.

`OutOfTime` is an interrupt: what ends early and tidily on Ctrl-C, with the results so far, does so here too, and code
that recovers from errors does not take it for one. Loops poll where nothing is half done: what was found before stays
valid, and what was not found is unknown.

A loop that forgets to poll would go on for ever. A command therefore asks for `limited(60, forced=True)`: where nobody
has polled for GRACE, or a tenth of the limit, after its end, the process is interrupted as by Ctrl-C, wherever it is,
and `OutOfTime` is raised there: what the command has found before is reported. To put results together takes a moment
after the end; what runs inside `undisturbed` is not interrupted.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from seqlang.record import record

GRACE = 2.0
"""Seconds."""


class OutOfTime(KeyboardInterrupt):
    """The limit is over; the text says which it was."""


@record
class _Limit:
    """`ends`: when it is over, by `clock` (seconds). `timer` interrupts the process; None if nothing does."""

    seconds: float
    ends: float
    clock: Callable[[], float]
    timer: int | None = None

    def restart(self, seconds: float) -> None:
        """Interrupts so many seconds, by the same clock, from now on, if nobody polls before."""
        if self.timer is not None and not _UNDISTURBED.get():
            grace = max(GRACE, self.seconds / 10)
            signal.setitimer(self.timer, max(0.0, seconds) + grace, grace)


_LIMIT: ContextVar[_Limit | None] = ContextVar("the time limit", default=None)
_UNDISTURBED: ContextVar[bool] = ContextVar("nothing is interrupted", default=False)


@contextmanager
def limited(
    seconds: float | None, clock: Callable[[], float] = time.process_time, *, forced: bool = False
) -> Iterator[None]:
    """What runs inside may take so many seconds by the clock; None leaves an outer limit, or none, as it is. `forced`:
    what does not poll is interrupted; there is no such thing outside the main thread, and on Windows."""
    if seconds is None:
        yield
        return
    timer = _timer(clock) if forced else None
    limit = _Limit(seconds, clock() + seconds, clock, timer)
    before = _LIMIT.set(limit)

    def interrupt(*_: object) -> None:
        raise OutOfTime(_lack(seconds))

    heard = None if timer is None else signal.signal(_sent_by(timer), interrupt)
    try:
        limit.restart(seconds)
        yield
    except OutOfTime:
        raise
    except KeyboardInterrupt:
        if forced and clock() >= limit.ends:
            raise OutOfTime(_lack(seconds)) from None
        raise
    finally:
        if timer is not None:
            signal.setitimer(timer, 0)
            signal.signal(_sent_by(timer), heard)
        _LIMIT.reset(before)


def _timer(clock: Callable[[], float]) -> int | None:
    """The system's timer that goes by this clock, where it can interrupt us."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return None
    return {time.process_time: signal.ITIMER_PROF, time.monotonic: signal.ITIMER_REAL}.get(clock)


def _sent_by(timer: int) -> signal.Signals:
    return signal.SIGPROF if timer == signal.ITIMER_PROF else signal.SIGALRM


@contextmanager
def undisturbed() -> Iterator[None]:
    """What runs inside is not interrupted when the limit is over: results are put together, or shown. Polling inside
    raises as ever."""
    limit = _LIMIT.get()
    if limit is not None and limit.timer is not None:
        signal.setitimer(limit.timer, 0)
    before = _UNDISTURBED.set(True)
    try:
        yield
    finally:
        _UNDISTURBED.reset(before)
        if limit is not None:
            limit.restart(max(0.0, limit.ends - limit.clock()))


def poll() -> None:
    """Raises OutOfTime if the limit is over."""
    if over():
        raise OutOfTime(lack())


def over() -> bool:
    """Whether the limit is over."""
    limit = _LIMIT.get()
    if limit is None or limit.clock() < limit.ends:
        return False
    limit.restart(0)
    return True


def left() -> float:
    """Seconds until the limit is over; infinite where there is none."""
    limit = _LIMIT.get()
    return inf if limit is None else limit.ends - limit.clock()


def lack() -> str:
    """Why something is unknown: "for lack of time, after 60 s"."""
    limit = _LIMIT.get()
    seconds = inf if limit is None else limit.seconds
    return _lack(seconds)


def _lack(seconds: float) -> str:
    return f"for lack of time, after {seconds:g} s"
