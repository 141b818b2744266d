"""What a bound means to people: what somebody who sees everything that is shown can learn, rounded up.

Arguments are an epsilon (nats) and a delta that hold for two neighbours, in both directions.
"""

from __future__ import annotations

from math import inf

from seqlang.accounting import arguments
from seqlang.accounting.interval import exp, interval


def odds(epsilon: float) -> float:
    """The largest factor by which the odds between two neighbours change: e^eps, of a pure bound only. By Bayes's rule
    that factor is the likelihood ratio of what was seen. Dwork & Roth 2014, Definition 2.4."""
    e = arguments.not_negative("epsilon", epsilon)
    return inf if e > 700 else exp(e).high


def advantage(epsilon: float, delta: float = 0.0) -> float:
    """The most by which the true positive rate of a test between two neighbours exceeds its false positive rate:
    (e^eps - 1 + 2 delta)/(e^eps + 1), here as 1 - 2 (1 - delta)/(e^eps + 1).

    For a test with rates t and f, both t <= e^eps f + delta and 1 - f <= e^eps (1 - t) + delta; added up they are
    (1 + e^eps)(t - f) <= e^eps - 1 + 2 delta. A pair of laws on four points reaches it. Kairouz, Oh & Viswanath 2015,
    Theorem 2.1; of membership inference Humphries et al. 2020.
    """
    d = arguments.delta_or_zero("delta", delta)
    e = arguments.not_negative("epsilon", epsilon)
    if e == 0 or e > 700:
        return d if e == 0 else 1.0
    return min(1.0, (1 - (1 - interval(d)) * 2 / (exp(e) + 1)).high)


def overfitting(epsilon: float, delta: float = 0.0) -> float:
    """The most by which the mean over the entries of a quantity in [0, 1], chosen by what was shown, differs in
    expectation from its mean over the law that the entries are independent draws of: e^eps - 1 + delta, at most 1.

    Replacing one entry by a fresh draw changes the expectation of a quantity in [0, 1] by a factor of at most e^eps,
    and delta; so the bound must be for neighbours that differ in one replaced entry. Dwork, Feldman, Hardt, Pitassi,
    Reingold & Roth 2015.
    """
    d = arguments.delta_or_zero("delta", delta)
    e = arguments.not_negative("epsilon", epsilon)
    return 1.0 if e > 1 else min(1.0, (exp(e) - 1 + d).high)
