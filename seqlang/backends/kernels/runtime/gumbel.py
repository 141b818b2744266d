"""gumbel(scale), the law of largest values: P(X <= x) = exp(-exp(-x / scale))."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.ziggurat import sample_standard_exponential


def valid_gumbel(scale: float) -> bool:
    return 0.0 < scale < math.inf


def sample_gumbel(s: NDArray[np.uint64], scale: float) -> float:
    """exp(-X / scale) is a standard exponential variate."""
    return -scale * math.log(sample_standard_exponential(s)) if valid_gumbel(scale) else math.nan


def pdf_gumbel(x: float, scale: float) -> float:
    t = -x / scale
    return math.exp(t - math.exp(t)) / scale if t < 700.0 else 0.0


def cdf_gumbel(x: float, scale: float) -> float:
    return math.exp(-math.exp(-x / scale))


def quantile_gumbel(p: float, scale: float) -> float:
    """Infinite for p = 0 and 1."""
    if p <= 0.0 or p >= 1.0:
        return math.copysign(math.inf, p - 0.5)
    return -scale * math.log(-math.log(p))
