"""The picture of a learning curve. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.report.pictures.figure import COLOURS, new_figure, write_figure

if TYPE_CHECKING:
    from seqlang.results.train import TrainResult


def plot_curves(title: str, results: Sequence[TrainResult], file: str) -> None:
    """One panel for the accuracy on the rows held out and one for each tracked statistic, over the steps: a line for
    each result, the mean of its runs with its 95 % interval. Raises SpecError E0605 as `new_figure` and
    `write_figure`."""
    scored = ["accuracy"] if results[0].run.scores is not None else []
    names = [*scored, *results[0].run.tracked]
    figure, axes, pyplot = new_figure(max(1, len(names)), 1, title, (6.2, 4.0))
    for axis, name in zip(axes.flat, names, strict=False):
        for i, result in enumerate(results):
            _line(axis, result, name, COLOURS[i % len(COLOURS)])
        axis.set(xlabel="rows read", ylabel=f"{name} on rows held out" if name == "accuracy" else name)
        axis.grid(alpha=0.25)
        axis.legend(fontsize=8)
    write_figure(figure, pyplot, file)


def _line(axis: Any, result: TrainResult, name: str, colour: str) -> None:
    curve = result.curve
    steps = [point["step"] for point in curve]
    values = [{**point["metrics"], **point["tracked"]}[name] for point in curve]
    axis.plot(steps, [v["mean"] for v in values], marker="o", markersize=3, color=colour, label=result.variant)
    ends = [v["ci95"] for v in values]
    if all(e is not None for e in ends):
        axis.fill_between(steps, [e[0] for e in ends], [e[1] for e in ends], color=colour, alpha=0.18, linewidth=0)
