"""Choices by a table of weights."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.laws.numbers import LEAST_TOTAL
from seqlang.laws.variates.words import uniform


def total_weight(weights: NDArray[np.float64]) -> float:
    """The sum; NaN where there is no law: a weight is negative or not a number, or the sum is 0 or infinite."""
    total = 0.0
    for weight in weights:
        if not weight >= 0.0:
            return math.nan
        total += weight
    return total if 0.0 < total < math.inf else math.nan


def sample_weights(s: NDArray[np.uint64], weights: NDArray[np.float64]) -> int:
    """The place of one, with probability proportional to its weight; -1 where there is no law, -2 where their sum is
    too small."""
    total = total_weight(weights)
    if not total > 0.0:
        return -1
    if total < LEAST_TOTAL:
        return -2
    left, chosen = uniform(s) * total, -1
    for i in range(len(weights)):
        # Where rounding leaves a crumb after the last weight, the last place with a weight stays chosen.
        if weights[i] > 0.0:
            chosen = i
            left -= weights[i]
            if left < 0.0:
                break
    return chosen
