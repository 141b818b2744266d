"""Renyi DP: curves order -> epsilon of mechanisms, exact unless said otherwise, rounded up. Orders are real and above
1.

Mironov 2017 for the notion, composition (Proposition 1: epsilons add at one order) and the curves of Proposition 3
and 5, 6, 7. Epsilon in nats; scales and sensitivities in the unit of the query.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from seqlang.accounting import arguments
from seqlang.accounting.interval import Interval, exp, expm1, interval, log, log1p, log_sum


def add(epsilons: Iterable[float]) -> float:
    """Several mechanisms at one order, chosen from earlier outputs: the sum. Mironov 2017, Proposition 1."""
    total = interval(0)
    for e in epsilons:
        total = total + arguments.not_negative("epsilon", e)
    return total.high


def gaussian(sigma: float, order: float, sensitivity: float = 1.0) -> float:
    """order * sensitivity^2 / (2 sigma^2). Mironov 2017, Proposition 7 (l2 sensitivity)."""
    a = interval(arguments.renyi_order("order", order))
    mu = interval(arguments.positive("sensitivity", sensitivity)) / arguments.positive("sigma", sigma)
    return (a * mu * mu * 0.5).high


def laplace(scale: float, order: float, sensitivity: float = 1.0) -> float:
    """Exact: 1/(a-1) log[ a/(2a-1) e^((a-1) t) + (a-1)/(2a-1) e^(-a t) ], t = sensitivity / scale. Proposition 6."""
    a = interval(arguments.renyi_order("order", order))
    t = interval(arguments.positive("sensitivity", sensitivity)) / arguments.positive("scale", scale)
    both = 2 * a - 1
    terms = [log(a / both) + (a - 1) * t, log((a - 1) / both) - a * t]
    return _least(log_sum(terms) / (a - 1), t, a)


def pure(epsilon: float, order: float) -> float:
    """The largest divergence that epsilon-DP allows, that of binary randomised response; at most eps and a eps^2 / 2.

    Bun & Steinke 2016, Proposition 3.3; Kairouz, Oh & Viswanath 2015 for the worst case.
    """
    a = interval(arguments.renyi_order("order", order))
    e = interval(arguments.not_negative("epsilon", epsilon))
    if e.high == 0 or e.high == math.inf:
        return e.high
    log_p = -log1p(exp(-e))
    log_q = log_p - e
    return _least(log_sum([log_p + (a - 1) * e, log_q - (a - 1) * e]) / (a - 1), e, a)


def bounded_range(epsilon: float, order: float) -> float:
    """The exponential mechanism, or any epsilon-bounded-range mechanism; exact, and at most a eps^2 / 8.

    With the loss in [t - eps, t], E = e^eps and r = E^(1-a), the worst law sits at both ends (e^(a loss) is convex in
    e^loss, whose mean under the neighbour is 1): its Renyi integral is y^(a-1) (E - r - y (1 - r))/(E - 1) for y = e^t,
    largest at y = (a-1)(E - r)/(a (1 - r)). Dong, Durfee & Rogers 2020; Cesar & Rogers 2021, Lemma 3.2 for eps^2 / 8.
    Bounded range implies epsilon-DP, so `pure` caps it.
    """
    a = interval(arguments.renyi_order("order", order))
    e = interval(arguments.not_negative("epsilon", epsilon))
    if e.high == 0 or e.high == math.inf:
        return e.high
    simple = min((a * e * e * 0.125).high, pure(epsilon, order))
    if e.high > 600:
        return simple
    rest = -expm1(-(a - 1) * e)
    both = expm1(e) + rest
    if rest.low <= 0 or both.low <= 0:
        return simple
    top = log((a - 1) * both) - log(a * rest)
    integral = (a - 1) * top + log(both) - log(a) - log(expm1(e))
    return max(0.0, min((integral / (a - 1)).high, simple))


def _least(loss: Interval, epsilon: Interval, order: Interval) -> float:
    """The exact value and the two simple bounds that every epsilon-DP mechanism has; they are sharper where the exact
    one suffers from rounding (small epsilon, orders near 1)."""
    return max(0.0, min(loss.high, epsilon.high, (order * epsilon * epsilon * 0.5).high))
