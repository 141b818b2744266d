"""RDP of tests by Zhu & Wang 2020 ("Improving Sparse Vector Technique with Renyi Differential Privacy"), Theorem 8.

For values that move by at most D in any pattern, threshold noise Z with RDP curve r(.; D) and fresh noise with curve
v(.; s). Move Z by D: the neighbour then survives each look at least as surely, and the look that stops is off by at
most s = D + |move|, so s = 2 D in general; for moves of one sign s = D (Z is moved only if the move is up). With A_t(z)
the chance to reach look t and B_t that it stops, joint convexity gives

    sum_t P^a Q^(1-a) <= e^((a-1) v(a; s)) int p^a p'^(1-a) E[K | z] dz,    sum_t A_t = E[K | z],  K the stopping time.
"""

from __future__ import annotations

from collections.abc import Callable

from seqlang.accounting import arguments, curves
from seqlang.accounting.interval import interval
from seqlang.arithmetic.formula import ORDER, Formula


def within_horizon(threshold: Formula, looks: Formula, horizon: int, reports: int = 1) -> Formula:
    """threshold + reports * looks + log(number of outcomes) / (order - 1), over ORDER (gamma = infinity).

    `threshold` and `looks` are RDP epsilons over ORDER: of Z for sensitivity D, of a look for D or 2 D (see above). The
    outcomes are the places of at most `reports` reports among `horizon` looks; for one report there are 1 + horizon.
    For several reports the threshold noise is drawn once. Errors: more reports than looks.
    """
    n, c = arguments.count("horizon", horizon), arguments.count("reports", reports)
    if c > n:
        raise ValueError(f"reports must not exceed the horizon of {n} looks, got {c}")
    return threshold + c * looks + curves.places(n, c) / (ORDER - 1)


def with_own_moment(
    order: float, threshold: Callable[[float], float], looks: float, gamma: float, log_moment: float
) -> float:
    """r(1 + (a-1) g/(g-1)) + looks + log_moment / (g (a-1)) for 1 < gamma < infinity, rounded up.

    Hoelder's inequality with exponents g/(g-1) and g, in int p (p/p')^(a-1) E[K | z]: `log_moment` is an upper bound on
    log E[E[K | z]^gamma] of the test itself, K the stopping time (counting a last "never" as one more look), z the
    threshold as it was drawn.
    """
    a = interval(arguments.renyi_order("order", order))
    g = interval(arguments.renyi_order("gamma", gamma))
    moment = interval(arguments.finite("log_moment", log_moment))
    r = arguments.not_negative("threshold", threshold((1 + (a - 1) / (1 - 1 / g)).high))
    return (r + (interval(arguments.not_negative("looks", looks)) + moment / (g * (a - 1)))).high
