"""Pictures of a sweep: any two axes, one line a combination of what else varies; a map where both are parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.diagnostics import SpecError
from seqlang.report.pictures.exact_laws import plot_curve
from seqlang.report.pictures.figure import EXACT, File, Sheet, add_legend, picture
from seqlang.report.pictures.groups import grouped
from seqlang.report.pictures.look import PLAIN, About, Look, seeds
from seqlang.report.pictures.quantities import Point, Quantity, point, quantities_in, quantity, refuse_pair
from seqlang.report.pictures.scales import CHANCES, SPREAD, wide
from seqlang.report.pictures.series import MARKERS, STYLES
from seqlang.report.pictures.series import colour as colour_of
from seqlang.report.pictures.sweep_map import map_on

if TYPE_CHECKING:
    from seqlang.results.sweep import SweepResult
    from seqlang.results.sweep_row import SweepRow

_EXACT: dict[str, Any] = {"color": "black", "markersize": 5, "markeredgewidth": 0.8}
_NONE_SEEN = "open triangles: it was not seen, the upper end of the interval"


def plot_sweeps(
    results: Sequence[SweepResult],
    file: File | None = None,
    look: Look = PLAIN,
    x: str | None = None,
    y: str | None = None,
    colour: str | None = None,
) -> Any:
    """That of one sweep: of exact laws alone over one parameter, if nothing else is asked for, the curves of the law;
    else `plot_sweep`."""
    (result,) = results
    if not (result.simulated or x or y or colour) and len(result.names) == 1:
        return plot_curve(result, file, look)
    return plot_sweep(result, file, look, x, y, colour)


def plot_sweep(
    result: SweepResult,
    file: File | None = None,
    look: Look = PLAIN,
    x: str | None = None,
    y: str | None = None,
    colour: str | None = None,
) -> Any:
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
    models = {row.model for row in result.rows}
    is_map = across.kind == up.kind == "parameter"
    title = f"{result.heading}, under {next(iter(models))}" if len(models) == 1 and not is_map else result.heading
    about = About(title, result.source, seeds(row.run["seed"] for row in result.rows if row.run and "seed" in row.run))
    if is_map:
        shade = quantity(colour or "steps", known, "--colour")
        return picture(lambda sheet: map_on(sheet, result, across, up, shade), about, file, look)
    return picture(lambda sheet: _lines(sheet, result, across, up), about, file, look)


Pairs = list[tuple[Point, Point]]


def _lines(sheet: Sheet, result: SweepResult, x: Quantity, y: Quantity) -> None:
    found = grouped(result, (x, y))
    axis = sheet.panels(1, 1, (7.2 if len(found.groups) <= 3 else 9.4, 4.4))[0, 0]
    series = {name: _pairs(rows, x, y) for name, rows in found.groups.items()}
    seen = [pair for pairs in series.values() for pair in pairs]
    logarithmic = _scales(axis, seen, y)
    words = list(dict.fromkeys(kind for kind, _ in series))
    models = list(dict.fromkeys(model for _, model in series))
    for number, ((kind, model), pairs) in enumerate(series.items()):
        name = ", ".join(w for w in (kind, model if len(models) > 1 else "") if w) or "simulated"
        of_kind, of_model = words.index(kind), models.index(model)
        if len(words) == 1:  # then colours tell the models apart
            of_kind = of_model
        style = "" if found.cloud else STYLES[of_model % len(STYLES)]
        look: dict[str, Any] = {
            "color": colour_of(of_kind),
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": style,
        }
        _line(axis, [p for p in pairs if p[1].value > 0 or not logarithmic], name, look)
        if logarithmic:
            _unseen(sheet, axis, [p for p in pairs if p[1].value <= 0], look["color"])
    if any(b.low < b.high for _, b in seen):
        sheet.note("bars: 95 % intervals of the simulation")
    if any(b.exact is not None and b.low < b.high for _, b in seen):
        axis.plot([], [], "x", **_EXACT, label=EXACT)
    if found.within:
        sheet.note(f"points of one kind differ in {', '.join(found.within)} too")
    axis.set(xlabel=x.title, ylabel=y.title)
    if len(axis.get_legend_handles_labels()[1]) > 1:
        add_legend(axis)


def _pairs(rows: Sequence[SweepRow], x: Quantity, y: Quantity) -> Pairs:
    pairs = [(a, b) for row in rows if (a := point(row, x)) is not None and (b := point(row, y)) is not None]
    return sorted(pairs, key=lambda pair: pair[0].value) if x.kind == "parameter" else pairs


def _line(axis: Any, pairs: Pairs, name: str, look: dict[str, Any]) -> None:
    across, up = [a.value for a, _ in pairs], [b.value for _, b in pairs]
    bars = [[b.value - b.low for _, b in pairs], [b.high - b.value for _, b in pairs]]
    sideways = [[a.value - a.low for a, _ in pairs], [a.high - a.value for a, _ in pairs]]
    exact = [(a.value, b.exact) for a, b in pairs if b.exact is not None and b.low < b.high]
    axis.errorbar(across, up, yerr=_seen(bars), xerr=_seen(sideways), **look, label=name, markersize=5.5, linewidth=1.2,
                  capsize=2.5, elinewidth=0.9)  # fmt: skip
    axis.plot([a for a, _ in exact], [b for _, b in exact], "x", **_EXACT, zorder=5)


def _seen(bars: list[list[float]]) -> list[list[float]] | None:
    """None where all are of no length: exact values have no bars."""
    return bars if any(map(any, bars)) else None


def _unseen(sheet: Sheet, axis: Any, pairs: Pairs, colour: str) -> None:
    """Estimates of 0 have no place on a logarithmic axis: their bounds have."""
    bounded = [(a.value, b.high) for a, b in pairs if b.high > 0]
    if bounded:
        axis.plot(*zip(*bounded, strict=True), "v", color=colour, markersize=6, markerfacecolor="none")
        sheet.note(_NONE_SEEN)


def _scales(axis: Any, pairs: Pairs, y: Quantity) -> bool:
    """Whether the vertical axis is logarithmic: chances of which some are 0 can stand on one too."""
    if wide([a.value for a, _ in pairs]):
        axis.set_xscale("log")
    else:
        axis.locator_params(axis="x", nbins=7)
    up = [b.value for _, b in pairs if y.kind != "return" or b.value > 0]
    logarithmic = wide(up, CHANCES if y.kind == "return" else SPREAD)
    if logarithmic:
        axis.set_yscale("log")
    return logarithmic
