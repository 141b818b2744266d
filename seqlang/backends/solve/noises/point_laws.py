"""Laws that sit on points: tables, and sums of laws on points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from seqlang.backends.solve.noises.scalar_law import CLEARLY, FAINT, TIE, Array, ScalarLaw
from seqlang.backends.solve.unsolved import Unsolved

ONE_UNIT = 2.0**-51
"""Relative: how far rounding of a few operations moves a number."""
TAIL = 1e-30
"""A chance: what is left out at either end of a law that is added to another one."""
MOST_POINTS = 2_000_000
"""Points of one law; a sum that would have more is not solved."""


class Points(ScalarLaw):
    """A law on finitely many points; weights are normalised, points that differ by rounding only are merged. `cut`: the
    chance of others that were left out, at most; `listed`: no point was computed. Raises Unsolved for points that are
    next to each other, and farther apart than rounding explains."""

    discrete = True

    def __init__(self, points: Any, weights: Any, cut: float = 0.0, listed: bool = False) -> None:
        self.cut, self.listed = cut, listed
        sure = 0.0 if listed else ONE_UNIT
        points, weights = np.asarray(points, float), np.asarray(weights, float)
        order = np.argsort(points, kind="stable")
        points, weights = points[order], weights[order]
        gaps = np.diff(points)
        wide = gaps > TIE * np.maximum(np.abs(points[1:]), np.max(np.abs(points)) * 1e-6)
        if np.any(~wide & (gaps > sure * np.maximum(np.abs(points[1:]), np.abs(points[:-1])))):
            raise Unsolved("values of one law that are next to each other")
        group = np.concatenate(([0], np.cumsum(wide)))
        weights = np.bincount(group, weights)
        points = points[np.concatenate(([True], wide))]
        keep = weights > 0
        if not np.any(keep):
            raise Unsolved("a law without a value of positive weight")
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

    def scaled(self, factor: float, shift: float = 0.0) -> ScalarLaw:
        return Points(self.points * factor + shift, self.chances, self.cut)


def listed_points(law: ScalarLaw, tail: float) -> tuple[Array, Array, float]:
    """(points, chances, cut), where on each side less than `tail` is left out of an infinite law."""
    points, chances = law.atoms(tail)
    return points, chances, law.cut if np.all(np.isfinite(law.support)) else law.cut + 2 * max(tail, FAINT)


def conditioned_points(law: ScalarLaw, low: float, high: float) -> ScalarLaw:
    """The discrete law given that it falls into [low, high]. Raises Unsolved where what was left out of it matters, and
    where rounding decides whether a point that was computed lies inside."""
    points, chances, cut = listed_points(law, 0.0)
    if isinstance(law, Points) and not law.listed:
        tie = ONE_UNIT * np.abs(points)
        if np.any((np.abs(points - low) <= tie) | (np.abs(points - high) <= tie)):
            raise Unsolved("a noise is conditioned on an interval with an end next to one of its values")
    keep = (points >= low) & (points <= high)
    total = float(chances[keep].sum())
    if not total > cut * CLEARLY:
        raise Unsolved(f"a noise is conditioned on [{low:g}, {high:g}], of which too little is known")
    return Points(points[keep], chances[keep], cut / total)


def sum_of_points(first: ScalarLaw, second: ScalarLaw) -> ScalarLaw:
    """The law of the sum of two independent discrete noises; of infinite ones the tails below 1e-30 are left out."""
    (p, u, one), (q, v, other) = listed_points(first, TAIL), listed_points(second, TAIL)
    cut = one + other
    step = _common_step(p, q)
    if step is not None:
        a = np.zeros(round((p[-1] - p[0]) / step) + 1)
        b = np.zeros(round((q[-1] - q[0]) / step) + 1)
        a[np.round((p - p[0]) / step).astype(int)] = u
        b[np.round((q - q[0]) / step).astype(int)] = v
        both = np.convolve(a, b)
        return Points(p[0] + q[0] + step * np.arange(len(both)), both, cut)
    if len(p) * len(q) > MOST_POINTS:
        raise Unsolved("a sum of two discrete noises has too many different values")
    return Points(np.add.outer(p, q).ravel(), np.multiply.outer(u, v).ravel(), cut)


def _common_step(p: Array, q: Array) -> float | None:
    """A step of which all differences of points are multiples, if the smallest gap is one."""
    gaps = np.concatenate((np.diff(p), np.diff(q)))
    if len(gaps) == 0:
        return None
    step = float(np.min(gaps))
    counts = np.concatenate(((p - p[0]) / step, (q - q[0]) / step))
    largest = max(np.abs(p).max(), np.abs(q).max())  # rounding moves a difference by units of the largest point
    fits = np.all(np.abs(counts - np.round(counts)) <= ONE_UNIT * (largest / step + counts))
    return step if fits and np.max(counts) <= MOST_POINTS else None


def weighted(pairs: Sequence[tuple[float, float]]) -> ScalarLaw:
    """The law with these (value, weight)."""
    return Points([float(v) for v, _ in pairs], [float(w) for _, w in pairs], listed=True)
