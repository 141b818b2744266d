"""Laws made from laws."""

from __future__ import annotations

import math

import numpy as np

from seqlang.backends.arrays.laws.law import Array, VectorLaw
from seqlang.backends.arrays.laws.of_family import OfFamily
from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import CannotVectorise, Value
from seqlang.backends.interpret.values import EvaluationError

TRIES = 10_000
MOST_PLACES = 100_000
"""Whole numbers between the least and the largest at which a sum over the values of a law is asked for at once."""


class Conditioned(VectorLaw):
    """`law` given that the value lies in [low, high]."""

    def __init__(self, law: VectorLaw, low: Value, high: Value) -> None:
        self.law, self.low, self.high = law, low, high
        self.parameters = (*law.parameters, low, high)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        if self.law.quantile(np.full(1, 0.5)) is not None:
            below = self.law.cdf(self.low)
            at = self.law.quantile(below + source.uniform(shape) * (self.law.cdf(self.high) - below))
            return np.asarray(np.clip(np.asarray(at), self.low, self.high))
        if shape or any(isinstance(p, np.ndarray) for p in self.parameters):
            raise CannotVectorise("drawing a vector from a conditioned law")
        value = self.law.sample(source, ())
        rows = np.arange(source.count) if source.rows is None else source.rows
        for _ in range(TRIES):
            bad = np.flatnonzero((value < self.low) | (value > self.high))
            if not len(bad):
                return value
            value[bad] = self.law.sample(Source(source.streams, rows[bad]), ())
        raise EvaluationError("the conditioned law is hardly ever between its bounds")

    def formula(self, method: str, x: Value) -> Value:
        if method == "cdf":
            return super().formula(method, x)
        below = self.low if method == "pdf" else np.ceil(self.low) - 1
        inside = np.logical_and(np.greater_equal(x, self.low), np.less_equal(x, self.high))
        return np.where(inside, self.law.formula(method, x), 0.0) / (self.law.cdf(self.high) - self.law.cdf(below))


class Convolved(VectorLaw):
    """The sum of independent values of two laws."""

    def __init__(self, first: VectorLaw, second: VectorLaw) -> None:
        self.first, self.second = first, second
        self.parameters = (*first.parameters, *second.parameters)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        return self.first.sample(source, shape) + self.second.sample(source, shape)

    def formula(self, method: str, x: Value) -> Value:
        for listed, other in ((self.first, self.second), (self.second, self.first)):
            values = listed.support()
            if values is None:
                continue
            plain = all(np.ndim(p) <= 1 for p in (*self.parameters, x)) and not np.any(np.isnan(x))
            if plain and isinstance(listed, OfFamily) and isinstance(other, OfFamily):
                return _added_up(listed, other, method, x)
            total: Value = 0.0
            for v in values:
                total = total + listed.pmf(v) * other.formula(method, x - v)
            return total
        raise CannotVectorise(f"the {method} of a convolution of two infinite laws")


def _added_up(listed: OfFamily, other: OfFamily, method: str, x: Value) -> Value:
    """The sum over all values of the listed law, once for all runs whose laws have the same parameters."""
    parameters = (*listed.parameters, *other.parameters)
    runs = np.broadcast_shapes(*(np.shape(p) for p in (*parameters, x)))
    columns = [np.broadcast_to(np.asarray(p, dtype=np.float64), runs).ravel() for p in (*parameters, x)]
    laws, group = np.unique(np.stack(columns[:-1]), axis=1, return_inverse=True)
    total, split = np.empty(math.prod(runs)), len(listed.parameters)
    for place, law in enumerate(laws.T.tolist()):
        rows = np.flatnonzero(group.ravel() == place)
        one, two = OfFamily(listed.law, tuple(law[:split])), OfFamily(other.law, tuple(law[split:]))
        total[rows] = _at_places(one, two, method, columns[-1][rows])
    return total.reshape(runs) if runs else float(total[0])


def _at_places(listed: OfFamily, other: OfFamily, method: str, x: Array) -> Array:
    """The same for one pair of laws: where all places are whole numbers, by one convolution."""
    values = np.array(listed.support(), dtype=np.float64)
    weights = np.broadcast_to(np.asarray(listed.pmf(values)), values.shape)
    low, high = float(x.min()), float(x.max())
    least, most = float(values.min()), float(values.max())
    whole = np.array_equal(np.floor(x), x) and np.array_equal(values, least + np.arange(len(values)))
    if whole and least == math.floor(least) and high - low <= MOST_PLACES:
        gaps = low - most + np.arange(high - low + most - least + 1)
        sums = np.convolve(weights, np.asarray(other.formula(method, gaps)), mode="valid")
        return np.asarray(sums[(x - low).astype(np.intp)])
    total = np.zeros(len(x))
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        total = total + weight * np.asarray(other.formula(method, x - value))
    return total


class Either(VectorLaw):
    """`first` in the runs where `test` holds, `second` in the others; both are drawn."""

    def __init__(self, test: Value, first: VectorLaw, second: VectorLaw) -> None:
        self.test, self.first, self.second = test, first, second
        self.joint = first.joint or second.joint
        self.parameters = (*first.parameters, *second.parameters)

    def shape(self) -> tuple[int, ...]:
        return max(self.first.shape(), self.second.shape(), key=len)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        first, second = self.first.sample(source, shape), self.second.sample(source, shape)
        return np.asarray(np.where(self.test, first, second))

    def formula(self, method: str, x: Value) -> Value:
        return np.where(self.test, self.first.formula(method, x), self.second.formula(method, x))


class Tree(VectorLaw):
    """The law of one node; the engine keeps the nodes."""

    def __init__(self, node: VectorLaw) -> None:
        self.node = node
        self.joint = node.joint
