"""Pictures in the formats that a page shows and hands out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

KINDS = ("svg", "png", "pdf")


def drawn(plot: Callable[[str], object], kinds: Sequence[str] = KINDS) -> dict[str, bytes]:
    """What `plot(file)` writes, for each format. Raises SpecError E0605 without matplotlib."""
    with TemporaryDirectory() as folder:
        return {kind: _written(plot, Path(folder) / f"picture.{kind}") for kind in kinds}


def _written(plot: Callable[[str], object], file: Path) -> bytes:
    plot(str(file))
    return file.read_bytes()
