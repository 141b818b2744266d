"""A line on stderr while a scheduler is waited for, if somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def waiting_for(scheduler: str | None) -> Iterator[None]:
    """Nothing where there is no scheduler to wait for, or stderr is not a terminal. The line is gone at the end."""
    if scheduler is None or not sys.stderr.isatty():
        yield
        return
    print(f"waiting for the scheduler at {scheduler} ..", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
