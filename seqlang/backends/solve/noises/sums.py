"""Sums of two independent noises in closed form, and a law conditioned on an interval."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from seqlang.backends.solve.noises import standard_normal
from seqlang.backends.solve.noises.scalar_law import Array, ScalarLaw, mirrored_between


class Symmetric(ScalarLaw):
    """A law with a density that is symmetric around 0."""

    @abstractmethod
    def tail(self, x: Array) -> Array:
        """P(X >= x) for x >= 0."""

    def above(self, x: Any, strict: bool = False) -> Array:
        x = np.asarray(x, float)
        tail = self.tail(np.abs(x))
        return np.where(x >= 0, tail, 1 - tail)

    def below(self, x: Any, strict: bool = False) -> Array:
        return self.above(-np.asarray(x, float))

    def between(self, low: Any, high: Any, open_low: bool = False, open_high: bool = False) -> Array:
        return mirrored_between(self, low, high)

    @abstractmethod
    def stretched(self, factor: float) -> ScalarLaw:
        """The law of factor * X, factor > 0."""

    def scaled(self, factor: float, shift: float = 0.0) -> ScalarLaw:
        return self.stretched(abs(factor)) if shift == 0 else super().scaled(abs(factor), shift)


class TwoLaplace(Symmetric):
    """The sum of two independent Laplace noises."""

    def __init__(self, first: float, second: float) -> None:
        self.large, self.small = max(first, second), min(first, second)
        self.kinks = (0.0,)
        self.scale = self.large

    def _part(self, x: Array) -> Array:
        """small^2 (1 - e^(-x d)) / (large^2 - small^2), d = 1/small - 1/large, also for equal scales."""
        large, small = self.large, self.small
        d = (large - small) / (large * small)
        if d == 0:
            return x / (2 * small)
        # x d may be tiny: expm1 keeps the quotient accurate
        return np.asarray(small * small * -np.expm1(-x * d) / ((large - small) * (large + small)))

    def tail(self, x: Array) -> Array:
        finite = np.where(np.isfinite(x), x, 0.0)
        found = 0.5 * np.exp(-finite / self.large) * (1 + self._part(finite))
        return np.where(np.isfinite(x), found, 0.0)

    def density(self, x: Any) -> Array:
        x = np.abs(np.asarray(x, float))
        large, small = self.large, self.small
        # (large e^(-x/large) - small e^(-x/small)) / (2 (large^2 - small^2)), rearranged without cancellation
        return np.asarray(np.exp(-x / large) * (1 / (large + small) + self._part(x) / small) / 2)

    def stretched(self, factor: float) -> ScalarLaw:
        return TwoLaplace(self.large * factor, self.small * factor)


class GaussLaplace(Symmetric):
    """The sum of independent N(0, sd^2) and Laplace(b)."""

    def __init__(self, sd: float, b: float) -> None:
        self.sd, self.b = sd, b
        self.scale = min(sd, math.hypot(sd, b))

    def tail(self, x: Array) -> Array:
        # P = Q(t) - e^(r^2/2 + rt) Q(t + r) / 2 + e^(r^2/2 - rt) Phi(t - r) / 2 with t = x/sd, r = sd/b; the factors
        # that grow are paired with those that vanish through Mills' ratio
        t, r = x / self.sd, self.sd / self.b
        t = np.minimum(t, 1e150)
        bell = np.exp(-t * t / 2)
        found = bell * (standard_normal.mills(t) - 0.5 * standard_normal.mills(t + r)) + 0.5 * _left(t, r, bell)
        return np.asarray(found)

    def density(self, x: Any) -> Array:
        t, r = np.minimum(np.abs(np.asarray(x, float)) / self.sd, 1e150), self.sd / self.b
        bell = np.exp(-t * t / 2)
        return np.asarray((_left(t, r, bell) + bell * standard_normal.mills(t + r)) / (2 * self.b))

    def stretched(self, factor: float) -> ScalarLaw:
        return GaussLaplace(self.sd * factor, self.b * factor)


def _left(t: Array, r: float, bell: Array) -> Array:
    """e^(r^2/2 - r t) Phi(t - r), t >= 0."""
    behind = t - r
    with np.errstate(under="ignore", over="ignore"):
        return np.where(
            behind < 0,
            bell * standard_normal.mills(np.maximum(-behind, 0.0)),
            np.exp(np.minimum(r * r / 2 - r * t, 0.0)) * standard_normal.cdf(behind),
        )


class Conditioned(ScalarLaw):
    """A law with a density, given that it falls into [low, high]; its chance must not be 0."""

    def __init__(self, law: ScalarLaw, low: float, high: float) -> None:
        self.law, self.closed = law, law.closed
        low, high = max(low, law.support[0]), min(high, law.support[1])
        self.low, self.high = low, high
        self.total = float(law.between(low, high))
        # chances are differences of tails, divided by the total
        self.condition = law.condition * max(1.0, min(float(law.above(low)), float(law.below(high))) / self.total)
        self.support = (low, high)
        ends = [e for e in (low, high) if math.isfinite(e)]
        self.kinks = tuple(sorted({*(k for k in law.kinks if low < k < high), *ends}))
        self.scale = min(law.scale, (high - low) / 4)
        self.centre = min(max(law.centre, low), high)
        if law.centre <= low or law.centre >= high:  # a tail: the middle is where the chance is
            self.centre = self.quantile(0.5)

    def above(self, x: Any, strict: bool = False) -> Array:
        x = np.clip(np.asarray(x, float), self.low, self.high)
        return np.minimum(self.law.between(x, self.high) / self.total, 1.0)

    def below(self, x: Any, strict: bool = False) -> Array:
        x = np.clip(np.asarray(x, float), self.low, self.high)
        return np.minimum(self.law.between(self.low, x) / self.total, 1.0)

    def between(self, low: Any, high: Any, open_low: bool = False, open_high: bool = False) -> Array:
        low = np.clip(np.asarray(low, float), self.low, self.high)
        high = np.clip(np.asarray(high, float), self.low, self.high)
        return np.minimum(self.law.between(low, high) / self.total, 1.0)

    def density(self, x: Any) -> Array:
        x = np.asarray(x, float)
        return np.where((x >= self.low) & (x <= self.high), self.law.density(x) / self.total, 0.0)
