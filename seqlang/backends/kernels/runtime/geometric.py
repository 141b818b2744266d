"""geometric(ratio), two-sided on the whole numbers: P(k) = (1 - ratio) / (1 + ratio) * ratio^|k|."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.ziggurat import sample_standard_exponential


def valid_geometric(ratio: float) -> bool:
    return 0.0 <= ratio < 1.0


def sample_geometric(s: NDArray[np.uint64], ratio: float) -> float:
    if not valid_geometric(ratio):
        return math.nan
    return geometric_of_spread(s, -1.0 / math.log(ratio)) if ratio > 0.0 else 0.0


def geometric_of_spread(s: NDArray[np.uint64], spread: float) -> float:
    """For the ratio exp(-1 / spread): the difference of two independent one-sided variables has this law."""
    first = np.floor(sample_standard_exponential(s) * spread)
    return float(first - np.floor(sample_standard_exponential(s) * spread))


def pmf_geometric(x: float, ratio: float) -> float:
    return (1.0 - ratio) / (1.0 + ratio) * ratio ** abs(x) if x == np.floor(x) else 0.0


def cdf_geometric(x: float, ratio: float) -> float:
    k = np.floor(x)
    return float(ratio ** (-k) / (1.0 + ratio) if k < 0.0 else 1.0 - ratio ** (k + 1.0) / (1.0 + ratio))
