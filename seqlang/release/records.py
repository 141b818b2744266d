"""The records of a CSV file (RFC 4180), as its lines come.

A record ends with its line, unless a cell in quotes is open there: the cell goes on in the next line. In quotes commas,
line breaks and doubled quotes are text. A quote within a cell that does not begin with one is text, too.

What a person writes into a cell must never become another person's record. So a record that is open is never cut into
lines while it may still become one: it waits for the quote that closes it. Only where it is certain that the file is no
CSV (something stands behind a closing quote, or the file ends in quotes) does the line on which the record began become
one broken record, and the lines after it are read by themselves. Until the end of the file, what was made of the first
lines never changes when more lines come: a release that goes on finds the same records.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from seqlang.record import record
from seqlang.release.live import Line, Waiting

INSIDE = re.compile(r'([^"]*(?:""[^"]*)*)"(?!")')
"""What is in quotes, up to the quote that closes it."""
NOT_CLOSED = "a quote is not closed"
NOT_ALONE = "something stands behind a closing quote"


@record
class Record:
    """`line` is where it begins, from 1. `cells` are none where it is no record of CSV; `fault` says why, and also
    where it has another number of cells than the heading."""

    line: int
    cells: tuple[str, ...]
    fault: str = ""


class Records:
    """The records of some lines. `heading` is the first one; iterating gives those after it, and each wait."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._found = _framed(lines)
        self.heading = next((r for r in self._found if isinstance(r, Record)), Record(1, ("",)))
        self._width = len(self.heading.cells)

    def __iter__(self) -> Iterator[Record | Waiting]:
        for found in self._found:
            if isinstance(found, Record) and not found.fault and len(found.cells) != self._width:
                if len(found.cells) == 1 and not found.cells[0].strip():
                    continue  # an empty line: a record of several cells has a comma
                found = Record(found.line, found.cells, f"{len(found.cells)} cells, and the heading has {self._width}")
            yield found


def _framed(lines: Iterable[Line]) -> Iterator[Record | Waiting]:
    frame, is_first = _Frame(), True
    for line in lines:
        if isinstance(line, Waiting):
            yield line
            continue
        line = line.removesuffix("\n")
        if is_first:
            line, is_first = line.removeprefix("\ufeff"), False
        yield from frame.take(line)
    yield from frame.end()


class _Frame:
    """The lines of the record that is open."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._begin = 1
        """Where the record begins that is open, or the next one."""
        self._cells: list[str] = []
        self._quoted: list[str] | None = None
        """The lines of the cell that is open."""

    def take(self, *lines: str) -> list[Record]:
        """What these lines complete."""
        found, waiting = [], deque(lines)
        while waiting:
            line = waiting.popleft()
            if not self._lines and '"' not in line:
                found.append(Record(self._begin, tuple(line.removesuffix("\r").split(","))))
                self._begin += 1
                continue
            self._lines.append(line)
            is_whole = self._read(line)
            if is_whole is None:
                waiting.extendleft(reversed(self._lines[1:]))
                found.append(self._broken(NOT_ALONE))
            elif is_whole:
                found.append(Record(self._begin, tuple(self._cells)))
                self._next(len(self._lines))
        return found

    def end(self) -> list[Record]:
        """What is left at the end of the file."""
        found = []
        while self._lines:
            rest = self._lines[1:]
            found += [self._broken(NOT_CLOSED), *self.take(*rest)]
        return found

    def _broken(self, why: str) -> Record:
        """The line on which the record begins; those after it are to be read again."""
        found = Record(self._begin, (), why)
        self._next(1)
        return found

    def _next(self, lines: int) -> None:
        self._begin += lines
        self._lines, self._cells, self._quoted = [], [], None

    def _read(self, line: str) -> bool | None:
        """Whether the record ends with this line; None where it is none."""
        end, at = len(line.removesuffix("\r")), 0
        while True:
            if self._quoted is None and line.startswith('"', at):
                self._quoted, at = [], at + 1
            if self._quoted is None:
                comma = line.find(",", at, end)
                self._cells.append(line[at : comma if comma >= 0 else end])
                at = comma if comma >= 0 else end
            else:
                closing = INSIDE.match(line, at)
                self._quoted.append(line[at:] if closing is None else closing[1])
                if closing is None:
                    return False
                self._cells.append("\n".join(self._quoted).replace('""', '"'))
                self._quoted, at = None, closing.end()
            if at >= end:
                return True
            if line[at] != ",":
                return None
            at += 1
