"""A CSV file with a header as text: nothing is converted here."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Iterator

from seqlang.backends.interpret.data.problem import problem
from seqlang.record import record

GZIP = b"\x1f\x8b"
LONGEST_CELL = 1 << 24


@record
class Row:
    """`line` is the number of the line in the file (the header is usually line 1)."""

    line: int
    cells: tuple[str, ...]


@record
class Table:
    """`name` is the path as the user gave it."""

    name: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]

    def column(self, name: str) -> int | None:
        return self.header.index(name) if name in self.header else None


def read_table(path: str | os.PathLike[str]) -> Table:
    """Reads a file (gzip is recognised by its content; the delimiter is a comma, or a semicolon or tab if the header
    has no comma). Raises SpecError: E0610 if it cannot be read as such, E0611 if it has no rows."""
    name = os.fspath(path)
    text = _text(name)
    lines = text.splitlines()
    head = next((line for line in lines if line.strip()), "")
    if not head:
        raise problem("E0611", f"`{name}` is empty: a header and rows are needed")
    delimiter = next((c for c in ",;\t" if c in head), ",")
    csv.field_size_limit(LONGEST_CELL)
    try:
        rows = list(_rows(text, delimiter))
    except csv.Error as error:
        raise problem("E0610", f"`{name}` is not a CSV file: {error}") from None
    header = tuple(cell.strip() for cell in rows[0].cells)
    _check_header(name, header)
    if len(rows) == 1:
        raise problem("E0611", f"`{name}` has a header and no rows")
    for row in rows[1:]:
        if len(row.cells) != len(header):
            message = f"`{name}`, line {row.line}: {len(row.cells)} cells where the header has {len(header)}"
            raise problem("E0610", message, "every row needs one cell for each column; quote cells that hold a comma")
    return Table(name, header, tuple(rows[1:]))


def _text(name: str) -> str:
    try:
        with open(name, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise problem("E0610", f"there is no file `{name}`") from None
    except IsADirectoryError:
        raise problem("E0610", f"`{name}` is a folder, not a CSV file") from None
    except OSError as error:
        raise problem("E0610", f"`{name}` cannot be read: {error.strerror}") from None
    if data[:2] == GZIP:
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise problem("E0610", f"`{name}` is not a whole gzip file: {error}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise problem("E0610", f"`{name}` is not UTF-8 text (byte {error.start})") from None
    if "\0" in text:
        raise problem("E0610", f"`{name}` is not a text file: it holds a zero byte")
    return text


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    for cells in reader:
        if any(cell.strip() for cell in cells) or len(cells) > 1:  # a blank line is no row
            yield Row(reader.line_num, tuple(cells))


def _check_header(name: str, header: tuple[str, ...]) -> None:
    twice = next((h for i, h in enumerate(header) if h in header[:i]), None)
    if twice is not None:
        raise problem("E0610", f"`{name}` has two columns `{twice}`", "rename one: columns are found by name")
