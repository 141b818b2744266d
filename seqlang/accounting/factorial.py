"""log n! between two floats: exact for small n, Stirling's series with its alternating remainder beyond (Robbins
1955)."""

from __future__ import annotations

import math
from functools import lru_cache

from seqlang.accounting import arguments
from seqlang.accounting.interval import Interval, interval, log

_EXACT = 40
_HALF_LOG_2PI = Interval(0.9189385332046727, 0.9189385332046729)


@lru_cache(maxsize=4096)
def log_factorial(n: int) -> Interval:
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    if n <= _EXACT:
        return log(interval(math.factorial(n)))
    x = interval(n)
    cube = x * x * x
    upper = 1 / (12 * x) - 1 / (360 * cube) + 1 / (1260 * cube * x * x)
    lower = 1 / (12 * x) - 1 / (360 * cube)
    return (x + 0.5) * log(x) - x + _HALF_LOG_2PI + Interval(lower.low, upper.high)


def log_binomial(n: int, k: int) -> Interval:
    """log of n choose k."""
    if not 0 <= k <= n:
        raise ValueError(f"k must lie in 0..{n}, got {k}")
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def log_subsets(n: int, most: int) -> float:
    """log of the number of subsets of n things with at most `most` of them, rounded up. Errors: most > n."""
    arguments.count("n", n)
    if not 0 <= most <= n:
        raise ValueError(f"most must lie in 0..{n}, got {most}")
    return log(interval(sum(math.comb(n, i) for i in range(most + 1)))).high if n <= 10_000 else _wide(n, most)


def _wide(n: int, most: int) -> float:
    from seqlang.accounting.interval import log_sum

    return min(log_sum([log_binomial(n, i) for i in range(most + 1)]).high, (interval(n) * log(2)).high)
