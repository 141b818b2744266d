"""How a file is laid out: its delimiter, the lines before the first row, the names of its columns."""

from __future__ import annotations

import csv
import gzip
import os
import stat
import zlib
from collections.abc import Iterator

from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Row
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
class Head:
    """What stands before the rows: the columns' names, the delimiter, the place of the first row in the data, and the
    number of lines before it."""

    header: tuple[str, ...]
    delimiter: str
    at: int
    line: int


def bytes_of(path: str | os.PathLike[str]) -> bytes:
    """A file's bytes, unpacked: UTF-8 text without a byte order mark. Gzip is recognised by its content. Raises
    SpecError E0610."""
    name = os.fspath(path)
    data = raw_bytes(name)
    if data[:2] == GZIP:
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise problem("E0610", f"`{name}` is not a whole gzip file: {error}") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise problem("E0610", f"`{name}` is not UTF-8 text (byte {error.start})") from None
    if b"\0" in data:
        raise problem("E0610", f"`{name}` is not a text file: it holds a zero byte")
    return data


def raw_bytes(name: str, most: int = -1) -> bytes:
    """The first `most` bytes of a file, or all. Raises SpecError E0610."""
    try:
        with open(name, "rb") as file:
            if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):  # some never end
                raise problem("E0610", f"`{name}` is a device, not a file of rows")
            return file.read(most)
    except FileNotFoundError:
        raise problem("E0610", f"there is no file `{name}`") from None
    except IsADirectoryError:
        raise problem("E0610", f"`{name}` is a folder, not a file of rows") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise problem("E0610", f"`{name}` cannot be read: {reason}") from None


def head_of(name: str, data: bytes, layout: Layout) -> Head:
    """What stands before the rows. The delimiter is a comma, or what stands in the first line instead of one: a
    semicolon, a tab, or (without a header) spaces. Raises SpecError E0610 and E0611."""
    at = _after(data, layout.skip)
    first = next((line for line in _lines(data, at) if line.strip()), None)
    if first is None:
        raise problem("E0611", f"`{name}` is empty: a header and rows are needed")
    delimiter = next(
        (c for c in ",;\t" if c in first), " " if " " in first.strip() and layout.names is not None else ","
    )
    row = next(rows_from(name, data, Head((), delimiter, at, 0)))
    if layout.names is not None:
        header = layout.names or tuple(f"V{i}" for i in range(1, len(row.cells) + 1))
        check_header(name, header)
        return Head(header, delimiter, at, layout.skip)
    header = tuple(cell.strip() for cell in row.cells)
    check_header(name, header)
    return Head(header, delimiter, _after(data, row.line, at), layout.skip + row.line)


def rows_from(name: str, data: bytes, head: Head) -> Iterator[Row]:
    """The rows from `head.at` on, however many cells they have. Raises SpecError E0610 for what is no CSV: a quote that
    is never closed would make one cell of all rows that are left."""
    csv.field_size_limit(LONGEST_CELL)
    delimiter = head.delimiter
    reader = csv.reader(_lines(data, head.at), delimiter=delimiter, skipinitialspace=delimiter == " ", strict=True)
    ended = 0
    try:
        for cells in reader:
            ended = reader.line_num
            if delimiter == " " and cells and cells[-1] == "":
                cells.pop()
            if any(cell.strip() for cell in cells) or len(cells) > 1:  # a blank line is no row
                yield Row(reader.line_num + head.line, tuple(cells))
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise problem("E0610", f"`{name}` is not a CSV file: a quote is not closed in the row that begins in line "
                                   f"{ended + head.line + 1}", "a quote within a cell is doubled, and the cell stands "
                                   "in quotes") from None  # fmt: skip
        message = f"`{name}` is not a CSV file: {error} (line {reader.line_num + head.line})"
        raise problem("E0610", message) from None


def checked_row(name: str, head: Head, row: Row) -> Row:
    """The row, if it has a cell for each column."""
    width = len(head.header)
    if len(row.cells) == width:
        return row
    message = f"`{name}`, line {row.line}: {len(row.cells)} cells where the header has {width}"
    raise problem("E0610", message, "every row needs one cell for each column; quote cells that hold a comma")


def _lines(data: bytes, at: int) -> Iterator[str]:
    """The lines with their ends; a list of them, or a StringIO, would take several times the text's memory."""
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        yield data[at:end].decode()
        at = end


def _after(data: bytes, lines: int, at: int = 0) -> int:
    """The place after so many lines."""
    for _ in range(lines):
        at = data.find(b"\n", at) + 1 or len(data)
    return at


def check_header(name: str, header: tuple[str, ...]) -> None:
    """Raises SpecError E0610 if a name stands twice."""
    seen: set[str] = set()
    for column in header:
        if column in seen:
            raise problem("E0610", f"`{name}` has two columns `{column}`", "rename one: columns are found by name")
        seen.add(column)
