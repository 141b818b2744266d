"""laplace(scale): density exp(-|x| / scale) / (2 scale)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.ziggurat import sample_standard_laplace


def valid_laplace(scale: float) -> bool:
    return 0.0 < scale < math.inf


def sample_laplace(s: NDArray[np.uint64], scale: float) -> float:
    return scale * sample_standard_laplace(s) if valid_laplace(scale) else math.nan


def pdf_laplace(x: float, scale: float) -> float:
    return math.exp(-abs(x) / scale) / (2.0 * scale)


def cdf_laplace(x: float, scale: float) -> float:
    tail = 0.5 * math.exp(-abs(x) / scale)
    return tail if x < 0.0 else 1.0 - tail


def quantile_laplace(p: float, scale: float) -> float:
    """Infinite for p = 0 and 1."""
    if p <= 0.0 or p >= 1.0:
        return math.copysign(math.inf, p - 0.5)
    return scale * math.log(2.0 * p) if p < 0.5 else -scale * math.log(2.0 * (1.0 - p))
