"""Laws with a density, in closed form: Gaussian, Laplace, their sums, exponential, uniform, staircase, conditioned."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from seqlang.backends.solve import normal_law
from seqlang.backends.solve.law1 import Array, Law1


class Symmetric(Law1):
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
        low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
        right = low > 0
        if np.any(right):  # the mirror image, where tails are small
            low, high = np.where(right, -high, low), np.where(right, -low, high)
        return np.maximum(self.below(high) - self.below(low), 0.0)

    def scaled(self, factor: float, shift: float = 0.0) -> Law1:
        return super().scaled(abs(factor), shift)


class Gaussian(Law1):
    def __init__(self, sd: float, mean: float = 0.0) -> None:
        self.sd, self.mean = sd, mean
        self.scale, self.centre = sd, mean

    def above(self, x: Any, strict: bool = False) -> Array:
        return normal_law.cdf((self.mean - np.asarray(x, float)) / self.sd)

    def below(self, x: Any, strict: bool = False) -> Array:
        return normal_law.cdf((np.asarray(x, float) - self.mean) / self.sd)

    def density(self, x: Any) -> Array:
        t = (np.asarray(x, float) - self.mean) / self.sd
        return np.asarray(np.exp(-t * t / 2) / (self.sd * math.sqrt(2 * math.pi)))

    def quantile(self, p: float) -> float:
        return float(self.mean + self.sd * normal_law.quantile(p))

    def upper(self, q: float) -> float:
        return float(self.mean - self.sd * normal_law.quantile(q))

    def scaled(self, factor: float, shift: float = 0.0) -> Law1:
        return Gaussian(self.sd * abs(factor), self.mean * factor + shift)


class Laplace(Symmetric):
    kinks = (0.0,)

    def __init__(self, b: float) -> None:
        self.b = self.scale = b

    def tail(self, x: Array) -> Array:
        return np.asarray(0.5 * np.exp(-x / self.b))

    def above(self, x: Any, strict: bool = False) -> Array:
        # in place: on large tables most of the time would go into memory for what is in between
        x = np.asarray(x, float)
        found = np.asarray(np.abs(x))
        np.divide(found, -self.b, out=found)
        np.exp(found, out=found)
        found *= 0.5
        np.subtract(1.0, found, out=found, where=x < 0)
        return found

    def between(self, low: Any, high: Any, open_low: bool = False, open_high: bool = False) -> Array:
        low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
        across = (low <= 0) & (high >= 0)
        if not across.any():
            return _beside(low, high, self.b)
        found = _within(high, self.b)
        found -= _within(low, self.b)
        found *= 0.5
        if not across.all():
            beside = ~across
            found[beside] = _beside(low[beside], high[beside], self.b)
        return found

    def density(self, x: Any) -> Array:
        return np.asarray(np.exp(-np.abs(np.asarray(x, float)) / self.b) / (2 * self.b))

    def upper(self, q: float) -> float:
        return -self.b * math.log(2 * q) if q <= 0.5 else self.b * math.log(2 * (1 - q))

    def quantile(self, p: float) -> float:
        return -self.upper(p)

    def scaled(self, factor: float, shift: float = 0.0) -> Law1:
        return Laplace(self.b * abs(factor)) if shift == 0 else super().scaled(factor, shift)


def _within(x: Array, b: float) -> Array:
    """2 P(0 <= X <= x), negative on the left."""
    found = np.asarray(np.abs(x))
    np.divide(found, -b, out=found)
    np.expm1(found, out=found)
    return np.asarray(np.copysign(found, x, out=found))


def _beside(low: Array, high: Array, b: float) -> Array:
    """P(low <= X <= high) on one side of 0, without the cancellation of a difference of tails; 0 where empty."""
    with np.errstate(invalid="ignore"):
        width = np.asarray(np.fmax(high - low, 0.0))
    near = np.asarray(np.maximum(low, -high))
    np.divide(width, -b, out=width)
    np.expm1(width, out=width)
    np.divide(near, -b, out=near)
    np.exp(near, out=near)
    near *= width
    near *= -0.5
    return near


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

    def scaled(self, factor: float, shift: float = 0.0) -> Law1:
        if shift == 0:
            return TwoLaplace(self.large * abs(factor), self.small * abs(factor))
        return super().scaled(factor, shift)


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
        found = bell * (normal_law.mills(t) - 0.5 * normal_law.mills(t + r)) + 0.5 * _left(t, r, bell)
        return np.asarray(found)

    def density(self, x: Any) -> Array:
        t, r = np.minimum(np.abs(np.asarray(x, float)) / self.sd, 1e150), self.sd / self.b
        bell = np.exp(-t * t / 2)
        return np.asarray((_left(t, r, bell) + bell * normal_law.mills(t + r)) / (2 * self.b))

    def scaled(self, factor: float, shift: float = 0.0) -> Law1:
        if shift == 0:
            return GaussLaplace(self.sd * abs(factor), self.b * abs(factor))
        return super().scaled(factor, shift)


def _left(t: Array, r: float, bell: Array) -> Array:
    """e^(r^2/2 - r t) Phi(t - r), t >= 0."""
    behind = t - r
    with np.errstate(under="ignore", over="ignore"):
        return np.where(
            behind < 0,
            bell * normal_law.mills(np.maximum(-behind, 0.0)),
            np.exp(np.minimum(r * r / 2 - r * t, 0.0)) * normal_law.cdf(behind),
        )


class Exponential(Law1):
    support = (0.0, math.inf)
    kinks = (0.0,)

    def __init__(self, mean: float) -> None:
        self.mean = self.scale = mean
        self.centre = mean * math.log(2)

    def above(self, x: Any, strict: bool = False) -> Array:
        return np.asarray(np.exp(-np.maximum(np.asarray(x, float), 0.0) / self.mean))

    def below(self, x: Any, strict: bool = False) -> Array:
        return np.asarray(-np.expm1(-np.maximum(np.asarray(x, float), 0.0) / self.mean))

    def density(self, x: Any) -> Array:
        x = np.asarray(x, float)
        return np.where(x >= 0, np.exp(-np.maximum(x, 0.0) / self.mean) / self.mean, 0.0)

    def upper(self, q: float) -> float:
        return -self.mean * math.log(q)

    def quantile(self, p: float) -> float:
        return -self.mean * math.log1p(-p)


class Gumbel(Law1):
    """P(X <= x) = exp(-exp(-x / b))."""

    def __init__(self, b: float) -> None:
        self.b = self.scale = b
        self.centre = -b * math.log(math.log(2))

    def _tail(self, x: Any) -> Array:
        return np.asarray(np.exp(np.minimum(-np.asarray(x, float) / self.b, 700.0)))

    def above(self, x: Any, strict: bool = False) -> Array:
        return np.asarray(-np.expm1(-self._tail(x)))

    def below(self, x: Any, strict: bool = False) -> Array:
        return np.asarray(np.exp(-self._tail(x)))

    def density(self, x: Any) -> Array:
        t = self._tail(x)
        return np.asarray(t * np.exp(-t) / self.b)

    def upper(self, q: float) -> float:
        return -self.b * math.log(-math.log1p(-q))

    def quantile(self, p: float) -> float:
        return -self.b * math.log(-math.log(p))


class Uniform(Law1):
    def __init__(self, low: float, high: float) -> None:
        self.support = self.kinks = (low, high)
        self.scale = (high - low) / 4
        self.centre = (low + high) / 2

    def above(self, x: Any, strict: bool = False) -> Array:
        low, high = self.support
        return np.asarray(np.clip((high - np.asarray(x, float)) / (high - low), 0.0, 1.0))

    def below(self, x: Any, strict: bool = False) -> Array:
        low, high = self.support
        return np.asarray(np.clip((np.asarray(x, float) - low) / (high - low), 0.0, 1.0))

    def density(self, x: Any) -> Array:
        low, high = self.support
        x = np.asarray(x, float)
        return np.where((x >= low) & (x <= high), 1 / (high - low), 0.0)

    def quantile(self, p: float) -> float:
        low, high = self.support
        return low + p * (high - low)

    def upper(self, q: float) -> float:
        low, high = self.support
        return high - q * (high - low)


class Staircase(Symmetric):
    """Geng & Viswanath 2015: density proportional to e^(-eps k) on [k d, (k + gamma) d), a factor e^-eps lower on the
    rest of the k-th interval, symmetric."""

    def __init__(self, eps: float, d: float, gamma: float) -> None:
        self.eps, self.d, self.gamma = eps, d, gamma
        self.scale = d / min(1.0, eps)
        self.weight = gamma + math.exp(-eps) * (1 - gamma)
        last = math.ceil(min(40 / eps, 2000)) + 1  # beyond it there is less than 1e-17
        steps = [k * d for k in range(last)] + [(k + gamma) * d for k in range(last)]
        self.kinks = tuple(sorted(set(steps) | {-s for s in steps}))

    def tail(self, x: Array) -> Array:
        low = math.exp(-self.eps)
        x = np.minimum(x, 1e15 * self.d)
        k = np.floor(x / self.d)
        part = x / self.d - k
        left = np.where(part < self.gamma, self.gamma - part + low * (1 - self.gamma), low * (1 - part))
        # the k-th interval holds (1 - low) low^k / 2
        return np.asarray(0.5 * np.exp(-self.eps * k) * ((1 - low) * left / self.weight + low))

    def density(self, x: Any) -> Array:
        x = np.minimum(np.abs(np.asarray(x, float)), 1e15 * self.d)
        k = np.floor(x / self.d)
        k = k + (x >= (k + self.gamma) * self.d)
        constant = -math.expm1(-self.eps) / (2 * self.d * self.weight)
        return np.asarray(constant * np.exp(-self.eps * k))


class Conditioned(Law1):
    """A law with a density, given that it falls into [low, high]; its chance must not be 0."""

    def __init__(self, law: Law1, low: float, high: float) -> None:
        self.law = law
        low, high = max(low, law.support[0]), min(high, law.support[1])
        self.low, self.high = low, high
        self.total = float(law.between(low, high))
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
