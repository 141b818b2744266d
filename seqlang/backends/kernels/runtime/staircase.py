"""staircase(eps, width, gamma) of Geng and Viswanath (2014): a density that falls by exp(-eps) every `width`, in stairs
of `gamma * width`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.runtime.words import next_word, uniform
from seqlang.backends.kernels.runtime.ziggurat import HALF_BITS, sample_standard_exponential, signed_place


def staircase_gamma(eps: float) -> float:
    """The third argument where it is left out."""
    return 1.0 / (1.0 + math.exp(0.5 * eps))


def valid_staircase(eps: float, width: float, gamma: float) -> bool:
    return 0.0 < eps < math.inf and 0.0 < width < math.inf and 0.0 <= gamma <= 1.0


def sample_staircase(s: NDArray[np.uint64], eps: float, width: float, gamma: float) -> float:
    """By parts: the number of the stair, its higher or lower step, the place in the step together with the sign."""
    if not valid_staircase(eps, width, gamma):
        return math.nan
    stair = np.floor(sample_standard_exponential(s) / eps)
    high = uniform(s) * (gamma + (1.0 - gamma) * math.exp(-eps)) < gamma
    place = signed_place(next_word(s)) / HALF_BITS
    inside = gamma * abs(place) if high else gamma + (1.0 - gamma) * abs(place)
    return math.copysign((stair + inside) * width, place)


def staircase_height(eps: float, width: float, gamma: float) -> float:
    """Of the density at 0: their equation (13)."""
    b = math.exp(-eps)
    return (1.0 - b) / (2.0 * width * (gamma + b * (1.0 - gamma)))


def pdf_staircase(x: float, eps: float, width: float, gamma: float) -> float:
    at = abs(x) / width
    stair = np.floor(at)
    lower = 0.0 if at - stair < gamma else 1.0
    return staircase_height(eps, width, gamma) * math.exp(-eps * (stair + lower))


def cdf_staircase(x: float, eps: float, width: float, gamma: float) -> float:
    at = abs(x) / width
    stair = np.floor(at)
    inside, outer = (at - stair if at < math.inf else 0.0), math.exp(-eps * stair)
    step = min(inside, gamma) + math.exp(-eps) * max(0.0, inside - gamma)
    tail = outer * (0.5 - staircase_height(eps, width, gamma) * width * step)
    return 1.0 - tail if x >= 0.0 else tail
