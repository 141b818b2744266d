"""Zero-concentrated DP: rho such that the RDP curve is at most rho * order for every order above 1. Rounded up.

Bun & Steinke 2016.
"""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.accounting import arguments
from seqlang.accounting.interval import interval


def add(rhos: Iterable[float]) -> float:
    """Composition: the sum. Bun & Steinke 2016, Lemma 1.7."""
    total = interval(0)
    for rho in rhos:
        total = total + arguments.not_negative("rho", rho)
    return total.high


def gaussian(sigma: float, sensitivity: float = 1.0) -> float:
    """sensitivity^2 / (2 sigma^2), l2 sensitivity. Bun & Steinke 2016, Proposition 1.6."""
    mu = interval(arguments.positive("sensitivity", sensitivity)) / arguments.positive("sigma", sigma)
    return (mu * mu * 0.5).high


def pure(epsilon: float) -> float:
    """eps^2 / 2. Bun & Steinke 2016, Proposition 1.4."""
    e = interval(arguments.not_negative("epsilon", epsilon))
    return (e * e * 0.5).high


def bounded_range(epsilon: float) -> float:
    """eps^2 / 8, for the exponential mechanism. Cesar & Rogers 2021, Lemma 3.2."""
    e = interval(arguments.not_negative("epsilon", epsilon))
    return (e * e * 0.125).high


def renyi(rho: float, order: float) -> float:
    """The definition: rho * order."""
    return (interval(arguments.not_negative("rho", rho)) * arguments.renyi_order("order", order)).high
