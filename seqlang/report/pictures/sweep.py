"""Pictures of a sweep: any two axes, one line a combination of what else varies; a map where both are parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.diagnostics import SpecError
from seqlang.report.numbers import shown
from seqlang.report.pictures.figure import COLOURS, EXACT, add_legend, new_figure, write_figure
from seqlang.report.pictures.quantities import Point, Quantity, point, quantities_in, quantity, refuse_pair

if TYPE_CHECKING:
    from seqlang.results.sweep import SweepResult
from seqlang.results.sweep_row import SweepRow

_MARKERS = "osD^vP"
_STYLES = ("-", "--", ":", "-.")
_MOST_LINES = 12
_MOST_MARKS = 8
_WIDEST = 15.0
"""Inches of panels side by side."""
_SPREAD = 30
"""An axis is logarithmic where its values, all positive, span more than this factor."""


def plot_sweep(result: SweepResult, file: str, x: str | None, y: str | None, colour: str | None) -> None:
    """`x` (default: the first parameter that varies) against `y` (default: steps), with 95 % intervals; exact values,
    where there are some, as crosses. If both are parameters it is a map of `colour` (default: steps). Names are those
    of parameters, labels (also `P(label)`), statistics and reports, `steps` and `returned`. Raises SpecError: E0644
    for an axis that there is not, E0605 where the file cannot be written."""
    parameters = result.rows[0].parameters if result.rows else ()
    known = quantities_in(result.rows, dict.fromkeys((*result.names, *parameters)))
    across = quantity(x, known, "--x") if x else quantity(result.names[0], known, "--x") if result.names else None
    if across is None:
        raise SpecError.of("E0644", "a picture of a sweep needs a parameter that varies")
    up = quantity(y or "steps", known, "--y")
    refuse_pair(across, up, colour)
    if across.kind == up.kind == "parameter":
        shade = quantity(colour or "steps", known, "--colour")
        _map(result, file, across, up, shade)
    else:
        _lines(result, file, across, up)


def _lines(result: SweepResult, file: str, x: Quantity, y: Quantity) -> None:
    groups, cloud = _groups(result, (x, y))
    only = {row.model for row in result.rows}
    title = f"{result.heading}, under {next(iter(only))}" if len(only) == 1 else result.heading
    figure, axes, pyplot = new_figure(1, 1, title, (7.2 if len(groups) <= 3 else 9.4, 4.4))
    axis = axes[0, 0]
    seen: list[tuple[Point, Point]] = []
    kinds = list(dict.fromkeys(words for words, _ in groups))
    models = list(dict.fromkeys(model for _, model in groups))
    for (words, model), rows in groups.items():
        pairs = [(a, b) for row in rows if (a := point(row, x)) is not None and (b := point(row, y)) is not None]
        if x.kind == "parameter":
            pairs.sort(key=lambda pair: pair[0].value)
        seen += pairs
        kind, manner = kinds.index(words), models.index(model)
        if len(kinds) == 1:  # then colours tell the models apart
            kind, manner = manner, 0
        name = ", ".join(w for w in (words, model if len(models) > 1 else "") if w) or "simulated"
        style = "" if cloud else _STYLES[manner % 4]
        _line(axis, pairs, name, COLOURS[kind % len(COLOURS)], _MARKERS[kind // len(COLOURS)], style)
    if any(b.exact is not None and b.low < b.high for _, b in seen):
        axis.plot([], [], "x", color="black", markersize=6, label=EXACT)
    _scales(axis, seen)
    axis.set(xlabel=x.title, ylabel=y.title)
    axis.grid(alpha=0.25)
    if len(axis.get_legend_handles_labels()[1]) > 1:
        add_legend(axis)
    write_figure(figure, pyplot, file)


def _line(axis: Any, pairs: Sequence[tuple[Point, Point]], name: str, colour: str, marker: str, style: str) -> None:
    across, up = [a.value for a, _ in pairs], [b.value for _, b in pairs]
    bars = [[b.value - b.low for _, b in pairs], [b.high - b.value for _, b in pairs]]
    sideways = [[a.value - a.low for a, _ in pairs], [a.high - a.value for a, _ in pairs]]
    exact = [(a.value, b.exact) for a, b in pairs if b.exact is not None and b.low < b.high]
    axis.errorbar(across, up, yerr=_seen(bars), xerr=_seen(sideways), color=colour, label=name, marker=marker,
                  markersize=4, linewidth=1.2, linestyle=style, capsize=2.5, elinewidth=0.9)  # fmt: skip
    axis.plot([a for a, _ in exact], [b for _, b in exact], "x", color="black", markersize=6, zorder=5)


def _seen(bars: list[list[float]]) -> list[list[float]] | None:
    """None where all are of no length: exact values have no bars."""
    return bars if any(map(any, bars)) else None


def _groups(result: SweepResult, axes: Sequence[Quantity]) -> tuple[dict[tuple[str, str], list[SweepRow]], bool]:
    """The rows by (what else varies than the axes in words, model): a line each, or a cloud of points each. Between two
    quantities a line follows the last parameter that varies."""
    on_axes = {q.name for q in axes if q.kind == "parameter"} or set(result.names[-1:])
    others = [n for n in result.names if n not in on_axes and len({r.parameters[n] for r in result.rows}) > 1]
    groups: dict[tuple[str, str], list[SweepRow]] = {}
    for row in result.rows:
        words = ", ".join(f"{name} = {shown(row.parameters[name])}" for name in others)
        groups.setdefault((words, row.model), []).append(row)
    if len(groups) > _MOST_LINES and any(len(rows) > 1 for rows in groups.values()):
        message = f"a picture with {len(groups)} lines cannot be read (at most {_MOST_LINES})"
        raise SpecError.of("E0644", message, help="vary fewer parameters or models, or put two of them on --x and --y")
    if len(groups) > _MOST_LINES:  # no two rows differ in x alone: one cloud of points a model
        groups = {}
        for row in result.rows:
            groups.setdefault(("", row.model), []).append(row)
        return groups, True
    return groups, False


def _scales(axis: Any, pairs: Sequence[tuple[Point, Point]]) -> None:
    if _wide([a.value for a, _ in pairs]):
        axis.set_xscale("log")
    else:
        axis.locator_params(axis="x", nbins=7)
    if _wide([b.value for _, b in pairs]):
        axis.set_yscale("log")


def _wide(values: Sequence[float]) -> bool:
    return len(values) > 1 and min(values) > 0 and max(values) > _SPREAD * min(values)


def _map(result: SweepResult, file: str, x: Quantity, y: Quantity, shade: Quantity) -> None:
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
    figure, axes, pyplot = new_figure(abreast, math.ceil(len(models) / abreast), result.heading, size)
    for axis in axes.flat[len(models) :]:
        axis.remove()
    known = [v for v in found.values() if v == v]
    norm = _norm(known)
    panels = list(axes.flat[: len(models)])
    for axis, model in zip(panels, models, strict=True):
        table = [[found.get((model, a, b), math.nan) for a in columns] for b in rows]
        image = axis.imshow(table, origin="lower", aspect="auto", cmap="viridis", norm=norm)
        axis.set(xlabel=x.title, ylabel=y.title, title=f"under {model}")
        axis.set_xticks(range(len(columns)), [shown(v, 3) for v in columns], rotation=45 if len(columns) > 8 else 0)
        axis.set_yticks(range(len(rows)), [shown(v, 3) for v in rows])
        if len(columns) <= 12 and len(rows) <= 16:
            _numbers(axis, table, image)
    bar = figure.colorbar(image, ax=panels, label=shade.title, aspect=20 * len(axes))
    if _wide(known):
        marks = _marks(min(known), max(known))
        bar.set_ticks(marks, labels=[shown(v, 3) for v in marks])
        bar.ax.minorticks_off()
    write_figure(figure, pyplot, file)


def _norm(values: Sequence[float]) -> Any:
    from matplotlib.colors import LogNorm, Normalize

    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    return LogNorm(low, high) if _wide(values) else Normalize(low, high)


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
