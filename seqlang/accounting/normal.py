"""The standard normal law, rounded to the side the caller names, also far out in the tails.

The tail is erfc(x / sqrt 2) / 2. The C library's erfc is off by a few units in the last place; rounding the argument
by a relative 2 ** -52 moves the tail by at most x^2 + x times that for x >= 0, as the hazard is at most x + 1 there,
and by less than that once for x < 0. From x = 30 on the tail is density times Mills' ratio, whose continued fraction
1/(x + 1/(x + 2/(x + 3/(x + ..)))) has convergents that are upper and lower bounds in turn (Laplace).
"""

from __future__ import annotations

import math

from seqlang.accounting.interval import Interval, interval
from seqlang.arithmetic.rounding import down, up

_HALF_LOG_2PI = 0.91893853320467274178
_ROOT_HALF = 0.70710678118654752440
_FAR = 30.0
_FARTHEST = 1e150  # from here on x^2 is not computed
_ROUNDING = 2.0**-52


def _tail(x: float) -> tuple[float, float]:
    """The tail at x < 30, to the nearest, and the relative error of that."""
    return 0.5 * math.erfc(x * _ROOT_HALF), (20 + (x * x + x if x > 0 else 0)) * _ROUNDING


def _mills(x: float, depth: int) -> float:
    """The continued fraction cut after `depth` terms: an upper bound for even depth, a lower one for odd."""
    value = x
    for k in range(depth, 0, -1):
        value = x + k / value
    return 1 / value


def _log_far_tail(x: float, depth: int) -> float:
    return -0.5 * x * x - _HALF_LOG_2PI + math.log(_mills(x, depth))


def log_sf_up(x: float) -> float:
    """log P(N(0,1) >= x), rounded up."""
    if x >= _FARTHEST:
        return -(_FARTHEST * _FARTHEST) / 4
    if x >= _FAR:
        return _log_far_tail(x, 12) + 3 * x * x * _ROUNDING
    if x < 0:
        return up(min(0.0, math.log1p(-sf_down(-x))), 3)
    value, error = _tail(x)
    return up(math.log(value) + error, 4)


def log_sf_down(x: float) -> float:
    if x >= _FARTHEST:
        return -math.inf
    if x >= _FAR:
        return _log_far_tail(x, 13) - 3 * x * x * _ROUNDING
    if x < 0:
        return down(math.log1p(-sf_up(-x)), 3)
    value, error = _tail(x)
    return down(math.log(value) - 2 * error, 4)


def sf_up(x: float) -> float:
    """P(N(0,1) >= x), rounded up."""
    if x >= _FAR:
        return up(math.exp(max(-800.0, log_sf_up(x))), 4)
    value, error = _tail(x)
    return min(1.0, up(value * (1 + error), 2))


def sf_down(x: float) -> float:
    if x >= _FAR:
        return max(0.0, down(math.exp(max(-800.0, log_sf_down(x))), 4))
    value, error = _tail(x)
    return max(0.0, down(value * (1 - error), 2))


def cdf(x: Interval | float) -> Interval:
    """P(N(0,1) <= x)."""
    i = interval(x)
    return Interval(sf_down(-i.low), sf_up(-i.high))


def log_cdf(x: Interval | float) -> Interval:
    i = interval(x)
    return Interval(log_sf_down(-i.low), log_sf_up(-i.high))


def log_tail(x: float) -> tuple[float, float]:
    """log P(N(0,1) >= x) to the nearest, and a bound on the absolute error of that."""
    if x >= _FAR:
        return _log_far_tail(x, 12), 6 * x * x * _ROUNDING
    if x < 0:
        value, error = _tail(-x) if x > -_FAR else (0.0, 0.0)
        return math.log1p(-value), 2 * value * (error + 4 * _ROUNDING) + 1e-180
    value, error = _tail(x)
    return math.log(value), error + 4 * abs(math.log(value)) * _ROUNDING


def log_tails(x: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """`log_tail` at x and at -x, by one erfc."""
    if x < 0:
        upper, lower = log_tails(-x)
        return lower, upper
    if not 0 < x < _FAR:
        return log_tail(x), log_tail(-x)
    value, error = _tail(x)
    logarithm = math.log(value)
    return (
        (logarithm, error + 4 * abs(logarithm) * _ROUNDING),
        (math.log1p(-value), 2 * value * (error + 4 * _ROUNDING) + 1e-180),
    )


def hazard(x: float, log_sf: float) -> float:
    """density / tail at x, given the log of the tail; as accurate as that."""
    return math.exp(-0.5 * x * x - _HALF_LOG_2PI - log_sf)
