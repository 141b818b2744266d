"""Riemann's zeta function for real arguments above 1, in floats. Kernels are compiled from the text of this file."""

import math

BERNOULLI_OVER_FACTORIAL = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000)
"""Bernoulli's numbers B_2j over (2j)!."""


def riemann_zeta(x: float) -> float:
    """sum of n^-x over n = 1, 2, ..; infinite for x = 1, not a number below.

    Euler and Maclaurin's sum from n = 20 on (NIST DLMF 25.2.9): its error is below 1e-15 for every x > 1.
    """
    if not x > 1.0:
        return math.inf if x == 1.0 else math.nan
    if x > 60.0:
        return 1.0 + math.pow(2.0, -x)
    total = 0.0
    for n in range(19, 0, -1):
        total += math.pow(n, -x)
    last = math.pow(20.0, -x)
    term = x * last / 20.0  # x (x + 1) .. (x + 2j) 20^(-x - 2j - 1)
    rest = last * 20.0 / (x - 1.0) + 0.5 * last
    for j in range(len(BERNOULLI_OVER_FACTORIAL)):
        rest += BERNOULLI_OVER_FACTORIAL[j] * term
        term *= (x + 2 * j + 1) * (x + 2 * j + 2) / 400.0
    return float(total + rest)
