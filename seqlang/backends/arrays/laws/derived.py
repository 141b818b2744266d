"""Laws made from laws."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from seqlang.backends.arrays.laws.law import Array, VectorLaw, require
from seqlang.backends.arrays.laws.listed import Table
from seqlang.backends.arrays.laws.of_family import OfFamily
from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import CannotVectorise, Value
from seqlang.backends.interpret.values import EvaluationError, OutOfReach
from seqlang.laws.weights import TOO_RARE, is_too_rare

TRIES = 10_000
MOST_PLACES = 100_000
"""Whole numbers between the least and the largest at which a sum over the values of a law is asked for at once."""


def _varies(law: VectorLaw) -> bool:
    """Whether it is not the same in all runs, whatever its parameters are."""
    match law:
        case Table():
            return not law.by_parameters
        case Either():
            return True
        case Convolved(first=first, second=second):
            return _varies(first) or _varies(second)
        case Conditioned(law=inner) | SumOf(law=inner):
            return _varies(inner)
    return False


class Conditioned(VectorLaw):
    """`law` given that the value lies in [low, high]."""

    def __init__(self, law: VectorLaw, low: Value, high: Value) -> None:
        self.law, self.low, self.high = law, low, high
        self.parameters = (*law.parameters, low, high)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        if self.law.quantile(np.full(1, 0.5)) is not None:
            below = self.law.cdf(self.low)
            at = self.law.quantile(below + source.uniform(shape) * _told(self.law.cdf(self.high) - below))
            return np.asarray(np.clip(np.asarray(at), self.low, self.high))
        if shape or _varies(self.law) or any(isinstance(p, np.ndarray) for p in self.parameters):
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
            return self._below(x)
        inside = np.logical_and(np.greater_equal(x, self.low), np.less_equal(x, self.high))
        return np.where(inside, self.law.formula(method, x), 0.0) / self._mass(method)

    def _mass(self, method: str) -> Value:
        """P(low <= X <= high)."""
        if method == "pdf":
            return _told(self.law.cdf(self.high) - self.law.cdf(self.low))
        values = self.law.support()
        if values is None:  # infinitely many; those of a family are whole numbers
            if not isinstance(self.law, OfFamily):
                raise CannotVectorise("the pmf of a conditioned sum of laws")
            return _told(self.law.cdf(self.high) - self.law.cdf(np.ceil(self.low) - 1))
        mass: Value = 0.0
        for value in values:
            inside = np.logical_and(np.less_equal(self.low, value), np.less_equal(value, self.high))
            mass = mass + np.where(inside, self.law.pmf(value), 0.0)
        return mass

    def _below(self, x: Value) -> Value:
        """P(X <= x), for a law with a density."""
        if not isinstance(self.law, OfFamily) or self.law.law.facts.kind != "density":
            raise CannotVectorise("the cdf of a conditioned law on points")
        first, last = self.law.cdf(self.low), self.law.cdf(self.high)
        return np.clip((self.law.cdf(np.clip(x, self.low, self.high)) - first) / _told(last - first), 0.0, 1.0)


def _told(inside: Value) -> Value:
    """The chance between two ends, of which doubles know the digits. Raises OutOfReach where they do not."""
    if np.any(is_too_rare(np.asarray(inside))):
        raise OutOfReach(TOO_RARE)
    return inside


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
            if plain and self.parameters and listed.by_parameters and other.by_parameters:
                return _added_up(listed, other, method, x)
            total: Value = 0.0
            for v in values:
                total = total + listed.pmf(v) * other.formula(method, x - v)
            return total
        raise CannotVectorise(f"the {method} of a convolution of two infinite laws")


def _added_up(listed: VectorLaw, other: VectorLaw, method: str, x: Value) -> Value:
    """The sum over all values of the listed law, once for all runs whose laws have the same parameters."""
    parameters = (*listed.parameters, *other.parameters)
    runs = np.broadcast_shapes(*(np.shape(p) for p in (*parameters, x)))
    columns = [np.broadcast_to(np.asarray(p, dtype=np.float64), runs).ravel() for p in (*parameters, x)]
    laws, group = np.unique(np.stack(columns[:-1]), axis=1, return_inverse=True)
    total, split = np.empty(math.prod(runs)), len(listed.parameters)
    for place, law in enumerate(laws.T.tolist()):
        rows = np.flatnonzero(group.ravel() == place)
        total[rows] = _at_places(listed.at(tuple(law[:split])), other.at(tuple(law[split:])), method, columns[-1][rows])
    return total.reshape(runs) if runs else float(total[0])


def _at_places(listed: VectorLaw, other: VectorLaw, method: str, x: Array) -> Array:
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


class SumOf(VectorLaw):
    """The sum of `count` independent values of one law."""

    def __init__(self, count: Value, law: VectorLaw) -> None:
        require(np.logical_and(np.greater_equal(count, 0), np.equal(np.floor(count), count)),
                "sum_of needs a whole number of variables >= 0")  # fmt: skip
        self.count, self.law = count, law
        self.parameters = (count, *law.parameters)

    @property
    def by_parameters(self) -> bool:
        return self.law.by_parameters

    def at(self, parameters: tuple[float, ...]) -> SumOf:
        return SumOf(parameters[0], self.law.at(parameters[1:]))

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        total = np.zeros((*shape, source.count))
        for i in range(int(np.max(self.count))):
            total = total + np.where(np.greater(self.count, i), self.law.sample(source, shape), 0.0)
        return total

    def formula(self, method: str, x: Value) -> Value:
        if method == "pdf":
            return super().formula(method, x)
        least, masses = self._masses()
        found = np.zeros(np.broadcast_shapes(np.shape(self.count), np.shape(x)))
        counts, places = np.broadcast_to(self.count, found.shape), np.broadcast_to(x, found.shape)
        for count in np.unique(counts):
            power = _power(masses, int(count))
            table = np.r_[0.0, power if method == "pmf" else np.cumsum(power), 0.0 if method == "pmf" else 1.0]
            rows = counts == count
            place = np.floor(places[rows]) - least * count
            inside = (method == "cdf") | (np.floor(places[rows]) == places[rows])
            found[rows] = np.where(inside, table[np.clip(place + 1, 0, len(table) - 1).astype(np.intp)], 0.0)
        return found if found.shape else float(found)

    def support(self) -> tuple[Value, ...] | None:
        """All whole numbers between the ends of all runs' laws; the mass beyond a run's own is 0."""
        values, counts = self.law.support(), np.unique(self.count)
        if values is None or not self.law.by_parameters:
            return None
        ends = [(min(values) * n, max(values) * n) for n in counts.tolist()]
        return tuple(np.arange(min(a for a, _ in ends), max(b for _, b in ends) + 1.0).tolist())

    def _masses(self) -> tuple[float, tuple[float, ...]]:
        """The least value of the law, and the chances of it and of the next whole numbers."""
        values = self.law.support()
        if values is None or not self.law.by_parameters or any(float(v) != math.floor(v) for v in values):
            raise CannotVectorise("the pmf of a sum of other laws than those of listed whole values")
        least, most = float(min(values)), float(max(values))
        masses = [self.law.pmf(least + i) for i in range(int(most - least) + 1)]
        if any(map(np.ndim, masses)):
            raise CannotVectorise("the pmf of a sum of laws that differ from run to run")
        return least, tuple(map(float, masses))


@lru_cache(maxsize=4096)
def _power(masses: tuple[float, ...], count: int) -> Array:
    """The chances of the sums of `count` values, of which the masses of 0, 1, .. are given."""
    if count < 2:
        return np.array(masses) if count else np.ones(1)
    half = _power(masses, count // 2)
    both = np.convolve(half, half)
    return np.convolve(both, np.array(masses)) if count % 2 else both


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
