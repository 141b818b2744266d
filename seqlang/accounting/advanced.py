"""Advanced composition of pure mechanisms by closed forms: (epsilon', delta') for a chosen slack delta'.

sqrt(2 ln(1/delta') sum eps^2) and the expected privacy losses of the mechanisms. It is never better than optimal
composition (homogeneous.py), and is capped by the plain sum. Losses in nats.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.accounting import arguments
from seqlang.accounting.interval import expm1, interval, log, sqrt, tanh
from seqlang.accounting.pure import basic_composition


def printed_form(epsilons: Sequence[float], delta: float) -> float:
    """sqrt(2 ln(1/delta) sum eps^2) + sum eps (e^eps - 1). Dwork & Roth 2014, Theorem 3.20 (theirs is for one epsilon);
    as printed, so that it may exceed the plain sum. `tanh_form` is never larger."""
    d = arguments.inside_unit("delta", delta)
    squares, drifts = interval(0), interval(0)
    for epsilon in epsilons:
        e = interval(arguments.not_negative("epsilon", epsilon))
        if e.high > 700:
            return float("inf")
        squares = squares + e * e
        drifts = drifts + e * expm1(e)
    return (sqrt(-log(d) * 2 * squares) + drifts).high


def tanh_form(epsilons: Sequence[float], delta: float) -> float:
    """Each mechanism adds eps tanh(eps/2), the exact expected loss of randomised response. Kairouz, Oh & Viswanath
    2015, Theorem 3.5."""
    d = arguments.inside_unit("delta", delta)
    squares, drifts = interval(0), interval(0)
    for epsilon in epsilons:
        e = interval(arguments.not_negative("epsilon", epsilon))
        squares = squares + e * e
        drifts = drifts + e * tanh(e * 0.5)
    if not squares.high < float("inf"):
        return basic_composition(epsilons)
    return min(basic_composition(epsilons), (sqrt(-log(d) * 2 * squares) + drifts).high)
