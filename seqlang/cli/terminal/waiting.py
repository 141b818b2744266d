"""A line on stderr that says what a command is doing, while somebody looks and it takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from seqlang.diagnostics.display import visible
from seqlang.process.doing import heard

AFTER = 1.0
"""Seconds of silence: what ends sooner needs no line."""
_AGAIN = 0.25


@contextmanager
def working(title: str, after: float = AFTER) -> Iterator[Callable[[str], None]]:
    """Nothing where stderr is no terminal. What is yielded says what is being done, as `doing` does from further
    within. The line is gone at the end, before anything is printed."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return
    line = _Line(title, after)
    with heard(line.tell):
        line.begin()
        try:
            yield line.tell
        finally:
            line.end()


@contextmanager
def waiting_for(scheduler: str | None) -> Iterator[None]:
    """The line at once, where there is a scheduler to wait for."""
    if scheduler is None:
        yield
        return
    with working(f"waiting for the scheduler at {scheduler}", after=0.0):
        yield


class _Line:
    """A thread that writes the line again and again; the work itself never waits for the terminal."""

    def __init__(self, title: str, after: float) -> None:
        self._title = title
        self._after = after
        self._what = ""
        self._began = time.monotonic()
        self._over = Event()
        self._shown = False
        self._thread = Thread(target=self._show, daemon=True)

    def tell(self, what: str) -> None:
        self._what = what

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()
        if self._shown:
            self._write("\r\x1b[K")

    def _show(self) -> None:
        wait = self._after
        while not self._over.wait(wait):
            seconds = time.monotonic() - self._began
            said = ": ".join(part for part in (self._title, self._what) if part)
            import shutil

            room = shutil.get_terminal_size().columns - 12
            clear = "\r\x1b[K" if self._shown else ""
            self._write(f"{clear}{visible(said)[: max(10, room)]} .. {seconds:.0f} s")
            self._shown = True
            wait = _AGAIN

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()
