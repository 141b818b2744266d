"""The file of a picture: refused before the work is done if it could not be written after it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from seqlang.diagnostics import SpecError

FORMATS = (".png", ".pdf", ".svg", ".jpg", ".jpeg")


def refuse_unwritable(file: str) -> None:
    """Raises SpecError E0605 where matplotlib is missing, the format is unknown, or there is no place to write to."""
    path = Path(file)
    if find_spec("matplotlib") is None:
        raise _refused("plots need matplotlib", "pip install 'seqlang[plot]'")
    if path.suffix.lower() not in FORMATS:
        raise _refused(f"cannot write `{file}`: no format of a picture", f"formats are {' '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise _refused(f"cannot write `{file}`: there is no folder `{path.parent}`")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise _refused(f"cannot write `{file}`: no permission, or a folder of this name")


def _refused(message: str, help: str | None = None) -> SpecError:
    return SpecError.of("E0605", message, help=help)
