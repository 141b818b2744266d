"""The Gaussian mechanism, exactly: its profile delta(eps), the inverse, and the noise it needs.

Balle & Wang 2018, Theorem 8: with mu = sensitivity / sigma,
delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu). k adaptive uses act as one with mu sqrt(k) (Dong, Roth & Su
2022, Corollary 3.3). Sensitivity is the l2 norm of the largest difference between neighbours: under `replace` adjacency
that is twice the norm bound of one record, under `add or remove` once. Epsilon in nats, sigma in the unit of the query.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from seqlang.accounting import arguments
from seqlang.accounting.interval import Interval, exp, interval, sqrt
from seqlang.accounting.normal import cdf, log_sf_down, log_sf_up
from seqlang.arithmetic.rounding import down, up


def profile(epsilon: float, mu: float) -> float:
    """delta(eps), rounded up, of N(0, 1) against N(mu, 1); mu > 0 (infinity: they never overlap), any real epsilon."""
    if mu == math.inf:
        return 1.0
    e = interval(arguments.finite("epsilon", epsilon))
    m = interval(arguments.positive("mu", mu))
    first = (m * 0.5 - e / m).high
    second = (m * -0.5 - e / m).low
    upper = log_sf_up(-first)
    if upper < -700:
        return up(exp(upper).high)
    lost = exp(e + log_sf_down(-second)).low
    return min(1.0, max(0.0, (cdf(first) - lost).high))


def delta(epsilon: float, sigma: float, sensitivity: float = 1.0, count: int = 1) -> float:
    """The smallest delta at `epsilon` >= 0 for `count` uses, rounded up.

    Errors: sigma or sensitivity not above 0, epsilon negative, count no positive integer.
    """
    mu = _mu(sigma, sensitivity, count)
    return 0.0 if arguments.not_negative("epsilon", epsilon) == math.inf else profile(epsilon, mu)


def epsilon(delta: float, sigma: float, sensitivity: float = 1.0, count: int = 1) -> float:
    """The smallest epsilon >= 0 at `delta` for `count` uses, rounded up."""
    return epsilon_at(arguments.inside_unit("delta", delta), _mu(sigma, sensitivity, count))


def epsilon_at(delta: float, mu: float) -> float:
    """The smallest epsilon >= 0 with profile(epsilon, mu) <= delta, rounded up; infinite where no float is so large."""
    if mu == math.inf:
        return math.inf
    if profile(0.0, arguments.positive("mu", mu)) <= delta:
        return 0.0
    # The tail alone gives an end to start from: delta(eps) <= Phi(mu/2 - eps/mu).
    high = mu * mu / 2 + mu * math.sqrt(-2 * math.log(delta)) + 1e-9
    while high < math.inf and profile(high, mu) > delta:
        high *= 2
    if high == math.inf:
        return high
    return _least(lambda e: profile(e, mu) <= delta, 0.0, high)


def sigma(epsilon: float, delta: float, sensitivity: float = 1.0, count: int = 1) -> float:
    """The smallest noise, rounded up, with which `count` uses are (epsilon, delta)-DP together.

    The textbook sqrt(2 ln(1.25/delta)) / epsilon is proved for epsilon < 1 only; this holds for every epsilon >= 0.
    """
    arguments.not_negative("epsilon", arguments.finite("epsilon", epsilon))
    d = arguments.inside_unit("delta", delta)
    arguments.positive("sensitivity", sensitivity)
    arguments.count("count", count)

    def enough(s: float) -> bool:
        return profile(epsilon, _mu(s, sensitivity, count)) <= d

    high = sensitivity
    while high < math.inf and not enough(high):
        high *= 2
    if high == math.inf:
        return high
    low = high
    while low > 0 and enough(low):
        low /= 2
    return _least(enough, low, high)


def _mu(sigma: float, sensitivity: float, count: int) -> float:
    s = interval(arguments.positive("sigma", sigma))
    d = interval(arguments.positive("sensitivity", sensitivity))
    root: Interval = sqrt(interval(arguments.count("count", count)))
    return (d * root / s).high


def _least(enough: Callable[[float], bool], low: float, high: float) -> float:
    """Bisection that keeps `high` on the side where the condition was seen to hold."""
    while up(low) < high:
        middle = low + (high - low) / 2
        if not low < middle < high or high - low <= 4 * (up(high) - down(high)):
            break
        if enough(middle):
            high = middle
        else:
            low = middle
    return high
