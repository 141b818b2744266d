"""Bounds on the chance that noisy values come out in order, by cells of which the chances are enclosed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import exp, inf
from typing import TYPE_CHECKING

from seqlang.analyses.witnesses.enclosure.tails import Tail
from seqlang.backends.transcript.integrals.orderings import Ordering, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LISTS, TABLES = (500, 8000), (20, 600)
"""Cells to a scale, and at most: where each value is summed out beside one other, and where beside two."""
SLACK = 1e-10  # for each value: the rounding of the ends of cells, and of some thousand sums and products


def bounds_in_order(order: Ordering, tails: Mapping[Value, Tail]) -> tuple[float, float]:
    """Logs of a lower and an upper bound. Raises `Unsupported`."""
    import numpy as np

    from seqlang.backends.transcript.integrals.elimination import log_bounds

    known: dict[object, tuple[Array, Array]] = {}

    def masses(value: Value, ends: Array) -> tuple[Array, Array]:
        key = (tails[value], ends.tobytes())
        if key not in known:
            found = np.array([_mass(tails[value], low, high) for low, high in pairwise(ends.tolist())])
            known[key] = np.maximum(found[:, 0] - found[:, 1], 0.0), found[:, 0] + found[:, 1]
        return known[key]

    slack = SLACK * (1 + len(order.places))
    low, high = log_bounds(order, lambda v: tails[v].unit, masses, LISTS if order.is_forest else TABLES)
    return low - slack, min(0.0, high + slack)


def _mass(tail: Tail, low: float, high: float) -> tuple[float, float]:
    """P(low <= W <= high), and a bound on its error."""
    if low >= high:
        return 0.0, 0.0
    if high <= 0:
        low, high = -high, -low
    if low >= 0:
        (near, error), (far, other) = _above(tail, low), _above(tail, high)
        return near - far, error + other
    (left, error), (right, other) = _above(tail, -low), _above(tail, high)
    return 1 - left - right, error + other + 1e-15


def _above(tail: Tail, e: float) -> tuple[float, float]:
    """P(W >= e) for e >= 0, and a bound on its error."""
    if e == inf:
        return 0.0, 0.0
    value = exp(tail.log_above(e))
    return value, 2 * value * (tail.rounding(e) + 1e-15) + 1e-300
