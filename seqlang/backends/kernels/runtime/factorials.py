"""What the masses of binomial and Poisson laws are made of, without the cancellation of large factorials (Loader 2000,
"Fast and accurate computation of binomial probabilities")."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

HALF_LOG_TWO_PI = 0.9189385332046728
LONGEST_STIRLING = 16


def tables_stirling() -> NDArray[np.float64]:
    """log k! minus Stirling's first terms for k = 0 .. 15 (for 0, where these are infinite: 0)."""
    exact = [math.log(math.factorial(k)) - (k + 0.5) * math.log(k) + k for k in range(1, LONGEST_STIRLING)]
    return np.array([0.0] + [x - HALF_LOG_TWO_PI for x in exact])


STIRLING = tables_stirling()


def stirling_error(k: float) -> float:
    """log k! - ((k + 1/2) log k - k + log(2 pi) / 2) for whole k >= 1; the series' error is below 1e-15."""
    if k < LONGEST_STIRLING:
        return float(STIRLING[np.int64(k)])
    z = 1.0 / (k * k)
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - z / 1188) * z) * z) * z) / k


def deviance(x: float, mean: float) -> float:
    """x log(x / mean) + mean - x for x, mean > 0, by its series where they are close."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    total, power = (x - mean) * v, 2.0 * x * v
    for j in range(3, 60, 2):
        power *= v * v
        total += power / j
        if abs(power) < 1e-17 * abs(total):
            break
    return total
