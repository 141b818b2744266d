"""Which scale an axis has: logarithmic where its values span decades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SPREAD = 30
"""An axis is logarithmic where its values, all positive, span more than this factor."""
CHANCES = 100
"""The same of chances, of which the large ones matter too."""
_MIDDLE = 0.1
"""Chances farther than this from 0 and from 1 are no errors."""


def wide(values: Sequence[float], factor: float = SPREAD) -> bool:
    """Whether positive numbers span so much that the small ones could not be told apart."""
    return len(values) > 1 and min(values) > 0 and max(values) > factor * min(values)


def scale_of_chances(axis: Any, chances: Sequence[float]) -> None:
    """The vertical scale of chances, from 0 to 1. Where all are near 0 it is logarithmic if they span decades; where
    some are near 0 and the others near 1, as errors and what is left of them, logarithmic towards both ends."""
    inside = [p for p in chances if 0 < p < 1]
    extremes = [min(p, 1 - p) for p in inside]
    if inside and max(extremes) < _MIDDLE and wide(extremes):
        axis.set_yscale("log" if max(inside) < _MIDDLE else "logit")
    elif inside and max(inside) < _MIDDLE:
        axis.set_ylim(bottom=0)
    else:
        axis.set_ylim(-0.02, 1.02)
