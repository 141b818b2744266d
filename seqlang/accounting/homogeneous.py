"""Optimal composition of k mechanisms, each eps0-DP: no smaller number holds for all of them.

Kairouz, Oh & Viswanath 2015, Theorem 3.3: the worst case is k-fold randomised response, whose loss takes the values
(k - 2l) eps0 with weight C(k, l) p^(k-l) q^l, p = e^eps0 / (1 + e^eps0), q = 1 - p. With
S(L) = sum_{l<L} C(k,l) p^(k-l) q^l and T(L) = sum_{l<L} C(k,l) p^l q^(k-l) (the same set under the neighbour),
delta(eps) = max_L [S(L) - e^eps T(L)]. So delta(eps) <= d iff e^eps >= (S(L) - d)/T(L) for every L: no root is sought.
Losses in nats; cost O(k).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from seqlang.accounting import arguments
from seqlang.accounting.factorial import log_factorial
from seqlang.accounting.interval import Interval, exp, interval, log, log1p
from seqlang.accounting.pure import basic_composition, self_composition


def optimal(epsilon: float, count: int, delta: float) -> float:
    """The smallest total epsilon at `delta` (the continuous form), rounded up.

    Errors: epsilon negative or infinite, count no positive integer, delta outside (0, 1).
    """
    e = arguments.not_negative("epsilon", arguments.finite("epsilon", epsilon))
    k = arguments.count("count", count)
    d = arguments.inside_unit("delta", delta)
    best = 0.0
    for s, t in _tails(e, k):
        if s.high > d and t.low > 0:
            best = max(best, (log((s - d).high) - log(t)).high)
        elif t.low <= 0 and s.high > d:
            return self_composition(e, k)
    return min(best, self_composition(e, k))


def optimal_of(epsilons: Sequence[float], delta: float) -> float:
    """The same for pure mechanisms that need not have one epsilon: each is also DP with the largest of them, and the
    plain sum caps what that gives away. Infinite if one of them has no finite epsilon.

    Errors: no epsilon at all, a negative one, delta outside (0, 1).
    """
    largest = max(arguments.not_negative("epsilon", e) for e in epsilons)
    if largest == math.inf:
        return math.inf
    return min(optimal(largest, len(epsilons), delta), basic_composition(epsilons))


def _tails(epsilon: float, k: int) -> Iterator[tuple[Interval, Interval]]:
    """(S(L), T(L)) for L = 1 .. k // 2 + 1; sets beyond have a loss below 0 at their edge and never bind."""
    log_p = -log1p(exp(-interval(epsilon)))
    log_q = log_p - epsilon
    s = t = interval(0)
    top = log_factorial(k)
    for i in range(k // 2 + 1):
        ways = top - log_factorial(i) - log_factorial(k - i)
        s = s + exp(ways + log_p * (k - i) + log_q * i)
        t = t + exp(ways + log_p * i + log_q * (k - i))
        yield Interval(s.low, min(s.high, 1.0)), t
