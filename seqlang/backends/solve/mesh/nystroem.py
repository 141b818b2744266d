"""The chain for a sum with smooth increments between fixed bounds: one small matrix from the first step on.

Where stops compare the sum with fixed values, without noise, the runs that go on lie in fixed intervals. What a density
on them becomes in one step is an integral operator with a smooth kernel; at Gauss-Legendre nodes it is a matrix whose
error falls faster than any power of the number of nodes (Nystroem's method). The chances to stop from a node are
differences of the increment's distribution function.

    nystroem_chain(reading, plan, grid) -> make | None     make(level) is a chain that takes no forced entries
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from seqlang.backends.solve.chain import Chain, Stopped
from seqlang.backends.solve.mesh.breakpoints import BreakpointFinder
from seqlang.backends.solve.mesh.increments import Part
from seqlang.backends.solve.mesh.matrix_powers import MatrixPowers, NodeMatrices, PoweredFrontier
from seqlang.backends.solve.mesh.private_number import Reading
from seqlang.backends.solve.noises.legendre import gauss
from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.record import record

LEAST, EACH, MORE = 12, 2.0, 0.2
"""Nodes of an interval: LEAST, and EACH for every length of the increment's scale; each level has MORE times as many in
addition."""
MOST_NODES = 1000
"""Nodes of all intervals together: the matrix has a million numbers."""
LOOKED = 16
"""Points of an interval at which the stops are evaluated: the same stop must fire at all of them."""
SEEN = 1e-6
"""A probability: where the chances by nodes and by distribution function differ by more, the nodes are too few for the
increments."""


@record
class Intervals:
    """`ends` (intervals, 2) in rising order, inf at the outer ones; `stops`: (stops, intervals), 1 where it fires.
    `mixing` as in `Chances`."""

    ends: Array
    stops: Array
    outcomes: tuple[Outcome, ...]
    mixing: Array

    @property
    def alive(self) -> Array:
        """(alive, 2)"""
        return np.asarray(self.ends[self.stops.sum(axis=0) == 0])


def nystroem_chain(reading: Reading, plan: IntegrationPlan, grid: Grid) -> Callable[[int], Chain] | None:
    """The chain by level; `make` raises Unsolved for a level with too many nodes. None where there is noise, where the
    ends move or are not all there, or where the increments have atoms, jumps or kinks."""
    increments = reading.increments
    noisy = plan.variables or grid.values or grid.inner or not plan.simple
    if noisy or reading.floor > -math.inf or reading.ceiling < math.inf or increments.edges:
        return None
    (part,) = increments.parts
    intervals = _intervals(reading, plan, grid, part)
    if intervals is None:
        return None
    lengths = np.diff(intervals.alive).ravel()
    if not len(lengths) or not np.isfinite(lengths).all() or sum(_counts(lengths, part, 1)) > MOST_NODES:
        return None

    @cache
    def make(level: int) -> NystroemChain:
        return NystroemChain(intervals, part, reading.start, _counts(lengths, part, level))

    return make if make(0).slip < SEEN else None


def _counts(lengths: Array, part: Part, level: int) -> list[int]:
    return [math.ceil((LEAST + EACH * x / part.scale) * (1 + MORE * level)) for x in lengths]


def _intervals(reading: Reading, plan: IntegrationPlan, grid: Grid, part: Part) -> Intervals | None:
    """None where the stops depend on more than the interval in which the sum lies."""
    finder = BreakpointFinder(reading, plan, grid)
    chances = Chances(reading.program, plan, grid)
    if finder.moves or not chances.time_invariant:
        return None
    jumps = finder.at(1).jumps
    cuts = np.unique(jumps[np.isfinite(jumps)])
    if not len(cuts):
        return None
    ends = np.array(list(pairwise([-math.inf, *cuts.tolist(), math.inf])))
    inner, _ = gauss(LOOKED)
    far = part.scale * np.geomspace(1e-3, 1e3, LOOKED)
    points = np.vstack([cuts[0] - far, cuts[:-1, None] + np.diff(cuts)[:, None] * inner, cuts[-1] + far])
    table = chances.table(1, Environment(1, reading.cells(points.ravel(), 1)))[:-1, 0].reshape(-1, *points.shape)
    stops = table[:, :, 0]
    if not np.isin(stops, (0.0, 1.0)).all() or not (table == stops[:, :, None]).all():
        return None
    return Intervals(ends, stops, chances.outcomes, chances.mixing)


class NystroemChain:
    """The chain at one order of quadrature: `counts` nodes on each interval where nobody stops, after the start as a
    state that nobody returns to. `slip`: by how much nodes and distribution function differ in one step."""

    def __init__(self, intervals: Intervals, part: Part, start: float, counts: list[int]) -> None:
        if sum(counts) > MOST_NODES:
            raise Unsolved("sharp ends that are too far apart")
        self.outcomes = intervals.outcomes
        each = list(zip(*intervals.alive.T, counts, strict=True))
        points = np.concatenate([[start], *(a + (b - a) * gauss(n)[0] for a, b, n in each)])
        weights = np.concatenate([[0.0], *((b - a) * gauss(n)[1] for a, b, n in each)])
        moves = part.density(points - points[:, None]) * weights
        chances = part.chance(*(end - points[:, None] for end in intervals.ends.T))
        stops = chances @ intervals.stops.T @ intervals.mixing
        left = moves.sum(axis=1)
        leaves = 1 - left - stops.sum(axis=1)
        self.slip = float(np.abs(leaves).max())
        reads = np.concatenate([stops, left[:, None]], axis=1)
        matrices = NodeMatrices(np.zeros((1, 1), np.intp), moves[None], reads[None], leaves[None])
        self.machine = MatrixPowers([matrices], 1)
        self.start = (np.eye(1, len(points))[None],)

    def begin(self) -> PoweredFrontier:
        return PoweredFrontier(0, 0, self.start, self.machine.block(self.start), self.machine, 0.0)

    def advance(
        self, frontier: PoweredFrontier, forced: Mapping[str, Any] | None = None
    ) -> tuple[PoweredFrontier, Stopped]:
        assert forced is None
        return frontier.after()

    def close(self, frontier: PoweredFrontier) -> Tail | None:
        return frontier.rest()

    def stuck(self, frontier: PoweredFrontier) -> float:
        return 0.0
