"""The Gauss-Legendre rule, by Newton's steps from the usual estimates of its nodes; numpy's own needs more modules."""

from __future__ import annotations

from functools import cache

import numpy as np

from seqlang.backends.solve.noises.scalar_law import Array

NEWTON = 6


@cache
def legendre_rule(count: int) -> tuple[Array, Array]:
    """Nodes in [-1, 1], rising, and weights (their sum is 2), both to a few units in the last place; count >= 2."""
    x = -np.cos(np.pi * (np.arange(count) + 0.75) / (count + 0.5))
    slope = np.ones(count)
    for _ in range(NEWTON):
        before, now = np.ones(count), x
        for k in range(2, count + 1):
            before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
        slope = count * (x * now - before) / (x * x - 1)
        x = x - now / slope
    x = (x - x[::-1]) / 2
    weights = 2 / ((1 - x * x) * slope * slope)
    weights = (weights + weights[::-1]) / 2
    return x, np.asarray(weights * (2 / weights.sum()))
