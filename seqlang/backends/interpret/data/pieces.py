"""Many rows at once, column by column: cells as arrays instead of one text each."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.data.table import Row, Table
from seqlang.backends.interpret.data.terms import Term
from seqlang.backends.interpret.data.where import Clause, uncomparable
from seqlang.record import record

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
ROWS = 20_000
"""Rows of a piece, about."""


class Cells(Protocol):
    """The cells of one column in a piece."""

    def text(self, row: int) -> str:
        """One cell as it stands in the file, or would stand in a file of text."""

    def take(self, rows: Places) -> Cells:
        """Those of some rows."""

    def numbers(self, term: Term, known: Known) -> Floats | int:
        """(rows, term.width); or the first row whose cell is no number, or no word."""

    def coded(self) -> Coded:
        """The same with a code for every different text."""


class Known:
    """What the texts of one column stand for, over all its pieces."""

    def __init__(self) -> None:
        self._numbers: dict[str, tuple[float, ...] | None] = {}
        self._last: tuple[list[str], Any] = ([], None)

    def table(self, texts: list[str], term: Term) -> list[tuple[float, ...] | None] | Floats:
        """A row for each text: an array, or where some text stands for nothing a list with None."""
        if self._last[0] is not texts:
            self._last = (texts, self._made(texts, term))
        found: list[tuple[float, ...] | None] | Floats = self._last[1]
        return found

    def _made(self, texts: list[str], term: Term) -> list[tuple[float, ...] | None] | Floats:
        if len(self._numbers) > 1 << 16:  # nearly every cell is different: it is not worth remembering
            self._numbers.clear()
        found = []
        for text in texts:
            if text not in self._numbers:
                self._numbers[text] = term.numbers(text)
            found.append(self._numbers[text])
        return found if None in found else np.array(found, dtype=np.float64)


class Coded:
    """`codes` are the places of the cells' texts in `texts`. Pieces may share the list, which is never changed."""

    def __init__(self, texts: list[str], codes: Places) -> None:
        self.texts = texts
        self.codes = codes

    def text(self, row: int) -> str:
        """One cell."""
        return self.texts[int(self.codes[row])]

    def take(self, rows: Places) -> Coded:
        """Those of some rows."""
        return Coded(self.texts, self.codes[rows])

    def numbers(self, term: Term, known: Known) -> Floats | int:
        """Every different text is converted once."""
        table = known.table(self.texts, term)
        if isinstance(table, np.ndarray):
            return np.asarray(table[self.codes])
        wrong = np.array([v is None for v in table])[self.codes]
        if wrong.any():
            return int(np.flatnonzero(wrong)[0])
        filled = np.array([(math.nan,) * term.width if v is None else v for v in table])
        return np.asarray(filled[self.codes])

    def coded(self) -> Coded:
        """Itself."""
        return self


class Numbers:
    """Numbers of a typed file; where `absent` is true there is none."""

    def __init__(self, values: Floats, absent: NDArray[np.bool_] | None = None) -> None:
        self.values = values
        self.absent = absent

    def text(self, row: int) -> str:
        """A whole number without a point, as its word in a vocabulary is written."""
        return "" if self.absent is not None and self.absent[row] else shown(float(self.values[row]))

    def take(self, rows: Places) -> Numbers:
        """Those of some rows."""
        return Numbers(self.values[rows], None if self.absent is None else self.absent[rows])

    def numbers(self, term: Term, known: Known) -> Floats | int:
        """Vocabularies look at the text; arithmetic is that of every cell on its own."""
        if term.words:
            return self.coded().numbers(term, known)
        wrong = np.isnan(self.values) if self.absent is None else np.isnan(self.values) | self.absent
        if wrong.any():
            return int(np.flatnonzero(wrong)[0])
        return term.changed_all(self.values)[:, None]

    def coded(self) -> Coded:
        """By sorting."""
        different, codes = np.unique(self.values, return_inverse=True)
        texts = [shown(v) for v in different.tolist()]
        if self.absent is not None and self.absent.any():
            codes, texts = np.where(self.absent, len(texts), codes), [*texts, ""]
        return Coded(texts, codes.astype(np.intp))


def shown(value: float) -> str:
    """A number as text that is read as the same number."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


@record
class Piece:
    """`lines` are the rows' numbers; `columns` those that were asked for, by their place."""

    lines: NDArray[np.int64]
    columns: Mapping[int, Cells]

    def take(self, rows: Places) -> Piece:
        """Some of the rows."""
        return Piece(self.lines[rows], {c: cells.take(rows) for c, cells in self.columns.items()})

    def where(self, column: int, holds: Callable[[str], bool | None]) -> Places | int:
        """The rows whose cells hold; or the first row whose cell cannot be compared."""
        cells = self.columns[column].coded()
        found = np.array([{None: -1, False: 0, True: 1}[holds(text)] for text in cells.texts], dtype=np.int8)
        each = found[cells.codes]
        if (each < 0).any():
            return int(np.flatnonzero(each < 0)[0])
        return np.flatnonzero(each)

    def rows(self, table: Table) -> Iterator[Row]:
        """Row by row, as text; cells that were not asked for are empty."""
        width = len(table.header)
        for i, line in enumerate(self.lines.tolist()):
            yield Row(line, tuple(self.columns[c].text(i) if c in self.columns else "" for c in range(width)))


def matching(table: Table, piece: Piece, clauses: Sequence[Clause]) -> Piece:
    """The rows for which every clause holds. Raises SpecError E0615 for a cell that a clause cannot compare."""
    for clause in clauses:
        rows = piece.where(clause.column, clause.holds)
        if isinstance(rows, int):
            raise uncomparable(table, clause, int(piece.lines[rows]), piece.columns[clause.column].text(rows))
        if len(rows) < len(piece.lines):
            piece = piece.take(rows)
    return piece


def of_rows(rows: list[Row], columns: Collection[int]) -> Piece:
    """A piece from rows of text."""
    found: dict[int, Cells] = {}
    for column in columns:
        cells = [row.cells[column] for row in rows]
        found[column] = of_texts(cells)
    return Piece(np.array([row.line for row in rows], dtype=np.int64), found)


def of_texts(cells: list[str]) -> Coded:
    """The cells of one column."""
    texts = dict.fromkeys(cells)
    places = dict(zip(texts, range(len(texts)), strict=True))
    return Coded(list(texts), np.fromiter(map(places.__getitem__, cells), np.intp, len(cells)))
