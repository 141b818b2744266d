"""discrete_gaussian(sd) on the whole numbers: P(k) proportional to exp(-k^2 / (2 sd^2))."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.geometric import geometric_of_spread
from seqlang.backends.kernels.runtime.ziggurat import sample_standard_exponential


def valid_discrete_gaussian(sd: float) -> bool:
    return 0.0 < sd < math.inf


def sample_discrete_gaussian(s: NDArray[np.uint64], sd: float) -> float:
    """Rejection from two-sided geometric noise (Canonne, Kamath & Steinke 2020, Algorithm 3); an event of probability
    exp(-x) is that an exponential variate exceeds x."""
    if not valid_discrete_gaussian(sd):
        return math.nan
    spread = np.floor(sd) + 1.0
    while True:
        k = geometric_of_spread(s, spread)
        z = abs(k) / sd - sd / spread
        if sample_standard_exponential(s) >= 0.5 * z * z:
            return k


def discrete_gaussian_total(sd: float) -> float:
    """The sum of all exp(-k^2 / (2 sd^2)), by Poisson summation where that is shorter."""
    if sd > 2.0:
        return math.sqrt(2.0 * math.pi) * sd * (1.0 + 2.0 * math.exp(-2.0 * (math.pi * sd) ** 2))
    return 1.0 + 2.0 * discrete_gaussian_beyond(1.0, sd)


def discrete_gaussian_beyond(k: float, sd: float) -> float:
    """The sum of exp(-j^2 / (2 sd^2)) over j >= k, for k >= 0."""
    total, weight = 0.0, math.exp(-0.5 * (k / sd) ** 2)
    while weight > 1e-18 * total:
        total += weight
        k += 1.0
        weight = math.exp(-0.5 * (k / sd) ** 2)
    return total


def pmf_discrete_gaussian(x: float, sd: float) -> float:
    z = x / sd
    return math.exp(-0.5 * z * z) / discrete_gaussian_total(sd) if x == np.floor(x) else 0.0


def cdf_discrete_gaussian(x: float, sd: float) -> float:
    """Time grows with sd; the sum begins with the largest mass beyond x."""
    k = np.floor(x)
    if k < 0.0:
        return discrete_gaussian_beyond(-k, sd) / discrete_gaussian_total(sd)
    return 1.0 - discrete_gaussian_beyond(k + 1.0, sd) / discrete_gaussian_total(sd)
