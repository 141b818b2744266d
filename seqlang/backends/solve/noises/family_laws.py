"""The laws of `seqlang.laws` with their arguments put in, each as a `ScalarLaw`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from seqlang.backends.solve.noises import standard_normal
from seqlang.backends.solve.noises.scalar_law import TIE, Array, ScalarLaw, mirrored_between
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.laws.law import Law, NotInArrays, law


class OfFamily(ScalarLaw):
    """A law with a density."""

    def __init__(self, law: Law, *arguments: float) -> None:
        scalar = law.scalar
        self.law, self.name, self.arguments = law, law.facts.name, arguments
        self.support = scalar.ends(*arguments)
        self.kinks = tuple(scalar.bends(-math.inf, math.inf, *arguments))
        self.scale = scalar.length(*arguments)
        self.centre = scalar.median(*arguments)

    def above(self, x: Any, strict: bool = False) -> Array:
        assert self.law.arrays.tails is not None
        return np.asarray(self.law.arrays.tails(np.asarray(x, float), *self.arguments))

    def below(self, x: Any, strict: bool = False) -> Array:
        assert self.law.arrays.cdfs is not None
        return np.asarray(self.law.arrays.cdfs(np.asarray(x, float), *self.arguments))

    def between(self, low: Any, high: Any, open_low: bool = False, open_high: bool = False) -> Array:
        if self.law.arrays.betweens is not None:
            low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
            return np.asarray(self.law.arrays.betweens(low, high, *self.arguments))
        return mirrored_between(self, low, high) if self.law.facts.symmetric else super().between(low, high)

    def density(self, x: Any) -> Array:
        assert self.law.arrays.densities is not None
        return np.asarray(self.law.arrays.densities(np.asarray(x, float), *self.arguments))

    def quantile(self, p: float) -> float:
        found = self.law.scalar.quantile
        return super().quantile(p) if found is None else found(p, *self.arguments)

    def upper(self, q: float) -> float:
        found = self.law.scalar.upper
        return super().upper(q) if found is None else found(q, *self.arguments)

    def scaled(self, factor: float, shift: float = 0.0) -> ScalarLaw:
        if not self.law.facts.symmetric:
            return super().scaled(factor, shift)
        if shift == 0 and self.law.facts.unit_scale:
            return OfFamily(self.law, self.arguments[0] * abs(factor))
        return super().scaled(abs(factor), shift)


class Normal(OfFamily):
    """The normal law, whose chances come from the C library where they are few (see `standard_normal.py`)."""

    def __init__(self, mean: float, sd: float) -> None:
        super().__init__(law("normal"), mean, sd)
        self.mean, self.sd = mean, sd

    def above(self, x: Any, strict: bool = False) -> Array:
        return standard_normal.cdf((self.mean - np.asarray(x, float)) / self.sd)

    def below(self, x: Any, strict: bool = False) -> Array:
        return standard_normal.cdf((np.asarray(x, float) - self.mean) / self.sd)

    def scaled(self, factor: float, shift: float = 0.0) -> ScalarLaw:
        return Normal(self.mean * factor + shift, self.sd * abs(factor))


class OnWholeNumbers(ScalarLaw):
    """A law on the whole numbers that is symmetric around 0."""

    discrete = True

    def __init__(self, law: Law, *arguments: float) -> None:
        self.law, self.arguments = law, arguments
        self.scale = law.scalar.length(*arguments)

    def above(self, x: Any, strict: bool = False) -> Array:
        x = np.asarray(x, float)
        tie = TIE * np.maximum(np.abs(x), 1.0)
        with np.errstate(invalid="ignore"):
            k = np.floor(x + tie) + 1 if strict else np.ceil(x - tie)
        assert self.law.arrays.tails is not None
        return np.asarray(self.law.arrays.tails(np.where(np.isfinite(x), k, x), *self.arguments))

    def below(self, x: Any, strict: bool = False) -> Array:
        return self.above(-np.asarray(x, float), strict)

    def density(self, x: Any) -> Array:
        x = np.asarray(x, float)
        k = np.round(x)
        tied = np.abs(x - k) <= TIE * np.maximum(np.abs(x), 1.0)
        assert self.law.arrays.densities is not None
        return np.where(tied, self.law.arrays.densities(k, *self.arguments), 0.0)

    def atoms(self, tail: float = 0.0) -> tuple[Array, Array]:
        return listed(self.law, tail, *self.arguments)


def listed(law: Law, tail: float, *arguments: float) -> tuple[Array, Array]:
    """The points of a law and their chances but for that tail. Raises Unsolved where they are too many."""
    assert law.arrays.atoms is not None
    try:
        points, chances = law.arrays.atoms(tail, *arguments)
    except NotInArrays as why:
        raise Unsolved(str(why)) from None
    return points, chances


def laplace(scale: float) -> OfFamily:
    return OfFamily(law("laplace"), scale)


def is_laplace(law: ScalarLaw) -> bool:
    return isinstance(law, OfFamily) and law.name == "laplace"
