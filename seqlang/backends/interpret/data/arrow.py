"""Columns of Arrow: of a Parquet file, or of a table in memory. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from seqlang.backends.interpret.data.layout import check_header
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Table
from seqlang.process.late import np

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.pieces import Cells, Piece


class Batches(Protocol):
    """Where the columns come from: `schema`, `rows` in all, and `read`, which gives record batches of some columns, of
    about so many rows each. Raises SpecError E0610 where they cannot be read."""

    schema: Any
    rows: int

    def read(self, rows: int, names: list[str]) -> Iterator[Any]: ...


class ArrowSource:
    """One whose cells are lists of k numbers, `v`, stands for columns `v1` .. `vk`.

    Only the columns that are asked for are read, some thousand rows at a time.
    """

    def __init__(self, name: str, batches: Batches) -> None:
        self._batches = batches
        schema = batches.schema
        header: list[str] = []
        lists: dict[str, range] = {}
        self._from: list[tuple[str, int]] = []  # of each column the file's name, and its place in the list
        check_header(name, tuple(schema.names))
        for field in schema:
            length = _length(batches, field)
            if length is None:
                self._from.append((field.name, 0))
                header.append(field.name)
            else:
                lists[field.name] = range(len(header), len(header) + length)
                self._from += [(field.name, i) for i in range(length)]
                header += [f"{field.name}{i + 1}" for i in range(length)]
        check_header(name, tuple(header))
        self.table = Table(name, tuple(header), lists=lists, unit="row")
        self.most = batches.rows
        if not self.most:
            raise problem("E0611", f"`{name}` has no rows")

    def pieces(self, columns: Collection[int]) -> Iterator[Piece]:
        """The batches of the file."""
        from seqlang.backends.interpret.data.pieces import ROWS, Piece

        wanted = sorted(columns)
        names = list(dict.fromkeys(self._from[c][0] for c in wanted))
        first = 1
        for batch in self._batches.read(ROWS, names):
            parts = {name: self._cells(name, batch.column(batch.schema.get_field_index(name)), first) for name in names}
            found = {c: parts[self._from[c][0]][self._from[c][1]] for c in wanted}
            yield Piece(np.arange(first, first + batch.num_rows), found)
            first += batch.num_rows

    def _cells(self, name: str, column: Any, first: int) -> list[Cells]:
        """One column's cells; of a list one for each place."""
        if name not in self.table.lists:
            return [_plain(self.table.name, name, column)]
        import pyarrow.compute as pc

        from seqlang.backends.interpret.data.pieces import Numbers

        width = len(self.table.lists[name])
        here = np.asarray(pc.is_valid(column))
        whole = column.filter(pc.is_valid(column))
        lengths = np.asarray(pc.list_value_length(whole))
        if (lengths != width).any():
            at = int(np.flatnonzero(here)[np.flatnonzero(lengths != width)[0]])
            length = int(lengths[lengths != width][0])
            message = f"{self.table.place(first + at)}, column `{name}`: a list of {length}, where others have {width}"
            raise problem("E0610", message, "every row needs as many numbers")
        values = np.full((len(column), width), np.nan)
        values[here] = _numbers(pc.list_flatten(whole))[0].reshape(-1, width)
        return [Numbers(values[:, i], np.isnan(values[:, i])) for i in range(width)]


def _length(batches: Batches, field: Any) -> int | None:
    """Numbers in each list of a column; None if its cells are no lists of numbers."""
    from pyarrow import types

    kind = field.type
    is_list = types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind)
    if not is_list or not (types.is_floating(kind.value_type) or types.is_integer(kind.value_type)):
        return None
    if types.is_fixed_size_list(kind):
        return int(kind.list_size)
    for batch in batches.read(64, [field.name]):
        for cell in batch.column(0).to_pylist():
            if cell is not None:
                return len(cell)
    return 0


def _plain(file: str, name: str, column: Any) -> Cells:
    """Numbers as such, anything else as text: words, and true, false, dates and decimals as they would be written."""
    import pyarrow
    from pyarrow import types

    from seqlang.backends.interpret.data.pieces import Coded, Numbers

    if types.is_integer(column.type) or types.is_floating(column.type):
        return Numbers(*_numbers(column))
    try:
        if types.is_binary(column.type) or types.is_large_binary(column.type):
            column = column.cast(pyarrow.large_binary()).cast(pyarrow.large_string())
        if not types.is_dictionary(column.type):
            column = column.cast(pyarrow.large_string()).dictionary_encode()
        texts = column.dictionary.cast(pyarrow.large_string()).to_pylist()
    except pyarrow.ArrowException:
        raise problem("E0610", f"`{file}`: column `{name}` holds {column.type}, neither numbers nor words") from None
    absent = np.asarray(column.is_null())
    codes = np.asarray(column.indices.fill_null(0)).astype(np.intp)
    found = ["" if text is None else text for text in texts]
    return Coded([*found, ""], np.where(absent, len(found), codes))


def _numbers(column: Any) -> tuple[Any, Any]:
    """(float64, where there is none); a column of nothing is nothing."""
    absent = np.asarray(column.is_null())
    filled = column.fill_null(0) if absent.any() else column
    values = np.array(filled.to_numpy(zero_copy_only=False), dtype=np.float64)
    values[absent] = np.nan
    return values, absent if absent.any() else None
