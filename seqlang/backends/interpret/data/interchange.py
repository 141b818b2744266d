"""A data frame by the interchange protocol (data-apis.org/dataframe-protocol): its buffers, read where they lie."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.data.layout import check_header
from seqlang.backends.interpret.data.pieces import Cells, Coded, Numbers, Piece, of_texts
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Table

_INT, _UINT, _FLOAT, _BOOL, _STRING, _CATEGORICAL = 0, 1, 2, 20, 21, 23
"""Kinds of columns."""
_NONE, _NAN, _SENTINEL, _BITS, _BYTES = range(5)
"""How a column tells that there is no value."""


class InterchangeSource:
    """The columns of an object that `__dataframe__` gave."""

    def __init__(self, name: str, frame: Any) -> None:
        self._frame = frame
        header = tuple(map(str, frame.column_names()))
        check_header(name, header)
        self.table = Table(name, header, unit="row")
        self.most = int(frame.num_rows())
        if not self.most:
            raise problem("E0611", f"`{name}` has no rows")

    def pieces(self, columns: Collection[int]) -> Iterator[Piece]:
        """Its chunks."""
        first = 1
        for chunk in self._frame.get_chunks():
            rows = int(chunk.num_rows())
            found = {c: self._cells(chunk.get_column(c), self.table.header[c]) for c in sorted(columns)}
            yield Piece(np.arange(first, first + rows), found)
            first += rows

    def _cells(self, column: Any, name: str) -> Cells:
        kind = int(column.dtype[0])
        absent = _absent(column)
        if kind in (_INT, _UINT, _FLOAT):
            values = _values(column).astype(np.float64)
            lacking = np.isnan(values) if absent is None else absent | np.isnan(values)
            values[lacking] = np.nan
            return Numbers(values, lacking if lacking.any() else None)
        if kind == _BOOL:
            return _texts(np.where(_values(column) != 0, "true", "false").tolist(), absent)
        if kind == _STRING:
            return _texts(_strings(column), absent)
        if kind == _CATEGORICAL:
            return self._categories(column, absent)
        raise problem("E0610", f"`{self.table.name}`: column `{name}` holds neither numbers nor words")

    def _categories(self, column: Any, absent: NDArray[np.bool_] | None) -> Cells:
        found = self._cells(column.describe_categorical["categories"], "").coded()
        names = [found.text(i) for i in range(len(found.codes))]
        codes = _values(column).astype(np.intp)
        lacking = codes < 0 if absent is None else absent | (codes < 0)
        return Coded([*names, ""], np.where(lacking, len(names), codes))


def _texts(cells: list[str], absent: NDArray[np.bool_] | None) -> Cells:
    return of_texts(cells if absent is None else ["" if a else c for c, a in zip(cells, absent, strict=True)])


def _buffer(found: tuple[Any, Any], size: int, offset: int = 0) -> NDArray[Any]:
    """A copy of some numbers of a buffer."""
    buffer, (kind, bits, _, _) = found
    letter = {_INT: "i", _UINT: "u", _FLOAT: "f", _BOOL: "u", _STRING: "u"}[int(kind)]
    if bits == 1:
        return _bits(buffer, size, offset)
    memory = (ctypes.c_char * buffer.bufsize).from_address(buffer.ptr)
    return np.frombuffer(memory, dtype=f"{letter}{bits // 8}")[offset : offset + size].copy()


def _bits(buffer: Any, size: int, offset: int) -> NDArray[Any]:
    memory = (ctypes.c_char * buffer.bufsize).from_address(buffer.ptr)
    return np.unpackbits(np.frombuffer(memory, dtype=np.uint8), bitorder="little")[offset : offset + size]


def _values(column: Any) -> NDArray[Any]:
    return _buffer(column.get_buffers()["data"], column.size(), column.offset)


def _strings(column: Any) -> list[str]:
    buffers = column.get_buffers()
    ends = _buffer(buffers["offsets"], column.size() + 1, column.offset)
    memory = buffers["data"][0]
    data = bytes((ctypes.c_char * memory.bufsize).from_address(memory.ptr)) if memory.bufsize else b""
    return [data[a:b].decode() for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]


def _absent(column: Any) -> NDArray[np.bool_] | None:
    """Where there is no value; None: everywhere is one, or what is none is not a number."""
    how, value = column.describe_null
    if how in (_NONE, _NAN) or column.null_count == 0:
        return None
    if how == _SENTINEL:
        return np.asarray(_values(column) == value)
    mask, size, offset = column.get_buffers()["validity"], column.size(), column.offset
    found = _bits(mask[0], size, offset) if how == _BITS else _buffer(mask, size, offset)
    return np.asarray(found == value)
