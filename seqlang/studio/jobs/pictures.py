"""Pictures in the formats that a page shows and hands out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SHOWN = ("svg",)
HANDED_OUT = ("png", "pdf")


def with_pictures(
    answer: Mapping[str, Any], plot: Callable[[str], object], tell: Callable[[Any], None]
) -> dict[str, Any]:
    """The answer and its `pictures`. What there is of it is told before the next picture is drawn."""
    tell({"part": answer})
    tell({"doing": "drawing"})
    shown = drawn(plot, SHOWN)
    tell({"part": {**answer, "pictures": shown}})
    return {**answer, "pictures": shown | drawn(plot, HANDED_OUT)}


def drawn(plot: Callable[[str], object], kinds: Sequence[str]) -> dict[str, bytes]:
    """What `plot(file)` writes, for each format. Raises SpecError E0605 without matplotlib."""
    with TemporaryDirectory() as folder:
        return {kind: _written(plot, Path(folder) / f"picture.{kind}") for kind in kinds}


def _written(plot: Callable[[str], object], file: Path) -> bytes:
    plot(str(file))
    return file.read_bytes()
