"""Laws that sit on points: tables, and the two-sided geometric law in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from seqlang.backends.solve.law1 import TIE, Array, Law1

MOST_POINTS = 2_000_000


class Points(Law1):
    """A law on finitely many points; weights are normalised, points within the tie tolerance merged."""

    discrete = True

    def __init__(self, points: Any, weights: Any) -> None:
        points, weights = np.asarray(points, float), np.asarray(weights, float)
        order = np.argsort(points, kind="stable")
        points, weights = points[order], weights[order]
        gaps = np.diff(points)
        wide = gaps > TIE * np.maximum(np.abs(points[1:]), np.max(np.abs(points)) * 1e-6)
        group = np.concatenate(([0], np.cumsum(wide)))
        weights = np.bincount(group, weights)
        points = points[np.concatenate(([True], wide))]
        keep = weights > 0
        self.points, self.chances = points[keep], weights[keep] / weights.sum()
        self.support = (float(self.points[0]), float(self.points[-1]))
        self.unit = float(np.min(np.diff(self.points))) if len(self.points) > 1 else abs(self.support[0]) or 1.0
        # sums from either end, so that both tails are accurate
        self.up = np.minimum(np.concatenate(([0.0], np.cumsum(self.chances))), 1.0)
        self.down = np.minimum(np.concatenate((np.cumsum(self.chances[::-1])[::-1], [0.0])), 1.0)
        self.up[-1] = self.down[0] = 1.0
        middle = min(int(np.searchsorted(self.up, 0.5)), len(self.points)) - 1
        self.centre = float(self.points[max(middle, 0)])
        spread = float(np.sqrt(np.sum(self.chances * (self.points - self.centre) ** 2)))
        self.scale = spread or abs(self.centre) or 1.0

    def _count(self, x: Any, behind: bool) -> Any:
        """How many points lie below x; those that tie with x are counted if `behind`."""
        x = np.asarray(x, float)
        with np.errstate(invalid="ignore"):
            tie = TIE * np.maximum(np.abs(x), self.unit)
            shifted = np.where(np.isfinite(x), x + tie if behind else x - tie, x)
        return np.searchsorted(self.points, shifted, side="right" if behind else "left")

    def above(self, x: Any, strict: bool = False) -> Array:
        return np.asarray(self.down[self._count(x, strict)])

    def below(self, x: Any, strict: bool = False) -> Array:
        return np.asarray(self.up[self._count(x, not strict)])

    def density(self, x: Any) -> Array:
        first, last = self._count(x, False), self._count(x, True)
        return np.where(last > first, self.chances[np.minimum(first, len(self.chances) - 1)], 0.0)

    def atoms(self, tail: float = 0.0) -> tuple[Array, Array]:
        return self.points, self.chances

    def scaled(self, factor: float, shift: float = 0.0) -> Law1:
        return Points(self.points * factor + shift, self.chances)


class Geometric(Law1):
    """P(k) proportional to ratio^|k| on the integers, 0 < ratio < 1."""

    discrete = True

    def __init__(self, ratio: float) -> None:
        self.slope = math.log(ratio)
        self.ratio = ratio
        self.scale = max(1.0, -1 / self.slope)

    def above(self, x: Any, strict: bool = False) -> Array:
        x = np.asarray(x, float)
        tie = TIE * np.maximum(np.abs(x), 1.0)
        with np.errstate(invalid="ignore"):
            k = np.floor(x + tie) + 1 if strict else np.ceil(x - tie)
        k = np.where(np.isfinite(x), k, x)
        tail = np.exp(np.maximum(k, 1 - k) * self.slope) / (1 + self.ratio)
        return np.asarray(np.where(k >= 1, tail, 1 - tail))

    def below(self, x: Any, strict: bool = False) -> Array:
        return self.above(-np.asarray(x, float), strict)

    def density(self, x: Any) -> Array:
        x = np.asarray(x, float)
        k = np.round(x)
        tied = np.abs(x - k) <= TIE * np.maximum(np.abs(x), 1.0)
        chances = np.exp(np.abs(k) * self.slope) * (1 - self.ratio) / (1 + self.ratio)
        return np.where(tied, chances, 0.0)

    def atoms(self, tail: float = 0.0) -> tuple[Array, Array]:
        last = math.ceil(math.log(max(tail, 1e-300)) / self.slope)
        k = np.arange(-last, last + 1, dtype=float)
        return k, np.exp(np.abs(k) * self.slope) * (1 - self.ratio) / (1 + self.ratio)


def binomial(n: int, p: float) -> Law1:
    k = np.arange(n, dtype=float)
    if not 0 < p < 1 or n == 0:
        return Points([n if p >= 1 else 0], [1.0])
    return _from_ratios(np.log((n - k) / (k + 1)) + math.log(p) - math.log1p(-p), int(p * n), 0)


def poisson(mean: float) -> Law1:
    if mean == 0:
        return Points([0.0], [1.0])
    first = max(0, math.floor(mean - 40 * math.sqrt(mean) - 40))
    last = math.ceil(mean + 40 * math.sqrt(mean) + 400)
    k = np.arange(first, last, dtype=float)
    return _from_ratios(math.log(mean) - np.log(k + 1), int(mean) - first, first)


def _from_ratios(log_ratios: Array, mode: int, first: int) -> Law1:
    """The law on first, first + 1, .. with these logarithms of P(k + 1) / P(k), summed outwards from the mode."""
    right = np.cumsum(log_ratios[mode:])
    left = -np.cumsum(log_ratios[:mode][::-1])[::-1]
    logs = np.concatenate((left, [0.0], right))
    keep = logs > -700
    return Points((first + np.arange(len(logs)))[keep], np.exp(logs[keep]))


def conditioned_points(law: Law1, low: float, high: float) -> Law1:
    points, chances = law.atoms()
    tie = TIE * np.maximum(np.abs(points), 1.0)
    keep = (points >= low - tie) & (points <= high + tie)
    return Points(points[keep], chances[keep])


def sum_of_points(first: Law1, second: Law1) -> Law1:
    """The law of the sum of two independent discrete noises; of infinite ones the tails below 1e-30 are left out."""
    (p, u), (q, v) = first.atoms(1e-30), second.atoms(1e-30)
    step = _common_step(p, q)
    if step is not None:
        a = np.zeros(round((p[-1] - p[0]) / step) + 1)
        b = np.zeros(round((q[-1] - q[0]) / step) + 1)
        a[np.round((p - p[0]) / step).astype(int)] = u
        b[np.round((q - q[0]) / step).astype(int)] = v
        both = np.convolve(a, b)
        return Points(p[0] + q[0] + step * np.arange(len(both)), both)
    if len(p) * len(q) > MOST_POINTS:
        from seqlang.backends.solve.unsolved import Unsolved

        raise Unsolved("a sum of two discrete noises has too many different values")
    return Points(np.add.outer(p, q).ravel(), np.multiply.outer(u, v).ravel())


def _common_step(p: Array, q: Array) -> float | None:
    """A step of which all differences of points are multiples, if the smallest gap is one."""
    gaps = np.concatenate((np.diff(p), np.diff(q)))
    if len(gaps) == 0:
        return None
    step = float(np.min(gaps))
    counts = np.concatenate(((p - p[0]) / step, (q - q[0]) / step))
    fits = np.all(np.abs(counts - np.round(counts)) <= TIE * np.maximum(1.0, counts))
    return step if fits and np.max(counts) <= MOST_POINTS else None


def weighted(pairs: Sequence[tuple[float, float]]) -> Law1:
    return Points([float(v) for v, _ in pairs], [float(w) for _, w in pairs])


__all__ = ["Geometric", "Points", "binomial", "conditioned_points", "poisson", "sum_of_points", "weighted"]
