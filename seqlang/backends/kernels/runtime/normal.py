"""normal(mean, sd), and the noise gaussian(sd) of mean 0. A deviation of 0 is the constant, which has no density."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.normal_quantile import quantile_standard_normal
from seqlang.backends.kernels.runtime.ziggurat import sample_standard_normal


def valid_normal(mean: float, sd: float) -> bool:
    return math.isfinite(mean) and 0.0 <= sd < math.inf


def sample_normal(s: NDArray[np.uint64], mean: float, sd: float) -> float:
    return mean + sd * sample_standard_normal(s) if valid_normal(mean, sd) else math.nan


def pdf_normal(x: float, mean: float, sd: float) -> float:
    """NaN for sd = 0."""
    if sd == 0.0:
        return math.nan
    z = (x - mean) / sd
    return math.exp(-0.5 * z * z) / (sd * math.sqrt(2.0 * math.pi))


def cdf_normal(x: float, mean: float, sd: float) -> float:
    if sd == 0.0:
        return 1.0 if x >= mean else 0.0
    return 0.5 * math.erfc((mean - x) / (sd * math.sqrt(2.0)))


def quantile_normal(p: float, mean: float, sd: float) -> float:
    """Infinite for p = 0 and 1, unless sd = 0."""
    return mean + sd * quantile_standard_normal(p) if sd > 0.0 else mean


def valid_gaussian(sd: float) -> bool:
    return valid_normal(0.0, sd)


def sample_gaussian(s: NDArray[np.uint64], sd: float) -> float:
    return sample_normal(s, 0.0, sd)


def pdf_gaussian(x: float, sd: float) -> float:
    return pdf_normal(x, 0.0, sd)


def cdf_gaussian(x: float, sd: float) -> float:
    return cdf_normal(x, 0.0, sd)


def quantile_gaussian(p: float, sd: float) -> float:
    return quantile_normal(p, 0.0, sd)
