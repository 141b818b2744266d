"""Quadrature nodes for two independent Laplace noises such that many nodes have the same difference.

Between two drawn thresholds a + u and b + v the distance is the same for all nodes with the same v - u, and one matrix
for a step then serves all of them. The outer rule is over the difference w = v - u, split at 0, the inner one over u at
a given w, split where u or v changes sign: between the splits the density is exponential.
"""

from __future__ import annotations

import numpy as np

from seqlang.backends.solve.mesh.breakpoints import BreakpointFinder
from seqlang.backends.solve.mesh.private_number import Reading
from seqlang.backends.solve.noises.family_laws import is_laplace
from seqlang.backends.solve.noises.legendre import gauss
from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.record import replace

MOST_UNEQUAL = 2.0
"""Beyond this ratio of the two scales it matters in which order the axes are taken, and the rule is not used."""
ORDERS = (8, 12, 18, 27, 40, 60)
"""Nodes of one axis, by level."""


def laplace_pair_rule(first: float, second: float, level: int) -> tuple[Array, Array, Array]:
    """(u, v, weights) for the Laplace scales of u and v."""
    count = ORDERS[min(level, len(ORDERS) - 1)]
    x, share = np.polynomial.laguerre.laggauss(count)
    at, part = gauss(count)
    longest = max(first, second)
    rate = 1 / first + 1 / second
    us, vs, weights = [], [], []

    def add(u: Array, v: Array, outer: Array, inner: Array) -> None:
        with np.errstate(under="ignore"):
            density = np.exp(outer - np.abs(u) / first - np.abs(v) / second) / (4 * first * second)
        us.append(u.ravel())
        vs.append(v.ravel())
        weights.append((density * inner).ravel())

    w = (longest * x)[:, None]
    outer = (x + np.log(share * longest))[:, None]  # the rule's own density is taken out again
    for sign in (1.0, -1.0):
        size = np.broadcast_to(w, (count, count))
        # u and v both beyond 0 on one side, both on the other, and between
        add(sign * (x / rate + 0 * w), sign * (x / rate + w), outer + x, share / rate + 0 * w)
        add(-sign * (x / rate + w), -sign * (x / rate + 0 * w), outer + x, share / rate + 0 * w)
        add(-sign * size * (1 - at), sign * size * at, outer, size * part)
    total = np.concatenate(weights)
    return np.concatenate(us), np.concatenate(vs), total / total.sum()


def grid_by_differences(grid: Grid, plan: IntegrationPlan, reading: Reading, level: int) -> Grid:
    """The grid by differences, if the nodes are those of two Laplace noises that each move one threshold."""
    names = tuple(grid.values)
    laws = [plan.laws[name] for name in names]
    if len(names) != 2 or grid.inner:
        return grid
    first, second = laws
    if not is_laplace(first) or not is_laplace(second):
        return grid
    slopes = _slopes(grid, names, plan, reading)
    if slopes is None:
        return grid
    scales = abs(slopes[0]) * first.scale, abs(slopes[1]) * second.scale
    if max(scales) > MOST_UNEQUAL * min(scales):
        return grid
    u, v, weights = laplace_pair_rule(*scales, level)
    return replace(grid, values={names[0]: u / slopes[0], names[1]: v / slopes[1]}, weights=weights, groups=())


def _slopes(grid: Grid, names: tuple[str, ...], plan: IntegrationPlan, reading: Reading) -> tuple[float, float] | None:
    """How far one unit of each noise moves its threshold; None where there are others, or any without fresh noise."""
    probes = {names[0]: np.array([0.0, 1.0, 0.0]), names[1]: np.array([0.0, 0.0, 1.0])}
    finder = BreakpointFinder(reading, plan, replace(grid, values=probes, weights=np.ones(3) / 3, groups=()))
    if finder.moves:
        return None
    cuts = finder.at(1)
    if cuts.jumps.shape[1] or cuts.kinks.shape[0] != 3:
        return None
    moved = (cuts.kinks[1:] - cuts.kinks[:1]).T  # (kinks, noises)
    found = []
    for own, other in ((0, 1), (1, 0)):
        mine = moved[np.abs(moved[:, own]) > 1e-12]
        if len(mine) == 0 or np.any(np.abs(mine[:, other]) > 1e-12) or np.ptp(mine[:, own]) > 1e-12:
            return None
        found.append(float(mine[0, own]))
    return found[0], found[1]
