"""The standard normal law at arrays of places; scipy, which takes longer to load than a short law, where they are many.

Few values come from the C library's erfc, which scipy's `ndtr` agrees with to a few units in the last place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from seqlang.backends.solve.law1 import Array

FEW = 500_000
"""Values of the C library's erfc for one law: they take a tenth of a microsecond each, scipy as long to load."""
LEAST = 1e-290
"""Chances below it are left to scipy: their squares of places hardly fit into an exponential."""
NEWTON = 40
_ROOT_HALF = math.sqrt(0.5)
_computed = 0


def count_anew() -> None:
    """Called where a law begins, so that its numbers do not depend on what was solved before in this process."""
    global _computed
    _computed = 0


def cdf(x: Any) -> Array:
    """P(N(0, 1) <= x)."""
    global _computed
    x = np.asarray(x, float)
    _computed += x.size
    if _computed > FEW:
        from scipy.special import ndtr

        return np.asarray(ndtr(x))
    places = (x * -_ROOT_HALF).ravel().tolist()
    return 0.5 * np.fromiter(map(math.erfc, places), float, x.size).reshape(x.shape)


def quantile(p: float) -> float:
    """x with P(N(0, 1) <= x) = p, to a few units in the last place; infinite for 0 and 1."""
    if not LEAST < p < 1:
        from scipy.special import ndtri

        return float(ndtri(p))
    return _upper(1 - p) if p > 0.5 else -_upper(p)


def _upper(q: float) -> float:
    """x >= 0 with P(N(0, 1) >= x) = q, for q <= 1/2. The tail is at most e^(-x^2/2) / 2, and its logarithm is concave:
    Newton's steps from where that bound is q fall to x from above."""
    wanted = math.log(q)
    x = math.sqrt(max(0.0, -2 * (wanted + math.log(2))))
    for _ in range(NEWTON):
        tail = 0.5 * math.erfc(x * _ROOT_HALF)
        density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        step = (math.log(tail) - wanted) * tail / density
        x += step
        if abs(step) <= 1e-15 * x:
            break
    return x


def mills(t: Array) -> Array:
    """P(N(0, 1) > t) e^(t^2/2), t >= 0."""
    from scipy.special import erfcx

    return np.asarray(0.5 * erfcx(t * _ROOT_HALF))
