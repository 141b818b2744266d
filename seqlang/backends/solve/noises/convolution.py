"""Sums of independent noises without a closed form: a density plus a discrete law, or two densities by quadrature."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from seqlang.backends.solve.noises.legendre import legendre_rule
from seqlang.backends.solve.noises.scalar_law import Array, ScalarLaw

NODES, WEIGHTS = legendre_rule(16)
DEGREE = 16
"""Of the Chebyshev polynomial on one panel."""
LEAST = 1e-60
"""A probability: nothing is computed where the density and the tails of a law are below it."""


class Smeared(ScalarLaw):
    """X + K with a density for X and K on the points `points`, but for a chance of `cut`."""

    def __init__(self, law: ScalarLaw, points: Array, chances: Array, cut: float = 0.0) -> None:
        self.cut = law.cut + cut
        self.law, self.points, self.chances, self.closed = law, points, chances, law.closed
        self.support = (law.support[0] + float(points[0]), law.support[1] + float(points[-1]))
        self.kinks = tuple(np.unique(np.add.outer(np.asarray(law.kinks), points)).tolist())
        self.scale = law.scale
        self.centre = law.centre + float(np.sum(points * chances))

    def _mix(self, part: Any, x: Any) -> Array:
        x = np.asarray(x, float)
        total = np.zeros(x.shape)
        for point, chance in zip(self.points, self.chances, strict=True):
            total += chance * part(x - point)
        return total

    def above(self, x: Any, strict: bool = False) -> Array:
        return self._mix(self.law.above, x)

    def below(self, x: Any, strict: bool = False) -> Array:
        return self._mix(self.law.below, x)

    def density(self, x: Any) -> Array:
        return self._mix(self.law.density, x)


class Convolved(ScalarLaw):
    """X + Y, both with densities: Chebyshev polynomials on panels between the kinks, through quadrature over Y."""

    closed = False

    def __init__(self, law: ScalarLaw, other: ScalarLaw) -> None:
        self.law, self.other = law, other
        self.support = (law.support[0] + other.support[0], law.support[1] + other.support[1])
        self.scale = max(law.scale, other.scale)
        kinks = np.add.outer(law.kinks, other.kinks).ravel()
        different = np.unique(np.round(kinks / self.scale, 12), return_index=True)[1]
        self.kinks = tuple(kinks[different].tolist())
        self.centre = law.centre + other.centre
        self.range = _edges(other)
        self.tables: dict[str, tuple[Array, Array]] = {}

    def above(self, x: Any, strict: bool = False) -> Array:
        return self._value("above", x, 0.0, 1.0)

    def below(self, x: Any, strict: bool = False) -> Array:
        return self._value("below", x, 1.0, 0.0)

    def density(self, x: Any) -> Array:
        return self._value("density", x, 0.0, 0.0)

    def _value(self, part: str, x: Any, right: float, left: float) -> Array:
        x = np.asarray(x, float)
        if part not in self.tables:
            self.tables[part] = self._table(part)
        edges, coefficients = self.tables[part]
        inside = (x > edges[0]) & (x < edges[-1])
        y = np.where(inside, x, edges[0])
        panel = np.clip(np.searchsorted(edges, y, side="right") - 1, 0, len(edges) - 2)
        t = 2 * (y - edges[panel]) / (edges[panel + 1] - edges[panel]) - 1
        # Clenshaw, with the coefficients of each argument's panel
        later, latest = np.zeros(x.shape), np.zeros(x.shape)
        for k in range(DEGREE, 0, -1):
            later, latest = coefficients[k][panel] + 2 * t * later - latest, later
        found = np.maximum(coefficients[0][panel] + t * later - latest, 0.0)
        return np.where(inside, found, np.where(x >= edges[-1], right, left))

    def _table(self, part: str) -> tuple[Array, Array]:
        low = self.law.effective_support(LEAST)[0] + self.other.effective_support(LEAST)[0]
        high = self.law.effective_support(LEAST)[1] + self.other.effective_support(LEAST)[1]
        start = np.linspace(low, high, math.ceil(min((high - low) / self.scale, 200)) + 1)
        edges = np.unique(np.concatenate((start, [k for k in self.kinks if low < k < high])))
        lows, highs = edges[:-1], edges[1:]
        angles = np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1)
        to_coefficients = np.cos(np.outer(np.arange(DEGREE + 1), angles)) * 2 / (DEGREE + 1)
        to_coefficients[0] /= 2
        done: list[tuple[Array, Array]] = []
        for depth in range(12):
            middle, half = (lows + highs) / 2, (highs - lows) / 2
            values = self.direct(part, middle[:, None] + half[:, None] * np.cos(angles))
            found = values @ to_coefficients.T
            size = np.max(np.abs(found), axis=1)
            # relative to the panel's own size, so that tails are accurate too
            good = np.max(np.abs(found[:, -3:]), axis=1) <= 1e-14 * size
            good |= (half <= 1e-9 * self.scale) | (size <= LEAST) | (depth == 11)
            done.append((lows[good], found[good]))
            lows, highs, middle = lows[~good], highs[~good], middle[~good]
            lows, highs = np.concatenate((lows, middle)), np.concatenate((middle, highs))
            if len(lows) == 0:
                break
        starts = np.concatenate([a for a, _ in done])
        order = np.argsort(starts)
        coefficients = np.concatenate([c for _, c in done])[order]
        return np.append(starts[order], high), np.ascontiguousarray(coefficients.T)

    def direct(self, part: str, x: Array) -> Array:
        """The integral over Y of `part` of X at x - y, split where either is not smooth."""
        flat = x.ravel()
        found = np.empty(flat.shape)
        function = getattr(self.law, part)
        own = _edges(self.law)[::-1]
        chunk = max(1, 400_000 // ((len(own) + len(self.range)) * len(NODES)))
        for i in range(0, len(flat), chunk):
            some = flat[i : i + chunk, None]
            moved = np.clip(some - own, self.range[0], self.range[-1])
            edges = np.sort(np.concatenate((np.broadcast_to(self.range, (len(some), len(self.range))), moved), axis=1))
            half = np.diff(edges, axis=1)[..., None] / 2
            y = edges[:, :-1, None] + half * (1 + NODES)
            values = function(some[..., None] - y) * self.other.density(y) * half * WEIGHTS
            found[i : i + chunk] = values.sum(axis=(1, 2))
        return found.reshape(x.shape)


def _edges(law: ScalarLaw) -> Array:
    """Ends of panels on which the law's density and tails are smooth and short."""
    low, high = law.effective_support(LEAST)
    inner = [k for k in law.kinks if low < k < high]
    marks = [low, *inner, high]
    found = []
    for a, b in pairwise(marks):
        pieces = max(1, min(120, math.ceil((b - a) / (2 * law.scale))))
        found.append(np.linspace(a, b, pieces + 1))
    return np.unique(np.concatenate(found))
