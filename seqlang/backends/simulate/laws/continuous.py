"""Laws with a density on the real line."""

from __future__ import annotations

import math

import numpy as np

from seqlang.backends.simulate.arrays import Value
from seqlang.backends.simulate.laws.law import Array, VectorLaw, require
from seqlang.backends.simulate.streams import Source


class Laplace(VectorLaw):
    def __init__(self, scale: Value) -> None:
        require(np.greater(scale, 0), "laplace needs a positive scale")
        self.scale = scale
        self.parameters = (scale,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        return self.quantile(source.uniform(shape))

    def quantile(self, u: Array) -> Array:
        v = u - 0.5
        return np.asarray(-self.scale * np.sign(v) * np.log1p(np.maximum(-2 * np.abs(v), -1 + 2.0**-53)))

    def pdf(self, x: Value) -> Value:
        return np.exp(-np.abs(x) / self.scale) / (2 * self.scale)

    def cdf(self, x: Value) -> Value:
        tail = 0.5 * np.exp(-np.abs(x) / self.scale)
        return np.where(np.less(x, 0), tail, 1 - tail)


class Exponential(VectorLaw):
    def __init__(self, mean: Value) -> None:
        require(np.greater(mean, 0), "exponential needs a positive mean")
        self.mean = mean
        self.parameters = (mean,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        return np.asarray(-self.mean * np.log(source.uniform(shape)))

    def quantile(self, u: Array) -> Array:
        return np.asarray(-self.mean * np.log1p(-u))

    def pdf(self, x: Value) -> Value:
        return np.where(np.less(x, 0), 0.0, np.exp(-np.maximum(x, 0) / self.mean) / self.mean)

    def cdf(self, x: Value) -> Value:
        return -np.expm1(-np.maximum(x, 0) / self.mean)


class Gumbel(VectorLaw):
    def __init__(self, scale: Value) -> None:
        require(np.greater(scale, 0), "gumbel needs a positive scale")
        self.scale = scale
        self.parameters = (scale,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        return self.quantile(source.uniform(shape))

    def quantile(self, u: Array) -> Array:
        return np.asarray(-self.scale * np.log(-np.log(u)))

    def pdf(self, x: Value) -> Value:
        t = np.minimum(-np.asarray(x, float) / self.scale, 700.0)
        return np.exp(t - np.exp(t)) / self.scale

    def cdf(self, x: Value) -> Value:
        return np.exp(-np.exp(np.minimum(-np.asarray(x, float) / self.scale, 700.0)))


def standard_normal(source: Source, shape: tuple[int, ...]) -> Array:
    """Box and Muller's transform of two uniforms; only one of its two values is used, so that a draw stands alone."""
    radius = source.uniform(shape)
    np.log(radius, out=radius)
    radius *= -2.0
    np.sqrt(radius, out=radius)
    angle = source.uniform(shape)
    angle *= 2 * math.pi
    np.cos(angle, out=angle)
    radius *= angle
    return radius


class Normal(VectorLaw):
    def __init__(self, mean: Value, sd: Value) -> None:
        require(np.greater_equal(sd, 0), "normal needs a standard deviation >= 0")
        self.mean, self.sd = mean, sd
        self.parameters = (mean, sd)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        z = standard_normal(source, shape)
        return np.asarray(z * self.sd + self.mean)

    def pdf(self, x: Value) -> Value:
        z = (x - self.mean) / self.sd
        return np.exp(-z * z / 2) / (self.sd * math.sqrt(2 * math.pi))

    def cdf(self, x: Value) -> Value:
        from scipy.special import ndtr

        return ndtr((x - self.mean) / self.sd)


def gaussian(sd: Value) -> Normal:
    return Normal(0.0, sd)


class Uniform(VectorLaw):
    def __init__(self, low: Value, high: Value) -> None:
        require(np.less(low, high), "uniform needs low < high")
        self.low, self.high = low, high
        self.parameters = (low, high)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        return self.quantile(source.uniform(shape))

    def quantile(self, u: Array) -> Array:
        return np.asarray(np.minimum(self.low + u * (self.high - self.low), self.high))

    def pdf(self, x: Value) -> Value:
        return np.where((x >= self.low) & (x <= self.high), 1 / (self.high - self.low), 0.0)

    def cdf(self, x: Value) -> Value:
        return np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0)


class Staircase(VectorLaw):
    def __init__(self, eps: Value, width: Value, gamma: Value | None = None) -> None:
        self.eps, self.width = eps, width
        self.gamma = 1 / (1 + math.exp(eps / 2)) if gamma is None else gamma
        self.parameters = (eps, width, self.gamma)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        b = np.exp(-self.eps)
        sign = np.where(source.uniform(shape) < 0.5, 1.0, -1.0)
        stair = np.floor(np.log(source.uniform(shape)) / -self.eps)
        high = source.uniform(shape) < self.gamma / (self.gamma + (1 - self.gamma) * b)
        u = source.uniform(shape)
        inside = np.where(high, self.gamma * u, self.gamma + (1 - self.gamma) * u)
        return np.asarray(sign * (stair + inside) * self.width)
