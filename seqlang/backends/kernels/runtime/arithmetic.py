"""Operators that numba's differ from: invalid is NaN, and nothing raises."""

from __future__ import annotations

import math

import numpy as np


def remainder(a: float, b: float) -> float:
    """With the sign of the divisor, so that `step % m` counts 0..m-1."""
    if b == 0.0 or math.isinf(a):
        return math.nan
    rest = float(np.fmod(a, b))
    return rest + b if rest != 0.0 and (rest < 0.0) != (b < 0.0) else rest


def power(a: float, b: float) -> float:
    """a^b; infinite for 0 to a negative power, and not a number if one of them is none."""
    return math.nan if a != a or b != b else float(a**b)
