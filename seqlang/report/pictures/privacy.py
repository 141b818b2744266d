"""The picture of what is proved: epsilon against the order, delta against epsilon. Needs the extra `plot`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seqlang.report.pictures.figure import COLOURS, add_legend, new_figure, write_figure
from seqlang.rules import find

if TYPE_CHECKING:
    from seqlang.analyses.privacy_curves import Points, PrivacyCurves

_STYLES = ("-", "--", "-.", ":")


def plot_privacy(title: str, curves: PrivacyCurves, file: str) -> None:
    """One line a rule in each panel, the best of them behind in grey, and what a witness forces."""
    figure, (panels,), pyplot = new_figure(2, 1, title)
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
    for axis in panels:
        axis.grid(alpha=0.25)
        if axis.get_legend_handles_labels()[0]:
            add_legend(axis)
        else:
            axis.text(0.5, 0.5, "nothing is proved", ha="center", transform=axis.transAxes)
    write_figure(figure, pyplot, file)


def _draw(axis: Any, lines: Mapping[str, Points], best: Points, *, turned: bool) -> None:
    if best:
        axis.plot(*_coordinates(best, turned), color="lightgrey", linewidth=5, label="proved")
    for number, (name, points) in enumerate(sorted(lines.items())):
        rule = find(name)
        style, colour = _STYLES[number % len(_STYLES)], COLOURS[number % len(COLOURS)]
        label = name if rule is None else rule.title.removesuffix(" to (epsilon, delta)")
        axis.plot(*_coordinates(points, turned), style, color=colour, marker=".", markersize=3, label=label)


def _far_apart(lines: Mapping[str, Points], best: Points) -> bool:
    """Whether the best line could not be told from 0 beside the worst."""
    found = [epsilon for points in lines.values() for _, epsilon in points]
    least = max((epsilon for _, epsilon in best), default=0.0)
    return bool(found) and 0 < least < max(found) / 12


def _coordinates(points: Points, turned: bool) -> tuple[list[float], list[float]]:
    at, epsilon = [x for x, _ in points], [e for _, e in points]
    return (epsilon, at) if turned else (at, epsilon)
