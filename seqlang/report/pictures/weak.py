"""The picture of weak privacy profiles: delta against epsilon. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seqlang.report.pictures.figure import Sheet, add_legend
from seqlang.report.pictures.scales import wide
from seqlang.report.pictures.series import marked

if TYPE_CHECKING:
    from seqlang.analyses.weak.summary import Curve


def profiles_on(sheet: Sheet, curves: Sequence[Curve]) -> None:
    """Two lines a model: for arbitrary sets, and for one stopping step at a time."""
    axis = sheet.panels(1, 1, (6.2, 4.0))[0, 0]
    for i, curve in enumerate(curves):
        for k, (name, found) in enumerate((("any set", curve.arbitrary), ("one step at a time", curve.per_step))):
            look = marked(2 * i + k, len(found), small=True)
            axis.plot(curve.epsilons, [w.bound for w in found], **look, label=f"{name}, {curve.model}")
    values = [w.bound for c in curves for w in (*c.arbitrary, *c.per_step) if w.bound > 0]
    axis.set(xlabel="epsilon", ylabel="delta", title="weak privacy profile")
    if wide(values):
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)
    add_legend(axis)
