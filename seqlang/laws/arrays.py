"""What laws share in arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.laws.law import NotInArrays

Array = NDArray[np.float64]
LONGEST_TABLE = 1_000_000
"""Values of a law that are listed."""


def whole_numbers(first: float, last: float) -> Array:
    """first, first + 1, .., last. Raises NotInArrays where they are too many."""
    if not last - first < LONGEST_TABLE:
        raise NotInArrays(f"a law of more than {LONGEST_TABLE:,} values")
    return np.arange(first, last + 1, dtype=np.float64)


def log_factorial(k: Any) -> Any:
    """log k! for whole k >= 0; Stirling's series above 16, a table below."""
    table = np.cumsum(np.concatenate([[0.0], np.log(np.arange(1.0, 17.0))]))
    k = np.maximum(np.asarray(k, dtype=np.float64), 0.0)
    if np.all(k <= 16):
        return table[k.astype(np.intp)]
    z = np.maximum(k, 16.0) + 1
    series = (z - 0.5) * np.log(z) - z + 0.5 * math.log(2 * math.pi)
    series += 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5)
    return np.where(k <= 16, table[np.minimum(k, 16).astype(np.intp)], series)


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
