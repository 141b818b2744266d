"""What the owner of the rows may know of them after the charge: how many cells could not be read.

The file has the same length whatever was counted, and is written at times that do not depend on it: at every wait for
rows and at the end. Whoever sees that it is there, how long it is and when it was written, and cannot read it, learns
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from seqlang.diagnostics import SpecError
from seqlang.release.live import Waiting
from seqlang.release.rows import NO_RECORD, Entry, Rows

HEAD = "For the owner of the rows only: this tells of private cells."


class OwnersLog:
    """A file that its owner alone may read. Raises SpecError E0605 where it cannot be written."""

    def __init__(self, path: Path, rows: Rows) -> None:
        self._rows = rows
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.fchmod(self._file, 0o600)
            os.ftruncate(self._file, 0)
        except OSError as why:
            raise SpecError.of("E0605", f"cannot write `{path}`: {why.strerror}") from None
        self.write()

    def write(self) -> None:
        """What was counted by now, over what was written before. A disk that is full does not end a release."""
        counts, public = self._rows.counts, {f.name for f in self._rows.fields if f.kind == "public"}
        lines = [HEAD, _line("rows", counts["rows"]), _line("rows that are no record of CSV", counts[NO_RECORD])]
        if self._rows.form.identifiers is not None:
            lines.append(_line("rows of a person who had one, or of nobody", counts["again"]))
        for name in (f.name for f in self._rows.fields if f.name not in public):
            lines.append(_line(f"{name}: cells that could not be read", counts[f"{name} not read"]))
            lines.append(_line(f"{name}: cells that were moved into the domain", counts[f"{name} moved"]))
        with suppress(OSError):
            os.pwrite(self._file, "".join(f"{line}\n" for line in lines).encode(), 0)

    def around(self, entries: Iterator[Entry | Waiting]) -> Iterator[Entry | Waiting]:
        """The same entries; it is written at every wait."""
        for entry in entries:
            if isinstance(entry, Waiting):
                self.write()
            yield entry

    def close(self) -> None:
        """Writes it for the last time."""
        self.write()
        os.close(self._file)


def _line(what: str, count: int) -> str:
    return f"{count:012d}  {what}"
