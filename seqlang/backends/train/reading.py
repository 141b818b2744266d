"""A CSV file as arrays, column by column: files of half a million rows are read in seconds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.data.columns import FieldColumns, field_columns, unreadable
from seqlang.backends.interpret.data.layout import WITH_HEADER, Layout, Row, rows_of, text_of
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Table
from seqlang.backends.interpret.data.terms import Term
from seqlang.backends.interpret.data.where import conditions
from seqlang.backends.train.rows import Rows, checked
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program

Floats = NDArray[np.float64]
PIECE = 20_000


def read_rows(
    program: Program,
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    clip: bool = False,
    layout: Layout = WITH_HEADER,
    tell: Callable[[int], None] | None = None,
) -> Rows:
    """The rows of a file as the program's fields; options as of `run_data`. `tell` gets the number of rows read.

    Raises SpecError E0610 to E0617 and E0625; a fault names file, line and column.
    """
    name = os.fspath(path)
    header, rows = rows_of(name, text_of(path), layout)
    empty = Table(name, header, ())
    fields = field_columns(program, empty, columns or {})
    holds = conditions(empty, where)
    parts: dict[str, list[Floats]] = {f.name: [] for f in fields}
    lines: list[NDArray[np.int64]] = []
    seen = 0
    for some in _pieces(rows):
        seen += len(some)
        kept = [row for row in some if all(test(row) for test in holds)] if holds else some
        if kept:
            cells = list(zip(*(row.cells for row in kept), strict=True))
            lines.append(np.array([row.line for row in kept]))
            for field in fields:
                parts[field.name].append(_values(empty, field, kept, cells))
        if tell is not None:
            tell(seen)
    if not lines:
        shown = " and ".join(f"`{c}`" for c in where)
        raise problem("E0616", f"`{name}` has no row with {shown}", notes=(f"it has {seen} rows",))
    line = np.concatenate(lines)
    made = Rows(name, {n: _joined(p, len(line)) for n, p in parts.items()}, len(line))

    def faulty(field: str, row: int, text: str) -> Exception:
        where_ = f"`{name}`, line {line[row]}"
        help = "--clip moves such values to the nearest one in the domain; project(..) moves vectors into their ball"
        return problem("E0614", f"{where_}: {field} = {text}", help)

    return checked(program, made, faulty, clip=clip, project=frozenset(f.name for f in fields if f.project))


def _joined(parts: list[Floats], count: int) -> Floats:
    """One array; the parts are given up one by one, so that the rows never stand in memory twice."""
    whole = np.empty((count, *parts[0].shape[1:]))
    parts.reverse()
    at = 0
    while parts:
        part = parts.pop()
        whole[at : at + len(part)] = part
        at += len(part)
    return whole


def _pieces(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while piece := list(islice(rows, PIECE)):
        yield piece


def _values(table: Table, field: FieldColumns, rows: list[Row], cells: Sequence[Sequence[str]]) -> Floats:
    """(rows,) or (rows, d) of one field."""
    found = np.empty((len(rows), field.width))
    at = 0
    for column, term in field.parts:
        found[:, at : at + term.width] = _numbers(table, term, column, rows, cells[column])
        at += term.width
    return found[:, 0] if field.domain.dimension is None else found


def _numbers(table: Table, term: Term, column: int, rows: list[Row], cells: Sequence[str]) -> Floats:
    """What one column's cells stand for, one row each. Every different text is converted once."""
    texts = dict.fromkeys(cells)
    known = [term.numbers(text) for text in texts]
    if None in known:
        at = next(i for i, text in enumerate(cells) if term.numbers(text) is None)
        raise SpecError((unreadable(table.name, table.header[column], rows[at].line, cells[at], term),))
    places = dict(zip(texts, range(len(known)), strict=True))
    which = np.fromiter(map(places.__getitem__, cells), np.intp, len(cells))
    return np.array(known, dtype=np.float64)[which]
