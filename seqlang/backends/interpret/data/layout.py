"""How a file is laid out: its delimiter, the lines before the first row, the names of its columns."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator, Sequence

from seqlang.backends.interpret.data.problem import problem
from seqlang.record import record

GZIP = b"\x1f\x8b"
LONGEST_CELL = 1 << 24


@record
class Layout:
    """`skip` lines come first. Then there is a header, unless `names` gives the columns' names, or is () for a file
    without names: its columns are V1, V2, .. ."""

    skip: int = 0
    names: tuple[str, ...] | None = None


WITH_HEADER = Layout()


@record
class Row:
    """`line` is the number of the line in the file (the header is usually line 1)."""

    line: int
    cells: tuple[str, ...]


def text_of(path: str | os.PathLike[str]) -> str:
    """The text of a file; gzip is recognised by its content. Raises SpecError E0610."""
    name = os.fspath(path)
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


def rows_of(name: str, text: str, layout: Layout) -> tuple[tuple[str, ...], Iterator[Row]]:
    """(the columns' names, the rows). The delimiter is a comma, or what stands in the first line instead of one: a
    semicolon, a tab, or spaces. Raises SpecError E0610 and E0611, for a row when it is reached."""
    head = _first_line(name, text, layout.skip)
    delimiter = next((c for c in ",;\t" if c in head), " " if " " in head.strip() and layout.names is not None else ",")
    csv.field_size_limit(LONGEST_CELL)
    rows = _rows(name, text, delimiter, layout.skip)
    first = next(rows)
    if layout.names is None:
        header = tuple(cell.strip() for cell in first.cells)
        _check_header(name, header)
        return header, _checked(name, header, rows, None)
    header = layout.names or tuple(f"V{i}" for i in range(1, len(first.cells) + 1))
    _check_header(name, header)
    return header, _checked(name, header, rows, first)


def _lines(text: str, skip: int) -> Iterator[str]:
    """The lines with their ends; a list of them, or a StringIO, would take several times the text's memory."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        if skip <= 0:
            yield text[at:end]
        skip -= 1
        at = end


def _first_line(name: str, text: str, skip: int) -> str:
    for line in _lines(text, skip):
        if line.strip():
            return line
    raise problem("E0611", f"`{name}` is empty: a header and rows are needed")


def _rows(name: str, text: str, delimiter: str, skip: int) -> Iterator[Row]:
    reader = csv.reader(_lines(text, skip), delimiter=delimiter, skipinitialspace=delimiter == " ")
    try:
        for cells in reader:
            if delimiter == " " and cells and cells[-1] == "":
                cells.pop()
            if any(cell.strip() for cell in cells) or len(cells) > 1:  # a blank line is no row
                yield Row(reader.line_num + skip, tuple(cells))
    except csv.Error as error:
        raise problem("E0610", f"`{name}` is not a CSV file: {error}") from None


def _checked(name: str, header: Sequence[str], rows: Iterator[Row], first: Row | None) -> Iterator[Row]:
    if first is None:
        first = next(rows, None)
        if first is None:
            raise problem("E0611", f"`{name}` has a header and no rows")
    width = len(header)
    row: Row | None = first
    while row is not None:
        if len(row.cells) != width:
            message = f"`{name}`, line {row.line}: {len(row.cells)} cells where the header has {width}"
            raise problem("E0610", message, "every row needs one cell for each column; quote cells that hold a comma")
        yield row
        row = next(rows, None)


def _check_header(name: str, header: tuple[str, ...]) -> None:
    twice = next((h for i, h in enumerate(header) if h in header[:i]), None)
    if twice is not None:
        raise problem("E0610", f"`{name}` has two columns `{twice}`", "rename one: columns are found by name")
