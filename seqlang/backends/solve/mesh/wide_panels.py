"""Wide panels for a density that has become smooth: few nodes, so that many steps are one small matrix for each node.

After some steps the density is smooth but for kinks at the thresholds and at their images under the jumps of the
increments, so that panels can be as wide as the noise is.

    on_wide_panels(places, density) -> PoweredFrontier | None      places: `Places`, density(points (theta, rows)) of
    what is left
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.mesh.increments import Increments
from seqlang.backends.solve.mesh.matrix_powers import MatrixPowers, NodeMatrices, PoweredFrontier, tail_of
from seqlang.backends.solve.mesh.panels import transfer
from seqlang.backends.solve.noises.legendre import gauss
from seqlang.backends.solve.solution import Array
from seqlang.record import record, replace

MOST_ROWS = 500
"""Rows of one matrix."""
MOST_NUMBERS = 40_000_000
"""Numbers in all matrices."""
BATCH = 16
"""Matrices of about the same size that are computed in one call."""
JUMP_DEPTH, KINK_DEPTH = 4, 1
"""Panels end at the images of jumps and kinks under so many increments: later images are smooth enough."""
OUTSIDE = 1e-14
"""Mass that may leave the panels, as a share of what is left."""
GROWTH = 100.0
"""By which mass may grow, in absolute value, over a block of steps: above it the panels are too wide for the density,
and what they interpolate explodes. It is the product of interpolation weights, near 1, where they are not."""
ROOM = 5
"""How often the panels are widened, each time by a half, until no more mass leaves them."""

Chances = Callable[[Array, NDArray[np.intp]], Array]
"""Points (nodes, rows) and the nodes' indices to chances of the stops, last: none: (stops + 1, nodes, rows)."""


@record
class Places:
    """Jumps and kinks (theta, how many) of the chances; panels with `count` nodes, from at most `low` to at least
    `high` (theta,), and `room` beyond. A panel is at most `width` wide for a node of weight 1, and wider for a node of
    small weight in `weights` (theta,): the error on a panel grows as its width to the power `count`, so that the same
    part of the total error is left to each node. No panel is wider than `widest`."""

    increments: Increments
    jumps: Array
    kinks: Array
    low: Array
    high: Array
    room: float
    width: float
    widest: float
    count: int
    weights: Array
    chances: Chances
    mixing: Array


def on_wide_panels(
    places: Places, density: Callable[[Array, NDArray[np.intp]], Array], step: int, lost: float
) -> PoweredFrontier | None:
    """The frontier on wide panels after `step` steps; None where they are too many or the mass leaves them."""
    theta = len(places.low)
    for widened in range(ROOM):
        ends = _ends(replace(places, room=places.room * 1.5**widened))
        if ends is None:
            return None
        groups = _alike(places, ends)
        sizes = np.array([len(ends[group[0]]) - 1 for group in groups], float) * places.count
        if sizes.max() > MOST_ROWS or float((sizes**2).sum()) > MOST_NUMBERS:
            return None
        matrices, masses = [], []
        order = np.argsort(sizes, kind="stable")
        for start in range(0, len(order), BATCH):
            batch, mass = _batch(places, ends, [groups[i] for i in order[start : start + BATCH]], density)
            matrices.append(batch)
            masses.append(mass)
        with np.errstate(all="ignore"):
            tail, gone = tail_of(matrices, tuple(masses), step, theta)
        left = float(sum(m.sum() for m in masses))
        if not np.isfinite(tail.steps) or abs(float(tail.outcomes.sum()) / left - 1) > 1e-3 + gone:
            return None
        if gone <= OUTSIDE * max(1e-3, left):
            machine = MatrixPowers(matrices, theta)
            if any(float(np.abs(power).sum(axis=2).max()) > GROWTH for power in machine.powers):
                return None
            return PoweredFrontier(step, 0, tuple(masses), machine.block(tuple(masses)), machine, lost + gone)
    return None


def _alike(places: Places, ends: list[Array]) -> list[list[int]]:
    """Nodes whose panels, jumps and kinks have the same distances."""
    found: dict[tuple[float, ...], list[int]] = {}
    marks = np.concatenate([places.jumps, places.kinks], axis=1)
    if not marks.shape[1]:
        return [[i] for i in range(len(ends))]
    unit = 1e-10 * min(places.width, places.widest)
    for i, (e, m) in enumerate(zip(ends, marks, strict=True)):
        key = (float(len(e)), *np.round((np.concatenate([e, m]) - e[0]) / unit).tolist())
        found.setdefault(key, []).append(i)
    return list(found.values())


def _ends(places: Places) -> list[Array] | None:
    """Ends of the panels of each node."""
    edges = places.increments.edges
    shifts = {0.0}
    unit = 1e-12 * max([places.width, *map(abs, edges)])
    reach: dict[int, list[float]] = {0: [0.0]}
    for depth in range(1, max(JUMP_DEPTH, KINK_DEPTH) + 1):
        shifts = {unit * round((s + e) / unit) for s in shifts for e in edges} | shifts
        reach[depth] = sorted(shifts)
        if len(shifts) > 60:
            return None
    columns = [places.jumps[:, j : j + 1] + np.array(reach[JUMP_DEPTH]) for j in range(places.jumps.shape[1])]
    columns += [places.kinks[:, j : j + 1] + np.array(reach[KINK_DEPTH]) for j in range(places.kinks.shape[1])]
    low, high, widths = places.low.copy(), places.high.copy(), _widths(places)
    marks = np.sort(np.concatenate(columns, axis=1), axis=1) if columns else np.zeros((len(low), 0))
    cuts = np.concatenate([places.jumps, places.kinks], axis=1)
    if cuts.shape[1]:
        # whole numbers of panels from the cuts, so that the panels of many nodes are the same
        least, most = cuts.min(axis=1) - places.room, cuts.max(axis=1) + places.room
        low = least - widths * np.ceil(np.maximum(0.0, least - low) / widths)
        high = most + widths * np.ceil(np.maximum(0.0, high - most) / widths)
    else:
        low, high = low - places.room, high + places.room
    found = []
    for a, b, inner, width in zip(low.tolist(), high.tolist(), marks, widths.tolist(), strict=True):
        close = 1e-9 * width
        ends = [a]
        for mark in [*(m for m in inner.tolist() if a < m < b), b]:
            gap = mark - ends[-1]
            if gap <= close:
                continue
            pieces = math.ceil(gap / width - 1e-9)
            if (len(ends) + pieces) * places.count > MOST_ROWS:  # before a list of them is made
                return None
            before = ends[-1]
            ends += [before + gap * k / pieces for k in range(1, pieces)]
            ends.append(mark)
        found.append(np.array(ends))
    return found


def _widths(places: Places) -> Array:
    """How wide the panels of each node may be; nodes whose cuts lie at the same distances from each other share their
    panels, and the largest weight among them counts."""
    cuts = np.concatenate([places.jumps, places.kinks], axis=1)
    heaviest = np.array(places.weights, float)
    if cuts.shape[1]:
        distances = np.round((cuts - cuts[:, :1]) / (1e-10 * min(places.width, places.widest)))
        _, which = np.unique(distances, axis=0, return_inverse=True)
        most = np.zeros(int(which.max()) + 1)
        np.maximum.at(most, which.ravel(), heaviest)
        heaviest = most[which.ravel()]
    heaviest = np.clip(heaviest, 1e-300, 1.0)
    return np.asarray(np.minimum(places.widest, places.width * heaviest ** (-0.5 / places.count)))


def _batch(
    places: Places, ends: list[Array], groups: list[list[int]], density: Callable[[Array, NDArray[np.intp]], Array]
) -> tuple[NodeMatrices, Array]:
    """The matrices of the groups, and their mass (U, members, rows). Panels that are missing have no weight."""
    firsts = [ends[group[0]] for group in groups]
    size, count = max(len(e) for e in firsts) - 1, places.count
    left = np.array([np.pad(e[:-1], (0, size + 1 - len(e)), constant_values=e[-1]) for e in firsts])
    width = np.array([np.pad(np.diff(e), (0, size + 1 - len(e))) for e in firsts])
    at, share = gauss(count)
    points = (left[:, :, None] + width[:, :, None] * at).reshape(len(groups), -1)
    weights = (width[:, :, None] * share).reshape(len(groups), -1)
    theta = np.full((len(groups), max(len(group) for group in groups)), -1)
    shift = np.zeros(theta.shape)
    for u, group in enumerate(groups):
        theta[u, : len(group)] = group
        shift[u, : len(group)] = [ends[i][0] - ends[group[0]][0] for i in group]
    chances = places.chances(points, theta[:, 0])  # (stops + 1, U, rows)
    stops = np.einsum("sur,so->uro", chances[:-1], places.mixing)
    moves = _moves(places, left, width)
    reads = moves @ np.concatenate([stops, chances[-1][:, :, None]], axis=2)
    last = np.array([e[-1] for e in firsts])[:, None]
    leaves = places.increments.above(last - points) + places.increments.below(left[:, :1] - points)
    mass = np.zeros((*theta.shape, points.shape[1]))
    row, member = np.nonzero(theta >= 0)
    values = density(points[row] + shift[row, member][:, None], theta[row, member])
    mass[row, member] = np.where(weights[row] > 0, values, 0.0) * weights[row]
    return NodeMatrices(theta, moves * chances[-1][:, None, :], reads, np.where(weights > 0, leaves, 0.0)), mass


def _moves(places: Places, left: Array, width: Array) -> Array:
    """(nodes, rows, rows): mass to mass by one increment. Pairs of panels that lie to each other in the same way are
    computed once."""
    nodes, size = left.shape
    count, increments = places.count, places.increments
    low = left[:, None, :] - left[:, :, None]  # from source (axis 1) to target (axis 2)
    there = (width[:, :, None] > 0) & (width[:, None, :] > 0)
    near = there & (low + width[:, None, :] > increments.low) & (low < width[:, :, None] + increments.high)
    t, i, j = np.nonzero(near)
    keys = np.round(
        np.stack([low[t, i, j], width[t, i], width[t, j]], axis=1) / (1e-11 * min(places.width, places.widest))
    )
    _, which, back = np.unique(
        keys @ np.array([1.0, math.sqrt(2), math.sqrt(3)]), return_index=True, return_inverse=True
    )
    offset, source, target = low[t, i, j][which], width[t, i][which], width[t, j][which]
    at, share = gauss(count)
    targets = offset[:, None] + target[:, None] * at
    values = transfer(targets, np.zeros((len(which), 1)), source[:, None], count, increments)[:, :, 0]
    # density at targets from density at sources; mass has the weights in it
    values = values * (target[:, None] * share)[:, :, None] / (source[:, None] * share)[:, None, :]
    found = np.zeros((nodes, size, size, count, count))
    found[t, i, j] = values.transpose(0, 2, 1)[back]
    return found.transpose(0, 1, 3, 2, 4).reshape(nodes, size * count, size * count)
