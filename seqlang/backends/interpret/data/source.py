"""Where rows come from: CSV text, a Parquet file, a dataset of scikit-learn, a data frame."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Protocol

from seqlang.backends.interpret.data.frames import NAME, Frame, frame_source
from seqlang.backends.interpret.data.layout import WITH_HEADER, Layout, bytes_of, head_of, raw_bytes
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Table

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.pieces import Piece

SKLEARN = "sklearn:"
PARQUET = b"PAR1"

Data = str | os.PathLike[str] | Frame
"""A file, `sklearn:NAME`, or a data frame."""


class Source(Protocol):
    """Rows that can be read, of all columns only those that are asked for."""

    @property
    def table(self) -> Table:
        """Its name and the names of its columns; the rows are not in it."""

    @property
    def most(self) -> int:
        """It has at most so many rows."""

    def pieces(self, columns: Collection[int]) -> Iterator[Piece]:
        """The rows, many at once. Raises SpecError E0610, E0611."""


class TextSource:
    """CSV text, plain or gzip."""

    def __init__(self, name: str, layout: Layout) -> None:
        self._data = bytes_of(name)
        self._head = head_of(name, self._data, layout)
        self.table = Table(name, self._head.header)
        self.most = self._data.count(b"\n", self._head.at) + 1

    def pieces(self, columns: Collection[int]) -> Iterator[Piece]:
        """Blocks of whole lines."""
        from seqlang.backends.interpret.data.blocks import pieces

        return pieces(self.table.name, self._data, self._head, columns)


def name_of(data: Data) -> str:
    """What messages and reports call it."""
    return os.fspath(data) if isinstance(data, str | os.PathLike) else NAME


def opened(path: Data, layout: Layout = WITH_HEADER) -> Source:
    """The rows at a path, the dataset `sklearn:NAME`, or the rows of a data frame. Gzip and Parquet are recognised by
    their content.

    Raises SpecError: E0610 if it cannot be read as such, E0611 if it has no rows, E0601 for the layout of what is no
    text, E0605 for an extra that is missing.
    """
    name = name_of(path)
    if not isinstance(path, str | os.PathLike):
        _no_text(name, layout)
        return frame_source(path)
    if name.startswith(SKLEARN):
        from seqlang.backends.interpret.data.scikit import ScikitSource

        _no_text(name, layout)
        return ScikitSource(name)
    if raw_bytes(name, len(PARQUET)) == PARQUET:
        from seqlang.backends.interpret.data.parquet import parquet_source

        _no_text(name, layout)
        return parquet_source(name)
    return TextSource(name, layout)


def _no_text(name: str, layout: Layout) -> None:
    if layout != WITH_HEADER:
        raise problem("E0601", f"`{name}` is no file of text: --skip and --names do not go with it")
