"""Advanced composition of pure mechanisms by closed forms: (epsilon', delta') for a chosen slack delta'.

All three have the shape sqrt(2 ln(1/delta') sum eps^2) + drift; they differ in the bound on the drift, the expected
privacy loss of one mechanism. None is ever better than optimal composition (homogeneous.py); all are capped by the
plain sum. Losses in nats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from seqlang.accounting import arguments
from seqlang.accounting.interval import Interval, expm1, interval, log, sqrt, tanh
from seqlang.accounting.pure import basic_composition


def dwork_roth(epsilons: Sequence[float], delta: float) -> float:
    """Drift eps (e^eps - 1). Dwork & Roth 2014, Theorem 3.20 (heterogeneous by the same proof)."""
    return _advanced(epsilons, delta, lambda e: e * expm1(e))


def tanh_form(epsilons: Sequence[float], delta: float) -> float:
    """Drift eps tanh(eps/2), the exact expected loss of randomised response. Kairouz, Oh & Viswanath 2015, Theorem
    3.5."""
    return _advanced(epsilons, delta, lambda e: e * tanh(e * 0.5))


def filter_form(epsilons: Sequence[float], delta: float) -> float:
    """Drift eps^2/2: valid also if the epsilons are chosen on the way, as long as they stay within the announced sum of
    squares. Whitehouse, Ramdas, Rogers & Wu 2023, Theorem 1."""
    return _advanced(epsilons, delta, lambda e: e * e * 0.5)


def _advanced(epsilons: Sequence[float], delta: float, drift: Callable[[Interval], Interval]) -> float:
    d = arguments.inside_unit("delta", delta)
    squares, drifts = interval(0), interval(0)
    for epsilon in epsilons:
        e = interval(arguments.not_negative("epsilon", epsilon))
        squares = squares + e * e
        drifts = drifts + drift(e)
    if not squares.high < float("inf"):
        return basic_composition(epsilons)
    return min(basic_composition(epsilons), (sqrt(-log(d) * 2 * squares) + drifts).high)
