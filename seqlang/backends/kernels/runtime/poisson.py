"""poisson(mean)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.factorials import HALF_LOG_TWO_PI, deviance, stirling_error
from seqlang.backends.kernels.runtime.words import uniform

FEWEST_BY_REJECTION = 10.0
MOST_BY_INVERSION = 200.0
"""A law of mean below 10 is above this with a probability below 1e-150."""


def valid_poisson(mean: float) -> bool:
    return 0.0 <= mean < math.inf


def sample_poisson(s: NDArray[np.uint64], mean: float) -> float:
    if not valid_poisson(mean):
        return math.nan
    return poisson_by_inversion(s, mean) if mean < FEWEST_BY_REJECTION else poisson_by_rejection(s, mean)


def poisson_by_inversion(s: NDArray[np.uint64], mean: float) -> float:
    """Adds up masses; one word."""
    left, mass, k = uniform(s), math.exp(-mean), 0.0
    while left >= mass and k < MOST_BY_INVERSION:
        left -= mass
        k += 1.0
        mass *= mean / k
    return k


def poisson_by_rejection(s: NDArray[np.uint64], mean: float) -> float:
    """Transformed rejection with squeeze (Hörmann 1993, algorithm PTRS)."""
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    scale = 1.1239 + 1.1328 / (b - 3.4)
    bar = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u, v = uniform(s) - 0.5, uniform(s)
        end = 0.5 - abs(u)
        k = np.floor((2.0 * a / end + b) * u + mean + 0.43)
        if end >= 0.07 and v <= bar:
            return float(k)
        if k < 0.0 or (end < 0.013 and v > end):
            continue
        if math.log(v * scale / (a / (end * end) + b)) <= log_pmf_poisson(k, mean):
            return float(k)


def log_pmf_poisson(k: float, mean: float) -> float:
    """For whole k >= 0 and mean > 0."""
    if k == 0.0:
        return -mean
    return -stirling_error(k) - deviance(k, mean) - 0.5 * math.log(k) - HALF_LOG_TWO_PI


def pmf_poisson(x: float, mean: float) -> float:
    if not (0.0 <= x < math.inf) or x != np.floor(x):
        return 0.0
    if mean == 0.0:
        return 1.0 if x == 0.0 else 0.0
    return math.exp(log_pmf_poisson(x, mean))


def cdf_poisson(x: float, mean: float) -> float:
    """By the masses on that side of x where there is less."""
    if x < 0.0:
        return 0.0
    if mean == 0.0 or x == math.inf:
        return 1.0
    k = np.floor(x)
    if k < mean:
        return poisson_below(k, mean)
    k += 1.0
    mass, total = math.exp(log_pmf_poisson(k, mean)), 0.0
    while mass > 1e-18 * total:
        total += mass
        k += 1.0
        mass *= mean / k
    return 1.0 - total


def poisson_below(k: float, mean: float) -> float:
    """The masses of 0 .. k, from the largest down."""
    mass, total = math.exp(log_pmf_poisson(k, mean)), 0.0
    while k >= 0.0 and mass > 1e-18 * total:
        total += mass
        mass *= k / mean
        k -= 1.0
    return total
