"""From Renyi DP to (epsilon, delta)-DP. Every order gives a valid bound, so the search for the best order
needs no proof; what is returned is always evaluated, rounded up, at the order returned."""

from __future__ import annotations

import math
from collections.abc import Callable

from seqlang.accounting import arguments
from seqlang.accounting.interval import exp, interval, log, log1p


def canonne(order: float, epsilon: float, delta: float) -> float:
    """epsilon + ln(1 - 1/order) - ln(order delta) / (order - 1), at least 0.

    Canonne, Kamath & Steinke 2020, Proposition 12.
    """
    a = interval(arguments.renyi_order("order", order))
    e = arguments.not_negative("epsilon", epsilon)
    d = interval(arguments.inside_unit("delta", delta))
    return max(0.0, (log1p(-1 / a) - (log(a) + log(d)) / (a - 1) + e).high)


def delta_at(order: float, epsilon: float, target: float) -> float:
    """The delta at `target` epsilon: e^((a-1)(epsilon - target)) / (a-1) (1 - 1/a)^a, rounded up, at most 1."""
    a = interval(arguments.renyi_order("order", order))
    e = arguments.not_negative("epsilon", epsilon)
    arguments.not_negative("target", target)
    return min(1.0, exp((a - 1) * (interval(e) - target) - log(a - 1) + a * log1p(-1 / a)).high)


def optimised(curve: Callable[[float], float], delta: float) -> tuple[float, float]:
    """(epsilon, order): `canonne` made as small as a search over orders finds, for a curve order -> RDP epsilon.

    `curve` must return an upper bound at any real order above 1 (infinity where there is none).
    """
    arguments.inside_unit("delta", delta)

    def at(exponent: float) -> float:  # `canonne` in plain floats, which is near enough to choose by
        order = 1 + math.exp(exponent)
        return curve(order) + math.log1p(-1 / order) - (math.log(order) + math.log(delta)) / (order - 1)

    grid = [-7 + 0.25 * i for i in range(85)]
    values = [at(t) for t in grid]
    best = min(range(len(grid)), key=values.__getitem__)
    t = _golden(at, grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)])
    orders = (1 + math.exp(t), 1 + math.exp(grid[best]))
    return min((canonne(order, curve(order), delta), order) for order in orders)


def descended(curve: Callable[[float], float], delta: float) -> tuple[float, float]:
    """The same as `optimised` for a curve that is costly to ask: downhill from order 9, then between three points."""
    arguments.inside_unit("delta", delta)
    asked: dict[float, tuple[float, float]] = {}

    def at(exponent: float) -> float:
        order = 1 + math.exp(exponent)
        if exponent not in asked:
            asked[exponent] = canonne(order, curve(order), delta), order
        return asked[exponent][0]

    t = min((0.5 * i for i in range(1, 13)), key=at) if at(2.0) == math.inf else 2.0
    for way in (0.5, -0.5):
        while at(t + way) < at(t) and abs(t) < 16:
            t += way
    width = 0.5
    while width > 0.004:
        width /= 2
        t = min((t, t - width, t + width), key=at)
    return min(asked.values())


def _golden(f: Callable[[float], float], low: float, high: float) -> float:
    """Golden section: a point near the smallest value; where f is not unimodal some point."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = f(a), f(b)
    for _ in range(40):
        if fa <= fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = f(b)
    return a if fa <= fb else b
