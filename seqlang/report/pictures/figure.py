"""Figures: where matplotlib is imported, and where a picture is written."""

from __future__ import annotations

import textwrap
from io import BytesIO
from typing import Any

from seqlang.diagnostics import SpecError

EXACT = "exact"
"""The name of exact values beside simulated ones."""
COLOURS = ("#2166ac", "#b2182b", "#1b7837", "#762a83", "#b35806", "#35978f")


def new_figure(columns: int, rows: int, title: str, size: tuple[float, float] = (5.6, 3.6)) -> tuple[Any, Any, Any]:
    """(figure, array of axes, pyplot); `size` of one panel in inches. Raises SpecError E0605 without matplotlib."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise SpecError.of("E0605", "plots need matplotlib", help="pip install 'seqlang[plot]'") from None
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False, layout="constrained"
    )
    figure.suptitle(textwrap.fill(title, int(13 * size[0] * columns)), fontsize=11, parse_math=False)
    return figure, axes, pyplot


_INSIDE = 4
"""A legend of more entries stands beside its axes: inside it would hide lines."""


def add_legend(axis: Any, *, beside: bool = False, title: str | None = None) -> None:
    """A legend of what has a label: of lines with error bars the lines alone, whose dashes the bars would hide."""
    handles, names = axis.get_legend_handles_labels()
    found = [(h[0] if isinstance(h, tuple) else h, name) for h, name in zip(handles, names, strict=True)]
    found.sort(key=lambda pair: pair[1] == EXACT)  # matplotlib lists plain lines before lines with bars
    place = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)} if beside or len(found) > _INSIDE else {}
    axis.legend(
        [h for h, _ in found],
        [name for _, name in found],
        fontsize=8,
        title_fontsize=8,
        title=title,
        handlelength=3,
        **place,
    )


def write_figure(figure: Any, pyplot: Any, file: str | BytesIO, kind: str | None = None) -> None:
    """Writes and closes it; the format is `kind`, or follows the file's ending. Raises SpecError E0605 where it cannot
    be written."""
    try:
        figure.savefig(file, dpi=140, format=kind)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise SpecError.of("E0605", f"cannot write `{file}`: {reason}") from None
    finally:
        pyplot.close(figure)
