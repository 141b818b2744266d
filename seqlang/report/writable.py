"""Files of pictures, tables and texts: refused before the work is done if they could not be written after it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from seqlang.diagnostics import SpecError

PICTURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg")
TABLES = (".csv", ".parquet")


def refuse_unwritable_picture(file: str) -> None:
    """Raises SpecError E0605 where matplotlib is missing, the format is unknown, or there is no place to write to."""
    refuse_without_matplotlib()
    _refuse(file, "picture", PICTURES)


def refuse_without_matplotlib() -> None:
    """Raises SpecError E0605."""
    if find_spec("matplotlib") is None:
        raise SpecError.of("E0605", "plots need matplotlib", help="pip install 'seqlang[plot]'")


def refuse_unwritable_table(file: str) -> None:
    """Raises SpecError E0605 where Parquet lacks pyarrow, the format is unknown, or there is no place to write to."""
    if Path(file).suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
        remedy = "pip install 'seqlang[parquet]', or write a .csv file"
        raise SpecError.of("E0605", "Parquet files need pyarrow", help=remedy)
    _refuse(file, "table", TABLES)


def refuse_unwritable_text(file: str, kind: str, formats: Sequence[str] = ()) -> None:
    """Raises SpecError E0605 where the format is none of these, if any are, or there is no place to write to."""
    _refuse(file, kind, formats)


def write_text(file: str, text: str) -> None:
    """Raises SpecError E0605 where the file cannot be written."""
    try:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError.of("E0605", f"cannot write `{file}`: {reason}") from None


def _refuse(file: str, kind: str, formats: Sequence[str]) -> None:
    path, why = Path(file), f"cannot write `{file}`"
    if formats and path.suffix.lower() not in formats:
        raise SpecError.of("E0605", f"{why}: no format of a {kind}", help=f"formats are {' '.join(formats)}")
    if not path.parent.is_dir():
        raise SpecError.of("E0605", f"{why}: there is no folder `{path.parent}`")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise SpecError.of("E0605", f"{why}: no permission, or a folder of this name")
