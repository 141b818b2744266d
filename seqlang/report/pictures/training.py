"""The picture of a learning curve. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.report.pictures.figure import File, Sheet, add_legend, picture
from seqlang.report.pictures.look import PLAIN, About, Look
from seqlang.report.pictures.series import marked

if TYPE_CHECKING:
    from seqlang.results.train import TrainResult

_INTERVALS = "bars: 95 % intervals (Student's t) of the mean over the orders of the rows"


def plot_curves(results: Sequence[TrainResult], file: File | None = None, look: Look = PLAIN) -> Any:
    """One panel for the accuracy on the rows held out and one for each tracked statistic, over the rows read: a line
    for each result, the mean of its runs with its 95 % interval."""
    first = results[0]
    title = first.algorithm if first.origin is None else first.origin.heading
    source = None if first.origin is None else first.origin.source
    return picture(lambda sheet: _draw(sheet, results), About(title, source, first.seed, first.parameters), file, look)


def _draw(sheet: Sheet, results: Sequence[TrainResult]) -> None:
    first = results[0]
    names = [*(["accuracy"] if first.run.scores is not None else []), *first.run.tracked]
    axes = sheet.panels(max(1, len(names)), 1, (6.2, 4.0))
    for axis, name in zip(axes.flat, names, strict=False):
        bars = [_line(axis, result, name, i) for i, result in enumerate(results)]
        held = f"{name} on {first.test_rows:,} rows held out"
        axis.set(xlabel=_steps(first), ylabel=held if name == "accuracy" else name)
        axis.set_xlim(0, 1.04 * max(result.run.checkpoints[-1] for result in results))
        axis.locator_params(axis="x", integer=True)
        add_legend(axis)
        if any(bars):
            sheet.note(_INTERVALS)
    if not names:
        axes[0, 0].text(0.5, 0.5, "nothing was held out or tracked", ha="center", transform=axes[0, 0].transAxes)


def _steps(result: TrainResult) -> str:
    """What a step is: of a stream the reading of a row."""
    inputs = () if result.origin is None else result.origin.program.inputs
    streamed = any(i.kind == "stream" for i in inputs)
    return f"rows read, of {result.rows:,}" if streamed else f"steps on {result.rows:,} rows"


def _line(axis: Any, result: TrainResult, name: str, number: int) -> bool:
    """Whether there are intervals."""
    points = [(point["step"], {**point["metrics"], **point["tracked"]}[name]) for point in result.curve]
    steps, means = [step for step, _ in points], [found["mean"] for _, found in points]
    look = {**marked(number, len(points)), "markevery": None}
    known = all(found["ci95"] is not None for _, found in points)
    if not known:
        axis.plot(steps, means, **look, label=result.variant)
        return False
    low, high = ([found["ci95"][end] for _, found in points] for end in (0, 1))
    bars = [[m - a for m, a in zip(means, low, strict=True)], [b - m for m, b in zip(means, high, strict=True)]]
    axis.errorbar(steps, means, yerr=bars, capsize=3, elinewidth=1.1, **look, label=result.variant)
    axis.fill_between(steps, low, high, color=look["color"], alpha=0.15, linewidth=0)
    return True
