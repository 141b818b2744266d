"""Parquet files. Needs the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seqlang.backends.interpret.data.arrow import ArrowSource
from seqlang.backends.interpret.data.problem import problem


class _File:
    """The batches of a file."""

    def __init__(self, name: str) -> None:
        self._name, self._file = name, _opened(name)
        self.schema = self._file.schema_arrow
        self.rows = int(self._file.metadata.num_rows)

    def read(self, rows: int, names: list[str]) -> Iterator[Any]:
        import pyarrow

        try:
            yield from self._file.iter_batches(batch_size=rows, columns=names)
        except (pyarrow.ArrowException, OSError) as error:
            raise _unreadable(self._name, error) from None


def parquet_source(name: str) -> ArrowSource:
    """The columns of a Parquet file. Raises SpecError E0605 without pyarrow, E0610 for a file that is not whole, E0611
    without rows."""
    return ArrowSource(name, _File(name))


def _opened(name: str) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError:
        message = f"`{name}` is a Parquet file, which needs pyarrow: pip install 'seqlang[parquet]'"
        raise problem("E0605", message) from None
    try:
        return parquet.ParquetFile(name, memory_map=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: Exception) -> Exception:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return problem("E0610", f"`{name}` is not a whole Parquet file: {reason}")
