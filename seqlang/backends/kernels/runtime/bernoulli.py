"""bernoulli(p), and randomized_response(truth) as places on the circle of an alphabet.

A probability is forgiven the rounding of one operation: 1e-12 beyond 0 and 1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.words import uniform


def valid_probability(p: float) -> bool:
    return -1e-12 <= p <= 1.0 + 1e-12


def clipped_probability(p: float) -> float:
    return min(1.0, max(0.0, p))


def valid_bernoulli(p: float) -> bool:
    return valid_probability(p)


def sample_bernoulli(s: NDArray[np.uint64], p: float) -> float:
    if not valid_probability(p):
        return math.nan
    return 1.0 if uniform(s) < p else 0.0


def pmf_bernoulli(x: float, p: float) -> float:
    chance = clipped_probability(p)
    return chance if x == 1.0 else (1.0 - chance if x == 0.0 else 0.0)


def cdf_bernoulli(x: float, p: float) -> float:
    return 1.0 if x >= 1.0 else (1.0 - clipped_probability(p) if x >= 0.0 else 0.0)


def valid_randomized_response(truth: float) -> bool:
    return valid_probability(truth)


def sample_randomized_response(s: NDArray[np.uint64], truth: float, size: int) -> float:
    """By how many places the truth is moved: 0 with probability `truth`, else 1 .. size - 1, equally likely."""
    if not valid_probability(truth):
        return math.nan
    if uniform(s) < truth or size < 2:
        return 0.0
    if size == 2:
        return 1.0
    return float(min(1.0 + np.floor(uniform(s) * (size - 1)), size - 1.0))


def pmf_randomized_response(x: float, truth: float, size: int) -> float:
    chance = clipped_probability(truth)
    if x == 0.0:
        return chance
    return (1.0 - chance) / (size - 1) if x == np.floor(x) and 1.0 <= x < size else 0.0
