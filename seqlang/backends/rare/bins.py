"""A noise that is drawn once, cut into bins: proposals are probabilities of the bins.

Inside a bin of a law with a density the draw is uniform; the bins are so narrow that the density hardly changes there.
Any shape can be proposed so: a shift, two humps, a flat stretch between the centre and a far point.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.noises.scalar_law import ScalarLaw

Array = NDArray[np.float64]
Places = NDArray[np.intp]
DEEPEST = 690.0
"""Bins end where the density is e^-690 of that in the centre."""
CHANGE = 0.4
"""Of the logarithm of the density, from one end of a bin to the other."""
FINEST = 5
"""Bins are at most a fifth of the law's scale."""
MOST = 6000
WIDE = 0.2
"""Part of a fitted proposal that has twice the spread: tails that were not seen are not cut."""


class Bins:
    """The bins of one law. `own`: the law's chances of them."""

    def __init__(self, law: ScalarLaw) -> None:
        self.law = law
        self.discrete = law.discrete
        if law.discrete:
            self.points, self.own = law.atoms(1e-300)
            keep = self.own > 0
            self.points, self.own = self.points[keep], self.own[keep]
            self.low, self.width = self.points, np.ones(len(self.points))
        else:
            edges = _edges(law)
            self.low, self.width = edges[:-1], np.diff(edges)
            self.points = self.low + self.width / 2
            self.own = np.asarray(law.between(edges[:-1], edges[1:]))
        self.count = len(self.points)
        self.own = self.own / self.own.sum()
        far = self.width / (np.abs(self.points - law.centre) + law.scale)
        self.far = 0.5 * self.own + 0.5 * far / far.sum()
        """A proposal that reaches every magnitude: half the law itself, half uniform in the logarithm."""

    def draw(self, probabilities: Array, u: Array, v: Array) -> tuple[Array, Places]:
        """Values and their bins, from two uniforms each."""
        steps = np.cumsum(probabilities)
        places = np.minimum(np.searchsorted(steps, u * steps[-1], side="right"), self.count - 1)
        while np.any(empty := probabilities[places] <= 0):  # rounding at the ends of the cumulated sums
            places = np.where(empty, np.maximum(places - 1, 0), places)
        if self.discrete:
            return self.points[places], places
        return self.low[places] + v * self.width[places], places

    def log_ratios(self, probabilities: Array, values: Array, places: Places) -> Array:
        """Logarithms of proposal over law: (components, runs), for probabilities (components, bins)."""
        with np.errstate(divide="ignore"):
            if self.discrete:
                return np.asarray(np.log(probabilities[:, places]) - np.log(self.own[places]))
            law = np.log(np.maximum(self.law.density(values), 1e-320)) + np.log(self.width[places])
            return np.asarray(np.log(probabilities[:, places]) - law)

    def fitted(self, places: Places, weights: Array) -> Array:
        """Probabilities from weighted draws, smoothed."""
        total = float(weights.sum())
        masses = np.bincount(places, weights=weights, minlength=self.count) / total
        mean = float(masses @ self.points)
        spread = math.sqrt(max(0.0, float(masses @ (self.points - mean) ** 2)))
        effective = total**2 / float(np.sum(weights**2))
        narrow = max(0.6 * spread * effective**-0.2, 0.05 * self.law.scale)
        wide = max(spread, 0.5 * self.law.scale)
        found = (1 - WIDE) * self._smooth(masses, narrow) + WIDE * self._smooth(masses, wide)
        return np.asarray(found / found.sum())

    def _smooth(self, masses: Array, h: float) -> Array:
        """Every mass spread out by a two-sided exponential kernel of scale h."""
        gaps = np.exp(-np.diff(self.points) / h).tolist()
        forward, backward = masses.tolist(), masses.tolist()  # lists: a recursion, whose steps are faster so
        for i, gap in enumerate(gaps):
            forward[i + 1] += forward[i] * gap
        for i in range(self.count - 2, -1, -1):
            backward[i] += backward[i + 1] * gaps[i]
        density = (np.array(forward) + np.array(backward) - masses) * self.width
        return np.asarray(density / density.sum())


def _edges(law: ScalarLaw) -> Array:
    centre = min(max(law.centre, law.support[0]), law.support[1])
    right = _outwards(law, centre, law.support[1], 1.0)
    left = _outwards(law, centre, law.support[0], -1.0)
    edges = np.array([*left[::-1], centre, *right])
    kinks = [k for k in law.kinks if edges[0] < k < edges[-1]]
    merged = np.unique(np.concatenate([edges, kinks]))
    apart = np.concatenate([[True], np.diff(merged) > 1e-9 * law.scale])
    return np.asarray(merged[apart])


def _outwards(law: ScalarLaw, start: float, end: float, sign: float) -> list[float]:
    """Edges from the centre to one end."""

    def log_density(x: float) -> float:
        value = float(law.density(np.float64(x)))
        return math.log(value) if value > 0 else -math.inf

    edges: list[float] = []
    at, here = start, log_density(start)
    top = here
    width = longest = law.scale / FINEST
    while len(edges) < MOST and sign * (end - at) > 1e-12 * law.scale:
        following = at + sign * width
        if sign * (following - end) >= 0:
            edges.append(end)
            break
        there = log_density(following)
        if here - there > CHANGE and width > 1e-3 * longest and here - there < math.inf:
            width /= 1.5
            continue
        top = max(top, there)
        if there < top - DEEPEST:
            break
        edges.append(following)
        at, here = following, there
        width = min(longest, 1.2 * width)
    return edges
