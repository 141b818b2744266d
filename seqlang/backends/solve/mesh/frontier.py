"""The frontier of a density on panels: its mass by node, period and row, and what is read off it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.mesh.panels import basis
from seqlang.backends.solve.mesh.periods import Layout
from seqlang.backends.solve.mesh.quasi_stationary import QuasiStationary, spread
from seqlang.backends.solve.solution import Array
from seqlang.record import record, replace

DROP = 1e-15
"""Ends of the band that hold less than this share of the mass are dropped in each step."""
HELD = 1e-14
"""The share of a node's mass that may lie outside the wide panels on each side."""
PRODUCT, CALLS = 3.0, 10_000
"""The cost of one number of the mass in a step, and of the calls of a step, as `recursion.py` counts."""


@record
class MeshFrontier:
    """`mass` (live, periods, rows) on the periods from `first` of `layout`; node weights are in it. `live` are those of
    the `theta` nodes of the persistent noises that have mass that counts."""

    step: int
    layout: Layout
    first: int
    mass: Array
    lost: float
    live: NDArray[np.intp]
    theta: int

    @property
    def survivors(self) -> Array:
        return spread(self.mass.sum(axis=(1, 2)), self)

    @property
    def size(self) -> int:
        return self.mass.size

    @property
    def cost(self) -> float:
        """Work of a step, in the numbers that `recursion.py` counts."""
        return PRODUCT * self.mass.size + CALLS


def band_of(frontier: MeshFrontier, theta: int) -> tuple[Array, Array]:
    """Where the mass of each node is, but for a share of HELD."""
    each = np.abs(frontier.mass).sum(axis=2)
    share = np.cumsum(each, axis=1) / np.maximum(each.sum(axis=1), 1e-300)[:, None]
    layout = frontier.layout
    start = layout.origin + frontier.first * layout.period
    low, high = np.zeros(theta), np.zeros(theta)
    low[frontier.live] = start + (share <= HELD).sum(axis=1) * layout.period
    high[frontier.live] = start + (1 + (share < 1 - HELD).sum(axis=1)) * layout.period
    return low, high


def density_of(frontier: MeshFrontier, points: Array, theta: NDArray[np.intp]) -> Array:
    """The density of nodes `theta` at points (nodes, rows)."""
    layout, found = frontier.layout, np.zeros(points.shape)
    place = np.full(frontier.theta, -1)
    place[frontier.live] = np.arange(len(frontier.live))
    whose = np.broadcast_to(place[theta][:, None], points.shape)
    at = (points - layout.origin) / layout.period - frontier.first
    period = np.floor(at).astype(np.intp)
    here = (period >= 0) & (period < frontier.mass.shape[1]) & (whose >= 0)
    rest, period, whose = at[here] - period[here], period[here], whose[here]
    group = np.broadcast_to(theta[:, None], points.shape)[here] if len(layout.cuts) > 1 else np.zeros_like(whose)
    panel = (rest[:, None] >= layout.cuts[group]).sum(axis=1) - 1
    width = layout.width[group, panel] / layout.period
    where = np.where(width > 0, (rest - layout.cuts[group, panel]) / np.where(width > 0, width, 1.0), 0.0)
    nodes = panel[:, None] * layout.count + np.arange(layout.count)
    mass = frontier.mass[whose[:, None], period[:, None], layout.first_node + nodes]
    weights = layout.weights[group[:, None], nodes]
    values = mass / np.where(weights > 0, weights, 1.0)
    found[here] = np.einsum("ab,ab->a", values, basis(where, layout.count))
    return found


def density_again(frontier: QuasiStationary) -> MeshFrontier:
    """The frontier with a density on panels that a quasi-stationary one stands for."""
    shape: MeshFrontier = frontier.shape
    with np.errstate(all="ignore"):
        ratio = np.where(shape.survivors > 0, frontier.mass / shape.survivors, 0.0)
    mass = shape.mass * ratio[shape.live][:, None, None]
    return MeshFrontier(frontier.step, shape.layout, shape.first, mass, frontier.lost, shape.live, shape.theta)


def without_rare_nodes(frontier: MeshFrontier) -> MeshFrontier:
    """The frontier without the nodes that together hold less than a tenth of DROP of the mass."""
    each = frontier.mass.sum(axis=(1, 2))
    keep = each > DROP / 10 * float(each.sum()) / len(each)
    if np.count_nonzero(keep) > 0.9 * len(each) or not keep.any():
        return frontier
    lost = frontier.lost + float(np.abs(each[~keep]).sum())
    return replace(frontier, mass=frontier.mass[keep], live=frontier.live[keep], lost=lost)


def trimmed(mass: Array, first: int) -> tuple[Array, int, float]:
    """The mass without ends of the band that hold less than DROP of it, the first period, and what the ends held."""
    each = np.abs(mass).reshape(len(mass), -1).sum(axis=0).reshape(mass.shape[1:]).sum(axis=1)
    rare = DROP * float(each.sum())
    low = int(np.searchsorted(np.cumsum(each), rare, side="right"))
    high = len(each) - int(np.searchsorted(np.cumsum(each[::-1]), rare, side="right"))
    if low >= high:
        return mass[:, :1] * 0.0, first, float(each.sum())
    return mass[:, low:high], first + low, float(each[:low].sum() + each[high:].sum())
