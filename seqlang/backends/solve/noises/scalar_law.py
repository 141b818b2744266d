"""The law of one number, as numpy functions: what every noise offers to the exact solver.

All methods take arrays of any shape (or numbers) and answer with an array of that shape. Tails keep their relative
accuracy where the law has a closed form. A discrete law treats an argument within `TIE` (relative, or relative to the
smallest gap between its points) of one of its points as that point.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TIE = 1e-12
"""Relative distance below which a number counts as a point of a discrete law."""
FAINT = 1e-285
"""Smaller chances have few digits as doubles, or none; points of an infinite law beyond it are not listed."""
CLEARLY = 1e15
"""A chance that is so many times what was left out of a law is known to all digits."""
CLOSE = 1e-300
"""The reciprocal of the largest distance at which quantiles are looked for."""


class ScalarLaw(ABC):
    """A law on the line.

    `discrete`: it sits on points. `support` has the ends; `kinks` are the points where a density is not smooth, finite
    ends of the support among them, in increasing order; `scale` is a length on which it changes much, `centre` a point
    in its middle.
    """

    discrete = False
    closed = True
    """Whether its chances are computed to a few units in the last place of 1, and not by quadrature."""
    condition = 1.0
    """How many times the error of the distribution function of the underlying law its chances may be off."""
    cut: float = 0.0
    """The chance of points that were left out, at most."""
    support: tuple[float, float] = (-math.inf, math.inf)
    kinks: tuple[float, ...] = ()
    scale: float = 1.0
    centre: float = 0.0

    @property
    def sensitivity(self) -> float:
        """How many units in the last place of 1 a chance may be off for each that an argument or a parameter is off:
        they are near `centre`, and a chance changes by about 1 over a `scale`."""
        away = abs(self.centre) / self.scale if self.scale > 0 else 0.0
        return self.condition * (1.0 + (0.0 if self.discrete else away))

    @abstractmethod
    def above(self, x: Any, strict: bool = False) -> Array:
        """P(X >= x), or P(X > x)."""

    @abstractmethod
    def below(self, x: Any, strict: bool = False) -> Array:
        """P(X <= x), or P(X < x)."""

    @abstractmethod
    def density(self, x: Any) -> Array:
        """The density, or the probability of the point x."""

    def atoms(self, tail: float = 0.0) -> tuple[Array, Array]:
        """Points in increasing order and their chances, of a discrete law. With an infinite support the points beyond
        which less than `tail` lies on each side are left out (tail 0: those with chances below 1e-300)."""
        raise TypeError("a law with a density has no points")

    def between(self, low: Any, high: Any, open_low: bool = False, open_high: bool = False) -> Array:
        """P(low <= X <= high); an open end is left out. Zero where high < low."""
        low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
        right = low > self.centre
        if np.all(right):
            found = self.above(low, open_low) - self.above(high, not open_high)
        else:
            found = self.below(high, open_high) - self.below(low, not open_low)
            if np.any(right):
                found = np.where(right, self.above(low, open_low) - self.above(high, not open_high), found)
        return np.maximum(found, 0.0)

    def quantile(self, p: float) -> float:
        """The smallest x with P(X <= x) >= p."""
        return _cross(lambda x: float(self.below(x)) >= p, self)

    def upper(self, q: float) -> float:
        """The smallest x with P(X > x) <= q."""
        return _cross(lambda x: float(self.above(x, True)) <= q, self)

    def effective_support(self, tail: float) -> tuple[float, float]:
        """An interval (low, high) that leaves out at most the probability `tail` on each side: an end of the support
        where that is finite, and else the quantile."""
        low, high = self.support
        return (low if math.isfinite(low) else self.quantile(tail)), (high if math.isfinite(high) else self.upper(tail))

    def scaled(self, factor: float, shift: float = 0.0) -> ScalarLaw:
        """The law of factor * X + shift."""
        if factor == 1 and shift == 0:
            return self
        return Affine(self, factor, shift)


def mirrored_between(law: ScalarLaw, low: Any, high: Any) -> Array:
    """P(low <= X <= high) of a law with a density that is symmetric around 0."""
    low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
    right = low > 0
    if np.any(right):  # the mirror image, where tails are small
        low, high = np.where(right, -high, low), np.where(right, -low, high)
    return np.maximum(law.below(high) - law.below(low), 0.0)


def _cross(holds: Any, law: ScalarLaw) -> float:
    """The first x at which `holds`, by bisection."""
    step = law.scale
    low, high = law.centre - step, law.centre + step
    while not holds(high) and step < CLOSE**-1:
        step *= 2
        low, high = high, law.centre + step
    step = law.scale
    while holds(low) and step < CLOSE**-1:
        step *= 2
        low, high = law.centre - step, low
    if math.isfinite(law.support[0]):
        low = max(low, law.support[0] - law.scale)
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


class Affine(ScalarLaw):
    """factor * X + shift, factor not 0."""

    def __init__(self, law: ScalarLaw, factor: float, shift: float = 0.0) -> None:
        self.law, self.factor, self.shift = law, factor, shift
        self.discrete, self.closed, self.condition, self.cut = law.discrete, law.closed, law.condition, law.cut
        ends = [end * factor + shift for end in law.support]
        self.support = (min(ends), max(ends))
        self.kinks = tuple(sorted(k * factor + shift for k in law.kinks))
        self.scale = law.scale * abs(factor)
        self.centre = law.centre * factor + shift

    def _inner(self, x: Any) -> Array:
        return np.asarray((np.asarray(x, float) - self.shift) / self.factor)

    def above(self, x: Any, strict: bool = False) -> Array:
        return self.law.above(self._inner(x), strict) if self.factor > 0 else self.law.below(self._inner(x), strict)

    def below(self, x: Any, strict: bool = False) -> Array:
        return self.law.below(self._inner(x), strict) if self.factor > 0 else self.law.above(self._inner(x), strict)

    def between(self, low: Any, high: Any, open_low: bool = False, open_high: bool = False) -> Array:
        if self.factor > 0:
            return self.law.between(self._inner(low), self._inner(high), open_low, open_high)
        return self.law.between(self._inner(high), self._inner(low), open_high, open_low)

    def density(self, x: Any) -> Array:
        found = self.law.density(self._inner(x))
        return found if self.discrete else found / abs(self.factor)

    def atoms(self, tail: float = 0.0) -> tuple[Array, Array]:
        points, chances = self.law.atoms(tail)
        points = points * self.factor + self.shift
        return (points, chances) if self.factor > 0 else (points[::-1], chances[::-1])

    def scaled(self, factor: float, shift: float = 0.0) -> ScalarLaw:
        return self.law.scaled(self.factor * factor, self.shift * factor + shift)
