"""The standard normal distribution function for arrays, without scipy where few values are needed.

Loading scipy takes longer than many a program takes to solve. Few values therefore come from the C library's erfc, with
which scipy's `ndtr` agrees to a few units in the last place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from seqlang.backends.solve.noises.scalar_law import Array

FEW = 500_000
"""Values of the C library's erfc for one law: they take a tenth of a microsecond each, scipy as long to load."""
_ROOT_HALF = math.sqrt(0.5)
_computed = 0


def count_anew() -> None:
    """Called when the solver begins with a program, so that its numbers do not depend on what this process has solved
    before."""
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


def mills(t: Array) -> Array:
    """P(N(0, 1) > t) e^(t^2/2), t >= 0."""
    from scipy.special import erfcx

    return np.asarray(0.5 * erfcx(t * _ROOT_HALF))
