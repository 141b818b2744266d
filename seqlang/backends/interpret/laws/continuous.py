"""Laws with a density on the real line, sampled by inverting their distribution function or by parts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.values import EvaluationError, Value, describe

if TYPE_CHECKING:
    from random import Random


def positive(name: str, what: str, value: Value) -> float:
    """`value` as a float if it is a positive finite number; an error that names the law otherwise."""
    if not 0 < value < math.inf:
        raise EvaluationError(f"{name} needs a positive {what}, this is {describe(value)}")
    return float(value)


def open_unit(random: Random) -> float:
    """Uniform on the open interval (0, 1): logarithms of it and of 1 minus it are finite."""
    while True:
        u = random.random()
        if u > 0.0:
            return u


class Laplace(LawValue):
    """Density exp(-|x| / scale) / (2 scale)."""

    __slots__ = ("scale",)
    name = "laplace"

    def __init__(self, scale: Value) -> None:
        self.scale = positive("laplace", "scale", scale)

    def sample(self, random: Random) -> float:
        value = self.quantile(open_unit(random))
        assert value is not None
        return value

    def centre(self) -> float:
        return 0.0

    def pdf(self, x: Value) -> float:
        return math.exp(-abs(x) / self.scale) / (2 * self.scale)

    def cdf(self, x: Value) -> float:
        return 0.5 * math.exp(x / self.scale) if x < 0 else 1 - 0.5 * math.exp(-x / self.scale)

    def quantile(self, u: float) -> float:
        return self.scale * math.log(2 * u) if u < 0.5 else -self.scale * math.log(2 * (1 - u))


class Exponential(LawValue):
    """One-sided: density exp(-x / mean) / mean for x >= 0."""

    __slots__ = ("mean",)
    name = "exponential"

    def __init__(self, mean: Value) -> None:
        self.mean = positive("exponential", "mean", mean)

    def sample(self, random: Random) -> float:
        return -self.mean * math.log(open_unit(random))

    def centre(self) -> float:
        return 0.0

    def pdf(self, x: Value) -> float:
        return math.exp(-x / self.mean) / self.mean if x >= 0 else 0.0

    def cdf(self, x: Value) -> float:
        return -math.expm1(-x / self.mean) if x > 0 else 0.0

    def quantile(self, u: float) -> float:
        return -self.mean * math.log1p(-u)


class Gumbel(LawValue):
    """The law of largest values: P(X <= x) = exp(-exp(-x / scale)). Its mode is 0, its mean 0.5772.. times the scale.

    The position of the largest of a_i + noise is i with probability proportional to exp(a_i / scale).
    """

    __slots__ = ("scale",)
    name = "gumbel"

    def __init__(self, scale: Value) -> None:
        self.scale = positive("gumbel", "scale", scale)

    def sample(self, random: Random) -> float:
        return self.quantile(open_unit(random))

    def centre(self) -> float:
        return 0.0

    def pdf(self, x: Value) -> float:
        t = -x / self.scale
        return math.exp(t - math.exp(t)) / self.scale if t < 700 else 0.0

    def cdf(self, x: Value) -> float:
        t = -x / self.scale
        return math.exp(-math.exp(t)) if t < 700 else 0.0

    def quantile(self, u: float) -> float:
        return -self.scale * math.log(-math.log(u))


class Normal(LawValue):
    """Normal with mean and standard deviation; a deviation of 0 is the constant `mean` and has no density."""

    __slots__ = ("mean", "sd")
    name = "normal"

    def __init__(self, mean: Value, sd: Value) -> None:
        if not 0 <= sd < math.inf or not math.isfinite(mean):
            raise EvaluationError(f"normal needs a finite mean and sd >= 0: {describe(mean)}, {describe(sd)}")
        self.mean = float(mean)
        self.sd = float(sd)

    def sample(self, random: Random) -> float:
        return random.gauss(self.mean, self.sd)

    def centre(self) -> float:
        return self.mean

    def pdf(self, x: Value) -> float:
        z = (x - self.mean) / positive("normal", "standard deviation", self.sd)
        return math.exp(-z * z / 2) / (self.sd * math.sqrt(2 * math.pi))

    def cdf(self, x: Value) -> float:
        if self.sd == 0:
            return 1.0 if x >= self.mean else 0.0
        return 0.5 * math.erfc((self.mean - x) / (self.sd * math.sqrt(2)))

    def quantile(self, u: float) -> float:
        from statistics import NormalDist

        return self.mean + self.sd * (NormalDist().inv_cdf(u) if 0 < u < 1 else math.copysign(math.inf, u - 0.5))


class Gaussian(Normal):
    """The noise: normal with mean 0."""

    __slots__ = ()
    name = "gaussian"

    def __init__(self, sd: Value) -> None:
        super().__init__(0.0, sd)


class Uniform(LawValue):
    """Uniform on [low, high]."""

    __slots__ = ("high", "low")
    name = "uniform"

    def __init__(self, low: Value, high: Value) -> None:
        if not -math.inf < low < high < math.inf:
            raise EvaluationError(f"uniform needs low < high, these are {describe(low)} and {describe(high)}")
        self.low = float(low)
        self.high = float(high)

    def sample(self, random: Random) -> float:
        return min(self.low + random.random() * (self.high - self.low), self.high)

    def centre(self) -> float:
        return (self.low + self.high) / 2

    def pdf(self, x: Value) -> float:
        return 1 / (self.high - self.low) if self.low <= x <= self.high else 0.0

    def cdf(self, x: Value) -> float:
        return float(min(1.0, max(0.0, (x - self.low) / (self.high - self.low))))

    def quantile(self, u: float) -> float:
        return self.low + u * (self.high - self.low)


class Staircase(LawValue):
    """Geng and Viswanath 2014: a density that falls by exp(-eps) every `width`, in stairs of `gamma * width`.

    Height a on |x| < gamma * width and a * exp(-eps) on the rest of the first stair, a as in their equation (13).
    """

    __slots__ = ("eps", "gamma", "height", "width")
    name = "staircase"

    def __init__(self, eps: Value, width: Value, gamma: Value | None = None) -> None:
        self.eps = positive("staircase", "eps", eps)
        self.width = positive("staircase", "width", width)
        self.gamma = 1 / (1 + math.exp(self.eps / 2)) if gamma is None else float(gamma)
        if not 0 <= self.gamma <= 1:
            raise EvaluationError(f"staircase needs gamma between 0 and 1, this is {describe(gamma)}")
        b = math.exp(-self.eps)
        self.height = (1 - b) / (2 * self.width * (self.gamma + b * (1 - self.gamma)))

    def sample(self, random: Random) -> float:
        b = math.exp(-self.eps)
        sign = 1.0 if random.random() < 0.5 else -1.0
        stair = math.floor(math.log(open_unit(random)) / -self.eps)
        high = random.random() < self.gamma / (self.gamma + (1 - self.gamma) * b)
        u = random.random()
        inside = self.gamma * u if high else self.gamma + (1 - self.gamma) * u
        return sign * (stair + inside) * self.width

    def centre(self) -> float:
        return 0.0

    def pdf(self, x: Value) -> float:
        stair, inside = divmod(abs(x) / self.width, 1.0)
        return self.height * math.exp(-self.eps * float(stair + (0 if inside < self.gamma else 1)))

    def cdf(self, x: Value) -> float:
        stair, inside = divmod(abs(x) / self.width, 1.0)
        b = math.exp(-self.eps)
        before = 0.5 * (1 - b**stair)
        top = self.height * self.width * b**stair
        half = before + top * (min(inside, self.gamma) + b * max(0.0, inside - self.gamma))
        return float(0.5 + half if x >= 0 else 0.5 - half)
