"""Rows that come while a release runs: from standard input, or from a file that grows.

With `every`, rows are taken at public times only, the whole multiples of so many seconds: whoever watches the release
learns between which two of them a row came, and nothing more of when. Between them nothing is read, written or shown.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from seqlang.diagnostics import SpecError
from seqlang.record import record

AT_ONCE = 1 << 20
"""Bytes."""


@record
class Waiting:
    """In place of a row: what was shown so far must be written before more is read, since no more rows are there now,
    or since whoever writes them sees that more are taken. `from_the_start`: what was there before is there, too, and no
    more now, so that rows that were read once must have come already."""

    from_the_start: bool


Line = str | Waiting
Wait = Callable[[], None]


def ticking(every: float) -> Wait:
    """Returns at the next whole multiple of so many seconds on the clock of the machine, which everybody knows."""

    def wait() -> None:
        time.sleep(every - time.time() % every)

    return wait


def piped(file: int, every: float | None = None) -> Iterator[Line]:
    """The lines of a pipe until it ends. What has no newline then is a line, but not with `every`: whoever writes rows
    as they come may have died in the middle of one. Whoever writes into a pipe sees when the next bytes are taken out
    of it, and so that the rows before them were read: there is a wait before that, too."""
    rest, wait = b"", None if every is None else ticking(every)
    while True:
        while select.select([file], [], [], 0)[0]:
            chunk = os.read(file, AT_ONCE)
            if not chunk:
                if rest and every is None:
                    yield text_of(rest)
                return
            *lines, rest = (rest + chunk).split(b"\n")
            yield from map(text_of, lines)
            if select.select([file], [], [], 0)[0]:
                yield Waiting(from_the_start=False)
        yield Waiting(from_the_start=False)
        if wait is None:
            select.select([file], [], [])
        else:
            wait()


def growing(path: Path, every: float) -> Iterator[Line]:
    """The lines of a file to which lines are added, for ever. One that has no newline yet is still being written, and
    is not read. Raises SpecError E0610 where the file is not there, gets shorter, or is another one: which of its rows
    were read is not known then. What is no file, a named pipe, is read as a pipe."""
    try:
        file = path.open("rb", buffering=0)
    except OSError as why:
        raise SpecError.of("E0610", f"`{path}` cannot be read: {why.strerror}") from None
    rest, wait = b"", ticking(every)
    with file:
        if not is_file(file):
            yield from piped(file.fileno(), every)
            return
        while True:
            _require_the_same(path, file)
            while chunk := file.read(AT_ONCE):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from map(text_of, lines)
            yield Waiting(from_the_start=True)
            wait()


def is_file(file: IO[bytes]) -> bool:
    """Whether it can be read again from the start, and nobody sees how far it was read."""
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def _require_the_same(path: Path, file: IO[bytes]) -> None:
    ours = os.fstat(file.fileno())
    try:
        there = path.stat()
    except OSError:
        raise _changed(path, "is not there any more") from None
    if not os.path.samestat(ours, there):
        raise _changed(path, "was replaced by another file")
    if ours.st_size < file.tell():
        raise _changed(path, "is shorter than it was")


def _changed(path: Path, how: str) -> SpecError:
    return SpecError.of("E0610", f"`{path}` {how}: rows may only be added to it",
                        help="with all rows in it again, in their order, the same command goes on")  # fmt: skip


def text_of(line: bytes) -> str:
    """Bytes that are no UTF-8 are read as what cannot be read."""
    return line.decode("utf-8", errors="replace").replace("\0", " ")
