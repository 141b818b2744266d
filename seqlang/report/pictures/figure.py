"""Figures: where matplotlib is imported, and where a picture is written. What belongs to the process, such as the
backend of a notebook and its settings, is left as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.report.pictures.fitting import fit, fold
from seqlang.report.pictures.look import PLAIN, About, Look
from seqlang.report.pictures.series import COLOURS
from seqlang.report.writable import refuse_without_matplotlib

EXACT = "exact"
"""The name of exact values beside simulated ones."""
File = str | BytesIO
_DOTS = 200
"""An inch, of pictures that are made of points."""
_SETTINGS = {
    "pdf.fonttype": 42,  # TrueType: publishers refuse Type 3
    "ps.fonttype": 42,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "seqlang",  # the same picture is the same file
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "legend.fontsize": 8,
    "legend.title_fontsize": 8,
    "legend.handlelength": 3.2,
    "hatch.linewidth": 0.6,
}


class Sheet:
    """A figure that is being drawn: `panels` makes its axes, `note` says below them what marks mean."""

    def __init__(self, about: About, look: Look, new: Callable[..., Any]) -> None:
        self._about = about
        self._look = look
        self._new = new
        self._notes: list[str] = []
        self._title: Any = None
        self.figure: Any = None
        self.panes: list[Any] = []

    def panels(self, columns: int, rows: int, size: tuple[float, float] = (5.6, 3.6)) -> Any:
        """An array of axes, (rows, columns), each of `size` (inches) unless the whole picture's size was asked for."""
        asked = self._look.size or (size[0] * columns, size[1] * rows)
        self.figure = self._new(figsize=asked, layout="constrained")
        self._title = self.figure.suptitle(self._about.title, fontsize=11, parse_math=False)
        found = self.figure.subplots(rows, columns, squeeze=False)
        self.panes = list(found.flat)
        return found

    def remove(self, axis: Any) -> None:
        """Of panels that stay empty."""
        axis.remove()
        self.panes.remove(axis)

    def note(self, text: str) -> None:
        """A sentence below the panels; said once."""
        if text not in self._notes:
            self._notes.append(text)

    def finish(self) -> None:
        """Titles, names of axes, legends and notes get the lines that they need."""
        note = None
        if self._notes:
            note = self.figure.supxlabel("; ".join(self._notes), fontsize=8, color="0.3", parse_math=False)
        fit(self.figure, self._title, note, self.panes, grows=self._look.size is None)


def picture(
    draw: Callable[[Sheet], None],
    about: About,
    file: File | None = None,
    look: Look = PLAIN,
    kind: str | None = None,
) -> Any:
    """Draws, and writes it to `file` if there is one; else the figure is one of pyplot's, which shows it. `kind`: the
    format where the file has no ending. Returns the axes, an array of them if there are several. Raises SpecError E0605
    without matplotlib, and where the file cannot be written."""
    refuse_without_matplotlib()
    new = (
        _figure_of_pyplot() if file is None else _figure
    )  # pyplot changes settings, once: before ours are put in force
    with _settings(look):
        sheet = Sheet(about, look, new)
        draw(sheet)
        sheet.finish()
        if file is not None:
            _write(sheet.figure, file, kind or Path(str(file)).suffix[1:].lower(), about)
    import numpy as np

    return sheet.panes[0] if len(sheet.panes) == 1 else np.array(sheet.panes, dtype=object)


@contextmanager
def _settings(look: Look) -> Iterator[None]:
    from cycler import cycler
    from matplotlib import rc_context, style

    settings: dict[Any, Any] = {**_SETTINGS, "axes.prop_cycle": cycler(color=COLOURS)}
    with rc_context(settings), style.context(look.style or {}):
        yield


def _figure(**options: Any) -> Any:
    from matplotlib.figure import Figure

    return Figure(**options)


def _figure_of_pyplot() -> Callable[..., Any]:
    """Loads the backend first: that of notebooks changes settings, which would be undone together with ours, and then
    it would show one picture only."""
    pyplot: Any = import_module("matplotlib.pyplot")
    pyplot.draw_if_interactive()
    figure: Callable[..., Any] = pyplot.figure
    return figure


_INSIDE = 4
"""A legend of more entries stands beside its axes: inside it would hide lines."""
_WIDEST = 34
"""Letters in a line of a legend."""


def add_legend(axis: Any, *, beside: bool = False, title: str | None = None) -> None:
    """A legend of what has a label: of lines with error bars the lines alone, whose dashes the bars would hide."""
    handles, names = axis.get_legend_handles_labels()
    found = [(h[0] if isinstance(h, tuple) else h, name) for h, name in zip(handles, names, strict=True)]
    if not found:
        return
    found.sort(key=lambda pair: pair[1] == EXACT)  # matplotlib lists plain lines before lines with bars
    place = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)} if beside or len(found) > _INSIDE else {}
    axis.legend([h for h, _ in found], [fold(name, _WIDEST) for _, name in found], title=title, **place)


def _write(figure: Any, file: File, kind: str, about: About) -> None:
    try:
        figure.savefig(file, dpi=_DOTS, format=kind or None, metadata=about.metadata(kind) or None)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise SpecError.of("E0605", f"cannot write `{file}`: {reason}") from None
