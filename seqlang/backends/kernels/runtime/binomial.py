"""binomial(n, p)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.bernoulli import clipped_probability, valid_probability
from seqlang.backends.kernels.runtime.factorials import HALF_LOG_TWO_PI, deviance, stirling_error
from seqlang.backends.kernels.runtime.poisson import FEWEST_BY_REJECTION, MOST_BY_INVERSION
from seqlang.backends.kernels.runtime.words import uniform


def valid_binomial(n: float, p: float) -> bool:
    return 0.0 <= n < math.inf and n == np.floor(n) and valid_probability(p)


def sample_binomial(s: NDArray[np.uint64], n: float, p: float) -> float:
    if not valid_binomial(n, p):
        return math.nan
    if p > 0.5:
        return n - binomial_successes(s, n, clipped_probability(1.0 - p))
    return binomial_successes(s, n, clipped_probability(p))


def binomial_successes(s: NDArray[np.uint64], n: float, p: float) -> float:
    """For p <= 1/2."""
    if p == 0.0 or n == 0.0:
        return 0.0
    return binomial_by_inversion(s, n, p) if n * p < FEWEST_BY_REJECTION else binomial_by_rejection(s, n, p)


def binomial_by_inversion(s: NDArray[np.uint64], n: float, p: float) -> float:
    """Adds up masses; one word."""
    left, mass, k, odds = uniform(s), math.exp(n * math.log1p(-p)), 0.0, p / (1.0 - p)
    while left >= mass and k < n and k < MOST_BY_INVERSION:
        left -= mass
        k += 1.0
        mass *= (n - k + 1.0) / k * odds
    return k


def binomial_by_rejection(s: NDArray[np.uint64], n: float, p: float) -> float:
    """Transformed rejection with squeeze (Hörmann 1993, algorithm BTRS)."""
    sd = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sd
    a = -0.0873 + 0.0248 * b + 0.01 * p
    bar = 0.92 - 4.2 / b
    scale = (2.83 + 5.1 / b) * sd
    while True:
        u, v = uniform(s) - 0.5, uniform(s)
        end = 0.5 - abs(u)
        k = np.floor((2.0 * a / end + b) * u + n * p + 0.5)
        if end >= 0.07 and v <= bar:
            return float(k)
        if k < 0.0 or k > n:
            continue
        mode = log_pmf_binomial(np.floor((n + 1.0) * p), n, p)
        if math.log(v * scale / (a / (end * end) + b)) <= log_pmf_binomial(k, n, p) - mode:
            return float(k)


def log_pmf_binomial(k: float, n: float, p: float) -> float:
    """For whole k in 0 .. n and p in (0, 1)."""
    if k == 0.0:
        return n * math.log1p(-p)
    if k == n:
        return n * math.log(p)
    ways = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    ways -= deviance(k, n * p) + deviance(n - k, n * (1.0 - p))
    return ways - 0.5 * math.log(k * ((n - k) / n)) - HALF_LOG_TWO_PI


def pmf_binomial(x: float, n: float, p: float) -> float:
    chance = clipped_probability(p)
    if not (0.0 <= x <= n) or x != np.floor(x):
        return 0.0
    if chance == 0.0 or chance == 1.0:
        return 1.0 if x == n * chance else 0.0
    return math.exp(log_pmf_binomial(x, n, chance))


def cdf_binomial(x: float, n: float, p: float) -> float:
    """By the masses on that side of x where there is less."""
    chance = clipped_probability(p)
    if x < 0.0:
        return 0.0
    if x >= n or chance == 0.0:
        return 1.0
    if chance == 1.0:
        return 0.0
    k = np.floor(x)
    if k < n * chance:
        return binomial_below(k, n, chance)
    return 1.0 - binomial_below(n - k - 1.0, n, 1.0 - chance)


def binomial_below(k: float, n: float, p: float) -> float:
    """The masses of 0 .. k, from the largest down; k is below the mean."""
    mass, total = math.exp(log_pmf_binomial(k, n, p)), 0.0
    while k >= 0.0 and mass > 1e-18 * total:
        total += mass
        mass *= k / (n - k + 1.0) * ((1.0 - p) / p)
        k -= 1.0
    return total
