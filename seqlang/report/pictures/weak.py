"""The picture of weak privacy profiles: delta against epsilon. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seqlang.report.pictures.figure import COLOURS, new_figure, write_figure

if TYPE_CHECKING:
    from seqlang.analyses.weak.summary import Curve


def plot_profiles(title: str, curves: Sequence[Curve], file: str) -> None:
    """One line a model for arbitrary sets, a dashed one for one stopping step at a time."""
    figure, axes, pyplot = new_figure(1, 1, title)
    axis = axes.flat[0]
    for i, curve in enumerate(curves):
        colour = COLOURS[i % len(COLOURS)]
        axis.plot(curve.epsilons, [w.bound for w in curve.arbitrary], color=colour, label=f"any set, {curve.model}")
        steps = [w.bound for w in curve.per_step]
        axis.plot(curve.epsilons, steps, "--", color=colour, label=f"one step at a time, {curve.model}")
    values = [w.bound for c in curves for w in (*c.arbitrary, *c.per_step) if w.bound > 0]
    axis.set(xlabel="epsilon", ylabel="delta", title="weak privacy profile")
    if values and min(values) < max(values) / 50:
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)
    axis.grid(alpha=0.25)
    axis.legend(fontsize=8)
    write_figure(figure, pyplot, file)
