"""RDP of tests by Zhu & Wang 2020 ("Improving Sparse Vector Technique with Renyi Differential Privacy"), Theorem 8.

For values that move by at most D in any pattern, threshold noise Z with RDP curve r(.; D) and fresh noise with curve
v(.; s). Move Z by D: the neighbour then survives each look at least as surely, and the look that stops is off by at
most s = D + |move|, so s = 2 D in general; for moves of one sign s = D (Z is moved only if the move is up). With A_t(z)
the chance to reach look t and B_t that it stops, joint convexity gives

    sum_t P^a Q^(1-a) <= e^((a-1) v(a; s)) int p^a p'^(1-a) E[K | z] dz,    sum_t A_t = E[K | z],  K the stopping time.
"""

from __future__ import annotations

from collections.abc import Callable

from seqlang.accounting import arguments
from seqlang.accounting.factorial import log_subsets
from seqlang.accounting.interval import Interval, interval


def within_horizon(order: float, threshold: float, looks: float, horizon: int, reports: int = 1) -> float:
    """threshold + reports * looks + log(number of outcomes) / (order - 1), rounded up (gamma = infinity).

    `threshold` and `looks` are RDP epsilons at `order`: of Z for sensitivity D, of a look for D or 2 D (see above). The
    outcomes are the places of at most `reports` reports among `horizon` looks; for one report there are 1 + horizon.
    For several reports the threshold noise is drawn once. Errors: more reports than looks.
    """
    a = interval(arguments.renyi_order("order", order))
    n, c = arguments.count("horizon", horizon), arguments.count("reports", reports)
    if c > n:
        raise ValueError(f"reports must not exceed the horizon of {n} looks, got {c}")
    paid = (
        interval(arguments.not_negative("threshold", threshold)) + interval(arguments.not_negative("looks", looks)) * c
    )
    return (paid + log_subsets(n, c) / (a - 1)).high


def with_moment(
    order: float, threshold: Callable[[float], float], looks: float, gamma: float, log_moment: float
) -> float:
    """(a - (g-1)/g)/(a - 1) r(a g/(g-1)) + looks + log_moment / (g (a-1)) for 1 < gamma < infinity, rounded up.

    `log_moment` is an upper bound, over all data and both neighbours, on log E_z[E[K | z]^gamma] with z drawn from the
    *moved* threshold and K, the stopping time (counting a last "never" as one more look), under the data themselves.
    Hoelder's inequality against p' with exponents g/(g-1) and g. The factor in front is part of the theorem: it is
    (a - 1/2)/(a - 1) at gamma = 2.
    """
    a, weight, rest = _parts(order, gamma, looks, log_moment)
    r = arguments.not_negative("threshold", threshold((a / weight).high))
    return ((a - weight) / (a - 1) * r + rest).high


def with_own_moment(
    order: float, threshold: Callable[[float], float], looks: float, gamma: float, log_moment: float
) -> float:
    """r(1 + (a-1) g/(g-1)) + looks + log_moment / (g (a-1)): the moment is under the *unmoved* threshold.

    The same steps with Hoelder's inequality against p instead of p': int p (p/p')^(a-1) E[K|z]. No factor in front, a
    smaller order, and K and z belong to the same run, so `log_moment` is log E[E[K | z]^gamma] of the test itself.
    """
    a, weight, rest = _parts(order, gamma, looks, log_moment)
    r = arguments.not_negative("threshold", threshold((1 + (a - 1) / weight).high))
    return (r + rest).high


def _parts(order: float, gamma: float, looks: float, log_moment: float) -> tuple[Interval, Interval, Interval]:
    """order, 1 - 1/gamma, and what does not depend on the threshold."""
    a = interval(arguments.renyi_order("order", order))
    g = interval(arguments.renyi_order("gamma", gamma))
    moment = interval(arguments.finite("log_moment", log_moment))
    return a, 1 - 1 / g, interval(arguments.not_negative("looks", looks)) + moment / (g * (a - 1))
