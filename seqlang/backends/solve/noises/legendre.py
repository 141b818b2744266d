"""The Gauss-Legendre rule to the last digit: thousands of steps add up its errors."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.noises.scalar_law import Array

NEWTON = 5
"""Steps of Newton's method, which doubles the digits in each: the start has two or more."""


Extended = NDArray[Any]


@cache
def legendre_rule(count: int) -> tuple[Array, Array]:
    """Rising nodes in [-1, 1] and weights, whose sum is 2; for count >= 1."""
    x, weights = _rule(count)
    return x.astype(float), (2 * weights).astype(float)


@cache
def gauss(count: int) -> tuple[Array, Array]:
    """The same on [0, 1], with weights whose sum is 1."""
    x, weights = _rule(count)
    return ((x + 1) / 2).astype(float), weights.astype(float)


def _rule(count: int) -> tuple[Extended, Extended]:
    """Newton's method in extended precision, from Tricomi's approximation of the nodes."""
    start = np.cos(np.pi * (4 * np.arange(count, 0, -1) - 1) / (4 * count + 2))
    x: Extended = start.astype(np.longdouble)
    for _ in range(NEWTON):
        before, now = np.ones_like(x), x
        for k in range(1, count):
            before, now = now, ((2 * k + 1) * x * now - k * before) / (k + 1)
        slope = count * (before - x * now) / (1 - x * x)
        x = x - now / slope
    return x, 1 / ((1 - x * x) * slope * slope)
