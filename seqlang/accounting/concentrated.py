"""Zero-concentrated DP: rho such that the RDP curve is at most rho * order for every order above 1. Rounded up.

Bun & Steinke 2016.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from seqlang.accounting import arguments
from seqlang.accounting.interval import interval
from seqlang.arithmetic.rounding import add_down, add_up, divide_up, multiply_down, multiply_up

PIECES, FEW = 128, 8
"""Into how many the orders between two bounds are cut; and where a rough bound may be good enough."""


def between_orders(points: Sequence[tuple[float, float]], beyond: float) -> float:
    """rho from RDP bounds (order, epsilon) at rising orders, and a bound `beyond` on epsilon / order from the last on.

    (order - 1) epsilon, as a function of the order, is convex for each pair of laws, and 0 at order 1 (van Erven &
    Harremoes 2014, Corollary 2): between two orders it lies below the chord b (a - 1) + c of the bounds. On a narrow
    piece of the chord, epsilon / a <= b / a + c / (a (a - 1)) is at most its value with a at the worse end of the piece
    in each summand. Up to the first order epsilon is at most what it is there. Errors: orders that do not rise.
    """
    orders = [arguments.renyi_order("order", a) for a, _ in points]
    if not orders or any(a >= b for a, b in pairwise(orders)):
        raise ValueError("order: the orders must rise")
    worst = max(arguments.not_negative("beyond", beyond), arguments.not_negative("epsilon", points[0][1]))
    return max([worst, *(between(first, second) for first, second in pairwise(points))])


@lru_cache(maxsize=512)
def between(first: tuple[float, float], second: tuple[float, float], pieces: int = PIECES) -> float:
    """epsilon / order between two rising orders, from the RDP bounds (order, epsilon) there: see `between_orders`."""
    (a, lower), (b, upper) = first, second
    if math.inf in (lower, upper):
        return math.inf
    low, high = interval(a) - 1, interval(b) - 1
    slope = (high * upper - low * lower) / (high - low)
    offset = low * lower - slope * low
    cuts = [a + (b - a) * i / pieces for i in range(pieces)] + [b]
    worst = 0.0
    for left, right in pairwise(cuts):
        steep, rest = (left if slope.high >= 0 else right), (left if offset.high >= 0 else right)
        least, most = multiply_down(rest, add_down(rest, -1.0)), multiply_up(rest, add_up(rest, -1.0))
        falling = divide_up(offset.high, least if offset.high >= 0 else most)
        worst = max(worst, add_up(divide_up(slope.high, steep), falling))
    return worst


def renyi(rho: float, order: float) -> float:
    """The definition: rho * order."""
    return (interval(arguments.not_negative("rho", rho)) * arguments.renyi_order("order", order)).high
