"""Laws on listed values."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from seqlang.backends.arrays.laws.law import Array, VectorLaw, require
from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import CannotVectorise, Value, shape_of
from seqlang.backends.interpret.values import OutOfReach
from seqlang.laws.weights import TOO_SMALL, is_too_small


class Point(VectorLaw):
    """The law that has one value only."""

    joint = True

    def __init__(self, value: Value) -> None:
        self.value = value
        self.parameters = (value,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        array = np.asarray(self.value)
        return np.array(np.broadcast_to(array, (*array.shape[:-1], source.count)))

    def formula(self, method: str, x: Value) -> Value:
        return super().formula(method, x) if method != "pmf" else np.where(np.equal(x, self.value), 1.0, 0.0)

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
        if np.any(is_too_small(total)):
            raise OutOfReach(TOO_SMALL)
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

    def formula(self, method: str, x: Value) -> Value:
        if method != "pmf":
            return super().formula(method, x)
        if self.by_parameters and not np.ndim(x):
            return self._chances.get(float(x), 0.0)
        mass: Value = 0.0
        for value, weight in zip(self.values, self.weights, strict=True):
            mass = mass + np.where(np.equal(value, x), weight, 0.0)
        return mass / self.total

    def support(self) -> tuple[Value, ...] | None:
        return None if any(map(np.ndim, self.values)) else tuple(dict.fromkeys(self.values))

    @cached_property
    def _chances(self) -> dict[Value, float]:
        found: dict[Value, float] = {}
        for value, weight in zip(self.values, self.weights, strict=True):
            found[value] = found.get(value, 0.0) + weight
        return {value: weight / self.total for value, weight in found.items()}

    @cached_property
    def by_parameters(self) -> bool:
        """Where no value and no weight differs from run to run: it has no parameters."""
        return not any(map(np.ndim, (*self.values, *self.weights)))

    def at(self, parameters: tuple[float, ...]) -> Table:
        return self


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
