"""Tables in memory: data frames of pandas, polars, pyarrow and whatever else offers Arrow's C stream interface, or the
data-frame interchange protocol. None of these libraries is imported, but pyarrow for the former."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from seqlang.backends.interpret.data.problem import problem

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.arrow import ArrowSource
    from seqlang.backends.interpret.data.interchange import InterchangeSource

NAME = "DataFrame"
"""What messages call it: it has no name of its own."""


class ArrowFrame(Protocol):
    """A table that can be read as a stream of Arrow's batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class InterchangeFrame(Protocol):
    """A table that offers the interchange protocol (data-apis.org/dataframe-protocol)."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any: ...


Frame = ArrowFrame | InterchangeFrame


def is_frame(given: object) -> TypeGuard[Frame]:
    """Whether it is a table in memory."""
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "__dataframe__")


def frame_source(frame: Any) -> ArrowSource | InterchangeSource:
    """Its rows. Raises SpecError E0605 where pyarrow is missing and there is no other way, E0610 for columns that
    cannot be read, E0611 without rows."""
    if hasattr(frame, "__arrow_c_stream__") and find_spec("pyarrow") is not None:
        from seqlang.backends.interpret.data.arrow import ArrowSource

        return ArrowSource(NAME, _Table(frame))
    if not hasattr(frame, "__dataframe__"):
        message = f"`{NAME}` can be read by Arrow only, which needs pyarrow: pip install 'seqlang[parquet]'"
        raise problem("E0605", message)
    from seqlang.backends.interpret.data.interchange import InterchangeSource

    return InterchangeSource(NAME, frame.__dataframe__(allow_copy=True))


def text_rows(frame: Any) -> list[tuple[str, ...]]:
    """Every row as the texts of its cells, in the order of the columns."""
    source = frame_source(frame)
    columns = range(len(source.table.header))
    return [row.cells for piece in source.pieces(columns) for row in piece.rows(source.table)]


class _Table:
    """The batches of a table."""

    def __init__(self, frame: ArrowFrame) -> None:
        import pyarrow

        try:
            self._table = pyarrow.table(frame)
        except (pyarrow.ArrowException, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise problem("E0610", f"`{NAME}` cannot be read as a table: {reason}") from None
        self.schema = self._table.schema
        self.rows = int(self._table.num_rows)

    def read(self, rows: int, names: list[str]) -> Iterator[Any]:
        yield from self._table.select(names).to_batches(max_chunksize=rows)
