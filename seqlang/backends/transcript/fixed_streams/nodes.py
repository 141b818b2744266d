"""Nodes and weights for one persistent noise: exact cells where it is met alone, panels where fresh noise blurs it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import ceil, exp, floor, inf, isinf

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.record import record

Array = NDArray[np.float64]
MOST_ENDS = 3000
"""Panel ends that are honoured; beyond, the difference of two orders tells how much is lost."""


MOST_PANELS = 100_000
"""Panels of one noise: their nodes' densities are computed one by one, about a second for so many."""
RARE = 1e-15
"""A probability: the mass that may lie beyond the nodes, where several noises are integrated together."""


def rare(together: int) -> float:
    """The probability that lies beyond the nodes on each side of a noise, if so many noises are integrated together."""
    return 1e-18 if together == 1 else RARE


@record
class Axis:
    """What the conditions ask of one persistent noise: `jumps` are values at which a chance jumps,
    `kinks` values at which it is not smooth, `blur` the shortest length on which fresh noise smooths (inf: it is
    met alone only, and a chance is constant between two jumps)."""

    jumps: frozenset[float]
    kinks: frozenset[float]
    blur: float


def axis_nodes(law: NoiseLaw, axis: Axis, level: int, together: int) -> tuple[Array, Array]:
    """(values, weights) of one noise. `level` 1 is a finer rule than 0; `together`: how many noises are integrated
    together (alone, a noise has more nodes)."""
    if law.kind == "finite":
        return _points(law, law.points)
    low, high = _end(law, rare(together), -1), _end(law, rare(together), 1)
    if law.kind == "lattice":
        return _points(law, np.arange(floor(low), ceil(high) + 1, dtype=float))
    if isinf(axis.blur):
        return _cells(law, sorted(axis.jumps))
    unit = min(law.scale, axis.blur)
    inner = _thinned([*axis.jumps, *law.kinks(low, high), *axis.kinks], low, high)
    return _panels(law, [low, *inner, high], unit, level, together == 1)


def is_exact(law: NoiseLaw, axis: Axis) -> bool:
    """Whether the nodes hold the whole law and no chance changes between two of them."""
    return law.kind == "finite" or (law.kind == "density" and isinf(axis.blur))


def _points(law: NoiseLaw, points: Iterable[float]) -> tuple[Array, Array]:
    values = np.array(list(points), dtype=np.float64)
    weights = np.array([exp(law.log_density(p)) for p in values.tolist()])
    return values, weights


def _cells(law: NoiseLaw, cuts: list[float]) -> tuple[Array, Array]:
    """One value inside each cell between neighbouring cuts, with the cell's probability."""
    kept = [c for c in cuts if law.support[0] < c < law.support[1]]
    ends = [law.support[0], *kept, law.support[1]]
    values, weights = [], []
    for a, b in pairwise(ends):
        weight = exp(law.log_between(a, b))
        if weight <= 0:
            continue
        inside = (a + b) / 2 if not isinf(b - a) else (0.0 if isinf(a) and isinf(b) else a + 1 if isinf(b) else b - 1)
        values.append(inside)
        weights.append(weight)
    return np.array(values), np.array(weights)


def _panels(law: NoiseLaw, ends: list[float], unit: float, level: int, wide: bool) -> tuple[Array, Array]:
    most = (8, 12)[level] if wide else (5, 7)[level]
    values: list[Array] = []
    weights: list[Array] = []
    for a, b in pairwise(ends):
        if b <= a:
            continue
        pieces = ceil((b - a) / unit) if b - a <= MOST_PANELS * unit else MOST_PANELS + 1
        if pieces > MOST_PANELS:
            raise Unsupported("a fresh noise that is far narrower than a noise that lasts")
        width = (b - a) / pieces
        # a short panel needs few nodes
        count = most if width > unit / 4 else (most + 1) // 2 if width > unit / 20 else (most + 3) // 4
        x, w = np.polynomial.legendre.leggauss(count)
        starts = a + width * np.arange(pieces)
        values.append((starts[:, None] + width * (x + 1) / 2).ravel())
        weights.append(np.tile(w * width / 2, pieces))
    at = np.concatenate(values)
    density = np.array([exp(law.log_density(v)) for v in at.tolist()])
    return at, np.concatenate(weights) * density


def _thinned(ends: list[float], low: float, high: float) -> list[float]:
    kept = sorted({e for e in ends if low < e < high})
    close = (high - low) * 1e-12
    apart = [e for i, e in enumerate(kept) if i == 0 or e - kept[i - 1] > close]
    step = -(-len(apart) // MOST_ENDS)
    return apart[:: max(1, step)]


def _end(law: NoiseLaw, least: float, side: int) -> float:
    """Where a tail of the law holds about `least`, or the end of its support."""
    limit = law.support[1] if side > 0 else law.support[0]
    tail = law.log_above if side > 0 else law.log_below
    inside, outside = 0.0, law.scale * side
    if not isinf(limit) and tail(limit - side * law.scale * 1e-9) > np.log(least):
        return limit
    while tail(outside) > np.log(least):
        inside, outside = outside, outside * 2
        if isinf(outside):
            return inf * side
    for _ in range(30):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if tail(middle) > np.log(least) else (inside, middle)
    return outside
