"""The columns of a file by name, and a row of it as text."""

from __future__ import annotations

from collections.abc import Mapping

from seqlang.record import field, record


@record
class Row:
    """`line` is the number of the line in the file (the header is usually line 1), or of the row."""

    line: int
    cells: tuple[str, ...]


@record
class Table:
    """`name` is the path as the user gave it. `lists` are columns whose cells are lists: each stands for the columns of
    a range. `unit` is what rows are counted in: lines of text, or rows from 1."""

    name: str
    header: tuple[str, ...]
    lists: Mapping[str, range] = field(default_factory=dict)
    unit: str = "line"

    def column(self, name: str) -> int | None:
        return self.header.index(name) if name in self.header else None

    def place(self, line: int) -> str:
        """Where a row stands, as errors say it."""
        return f"`{self.name}`, {self.unit} {line}"
