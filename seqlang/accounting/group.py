"""Group privacy: what a bound for one changed entry says about `size` changed entries."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from seqlang.accounting import arguments
from seqlang.accounting.interval import exp, expm1, interval
from seqlang.arithmetic.formula import ORDER, Formula, number, total

HALF = number(Fraction(1, 2))


def approximate(epsilon: float, delta: float, size: int) -> tuple[float, float]:
    """(size * epsilon, delta * (1 + e^eps + .. + e^((size-1) eps))): chaining P <= e^eps Q + delta along `size`
    neighbours.

    Dwork & Roth 2014, section 2.3 (their delta, size * e^((size-1) eps) * delta, is a little larger). The delta is
    capped at 1, which says nothing.
    """
    k = arguments.count("size", size)
    e = interval(arguments.not_negative("epsilon", epsilon))
    d = interval(arguments.delta_or_zero("delta", delta))
    one = expm1(e)
    if (e * k).high > 700:
        grown = interval(0.0) if d.high == 0 else interval(1.0)
    elif one.low <= 0:  # so small that its digits are lost: every summand is at most the last
        grown = d * k * exp(e * (k - 1))
    else:
        grown = d * (expm1(e * k) / one)
    return (e * k).high, min(1.0, grown.high) if d.high > 0 else 0.0


def renyi(curve: Callable[[Formula], Formula], size: int) -> Formula:
    """RDP for groups over ORDER, from the curve (order -> epsilon) for one entry, by the weak triangle inequality
    D_a(P||R) <= (a - 1/2)/(a - 1) D_2a(P||Q) + D_(2a-1)(Q||R) applied size - 1 times (P and Q neighbours).

    Mironov 2017, Proposition 11 (Corollary 4) with p = q = 2. Infinite where the curve is at the orders needed.
    """
    order: Formula = ORDER
    found: list[Formula] = []
    for _ in range(arguments.count("size", size) - 1):
        found.append((order - HALF) / (order - 1) * curve(2 * order))
        order = 2 * order - 1
    return total((*found, curve(order)))
