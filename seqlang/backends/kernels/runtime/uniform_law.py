"""uniform(low, high) on an interval, and uniform choices among finitely many."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.words import uniform


def valid_uniform(low: float, high: float) -> bool:
    return -math.inf < low < high < math.inf


def sample_uniform(s: NDArray[np.uint64], low: float, high: float) -> float:
    return quantile_uniform(uniform(s), low, high) if valid_uniform(low, high) else math.nan


def pdf_uniform(x: float, low: float, high: float) -> float:
    return 1.0 / (high - low) if low <= x <= high else 0.0


def cdf_uniform(x: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (x - low) / (high - low)))


def quantile_uniform(p: float, low: float, high: float) -> float:
    return min(low + p * (high - low), high)


def sample_place(s: NDArray[np.uint64], size: int) -> np.int64:
    """One of 0 .. size - 1, all equally likely but for the 2^-53 of a uniform; -1 if `size` is not positive."""
    return np.int64(min(np.floor(uniform(s) * size), size - 1.0)) if size > 0 else np.int64(-1)
