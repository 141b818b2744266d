"""Tables as files: CSV, and Parquet with the extra of that name."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.results.sweep_columns import Value, table


def write_table(rows: Sequence[Mapping[str, Value]], file: str) -> None:
    """Writes rows of named values. The file is there whole or as it was before."""
    path = Path(file)
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        if path.suffix.lower() == ".parquet":
            _write_parquet(rows, beside)
        else:
            beside.write_text(_csv(rows), encoding="utf-8", newline="")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise SpecError.of("E0605", f"cannot write `{file}`: {error.strerror or error}") from None


def data_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a `pandas.DataFrame`. Raises SpecError E0605 without pandas."""
    try:
        import pandas
    except ImportError:
        raise SpecError.of("E0605", "a DataFrame needs pandas", help="pip install pandas, or take .frame()") from None
    return pandas.DataFrame.from_records(list(rows))


def _csv(rows: Sequence[Mapping[str, Value]]) -> str:
    """Floats with all their digits, None as nothing between the commas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns, values = table(rows)
    writer.writerow(columns)
    writer.writerows(values)
    return text.getvalue()


def _write_parquet(rows: Sequence[Mapping[str, Value]], path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    columns, values = table(rows)
    arrays: dict[str, Any] = {}
    for i, name in enumerate(columns):
        column = [row[i] for row in values]
        numbers = {type(v) for v in column if v is not None}
        mixed = numbers == {int, float} and None not in column
        arrays[name] = pyarrow.array([float(str(v)) for v in column] if mixed else column)
    parquet.write_table(pyarrow.table(arrays), path)
