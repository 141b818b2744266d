"""Means and scatter of parts of the runs, and of the parts together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.record import record

Array = NDArray[Any]
SLICE = 1 << 15
"""Numbers that are handled at once: they stay in the processor's cache until both sums are made."""


@record
class Moments:
    """Of numbers or vectors: `count` runs have one (NaN: none), `mean` (..) over these, `squares` (..) the sum of
    squared distances from it. Where no run has one, mean and squares are NaN."""

    count: int
    mean: Array
    squares: Array

    @property
    def sd(self) -> Array:
        return np.sqrt(self.squares / (self.count - 1)) if self.count > 1 else np.zeros_like(self.mean)

    @property
    def se(self) -> Array:
        return self.sd / math.sqrt(self.count)


@record
class Whole:
    """Of whole numbers, exactly: `runs` runs, `some` of which have a number that is not 0."""

    runs: int
    total: int
    squares: int
    some: int

    @property
    def mean(self) -> float:
        return self.total / self.runs

    @property
    def sd(self) -> float:
        if self.runs < 2:
            return 0.0
        return math.sqrt((self.runs * self.squares - self.total**2) / (self.runs * (self.runs - 1)))

    @property
    def se(self) -> float:
        return self.sd / math.sqrt(self.runs)


def moments_of(values: Array) -> Moments:
    """Of values (.., runs)."""
    there = np.ascontiguousarray(values, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        mean, squares = _mean_and_squares(there)
        if np.isnan(mean).any():
            there = present(there)
            mean, squares = _mean_and_squares(there)
    return Moments(there.shape[-1], mean, squares)


def _mean_and_squares(values: Array) -> tuple[Array, Array]:
    """NaN where there are no values."""
    shape = values.shape[:-1]
    if not values.shape[-1]:
        return np.full(shape, np.nan), np.full(shape, np.nan)
    size = max(1, SLICE // max(1, math.prod(shape)))
    room = np.empty((*shape, min(size, values.shape[-1])))  # a new one for each slice would be new pages each time
    counts, means, squares = [], [], []
    for i in range(0, values.shape[-1], size):
        some = values[..., i : i + size]
        mean = np.asarray(np.add.reduce(some, axis=-1) / some.shape[-1])
        away = np.subtract(some, mean[..., None], out=room[..., : some.shape[-1]])
        counts.append(some.shape[-1])
        means.append(mean)
        squares.append(np.add.reduce(np.multiply(away, away, out=away), axis=-1))
    if len(means) == 1:
        return means[0], np.asarray(squares[0])
    weights = np.array(counts).reshape(-1, *(1 for _ in shape))
    whole = np.asarray((weights * means).sum(axis=0) / values.shape[-1])
    between = (weights * (np.array(means) - whole) ** 2).sum(axis=0)
    return whole, np.asarray(np.sum(squares, axis=0) + between)


def present(values: Array) -> Array:
    """The columns without a NaN."""
    there: Array = np.ascontiguousarray(values[..., ~np.isnan(values.reshape(-1, values.shape[-1])).any(axis=0)])
    return there


def merged(first: Moments, second: Moments) -> Moments:
    """Of both parts together (Chan, Golub and LeVeque 1979)."""
    if not first.count or not second.count:
        return first if first.count else second
    count = first.count + second.count
    with np.errstate(invalid="ignore", over="ignore"):
        away = second.mean - first.mean
        mean = np.where(np.isfinite(away), first.mean + away * (second.count / count), first.mean + second.mean)
        squares = first.squares + second.squares + away * away * (first.count * second.count / count)
    return Moments(count, mean, squares)


def whole_of(values: NDArray[np.int64], times: NDArray[np.int64] | None = None) -> Whole:
    """Of whole numbers >= 0, each once or so many times."""
    runs = len(values) if times is None else int(times.sum())
    top = int(values.max())
    if top <= 1 and times is None:  # they are their squares
        total = int(values.sum())
        return Whole(runs, total, total, total)
    weighted = values if times is None else values * times
    if top * max(1, top) * runs >= 1 << 62:  # too large for 64 bits
        pairs = zip(values.tolist(), weighted.tolist(), strict=True)
        squares = sum(v * w for v, w in pairs)
    else:
        squares = int(np.dot(values, weighted))
    some = np.count_nonzero(values) if times is None else times[values != 0].sum()
    return Whole(runs, int(weighted.sum()), squares, int(some))


def added(first: Whole, second: Whole) -> Whole:
    """Of both parts together."""
    return Whole(
        first.runs + second.runs,
        first.total + second.total,
        first.squares + second.squares,
        first.some + second.some,
    )
