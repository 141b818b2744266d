"""exponential(mean): density exp(-x / mean) / mean for x >= 0."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.ziggurat import sample_standard_exponential


def valid_exponential(mean: float) -> bool:
    return 0.0 < mean < math.inf


def sample_exponential(s: NDArray[np.uint64], mean: float) -> float:
    return mean * sample_standard_exponential(s) if valid_exponential(mean) else math.nan


def pdf_exponential(x: float, mean: float) -> float:
    return math.exp(-x / mean) / mean if x >= 0.0 else 0.0


def cdf_exponential(x: float, mean: float) -> float:
    return -math.expm1(-x / mean) if x > 0.0 else 0.0


def quantile_exponential(p: float, mean: float) -> float:
    """Infinite for p = 1."""
    return -mean * math.log1p(-p) if p < 1.0 else math.inf
