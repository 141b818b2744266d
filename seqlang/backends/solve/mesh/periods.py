"""The line divided into periods of one length, and each period into the same panels: a step is one matrix everywhere.

A period's rows are its sites (one at the left end of each panel, where atoms can sit) and then the nodes of its panels.
Rows hold mass. Groups (the first axis, G) are nodes of the persistent noises whose panels differ, or just one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.mesh.increments import Increments
from seqlang.backends.solve.mesh.panels import density_at, transfer
from seqlang.backends.solve.noises.legendre import gauss
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.unsolved import Unsolved

CLOSE = 1e-9
"""In periods: ends of panels that lie closer than this are one."""
MOST_NUMBERS, MOST_MOVED = 40_000_000, 200_000_000
"""Numbers in one array of masses, and in an array between two of them."""


class Layout:
    """Periods [origin + k * period, origin + (k + 1) * period), cut at origin + (k + cuts) * period.

    `cuts` (G, Q) rises along each row and starts with 0; `count` nodes a panel, equally spaced if `even`.
    """

    def __init__(self, origin: float, period: float, cuts: Array, count: int, sites: bool, even: bool = False) -> None:
        self.origin, self.period, self.cuts, self.count, self.sites, self.even = (
            origin, period, cuts, count, sites, even,
        )  # fmt: skip
        ends = np.concatenate([cuts, np.ones((len(cuts), 1))], axis=1)
        share = np.diff(ends, axis=1)
        share[share < CLOSE] = 0.0
        self.left, self.width = cuts * period, share * period
        if even:
            points, weights = (np.arange(count) + 0.5) / count, np.full(count, 1 / count)
        else:
            points, weights = gauss(count)
        groups, panels = cuts.shape
        self.nodes = (self.left[:, :, None] + self.width[:, :, None] * points).reshape(groups, -1)
        self.weights = (self.width[:, :, None] * weights).reshape(groups, -1)
        self.panels = panels
        self.first_node = panels if sites else 0
        self.rows = self.first_node + self.nodes.shape[1]
        self.relative = np.concatenate([self.left, self.nodes], axis=1) if sites else self.nodes

    def positions(self, first: int, count: int) -> Array:
        """(G, count, rows): where the rows of periods first, first + 1, .. lie."""
        starts = self.origin + np.arange(first, first + count) * self.period
        return np.asarray(starts[:, None] + self.relative[:, None, :])


class Move:
    """One increment: rows of the periods of `source` to rows of those of `target`.

    `matrix` (G, source rows, span * target rows): mass of period k goes to periods k + first .. k + first + span - 1.
    """

    def __init__(self, source: Layout, target: Layout, increments: Increments, points_only: bool = False) -> None:
        """`points_only`: there is mass on sites only."""
        period = source.period
        ahead = (target.origin - source.origin) / period
        low, high = increments.low / period - ahead, increments.high / period - ahead
        self.first = math.floor(low + CLOSE)
        self.span = max(1, math.ceil(high - CLOSE) + 1 - self.first)
        self.source, self.target = source, target
        groups = max(len(source.cuts), len(target.cuts))
        bounded(MOST_MOVED, groups, source.rows, self.span, target.rows)
        shifts: Array = (ahead + np.arange(self.first, self.first + self.span)) * np.float64(period)
        matrix = np.zeros((groups, source.rows, self.span, target.rows))
        if not points_only:
            self._density(matrix, shifts, increments)
        if source.sites:
            self._from_sites(matrix, shifts, increments)
        self.matrix = matrix.reshape(groups, source.rows, self.span * target.rows)

    def _density(self, matrix: Array, shifts: Array, increments: Increments) -> None:
        source, target = self.source, self.target
        groups = len(matrix)
        onto = matrix[:, source.first_node :, :, target.first_node :]
        if source.even:
            gap = target.nodes[0][None, None, :] + shifts[None, :, None] - source.nodes[0][:, None, None]
            onto[0] = density_at(increments, gap) * target.weights[0]
            return
        nodes = np.broadcast_to(target.nodes, (groups, target.nodes.shape[1]))
        left = np.broadcast_to(source.left, (groups, source.panels))
        width = np.broadcast_to(source.width, (groups, source.panels))
        weight = np.where(source.weights > 0, source.weights, 1.0)
        targets = (nodes[:, None, :] + shifts[None, :, None]).reshape(groups, -1)
        values = transfer(targets, left, width, source.count, increments)  # (G, span * targets, panels, count)
        values = values.reshape(groups, len(shifts), nodes.shape[1], -1).transpose(0, 3, 1, 2)
        onto[...] = values * target.weights[:, None, None, :] / weight[:, :, None, None]

    def _from_sites(self, matrix: Array, shifts: Array, increments: Increments) -> None:
        source, target = self.source, self.target
        sites = source.panels
        gap = target.nodes[:, None, None, :] + shifts[None, None, :, None] - source.left[:, :, None, None]
        matrix[:, :sites, :, target.first_node :] = density_at(increments, gap) * target.weights[:, None, None, :]
        if not target.sites:
            return
        gap = target.left[:, None, None, :] + shifts[None, None, :, None] - source.left[:, :, None, None]
        there = np.broadcast_to((target.width > 0)[:, None, None, :], gap.shape)
        for value, chance in increments.atoms:
            hit = (np.abs(gap - value) < CLOSE * source.period * 2) & there
            # a panel of no width has its site where the next one has: one of them takes the mass
            first = hit & (np.cumsum(hit.reshape(*hit.shape[:2], -1), axis=2).reshape(hit.shape) == 1)
            matrix[:, :sites, :, : target.panels] += chance * first

    def __call__(self, mass: Array, live: NDArray[np.intp]) -> Array:
        """(live, periods, rows) to (live, periods + span - 1, rows); the first period moves by `first`."""
        theta, periods, _ = mass.shape
        target = self.target.rows
        matrix = self.matrix if len(self.matrix) in (1, len(live)) else self.matrix[live]
        bounded(MOST_MOVED, theta, periods, self.span, target)
        found = np.zeros((theta, (periods + self.span - 1) * target))
        for j in range(self.span):  # a period's rows lie beside those of the next: sums run over long stretches
            onto = np.ascontiguousarray(matrix[:, :, j * target : (j + 1) * target])
            moved = mass @ onto  # many small products: one large one would start threads, which cost more
            found[:, j * target : (j + periods) * target] += moved.reshape(theta, -1)
        return found.reshape(theta, periods + self.span - 1, target)


def bounded(most: int, *sizes: int) -> None:
    """Raises Unsolved for an array of these sizes, if that were more numbers."""
    if math.prod(sizes) > most:
        raise Unsolved("the mass spreads over too many nodes, as where noise is very narrow beside the data")


def joined(groups: list[Array], size: int) -> Array:
    """Breakpoints in [0, 1) from arrays (1 or size,): (size, Q), the first 0, equal ones merged where they are for
    all."""
    columns = [np.zeros(size)]
    for x in groups:
        part = np.broadcast_to(x - np.floor(x + CLOSE), (size,)).copy()
        part[np.abs(part) <= 2 * CLOSE] = 0.0
        if not any(np.all(np.abs(part - c) <= 2 * CLOSE) for c in columns):
            columns.append(part)
    return np.sort(np.stack(columns, axis=1), axis=1)
