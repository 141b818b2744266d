"""The picture of what is proved: epsilon against the order, delta against epsilon. Needs the extra `plot`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seqlang.report.pictures.figure import File, Sheet, add_legend, picture
from seqlang.report.pictures.look import PLAIN, About, Look
from seqlang.report.pictures.series import marked
from seqlang.report.pictures.weak import profiles_on
from seqlang.rules import find

if TYPE_CHECKING:
    from seqlang.analyses.privacy_curves import Points, PrivacyCurves
    from seqlang.results.check import CheckResult


def plot_checks(results: Sequence[CheckResult], file: File | None = None, look: Look = PLAIN) -> Any:
    """That of one check."""
    (result,) = results
    return plot_check(result, file, look)


def plot_check(result: CheckResult, file: File | None = None, look: Look = PLAIN) -> Any:
    """The weak privacy profiles if there are some, else what each rule proves at many orders and deltas, which is
    computed now."""
    program = result.program
    values = {p.name: float(p.value) for p in program.parameters}
    about = About(f"{program.name}: {program.title}".rstrip(": "), result.source, None, values)
    if result.profiles:
        return picture(lambda sheet: profiles_on(sheet, result.profiles), about, file, look)
    from seqlang.driver import privacy_curves

    curves = privacy_curves(result)
    return picture(lambda sheet: privacy_on(sheet, curves), about, file, look)


def privacy_on(sheet: Sheet, curves: PrivacyCurves) -> None:
    """One line a rule in each panel, the best of them behind in grey, and what a witness forces."""
    panels = sheet.panels(2, 1).flat
    orders, deltas = panels
    _draw(orders, curves.at_orders, curves.best_at_orders, turned=False)
    _draw(deltas, curves.at_deltas, curves.best_at_deltas, turned=True)
    if curves.pure < math.inf:
        orders.axhline(curves.pure, color="black", linewidth=0.8, label="pure")
        deltas.axvline(curves.pure, color="black", linewidth=0.8, label="pure")
    if curves.witnessed:
        at, epsilon = zip(*curves.witnessed, strict=True)
        deltas.plot(epsilon, at, ":", color="grey", label="witnessed at least")
    orders.set(xlabel="order", ylabel="epsilon", title="Renyi DP", xscale="log")
    deltas.set(xlabel="epsilon", ylabel="delta", title="(epsilon, delta)-DP", yscale="log")
    if _far_apart(curves.at_orders, curves.best_at_orders):
        orders.set_yscale("log")
    if _far_apart(curves.at_deltas, curves.best_at_deltas):
        deltas.set_xscale("log")
    for axis in (orders, deltas):
        if axis.get_legend_handles_labels()[0]:
            add_legend(axis)
        else:
            axis.text(0.5, 0.5, "nothing is proved", ha="center", transform=axis.transAxes)


def _draw(axis: Any, lines: Mapping[str, Points], best: Points, *, turned: bool) -> None:
    if best:
        axis.plot(*_coordinates(best, turned), color="lightgrey", linewidth=5, label="proved")
    for number, (name, points) in enumerate(sorted(lines.items())):
        rule = find(name)
        label = name if rule is None else rule.title.removesuffix(" to (epsilon, delta)")
        axis.plot(*_coordinates(points, turned), **marked(number, len(points)), label=label)


def _far_apart(lines: Mapping[str, Points], best: Points) -> bool:
    """Whether the best line could not be told from 0 beside the worst."""
    found = [epsilon for points in lines.values() for _, epsilon in points]
    least = max((epsilon for _, epsilon in best), default=0.0)
    return bool(found) and 0 < least < max(found) / 12


def _coordinates(points: Points, turned: bool) -> tuple[list[float], list[float]]:
    at, epsilon = [x for x, _ in points], [e for _, e in points]
    return (epsilon, at) if turned else (at, epsilon)
