"""What draws of the persistent noises that are rarer than every node may add to an expectation, possibly infinity."""

from __future__ import annotations

import math

import numpy as np

from seqlang.backends.solve.solution import Array

NEAR, FAR = 1e-7, 1e-13
"""Probabilities of draws between which the growth of the expectation is measured."""
FLAT = 1.5
"""Where no node takes more than so many times the mean, the expectation does not depend on the draws."""
LEAST_POWER = 0.1
"""Where the contribution of the rarest draws, of probability w, falls more slowly than w^0.1, the expectation is taken
to be infinite."""
SLOPES = tuple(math.log(w) for w in (1e-6, 1e-11, 1e-16))
"""Logarithms of the probabilities between which `_speeds_up` compares two slopes."""


def beyond_the_nodes(weights: Array, parts: Array, rarest: float) -> float:
    """What draws of the persistent noises that are rarer than every node might add to the sum of `parts`.

    Nodes are taken by falling part / weight; if the slowest ones, of total weight w, contribute about w^a, then those
    beyond the last node (total weight `rarest`) contribute rarest^a, and for a near 0 the expectation is infinite. So
    it may be where parts grow faster and faster the rarer the draw is: Laplace noise against fresh Gaussian noise.
    """
    alive = weights > 0
    if np.count_nonzero(alive) < 8:
        return 0.0
    own, part = weights[alive], np.maximum(parts[alive], 0.0)  # interpolation may leave a node a little below 0
    slowest = float((part / own).max())
    if slowest <= FLAT * float(part.sum() / own.sum()):  # differences between nodes are rounding, and show no growth
        return rarest * slowest
    order = np.argsort(-part / own)
    weight, sums = np.cumsum(own[order]), np.cumsum(part[order])
    with np.errstate(divide="ignore"):
        sizes = np.log(part[order] / own[order])
    if _speeds_up(np.log(weight), sizes):
        return math.inf
    near, far = (float(np.interp(math.log(w), np.log(weight), sums)) for w in (NEAR, FAR))
    whole = float(sums[-1])
    if near <= 1e-12 * whole or far <= 0.0 or weight[0] > FAR:
        return 0.0
    power = math.log(near / far) / math.log(NEAR / FAR)
    if power < LEAST_POWER:
        return math.inf
    return float(far * (rarest / FAR) ** power)


def _speeds_up(rare: Array, size: Array) -> bool:
    """Whether log size grows faster in -log weight from SLOPES[1] to SLOPES[2] than from SLOPES[0] to SLOPES[1]."""
    if rare[0] > SLOPES[2] or rare[-1] < SLOPES[0]:
        return False
    a, b, c = (float(np.interp(at, rare, size)) for at in SLOPES)
    before, after = (b - a) / (SLOPES[0] - SLOPES[1]), (c - b) / (SLOPES[1] - SLOPES[2])
    return after > 1.1 * before + 0.005
