"""Report noisy max: how likely each place is, by integrals over the winner's noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from random_programs.meaning import State, Undefined
from random_programs.syntax import E, Noise

Array = NDArray[np.float64]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
LEAST = 1e-12
"""Chances below this are not told apart from rounding."""


def winner(e: E, state: State, noises: Sequence[Noise], size: int) -> Array | None:
    """For `argmax(q)` and `argmin(q)`, q with noise drawn anew: inputs times places, the logarithms of the chances."""
    if e.kind != "call" or e.data[0] not in ("argmax", "argmin") or len(e.parts) != 1 or e.parts[0].kind != "name":
        return None
    found = [n for n in noises if e.parts[0].data[0] in n.targets]
    values = state.scope[e.parts[0].data[0]]
    if not found or not isinstance(values, list):
        return None
    if len(found) != 1 or found[0].life or found[0].name or any(isinstance(v, list) for v in values):
        raise Undefined
    table = np.stack([np.broadcast_to(np.asarray(v, dtype=float), (size,)) for v in values], axis=1)
    chances = chances_of(found[0].law, table, smallest=e.data[0] == "argmin")
    if np.any(chances < LEAST):
        raise Undefined
    return np.log(chances / chances.sum(axis=1, keepdims=True))


def chances_of(law: tuple[Any, ...], table: Array, smallest: bool = False) -> Array:
    """P(place i wins), the first of equals; `table`: inputs times numbers."""
    if law[0] == "gumbel":
        return _gumbel(table / law[1], smallest)
    if law[0] == "geometric":
        return _geometric(law[1], -table if smallest else table)
    if law[0] == "exponential":
        return _integrated(_falling if smallest else _rising, table / law[1] * (-1 if smallest else 1))
    return _integrated({"laplace": _laplace, "gaussian": _gaussian}[law[0]], table / law[1] * (-1 if smallest else 1))


def _gumbel(table: Array, smallest: bool) -> Array:
    """The largest is i with probability e_i / sum e; the smallest by inclusion and exclusion of those that i beats."""
    weights = np.exp(table - table.max(axis=1, keepdims=True))
    if not smallest:
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
    out = np.zeros_like(weights)
    for i in range(table.shape[1]):
        others = [j for j in range(table.shape[1]) if j != i]
        for k in range(len(others) + 1):
            for beaten in combinations(others, k):
                out[:, i] += (-1) ** k * weights[:, i] / (weights[:, i] + weights[:, list(beaten)].sum(axis=1))
    return out


def _laplace(z: Array) -> tuple[Array, Array]:
    tail = np.exp(-np.abs(z)) / 2
    return tail, np.where(z < 0, tail, 1 - tail)


def _gaussian(z: Array) -> tuple[Array, Array]:
    return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), np.asarray(ndtr(z))


def _rising(z: Array) -> tuple[Array, Array]:
    """Exponential noise: (density, P(noise <= z))."""
    density = np.where(z >= 0, np.exp(-np.maximum(z, 0)), 0.0)
    return density, np.where(z >= 0, -np.expm1(-np.maximum(z, 0)), 0.0)


def _falling(z: Array) -> tuple[Array, Array]:
    """Exponential noise taken away."""
    density = np.where(z <= 0, np.exp(np.minimum(z, 0)), 0.0)
    return density, np.minimum(np.exp(np.minimum(z, 0)), 1.0)


def _integrated(law: Any, table: Array) -> Array:
    """Gauss-Legendre between the kinks, which are the numbers themselves, and on pieces of length 4 beyond them."""
    kinks = np.sort(table, axis=1)
    steps = np.arange(1.0, 11.0) * 4
    edges = np.concatenate([kinks[:, :1] - steps[::-1], kinks, kinks[:, -1:] + steps], axis=1)
    cuts = [edges[:, :-1] * (1 - cut) + edges[:, 1:] * cut for cut in (0.25, 0.5, 0.75)]
    edges = np.sort(np.concatenate([edges, *cuts], axis=1), axis=1)
    middle, half = (edges[:, 1:] + edges[:, :-1]) / 2, (edges[:, 1:] - edges[:, :-1]) / 2
    x = (middle[:, :, None] + half[:, :, None] * NODES).reshape(len(table), -1)
    weight = (half[:, :, None] * WEIGHTS).reshape(len(table), -1)
    known = [law(x - table[:, i : i + 1]) for i in range(table.shape[1])]
    columns = []
    for i, (density, _) in enumerate(known):
        below = np.prod([at_most for j, (_, at_most) in enumerate(known) if j != i], axis=0)
        columns.append((weight * density * below).sum(axis=1))
    return np.stack(columns, axis=1)


def _geometric(ratio: float, table: Array) -> Array:
    """By summing over the winner's noise; an equal number that stands before it wins."""
    if np.any(np.abs(table - np.rint(table)) > 1e-9):
        raise Undefined
    reach = math.ceil(-40 / math.log(ratio))
    z = np.arange(-reach, reach + 1.0)

    def at_most(k: Array) -> Array:
        upper = ratio ** (np.maximum(k, -1) + 1) / (1 + ratio)
        lower = ratio ** np.maximum(-k, 0) / (1 + ratio)
        return np.where(k >= 0, 1 - upper, lower)

    chance = (1 - ratio) / (1 + ratio) * ratio ** np.abs(z)
    out = np.zeros_like(table)
    for i in range(table.shape[1]):
        alone = np.broadcast_to(chance, (len(table), len(z)))
        for j in range(table.shape[1]):
            if j != i:
                alone = alone * at_most(z + table[:, i : i + 1] - table[:, j : j + 1] - (1 if j < i else 0))
        out[:, i] = alone.sum(axis=1)
    return out
