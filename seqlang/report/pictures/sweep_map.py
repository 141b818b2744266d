"""The map of a sweep: a quantity over two parameters, as shades and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.diagnostics import SpecError
from seqlang.report.numbers import shown
from seqlang.report.pictures.figure import Sheet
from seqlang.report.pictures.quantities import Quantity, point
from seqlang.report.pictures.scales import wide

if TYPE_CHECKING:
    from seqlang.results.sweep import SweepResult

_MOST_MARKS = 8
_WIDEST = 15.0
"""Inches of panels side by side."""


def map_on(sheet: Sheet, result: SweepResult, x: Quantity, y: Quantity, shade: Quantity) -> None:
    """A panel a model: a rectangle a pair of values, with its number if there is room for it."""
    models = list(dict.fromkeys(r.model for r in result.rows))
    columns = sorted({r.parameters[x.name] for r in result.rows})
    rows = sorted({r.parameters[y.name] for r in result.rows})
    found: dict[tuple[str, float, float], float] = {}
    for row in result.rows:
        place = (row.model, row.parameters[x.name], row.parameters[y.name])
        value = point(row, shade)
        if place in found:
            message = f"two rows stand at {x.name} = {shown(place[1])}, {y.name} = {shown(place[2])}: a map shows one"
            raise SpecError.of("E0644", message, help="hold the other parameters with --set NAME=VALUE")
        found[place] = math.nan if value is None else value.value
    size = (min(9.0, 2.4 + 0.62 * len(columns)), min(7.0, 1.6 + 0.42 * len(rows)))
    abreast = min(len(models), max(1, int(_WIDEST // size[0])))
    axes = sheet.panels(abreast, math.ceil(len(models) / abreast), size)
    for axis in list(axes.flat[len(models) :]):
        sheet.remove(axis)
    known = [v for v in found.values() if v == v]
    norm = _norm(known)
    panels = list(axes.flat[: len(models)])
    for axis, model in zip(panels, models, strict=True):
        table = [[found.get((model, a, b), math.nan) for a in columns] for b in rows]
        image = axis.imshow(table, origin="lower", aspect="auto", cmap="viridis", norm=norm)
        axis.grid(False)
        axis.set(xlabel=x.title, ylabel=y.title, title=f"under {model}")
        axis.set_xticks(range(len(columns)), [shown(v, 3) for v in columns], rotation=45 if len(columns) > 8 else 0)
        axis.set_yticks(range(len(rows)), [shown(v, 3) for v in rows])
        if len(columns) <= 12 and len(rows) <= 16:
            _numbers(axis, table, image)
    bar = sheet.figure.colorbar(image, ax=panels, label=shade.title, aspect=20 * len(axes))
    if wide(known):
        marks = _marks(min(known), max(known))
        bar.set_ticks(marks, labels=[shown(v, 3) for v in marks])
        bar.ax.minorticks_off()


def _norm(values: Sequence[float]) -> Any:
    from matplotlib.colors import LogNorm, Normalize

    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    return LogNorm(low, high) if wide(values) else Normalize(low, high)


def _marks(low: float, high: float) -> list[float]:
    """Round numbers from low to high for a logarithmic scale, not too many."""
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        marks = [float(f"{digit}e{k}") for k in powers for digit in digits]
        marks = [v for v in marks if low <= v <= high]
        if len(marks) <= _MOST_MARKS:
            return marks
    return marks[:: math.ceil(len(marks) / _MOST_MARKS)]


def _numbers(axis: Any, table: Sequence[Sequence[float]], image: Any) -> None:
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            if value == value:
                dark = image.norm(value) < 0.6
                axis.text(j, i, shown(value, 3), ha="center", va="center", fontsize=7.5,
                          color="white" if dark else "black")  # fmt: skip
