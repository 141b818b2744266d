"""The discrete Gaussian mechanism at a delta, exactly.

P(k) proportional to exp(-k^2 / (2 s^2)) on the whole numbers, F its distribution function. For a shift by a whole D > 0
the ratio P(y) / P(y - D) falls in y, so that the sets {y <= t} tell most: the mechanism is (eps, delta)-DP for it if
and only if F(t) - e^eps F(t - D) <= delta for every whole t (Canonne, Kamath & Steinke 2020, Theorem 7), that is, eps
is at least the largest log((F(t) - delta) / F(t - D)) with F(t) > delta. Shifts by less need less, since F rises; those
downwards the same, since P is symmetric.
"""

from __future__ import annotations

import math
from fractions import Fraction

from seqlang.process.late import np

WIDEST = 20_000
"""The largest deviation, and the largest shift: so many terms are added up."""
REACH = 40
"""Deviations beyond which what is left has a mass below exp(-REACH^2 / 2)."""
ROUNDING = 1e-9
"""More than the relative error of each sum of rounded terms: REACH^2 ulps of an exponent, one ulp for every term."""

SMALLEST = 1e-290
"""Sums of smaller masses are not taken for numbers: terms near the least float are rounded coarsely."""


def epsilon(delta: float, deviation: Fraction, shift: int) -> float:
    """The least epsilon >= 0 at `delta` for moves by whole numbers up to `shift` >= 1, rounded up; infinite where
    floats know none. Errors: a deviation not above 0, a shift below 1, either above WIDEST."""
    if not 0 < deviation <= WIDEST or not 1 <= shift <= WIDEST:
        raise ValueError("a deviation and a shift above 0, and not too large")
    reach = math.ceil(REACH * deviation) + shift
    places = np.arange(-reach, reach + 1, dtype=np.float64)
    masses = np.exp(-(places**2) / float(2 * deviation**2))
    sums = np.cumsum(masses)
    most = sums / sums[-1] * (1 + ROUNDING) + math.exp(-700)
    least = sums / sums[-1] * (1 - ROUNDING)
    above, below = most[shift:], least[:-shift]
    some = above > delta
    if not some.any():
        return 0.0
    if not (below[some] > SMALLEST).all():
        return math.inf
    found = float(np.log((above[some] - delta) / below[some]).max())
    return max(0.0, found + ROUNDING * (1 + abs(found)))
