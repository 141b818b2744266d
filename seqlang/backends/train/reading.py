"""A file as arrays, piece by piece and column by column: half a million rows are read in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.data.columns import FieldColumns, field_columns, not_in, places, unreadable
from seqlang.backends.interpret.data.pieces import ROWS, Known, Piece, matching
from seqlang.backends.interpret.data.reading import Reading
from seqlang.backends.interpret.data.source import Data, opened
from seqlang.backends.interpret.data.table import Table
from seqlang.backends.interpret.data.where import conditions, none_left
from seqlang.backends.train.rows import Checks, Rows
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program
from seqlang.process.time_limit import poll

Floats = NDArray[np.float64]


def read_rows(
    program: Program,
    path: Data,
    reading: Reading,
    tell: Callable[[int], None] | None = None,
) -> Rows:
    """The rows of a file (see `opened`) as the program's fields. `tell` gets the number of rows read.

    Raises SpecError E0610 to E0617 and E0625; a fault names file, row and column.
    """
    source = opened(path, reading.layout)
    table = source.table
    fields = field_columns(program, table, reading.columns)
    clauses = conditions(table, reading.where)
    known = {field.name: [Known() for _ in field.parts] for field in fields}
    checks = Checks(program)
    room = Room(fields, ROWS if clauses else source.most)
    seen = 0
    for piece in source.pieces(places(fields, clauses)):
        poll()
        seen += len(piece.lines)
        kept = matching(table, piece, clauses)
        if len(kept.lines):
            parts = room.next(len(kept.lines))
            for field in fields:
                _fill(table, field, kept, known[field.name], parts[field.name])
                move = reading.clip or field.project
                checks.place(field.name, parts[field.name], _faulty(table, field, kept), move=move)
        if tell is not None:
            tell(seen)
    if not room.used:
        raise none_left(table, reading.where, seen)
    return Rows(table.name, room.filled(), room.used)


class Room:
    """Arrays that rows are written into, one after the other: pieces never stand in memory twice.

    `most` is a guess; what is not written costs no memory.
    """

    def __init__(self, fields: Sequence[FieldColumns], most: int) -> None:
        self.used = 0
        self._most = most
        self._arrays = {
            f.name: np.empty(most if f.domain.dimension is None else (most, f.domain.dimension)) for f in fields
        }

    def next(self, count: int) -> dict[str, Floats]:
        """The places of the next rows."""
        if self.used + count > self._most:
            self._most = max(self.used + count, self._most * 3 // 2)
            for name in self._arrays:
                old = self._arrays[name]
                self._arrays[name] = new = np.empty((self._most, *old.shape[1:]))
                new[: self.used] = old[: self.used]
        first, self.used = self.used, self.used + count
        return {name: array[first : self.used] for name, array in self._arrays.items()}

    def filled(self) -> dict[str, Any]:
        """The rows that were written."""
        return {name: array[: self.used] for name, array in self._arrays.items()}


def _fill(table: Table, field: FieldColumns, piece: Piece, known: Sequence[Known], out: Floats) -> None:
    """Writes one field, (rows,) or (rows, d)."""
    wide = out[:, None] if out.ndim == 1 else out
    at = 0
    for (column, term), texts in zip(field.parts, known, strict=True):
        numbers = piece.columns[column].numbers(term, texts)
        if isinstance(numbers, int):
            line, cell = int(piece.lines[numbers]), piece.columns[column].text(numbers)
            raise SpecError((unreadable(table, column, line, cell, term),))
        wide[:, at : at + term.width] = numbers
        at += term.width


def _faulty(table: Table, field: FieldColumns, piece: Piece) -> Callable[[int, Any], Exception]:
    def faulty(row: int, value: Any) -> Exception:
        what = f"{table.place(int(piece.lines[row]))}: {field.name}"
        return SpecError((not_in(what, value, field.domain),))

    return faulty
