"""Laws with a probability mass function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from seqlang.backends.simulate.arrays import CannotVectorise, Value, shape_of
from seqlang.backends.simulate.laws.law import Array, VectorLaw, require
from seqlang.backends.simulate.streams import Source

LONGEST_TABLE = 1_000_000


class Bernoulli(VectorLaw):
    def __init__(self, p: Value) -> None:
        require(
            np.logical_and(np.greater_equal(p, -1e-12), np.less_equal(p, 1 + 1e-12)), "bernoulli needs a probability"
        )
        self.p = p
        self.parameters = (p,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        return np.asarray(source.uniform(shape) < self.p, dtype=np.float64)

    def pmf(self, x: Value) -> Value:
        return np.where(np.equal(x, 1), self.p, np.where(np.equal(x, 0), 1 - np.asarray(self.p), 0.0))

    def cdf(self, x: Value) -> Value:
        return np.where(np.greater_equal(x, 1), 1.0, np.where(np.greater_equal(x, 0), 1 - np.asarray(self.p), 0.0))

    def support(self) -> tuple[Value, ...]:
        return (0, 1)


def _log_factorial(k: Value) -> Value:
    """log k! for whole k >= 0; Stirling's series above 16, a table below."""
    table = np.cumsum(np.concatenate([[0.0], np.log(np.arange(1.0, 17.0))]))
    k = np.maximum(np.asarray(k, dtype=np.float64), 0.0)
    if np.all(k <= 16):
        return table[k.astype(np.intp)]
    z = np.maximum(k, 16.0) + 1
    series = (z - 0.5) * np.log(z) - z + 0.5 * math.log(2 * math.pi)
    series += 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5)
    return np.where(k <= 16, table[np.minimum(k, 16).astype(np.intp)], series)


def _invert(u: Array, pmf: Any, longest: int) -> Array:
    """The smallest whole k >= 0 whose cdf reaches u, by adding up masses: one uniform a draw."""
    k = np.zeros(u.shape)
    left = u - pmf(0)
    open_ = left >= 0
    j = 0
    while open_.any() and j < longest:
        j += 1
        k += open_
        left = left - pmf(j)
        open_ &= left >= 0
    return k


class Binomial(VectorLaw):
    def __init__(self, n: Value, p: Value) -> None:
        self.n, self.p = n, p
        self.parameters = (n, p)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        u = source.uniform(shape)
        return np.minimum(_invert(u, self.pmf, int(np.max(self.n))), self.n)

    def pmf(self, x: Value) -> Value:
        n, p = np.asarray(self.n, dtype=np.float64), np.asarray(self.p, dtype=np.float64)
        k = np.clip(x, 0, n)
        ways = _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_mass = ways + np.where(k > 0, k * np.log(p), 0.0) + np.where(n > k, (n - k) * np.log1p(-p), 0.0)
        inside = (np.asarray(x) >= 0) & (np.asarray(x) <= n) & (np.floor(x) == x)
        return np.where(inside, np.exp(log_mass), 0.0)

    def support(self) -> tuple[Value, ...]:
        return tuple(range(int(np.max(self.n)) + 1))  # the mass beyond a run's own n is 0


class Poisson(VectorLaw):
    def __init__(self, mean: Value) -> None:
        require(np.greater_equal(mean, 0), "poisson needs a mean >= 0")
        if np.any(np.greater(mean, 700)):
            raise CannotVectorise("a poisson law of mean above 700")
        self.mean = mean
        self.parameters = (mean,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        return _invert(source.uniform(shape), self.pmf, LONGEST_TABLE)

    def pmf(self, x: Value) -> Value:
        mean = np.asarray(self.mean, dtype=np.float64)
        k = np.maximum(x, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            mass = np.exp(np.where(k > 0, k * np.log(mean), 0.0) - mean - _log_factorial(k))
        return np.where((np.asarray(x) >= 0) & (np.floor(x) == x), mass, 0.0)


class Geometric(VectorLaw):
    def __init__(self, ratio: Value) -> None:
        require(np.logical_and(np.greater_equal(ratio, 0), np.less(ratio, 1)), "geometric needs a ratio in [0, 1)")
        self.ratio = ratio
        self.parameters = (ratio,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        with np.errstate(divide="ignore"):
            scale = 1 / np.log(np.asarray(self.ratio, dtype=np.float64))
        first = np.floor(np.log(source.uniform(shape)) * scale)
        first -= np.floor(np.log(source.uniform(shape)) * scale)
        return first

    def pmf(self, x: Value) -> Value:
        r = np.asarray(self.ratio, dtype=np.float64)
        return np.where(np.floor(x) == x, (1 - r) / (1 + r) * r ** np.abs(x), 0.0)

    def cdf(self, x: Value) -> Value:
        r, k = np.asarray(self.ratio, dtype=np.float64), np.floor(x)
        return np.where(k < 0, r ** np.maximum(-k, 0) / (1 + r), 1 - r ** np.maximum(k + 1, 0) / (1 + r))


class DiscreteGaussian(VectorLaw):
    def __init__(self, sd: Value) -> None:
        require(np.greater(sd, 0), "discrete_gaussian needs a positive sd")
        if np.size(sd) != 1:
            raise CannotVectorise("a discrete_gaussian whose sd differs from run to run")
        self.sd = float(np.ravel(sd)[0])
        self.parameters = (sd,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        """By the table of the cdf up to 40 standard deviations: one uniform a draw."""
        reach = math.ceil(40 * self.sd) + 1
        if 2 * reach > LONGEST_TABLE:
            raise CannotVectorise("a discrete_gaussian with so large an sd")
        masses = np.exp(-(np.arange(-reach, reach + 1, dtype=np.float64) ** 2) / (2 * self.sd**2))
        table = np.cumsum(masses / masses.sum())
        places = np.searchsorted(table, source.uniform(shape), side="left")
        return np.asarray(np.minimum(places, 2 * reach) - reach, dtype=np.float64)

    def pmf(self, x: Value) -> Value:
        reach = math.ceil(40 * self.sd) + 1
        total = np.exp(-(np.arange(-reach, reach + 1, dtype=np.float64) ** 2) / (2 * self.sd**2)).sum()
        return np.where(np.floor(x) == x, np.exp(-(np.asarray(x) ** 2) / (2 * self.sd**2)) / total, 0.0)


class Point(VectorLaw):
    joint = True

    def __init__(self, value: Value) -> None:
        self.value = value
        self.parameters = (value,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        array = np.asarray(self.value)
        return np.array(np.broadcast_to(array, (*array.shape[:-1], source.count)))

    def pmf(self, x: Value) -> Value:
        return np.where(np.equal(x, self.value), 1.0, 0.0)

    def support(self) -> tuple[Value, ...]:
        return (self.value,)


class Table(VectorLaw):
    """Values with weights; `values[j]` and `weights[j]` are numbers or arrays with one entry a run."""

    def __init__(self, values: list[Value], weights: list[Value]) -> None:
        if any(shape_of(v) for v in values):
            raise CannotVectorise("a law whose values are vectors")
        self.values, self.weights = values, weights
        total: Value = 0.0
        for w in weights:
            require(np.greater_equal(w, 0), "a weight is negative")
            total = total + w
        require(np.logical_and(np.greater(total, 0), np.less(total, math.inf)), "weights need a positive, finite sum")
        self.total = total

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        left = source.uniform(shape) * self.total
        chosen = np.zeros(left.shape)
        open_ = np.ones(left.shape, dtype=bool)
        for value, weight in zip(self.values, self.weights, strict=True):
            # Where rounding leaves a crumb after the last weight, the last value with a weight stays chosen.
            chosen = np.where(open_ & np.greater(weight, 0), value, chosen)
            left = left - weight
            open_ &= left >= 0
        return chosen

    def pmf(self, x: Value) -> Value:
        mass: Value = 0.0
        for value, weight in zip(self.values, self.weights, strict=True):
            mass = mass + np.where(np.equal(value, x), weight, 0.0)
        return mass / self.total


class Flip(VectorLaw):
    """Randomised response: by how many places on the circle of `size` values the truth is moved."""

    def __init__(self, truth: Value) -> None:
        self.truth = truth

    def places(self, source: Source, shape: tuple[int, ...], size: int) -> Array:
        lies = source.uniform(shape) >= self.truth
        if size == 2:
            return np.asarray(lies, dtype=np.intp)
        others = 1 + np.floor(source.uniform(shape) * (size - 1))
        return np.asarray(np.where(lies, others, 0), dtype=np.intp)
