"""What is being done now, in words: told by whoever does it, heard by whoever shows it, if anybody does.

It is no part of any result, so it is no argument of the functions that compute one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[str], None]] = []


def doing(what: str) -> None:
    """Tells that `what` begins now: "witness search", "compiling a kernel". Costs nothing where nobody listens."""
    for listener in _listeners:
        listener(what)


@contextmanager
def heard(listener: Callable[[str], None]) -> Iterator[None]:
    """Until its end, `listener` is told what begins, in the thread that does it."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
