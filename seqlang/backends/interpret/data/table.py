"""A CSV file as text: nothing is converted here."""

from __future__ import annotations

import os

from seqlang.backends.interpret.data.layout import WITH_HEADER, Layout, Row, rows_of, text_of
from seqlang.record import record

__all__ = ["Row", "Table", "read_table"]


@record
class Table:
    """`name` is the path as the user gave it."""

    name: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]

    def column(self, name: str) -> int | None:
        return self.header.index(name) if name in self.header else None


def read_table(path: str | os.PathLike[str], layout: Layout = WITH_HEADER) -> Table:
    """Reads a file (gzip is recognised by its content; the delimiter is a comma, or a semicolon or tab if the first
    line has no comma). Raises SpecError: E0610 if it cannot be read as such, E0611 if it has no rows."""
    name = os.fspath(path)
    header, rows = rows_of(name, text_of(path), layout)
    return Table(name, header, tuple(rows))
