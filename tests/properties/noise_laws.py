"""Noise laws for the oracle, written from their definitions with numpy; shares nothing with seqlang."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)


def smooth(reach: float, width: float) -> tuple[Array, Array]:
    """Nodes and weights on [-reach, reach] for functions that are smooth but for a kink at 0, changing over `width`."""
    edges = np.arange(0, math.ceil(reach / width) + 1) * width
    middle = (edges[1:] + edges[:-1]) / 2
    x = (middle[:, None] + width / 2 * _NODES).ravel()
    w = np.tile(width / 2 * _WEIGHTS, len(middle))
    return np.concatenate([-x[::-1], x]), np.concatenate([w[::-1], w])


@dataclass(frozen=True)
class NoiseLaw:
    """`family` and one scale (mean of |noise| for Laplace, mean for exponential, ratio for geometric, sd for Gaussian;
    for the staircase the scale is 1 / eps with steps of width 1 and gamma 1/2)."""

    family: str
    scale: float

    def text(self) -> str:
        """As a `.seq` file writes it."""
        if self.family == "staircase":
            return f"staircase({1 / self.scale!r}, 1, 1 / 2)"
        return f"{self.family}({self.scale!r})"

    def at_least(self, x: Array) -> Array:
        """P(noise >= x)."""
        s = self.scale
        match self.family:
            case "laplace":
                return np.where(x > 0, 0.5 * np.exp(-np.abs(x) / s), 1 - 0.5 * np.exp(-np.abs(x) / s))
            case "exponential":
                return np.where(x > 0, np.exp(-np.maximum(x, 0) / s), 1.0)
            case "geometric":
                k = np.ceil(x - 1e-9)
                tail = s ** np.abs(np.where(k > 0, k, 1 - k)) / (1 + s)
                return np.where(k > 0, tail, 1 - tail)
            case "gaussian":
                return ndtr(-x / s)
            case "staircase":
                return np.where(x > 0, self._staircase_tail(np.abs(x)), 1 - self._staircase_tail(np.abs(x)))
        raise AssertionError(self.family)

    def _staircase_tail(self, x: Array) -> Array:
        eps = 1 / self.scale
        q = math.exp(-eps)
        a = (1 - q) / (2 * (0.5 + q * 0.5))
        k = np.floor(x)
        f = x - k
        beyond = a * q ** (k + 1) * (0.5 + 0.5 * q) / (1 - q)
        here = a * q**k * (np.maximum(0.5 - f, 0) + q * np.minimum(1 - f, 0.5))
        return here + beyond

    def at_most(self, x: Array) -> Array:
        """P(noise <= x)."""
        if self.family == "exponential":
            return np.where(x >= 0, -np.expm1(-np.maximum(x, 0) / self.scale), 0.0)
        return self.at_least(-x)

    def quadrature(self) -> tuple[Array, Array]:
        """Nodes and weights (density included) exact for functions that are smooth between multiples of 1/4."""
        s = self.scale
        if self.family == "geometric":
            top = math.ceil(math.log(1e-15) / math.log(s))
            k = np.arange(-top, top + 1, dtype=float)
            return k, (1 - s) / (1 + s) * s ** np.abs(k)
        reach = 34 * s if self.family != "gaussian" else 9 * s
        low = 0.0 if self.family == "exponential" else -math.ceil(reach)
        edges = np.arange(low, math.ceil(reach) + 0.25, 0.25)
        middle, half = (edges[1:] + edges[:-1]) / 2, 0.125
        x = (middle[:, None] + half * _NODES).ravel()
        return x, np.tile(half * _WEIGHTS, len(middle)) * self.density(x)

    def density(self, x: Array) -> Array:
        s = self.scale
        match self.family:
            case "laplace":
                return np.exp(-np.abs(x) / s) / (2 * s)
            case "exponential":
                return np.exp(-x / s) / s
            case "gaussian":
                return np.exp(-(x**2) / (2 * s * s)) / (s * math.sqrt(2 * math.pi))
            case "staircase":
                q = math.exp(-1 / s)
                a = (1 - q) / (2 * (0.5 + q * 0.5))
                k = np.floor(np.abs(x))
                return a * q ** (k + (np.abs(x) - k >= 0.5))
        raise AssertionError(self.family)
