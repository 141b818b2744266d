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
AT_ONCE = 200_000
"""Numbers of a sum over the values of a law that are held at once."""


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
            families = isinstance(listed, OfFamily) and isinstance(other, OfFamily)
            if families and all(np.ndim(p) <= 1 for p in (*self.parameters, x)):
                return _added_up(listed, other, method, x, np.array(values, dtype=np.float64))
            total: Value = 0.0
            for v in values:
                total = total + listed.pmf(v) * other.formula(method, x - v)
            return total
        raise CannotVectorise(f"the {method} of a convolution of two infinite laws")


def _added_up(listed: VectorLaw, other: VectorLaw, method: str, x: Value, values: Array) -> Value:
    """The sum over all values of the listed law, many at a time: one row a value, one column a run."""
    runs = np.broadcast_shapes(*(np.shape(p) for p in (*listed.parameters, *other.parameters, x)))
    total = np.zeros(runs)
    many = max(1, AT_ONCE // max(1, math.prod(runs)))
    for first in range(0, len(values), many):
        column = values[first : first + many, None]
        part = np.asarray(listed.pmf(column) * other.formula(method, x - column))
        total = total + np.broadcast_to(part, (len(column), *(runs or (1,)))).sum(axis=0).reshape(runs)
    return total if runs else float(total)


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
