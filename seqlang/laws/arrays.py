"""What laws share in arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.laws.law import NotInArrays
from seqlang.laws.numbers import CLOSE, STIRLING

Array = NDArray[np.float64]
SERIES = 28
"""Terms; the next one is below 1e-17 of the sum, where the numbers are `CLOSE`."""
LONGEST_TABLE = 1_000_000
"""Values of a law that are listed."""


def whole_numbers(first: float, last: float) -> Array:
    """first, first + 1, .., last. Raises NotInArrays where they are too many."""
    if not last - first < LONGEST_TABLE:
        raise NotInArrays(f"a law of more than {LONGEST_TABLE:,} values")
    return np.arange(first, last + 1, dtype=np.float64)


def stirling_errors(k: Any) -> Array:
    """`laws.numbers.stirling_error` of each whole k >= 0."""
    k = np.asarray(k, dtype=np.float64)
    z = 1.0 / np.minimum(np.maximum(k, 1.0), 1e150) ** 2
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - z / 1188) * z) * z) * z) / np.maximum(k, 1.0)
    table = np.asarray(STIRLING)[np.minimum(k, len(STIRLING) - 1).astype(np.intp)]
    return np.asarray(np.where(k < len(STIRLING), table, series))


def deviances(x: Any, mean: Any) -> Array:
    """`laws.numbers.deviance` of each pair x >= 0, mean >= 0; at x = 0 it is the mean."""
    x, mean = np.asarray(x, dtype=np.float64), np.asarray(mean, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        v = (x - mean) / (x + mean)
        plain = np.where(x > 0, x * np.log(x / mean), 0.0) + mean - x
        square = v * v
        series = np.zeros_like(square)
        for j in reversed(range(SERIES)):
            series = series * square + 1.0 / (2 * j + 3)
        close = (x - mean) * v + 2.0 * x * v * square * series
    return np.asarray(np.where(np.abs(x - mean) >= CLOSE * (x + mean), plain, close))


def inverted(u: Array, masses: Callable[[int], Any], longest: int) -> Array:
    """The smallest whole k >= 0 whose distribution function reaches u, by adding up masses: one uniform a draw."""
    k = np.zeros(u.shape)
    left = u - masses(0)
    open_ = left >= 0
    j = 0
    while open_.any() and j < longest:
        j += 1
        k += open_
        left = left - masses(j)
        open_ &= left >= 0
    return k


def from_ratios(log_ratios: Array, mode: int, first: int) -> tuple[Array, Array]:
    """The law on first, first + 1, .. with these logarithms of P(k + 1) / P(k), summed outwards from the mode; not
    normalised."""
    right = np.cumsum(log_ratios[mode:])
    left = -np.cumsum(log_ratios[:mode][::-1])[::-1]
    logs = np.concatenate((left, [0.0], right))
    keep = logs > -700
    return (first + np.arange(len(logs), dtype=float))[keep], np.exp(logs[keep])


def standard_normals(uniform: Callable[[tuple[int, ...]], Array], shape: tuple[int, ...]) -> Array:
    """Box and Muller's transform of two uniforms; only one of its two values is used, so that a draw stands alone."""
    radius = uniform(shape)
    np.log(radius, out=radius)
    radius *= -2.0
    np.sqrt(radius, out=radius)
    angle = uniform(shape)
    angle *= 2 * math.pi
    np.cos(angle, out=angle)
    radius *= angle
    return radius
