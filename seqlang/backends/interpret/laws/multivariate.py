"""Laws of vectors and of sets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.laws.listed import probability
from seqlang.backends.interpret.values import EvaluationError, Members, Value, describe, is_vector
from seqlang.laws.law import open_unit

if TYPE_CHECKING:
    from random import Random


def positive(name: str, what: str, value: Value) -> float:
    """`value` as a float if it is a positive finite number; an error that names the law otherwise."""
    if not 0 < value < math.inf:
        raise EvaluationError(f"{name} needs a positive {what}, this is {describe(value)}")
    return float(value)


def direction(dimension: int, random: Random) -> tuple[float, ...]:
    """Uniform on the unit sphere: a normal vector over its length."""
    while True:
        v = [random.gauss(0.0, 1.0) for _ in range(dimension)]
        size = math.hypot(*v)
        if size > 0:
            return tuple(x / size for x in v)


class L2Laplace(LawValue):
    """Density proportional to exp(-|x|_2 / scale): a uniform direction, a gamma(dimension) length.

    `dimension` is None until the vector it is added to is known.
    """

    __slots__ = ("dimension", "scale")
    name = "l2_laplace"
    joint = True

    def __init__(self, scale: Value, dimension: int | None = None) -> None:
        self.scale = positive("l2_laplace", "scale", scale)
        self.dimension = dimension

    def of_dimension(self, dimension: int) -> L2Laplace:
        return L2Laplace(self.scale, dimension)

    def sample(self, random: Random) -> tuple[float, ...]:
        d = self.dimension or 1
        length = -self.scale * math.fsum(math.log(open_unit(random)) for _ in range(d))
        return tuple(length * x for x in direction(d, random))

    def centre(self) -> tuple[float, ...]:
        return (0.0,) * (self.dimension or 1)

    def formula(self, method: str, x: Value) -> float:
        if method != "pdf":
            return super().formula(method, x)
        v = tuple(x) if is_vector(x) else (x,)
        d = len(v)
        sphere = 2 * math.pi ** (d / 2) / math.gamma(d / 2)
        return float(math.exp(-math.hypot(*v) / self.scale) / (sphere * math.gamma(d) * self.scale**d))


class UniformBall(LawValue):
    """Uniform on the l2 ball."""

    __slots__ = ("dimension", "radius")
    name = "uniform"
    joint = True

    def __init__(self, dimension: int, radius: Value) -> None:
        self.dimension = dimension
        self.radius = positive("uniform on a ball", "radius", radius)

    def sample(self, random: Random) -> tuple[float, ...]:
        length = self.radius * math.pow(random.random(), 1 / self.dimension)
        return tuple(length * x for x in direction(self.dimension, random))

    def centre(self) -> tuple[float, ...]:
        return (0.0,) * self.dimension

    def formula(self, method: str, x: Value) -> float:
        if method != "pdf":
            return super().formula(method, x)
        d = self.dimension
        volume = math.pi ** (d / 2) / math.gamma(d / 2 + 1) * self.radius**d
        return 1 / volume if math.hypot(*x) <= self.radius else 0.0


class Independent(LawValue):
    """Coordinates drawn independently, each from its own law."""

    __slots__ = ("laws",)
    joint = True

    def __init__(self, laws: tuple[LawValue, ...]) -> None:
        self.laws = laws

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.laws[0].name if self.laws else "law"

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return all(law.discrete for law in self.laws)

    def sample(self, random: Random) -> tuple[Value, ...]:
        return tuple(law.sample(random) for law in self.laws)

    def centre(self) -> tuple[Value, ...]:
        return tuple(law.centre() for law in self.laws)

    def formula(self, method: str, x: Value) -> float:
        if method == "cdf":
            return super().formula(method, x)
        return math.prod(law.formula(method, v) for law, v in zip(self.laws, x, strict=True))


class Subsample(LawValue):
    """Poisson sampling: every element of `population` is taken independently with probability `rate`."""

    __slots__ = ("population", "rate")
    name = "sample"
    discrete = True
    joint = True

    def __init__(self, population: Value, rate: Value) -> None:
        if not is_vector(population):
            raise EvaluationError("sample needs a set or list of elements")
        self.population = population
        self.rate = probability("sample", rate)

    def sample(self, random: Random) -> Members:
        return Members(v for v in self.population if random.random() < self.rate)

    def centre(self) -> Members:
        return Members(self.population)
