"""Riemann's zeta function for real arguments above 1."""

from __future__ import annotations

import math

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
"""B_2, B_4, .."""


def zeta(s: float, terms: int = 20) -> float:
    """sum of n^-s over n = 1, 2, ..; infinite for s = 1, not a number below.

    Euler-Maclaurin summation from n = `terms` on; with 20 terms the error is below 1e-15 for every s > 1.
    """
    if s <= 1:
        return math.inf if s == 1 else math.nan
    if s > 60:
        return 1.0 + math.pow(2.0, -s)
    n = terms
    total = math.fsum(k**-s for k in range(1, n)) + n ** (1 - s) / (s - 1) + n**-s / 2
    factor = s * n ** (-s - 1) / 2
    for j, b in enumerate(_BERNOULLI, start=1):
        total += b * factor
        factor *= (s + 2 * j - 1) * (s + 2 * j) / ((2 * j + 1) * (2 * j + 2) * n * n)
    return float(total)
