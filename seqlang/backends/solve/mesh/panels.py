"""Densities by their values at Gauss-Legendre nodes on panels, and what one increment makes of them.

Nodes of a panel: `left + width * points`. A density is a polynomial on every panel; its integral against the density of
the increment is taken over the part of the panel that reaches the target, so that jumps of either are respected.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from seqlang.backends.solve.mesh.increments import Increments
from seqlang.backends.solve.noises.legendre import gauss
from seqlang.backends.solve.solution import Array

EXTRA = 8
"""The inner quadrature has so many points more than a panel has nodes."""
CHUNK = 2_000_000
"""Numbers that are computed in one call."""


@cache
def from_moments(count: int) -> Array:
    """(k, i): the i-th Lagrange polynomial of the Gauss points is the sum over k of this times the Legendre P_k."""
    points, weights = gauss(count)
    table = np.polynomial.legendre.legvander(2 * points - 1, count - 1)
    return np.asarray((table * weights[:, None] * (2 * np.arange(count) + 1)).T)


def basis(u: Array, count: int) -> Array:
    """Lagrange polynomials of the Gauss points at u in [0, 1]: (.., count)."""
    return np.asarray(np.polynomial.legendre.legvander(2 * u - 1, count - 1) @ from_moments(count))


def transfer(targets: Array, left: Array, width: Array, count: int, increments: Increments) -> Array:
    """(G, L, P, count): the density at each target as a linear function of the density at the nodes of each panel.

    `targets` (G, L); `left`, `width` (G, P), a width of 0 is a panel that is not there.
    """
    groups, rows = targets.shape
    panels = left.shape[1]
    size = max(1, rows * panels * (count + EXTRA))
    step = max(1, CHUNK // size)
    found = np.empty((groups, rows, panels, count))
    for g in range(0, groups, step):
        part = slice(g, g + step)
        found[part] = _transfer(targets[part], left[part], width[part], count, increments)
    return found


def _transfer(targets: Array, left: Array, width: Array, count: int, increments: Increments) -> Array:
    y = targets[:, :, None]
    start, length = left[:, None, :], width[:, None, :]
    there = length > 0
    scale = np.where(there, length, 1.0)
    moments = np.zeros((targets.shape[0], targets.shape[1], left.shape[1], count))
    points, weights = gauss(count + EXTRA)
    for part in increments.parts:
        low = np.maximum(start, y - part.high)
        reach = np.minimum(start + length, y - part.low) - low
        here = (reach > 0) & there
        if not np.any(here):
            continue
        to, begin, whole = (np.broadcast_to(a, here.shape)[here][:, None] for a in (y, start, scale))
        at = low[here][:, None] + reach[here][:, None] * points
        mass = part.density(to - at) * weights * reach[here][:, None]
        u = 2 * (at - begin) / whole - 1
        found = np.empty((len(u), count))
        before, now = np.zeros_like(u), np.ones_like(u)
        for k in range(count):  # moments with the Legendre polynomials, by their recurrence
            found[:, k] = np.einsum("ab,ab->a", mass, now)
            before, now = now, ((2 * k + 1) * u * now - k * before) / (k + 1)
        moments[here] += found
    values = moments @ from_moments(count)
    for value, chance in increments.atoms:
        u = (y - value - start) / scale
        here = (u > 0) & (u < 1) & there
        if np.any(here):
            values[here] += chance * basis(u[here], count)
    return np.asarray(values)


def density_at(increments: Increments, y: Array) -> Array:
    """The density of the increment itself (its atoms apart) at y, which is no end of a part."""
    total = np.zeros(y.shape)
    for part in increments.parts:
        inside = (y > part.low) & (y < part.high)
        if np.any(inside):
            total[inside] += part.density(y[inside])
    return total
