"""Pictures of exact laws: the law of the stopping step, and operating-characteristic curves. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seqlang.report.pictures.figure import COLOURS, add_legend, new_figure, write_figure
from seqlang.results.solve import outcome_name

if TYPE_CHECKING:
    from seqlang.results.solve import SolveResult
    from seqlang.results.sweep import SweepResult


def plot_laws(title: str, results: Sequence[SolveResult], file: str) -> None:
    """One panel a model: P(T = t, return) as stacked areas, the mean as a dashed line."""
    import numpy as np

    figure, axes, pyplot = new_figure(len(results), 1, title)
    for axis, result in zip(axes.flat, results, strict=True):
        table = result.solution.table
        last = result.quantile(0.999) or len(table)
        steps = np.arange(1, last + 1)
        parts = [table[:last, i] for i in range(table.shape[1])]
        names = [f"{name} ({p:.4g})" for name, p in result.returns.items()]
        outcomes = [outcome_name(o) for o in result.solution.outcomes]
        merged = [sum(p for p, o in zip(parts, outcomes, strict=True) if o == n) for n in result.returns]
        axis.stackplot(steps, merged, labels=names, colors=COLOURS, step="mid", alpha=0.85)
        mean = result.expected_steps
        if mean is not None and mean <= last:
            axis.axvline(mean, color="black", linewidth=1, linestyle="--", label=f"mean {mean:.5g}")
        axis.set(xlabel="stopping step", ylabel="probability", title=f"under {result.model}", xlim=(0.5, last + 0.5))
        axis.set_ylim(bottom=0)
        add_legend(axis)
    write_figure(figure, pyplot, file)


def plot_curve(result: SweepResult, file: str) -> None:
    """Two panels over the parameter that varies: P(return) by model (the operating characteristic), and the expected
    steps."""
    figure, axes, pyplot = new_figure(2, 1, result.heading)
    (name,) = result.names
    found = [(row.parameters[name], row.model, row.exact) for row in result.rows if row.exact is not None]
    models = list(dict.fromkeys(model for _, model, _ in found))
    labels = list(dict.fromkeys(label for _, _, exact in found for label in exact["returns"]))
    styles = ("-", "--", ":", "-.")
    for m, model in enumerate(models):
        mine = sorted(((at, exact) for at, under, exact in found if under == model), key=lambda pair: pair[0])
        x = [at for at, _ in mine]
        for i, label in enumerate(labels):
            y = [exact["returns"].get(label, 0.0) for _, exact in mine]
            text = label if len(models) == 1 else f"{label}, {model}"
            axes.flat[0].plot(x, y, styles[m % 4], color=COLOURS[i % len(COLOURS)], label=text)
        known = [(at, exact["expected_steps"]) for at, exact in mine if isinstance(exact["expected_steps"], float)]
        axes.flat[1].plot([at for at, _ in known], [steps for _, steps in known], styles[m % 4], color="black",
                          label=model)  # fmt: skip
    axes.flat[0].set(xlabel=name, ylabel="probability", title="operating characteristic", ylim=(-0.02, 1.02))
    axes.flat[1].set(xlabel=name, ylabel="expected steps", title="average sample number")
    axes.flat[1].set_ylim(bottom=0)
    for axis in axes.flat:
        axis.grid(alpha=0.25)
        add_legend(axis)
    write_figure(figure, pyplot, file)
