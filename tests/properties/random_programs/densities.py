"""Continuous noise by its definition: density, tails, and a quadrature for functions whose kinks lie at halves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]
Law = tuple[Any, ...]
"""Family and scale; `staircase` has epsilon and a width of 1 (and gamma 1/2 as written)."""
DENSITIES = ("laplace", "gaussian", "exponential", "staircase")
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
CELL = 0.5


def at_least(law: Law, x: Array) -> Array:
    """P(noise >= x)."""
    family, a = law[0], law[1]
    if family == "gaussian":
        return np.asarray(ndtr(-x / a))
    if family == "exponential":
        return np.exp(-np.maximum(x, 0) / a)
    tail = _staircase_tail(a, np.abs(x)) if family == "staircase" else 0.5 * np.exp(-np.abs(x) / a)
    return np.where(x > 0, tail, 1 - tail)


def at_most(law: Law, x: Array) -> Array:
    """P(noise <= x), without cancellation."""
    if law[0] == "exponential":
        return np.where(x > 0, -np.expm1(-np.maximum(x, 0) / law[1]), 0.0)
    return at_least(law, -x)


def mass(law: Law, low: Array, high: Array) -> Array:
    """P(low <= noise <= high), from the tail that loses least; 0 where high < low."""
    right = at_least(law, low) - at_least(law, high)
    left = at_most(law, high) - at_most(law, low)
    return np.where(high > low, np.maximum(np.where(low >= 0, right, left), 0.0), 0.0)


def density(law: Law, x: Array) -> Array:
    family, a = law[0], law[1]
    if family == "gaussian":
        return np.exp(-(x**2) / (2 * a * a)) / (a * math.sqrt(2 * math.pi))
    if family == "laplace":
        return np.exp(-np.abs(x) / a) / (2 * a)
    if family == "exponential":
        return np.where(x >= 0, np.exp(-np.maximum(x, 0) / a) / a, 0.0)
    q, k = math.exp(-a), np.floor(np.abs(x))
    return (1 - q) / (1 + q) * q ** (k + (np.abs(x) - k >= 0.5))


def _staircase_tail(epsilon: float, x: Array) -> Array:
    """Steps of width 1, each falling by epsilon in its middle."""
    q = math.exp(-epsilon)
    k = np.floor(np.minimum(x, 1e6))
    f = np.minimum(x, 1e6) - k
    rest = q ** (k + 1) / 2 * (1 + q) / (1 - q)
    here = q**k * (np.maximum(0.5 - f, 0) + q * np.minimum(1 - f, 0.5))
    return (1 - q) / (1 + q) * (here + rest)


def quadrature(law: Law) -> tuple[list[float], list[float]]:
    """Nodes and weights, on cells that begin and end at halves."""
    family, a = law[0], law[1]
    reach = math.ceil(8 * a if family == "gaussian" else 21 / a if family == "staircase" else 21 * a)
    edges = np.arange(0.0 if family == "exponential" else -reach, reach + CELL / 2, CELL)
    x = ((edges[1:] + edges[:-1])[:, None] / 2 + CELL / 2 * NODES).ravel()
    chance = np.tile(CELL / 2 * WEIGHTS, len(edges) - 1) * density(law, x)
    return x.tolist(), chance.tolist()
