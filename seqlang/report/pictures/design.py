"""The picture of a design: its schedule, what it decides and how long it takes. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from seqlang.report.pictures.figure import File, Sheet, add_legend, picture
from seqlang.report.pictures.look import PLAIN, About, Look
from seqlang.report.pictures.series import colour, marked
from seqlang.source import Source

if TYPE_CHECKING:
    from seqlang.results.design import DesignResult, ScheduleLine


def plot_designs(results: Sequence[DesignResult], file: File | None = None, look: Look = PLAIN) -> Any:
    """That of one design."""
    (result,) = results
    return plot_design(result, file, look)


def plot_design(result: DesignResult, file: File | None = None, look: Look = PLAIN, kind: str | None = None) -> Any:
    """The schedule, the distribution of the number of entries, and for coins the chance to reject and the expected
    entries against the chance of a 1. `kind`: the format where the file has no ending."""
    curves = result.curves
    assert curves is not None, "the curves were not asked for"
    staged = any(line.stage is not None for line in result.schedule)
    panels = [_boundaries if staged else _schedule, _lengths] + ([_decisions, _expected] if curves.places else [])
    title = f"{result.null} against {result.alternative}, {result.privacy}"

    def draw(sheet: Sheet) -> None:
        for axis, panel in zip(sheet.panels(2, len(panels) // 2).flat, panels, strict=True):
            panel(axis, result)

    return picture(draw, About(title, Source("the designed program", result.spec)), file, look, kind)


def _plan_name(result: DesignResult, plan: int, alone: str | None = None) -> str | None:
    return f"plan {plan}, chance {result.coin[plan - 1]:.3g}" if len(result.coin) > 1 else alone


def _schedule(axis: Any, result: DesignResult) -> None:
    """Every plan is a line of steps: the next block's size above the score; beyond its ends the test stops."""
    ends = [line for line in result.schedule if line.decision is not None]
    for plan in sorted({line.plan for line in result.schedule}):
        lines = [line for line in result.schedule if line.plan == plan and line.size is not None]
        if not lines:
            continue
        places = [end for line in lines for end in _ends(line)]
        sizes = [line.size for line in lines for _ in (0, 1)]
        axis.plot(places, sizes, **marked(plan - 1, len(places)), label=_plan_name(result, plan))
    low, high = axis.get_xlim()
    margin = 0.12 * (high - low)
    for line in ends:
        if line.last is not None:
            axis.axvspan(low - margin, line.last + 0.5, color=colour(1), alpha=0.08, hatch="//")
        elif line.first is not None:
            axis.axvspan(line.first - 0.5, high + margin, color=colour(2), alpha=0.08, hatch="..")
    axis.set_xlim(low - margin, high + margin)
    axis.set_ylim(bottom=0)
    decisions = {line.decision for line in ends}
    for place, text, side in ((0.01, "accept", "left"), (0.99, "reject", "right")):
        if text not in decisions:
            continue
        axis.text(place, 0.03, text, transform=axis.transAxes, ha=side, fontsize=8)
    axis.set(xlabel="score", ylabel="entries of the next block", title="schedule")
    if len(result.coin) > 1:
        add_legend(axis)


def _boundaries(axis: Any, result: DesignResult) -> None:
    """Of a test with an end: between which scores it goes on, by the entries used so far."""
    going = [line for line in result.schedule if line.size is not None and line.stage is not None]
    for plan in sorted({line.plan for line in going}):
        stages = sorted({line.stage for line in going if line.plan == plan and line.stage is not None})
        places = [
            [end for line in going if (line.plan, line.stage) == (plan, n) for end in _ends(line)] for n in stages
        ]
        low, high, look = [min(p) for p in places], [max(p) for p in places], marked(plan - 1, len(places), small=True)
        axis.fill_between(stages, low, high, color=look["color"], alpha=0.15)
        axis.plot(stages, low, **look, label=_plan_name(result, plan, "goes on between"))
        axis.plot(stages, high, **look)
    axis.margins(y=0.15)
    decisions = {line.decision for line in result.schedule}
    for height, text, side in ((0.98, "reject", "top"), (0.02, "accept", "bottom")):
        if text in decisions:
            axis.text(0.02, height, text, transform=axis.transAxes, va=side, fontsize=8)
    axis.set(xlabel="entries used", ylabel="score", title="where it goes on")
    axis.set_xlim(left=0)
    add_legend(axis)


def _ends(line: ScheduleLine) -> tuple[float, float]:
    """A line that begins nowhere is drawn as long as it is far from 0."""
    assert line.last is not None
    first = min(line.last, 0) - max(1, abs(line.last)) if line.first is None else line.first
    return first - 0.5, line.last + 0.5


def _lengths(axis: Any, result: DesignResult) -> None:
    assert result.curves is not None
    for i, (side, law) in enumerate(result.curves.lengths.items()):
        below = list(accumulate(law))
        axis.step(range(len(below)), below, where="post", **marked(i, len(below)), label=side)
    axis.set(xlabel="entries", ylabel="chance to have ended", title="how long it takes", ylim=(0, 1.02))
    axis.set_xlim(left=0)
    add_legend(axis)


def _decisions(axis: Any, result: DesignResult) -> None:
    assert result.curves is not None
    axis.plot(result.curves.places, result.curves.reject, color=colour(0))
    levels = result.nominal["null"], 1 - result.nominal["alternative"]
    for level, name in zip(levels, ("levels asked for", None), strict=True):
        axis.axhline(level, color="0.4", linewidth=0.9, linestyle=":", label=name)
    add_legend(axis)
    axis.set(xlabel="chance of a 1", ylabel="chance to reject", title="what it decides", ylim=(-0.02, 1.02))


def _expected(axis: Any, result: DesignResult) -> None:
    assert result.curves is not None
    axis.plot(result.curves.places, result.curves.steps, color=colour(0), label="this design")
    axis.axhline(result.fixed, color="0.5", linestyle="--", label="a single block")
    axis.set(xlabel="chance of a 1", ylabel="expected entries", title="how many entries it expects")
    axis.set_ylim(bottom=0)
    add_legend(axis)
