"""Pictures of exact laws: the law of the stopping step, and operating-characteristic curves. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.report.pictures.figure import File, Sheet, add_legend, picture
from seqlang.report.pictures.look import PLAIN, About, Look
from seqlang.report.pictures.scales import scale_of_chances
from seqlang.report.pictures.series import filled, marked
from seqlang.report.text.kinds import returns_of, steps_of
from seqlang.results.solve import chance_interval, outcome_names

if TYPE_CHECKING:
    from seqlang.results.solve import SolveResult
    from seqlang.results.sweep import SweepResult


def plot_laws(results: Sequence[SolveResult], file: File | None = None, look: Look = PLAIN) -> Any:
    """One panel a model: P(T = t, return) as stacked areas, the mean as a dashed line."""
    origin = results[0].origin
    title = results[0].algorithm if origin is None else origin.heading
    about = About(title, None if origin is None else origin.source, None, results[0].parameters)

    def draw(sheet: Sheet) -> None:
        axes = sheet.panels(len(results), 1)
        for axis, result in zip(axes.flat, results, strict=True):
            _law(axis, result)

    return picture(draw, about, file, look)


def _law(axis: Any, result: SolveResult) -> None:
    import numpy as np

    table = result.solution.table
    last = result.quantile(0.999) or len(table)
    names = outcome_names(result.solution.outcomes)
    outcomes = [names[o] for o in result.solution.outcomes]
    edges = np.arange(0.5, last + 1)
    below = np.zeros(last)
    for number, figure in enumerate(returns_of(result, 4)):
        name = figure.name
        part = sum((table[:last, i] for i, o in enumerate(outcomes) if o == name), np.zeros(last))
        label = f"{name} (estimate {figure.estimate})"
        axis.stairs(below + part, edges, baseline=below, fill=True, label=label, **filled(number))
        below = below + part
    mean = result.expected_steps
    if mean is not None and mean <= last:
        label = f"mean (estimate {steps_of(result, 5).estimate})"
        axis.axvline(mean, color="black", linewidth=1, linestyle="--", label=label)
    axis.set(xlabel="stopping step", ylabel="probability", title=f"under {result.model}", xlim=(0.5, last + 0.5))
    axis.set_ylim(bottom=0)
    add_legend(axis)


def plot_curve(result: SweepResult, file: File | None = None, look: Look = PLAIN) -> Any:
    """Two panels over the parameter that varies: P(return) by model (the operating characteristic) with a band of
    where it seems to lie, and the expected steps."""

    def draw(sheet: Sheet) -> None:
        left, right = sheet.panels(2, 1).flat
        _characteristic(left, result)
        _sample_number(right, result)

    return picture(draw, About(result.heading, result.source), file, look)


def _by_model(result: SweepResult) -> dict[str, list[tuple[float, dict[str, Any]]]]:
    """The solved rows in the order of the parameter, by model."""
    (name,) = result.names
    found: dict[str, list[tuple[float, dict[str, Any]]]] = {}
    for row in result.rows:
        if row.exact is not None:
            found.setdefault(row.model, []).append((row.parameters[name], row.exact))
    return {model: sorted(rows, key=lambda pair: pair[0]) for model, rows in found.items()}


def _characteristic(axis: Any, result: SweepResult) -> None:
    found = _by_model(result)
    labels = dict.fromkeys(label for rows in found.values() for _, exact in rows for label in exact["returns"])
    seen: list[float] = []
    number = 0
    for model, rows in found.items():
        for label in labels:
            ends = [chance_interval(exact, label) for _, exact in rows]
            chances = [(low + high) / 2 for low, high in ends]
            name = label if len(found) == 1 else f"{label}, {model}"
            (drawn,) = axis.plot([at for at, _ in rows], chances, **marked(number, len(rows)), label=name)
            band = [low for low, _ in ends], [high for _, high in ends]
            axis.fill_between([at for at, _ in rows], *band, color=drawn.get_color(), alpha=0.2, linewidth=0)
            seen += chances
            number += 1
    axis.set(xlabel=result.names[0], ylabel="probability", title="operating characteristic")
    scale_of_chances(axis, seen)
    add_legend(axis)


def _sample_number(axis: Any, result: SweepResult) -> None:
    for number, (model, rows) in enumerate(_by_model(result).items()):
        known = [(at, exact["expected_steps"]) for at, exact in rows if isinstance(exact["expected_steps"], float)]
        look = {**marked(number, len(known)), "color": "black"}
        axis.plot([at for at, _ in known], [steps for _, steps in known], **look, label=model)
    axis.set(xlabel=result.names[0], ylabel="expected steps", title="average sample number")
    axis.set_ylim(0, 1.08 * axis.get_ylim()[1])
    add_legend(axis)
