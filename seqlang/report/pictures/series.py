"""How series are told apart, also without colour: each has a colour, a line style and a marker, or a hatch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

COLOURS = ("#2166ac", "#b2182b", "#1b7837", "#762a83", "#b35806", "#35978f")
STYLES = ("-", "--", "-.", ":", (0, (7, 2, 1, 2, 1, 2)), (0, (4, 1)))
MARKERS = "osD^vPX<>ph*"
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
_MARKS = 8
"""Markers on a line of many points, about."""
_APART = 6
"""Points between the markers of a line of fewer points, at most: lines that lie on each other show theirs by turns."""


def colour(number: int) -> str:
    """Of a series, from 0: those of the style that is in force."""
    from matplotlib import rcParams

    colours: Sequence[str] = rcParams["axes.prop_cycle"].by_key().get("color", COLOURS)
    return colours[number % len(colours)]


def marked(number: int, points: int, *, small: bool = False) -> dict[str, Any]:
    """Colour, line and marker of a series; of many points some have one, other ones than those of the next series."""
    every = max(1, min(points // 3, _APART), points // _MARKS)
    return {
        "color": colour(number),
        "linestyle": STYLES[number % len(STYLES)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 3 if small else 4,
        "markevery": (number * max(1, every // 3) % every, every),
        "linewidth": 1.3,
    }


def filled(number: int) -> dict[str, Any]:
    """Colour and hatch of an area."""
    return {"facecolor": colour(number), "hatch": HATCHES[number % len(HATCHES)], "edgecolor": "white", "linewidth": 0}
