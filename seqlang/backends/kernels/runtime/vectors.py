"""Laws of vectors: l2_laplace(scale), of density proportional to exp(-|x|_2 / scale), and uniform on an l2 ball."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.laws.variates.words import uniform
from seqlang.laws.variates.ziggurat import sample_standard_exponential, sample_standard_normal


def sample_standard_gamma(s: NDArray[np.uint64], shape: float) -> float:
    """Gamma(shape) for shape >= 1 and scale 1 (Marsaglia and Tsang 2000, "A simple method for generating gamma
    variables")."""
    d = shape - 1.0 / 3.0
    while True:
        z = sample_standard_normal(s)
        root = 1.0 + z / (3.0 * math.sqrt(d))
        if root <= 0.0:
            continue
        cube = root * root * root
        if sample_standard_exponential(s) > -(0.5 * z * z + d - d * cube + d * math.log(cube)):
            return d * cube


def euclidean_norm(x: NDArray[np.float64]) -> float:
    """Of an array (d,)."""
    total = 0.0
    for value in x:
        total += value * value
    return math.sqrt(total)


def fill_direction(s: NDArray[np.uint64], out: NDArray[np.float64], length: float) -> None:
    """`out` becomes a vector of that length, its direction uniform: a normal vector over its norm."""
    for i in range(len(out)):
        out[i] = sample_standard_normal(s)
    factor = length / euclidean_norm(out)
    for i in range(len(out)):
        out[i] *= factor


def valid_l2_laplace(scale: float) -> bool:
    """Whether the scale is one of the law."""
    return 0.0 < scale < math.inf


def sample_l2_laplace(s: NDArray[np.uint64], out: NDArray[np.float64], scale: float) -> None:
    """Fills `out`: a gamma(len(out)) length in a uniform direction. NaNs where `scale` is no scale."""
    if valid_l2_laplace(scale):
        fill_direction(s, out, scale * sample_standard_gamma(s, float(len(out))))
    else:
        out[:] = math.nan


def pdf_l2_laplace(x: NDArray[np.float64], scale: float) -> float:
    """The density at x (d,)."""
    d = float(len(x))
    sphere = math.log(2.0) + 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d)
    return math.exp(-euclidean_norm(x) / scale - sphere - math.lgamma(d) - d * math.log(scale))


def valid_uniform_ball(radius: float) -> bool:
    """Whether the radius is one of the law."""
    return 0.0 < radius < math.inf


def sample_uniform_ball(s: NDArray[np.uint64], out: NDArray[np.float64], radius: float) -> None:
    """Fills `out` with a point of the ball of `len(out)` dimensions. NaNs where `radius` is none."""
    if valid_uniform_ball(radius):
        fill_direction(s, out, radius * uniform(s) ** (1.0 / len(out)))
    else:
        out[:] = math.nan


def pdf_uniform_ball(x: NDArray[np.float64], radius: float) -> float:
    """The density at x (d,)."""
    d = float(len(x))
    if euclidean_norm(x) > radius:
        return 0.0
    return math.exp(math.lgamma(0.5 * d + 1.0) - 0.5 * d * math.log(math.pi) - d * math.log(radius))
