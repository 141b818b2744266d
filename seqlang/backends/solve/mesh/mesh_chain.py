"""The chain for programs that only stop and whose one private number moves by increments with a density.

`mesh_for(program, model, plan, grid, level, watch)` is a `Chain`, or raises Unsolved. The density of the number (of
the runs that have not stopped) is kept by its values at Gauss-Legendre nodes on panels that end wherever it may jump or
have a kink: at the images of the start under the jumps and atoms of the increments, at sharp thresholds, at kinks of
the noise. Atoms are kept apart. Smooth increments with smooth noise need no panels: equally spaced nodes converge
exponentially there (trapezoid rule). A higher level has more nodes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.mesh.bands import Bands
from seqlang.backends.solve.mesh.breakpoints import BreakpointFinder
from seqlang.backends.solve.mesh.frontier import (
    DROP,
    MeshFrontier,
    band_of,
    density_again,
    density_of,
    trimmed,
    without_rare_nodes,
)
from seqlang.backends.solve.mesh.laplace_pairs import grid_by_differences
from seqlang.backends.solve.mesh.matrix_powers import PoweredFrontier
from seqlang.backends.solve.mesh.moves import Moves
from seqlang.backends.solve.mesh.panel_plan import panel_plan_of
from seqlang.backends.solve.mesh.periods import MOST_NUMBERS, Layout, bounded
from seqlang.backends.solve.mesh.private_number import Reading, cells_of, read, with_nodes
from seqlang.backends.solve.mesh.quasi_stationary import QuasiStationary, quasi_stationary, spread
from seqlang.backends.solve.mesh.wide_panels import Places, on_wide_panels
from seqlang.backends.solve.quadrature.grid import Grid, common, first_level, grid_of
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, integration_plan
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.model import expression as ir
from seqlang.model.program import Program

WIDEN_FIRST = 32
"""The step after which the density may be put on wide panels; where it cannot, that is tried again after 4 times as
many steps."""
WIDE, SMOOTH = 3.0, 1.5
"""Wide panels: as multiples of the scale of the noise, and of the standard deviation of the sum so far."""
LOOK = 8
"""Steps between two checks whether the shape of the density still changes."""


def mesh_for(
    program: Program,
    model: str,
    plan: IntegrationPlan,
    grid: Grid,
    level: int,
    watch: tuple[ir.Expression, ...] = (),
    unforced: bool = False,
    rare: float = 0.0,
) -> Mesh:
    """Raises Unsolved with the reason. `unforced`: no entry will be forced; `rare`: nodes of this total weight may
    be left out. A drawn threshold without fresh noise, which `integration_plan.py` keeps as an interval, gets
    nodes here."""
    if not plan.simple:
        plan = with_nodes(plan, program)
        grid = grid_of(program, plan, first_level(plan) + level)
    reading = read(program, model, cells_of(program, plan))
    if reading.program is not program:
        plan = integration_plan(reading.program, watch)
        plan = plan if plan.simple else with_nodes(plan, reading.program)
    if unforced and not watch:
        grid = grid_by_differences(grid, plan, reading, level)
    grid, lost = common(grid, rare)
    return Mesh(reading, plan, grid, level, watch, unforced, lost)


class Mesh:
    """The chain of one sum, or one bounded recursion, of continuous data."""

    def __init__(
        self,
        reading: Reading,
        plan: IntegrationPlan,
        grid: Grid,
        level: int,
        watch: tuple[ir.Expression, ...] = (),
        unforced: bool = False,
        lost: float = 0.0,
    ) -> None:
        self.lost = lost
        self.level = level
        self.reading, self.plan, self.grid, self.watch = reading, plan, grid, watch
        self.increments = reading.increments
        self.chances = Chances(reading.program, plan, grid, watch)
        self.outcomes: tuple[Outcome, ...] = self.chances.outcomes
        self.theta = len(grid.weights)
        self.finder = BreakpointFinder(reading, plan, grid)
        self.panel_plan = panel_plan_of(self.increments, self.finder, reading, level, self.theta)
        self.steps = Moves(self.increments, self.finder, self.panel_plan, self.theta)
        fixed = self.chances.time_invariant and not self.finder.moves
        self.bands = Bands(reading, plan, grid, watch, self.chances, fixed)
        self.widen_at = WIDEN_FIRST if self._can_be_widened(unforced) else 0

    # ---- the Chain protocol

    def begin(self) -> MeshFrontier:
        layout = self.panel_plan.layout(self.reading.start, (), sites=True)
        mass = np.zeros((self.theta, 1, layout.rows))
        mass[:, 0, 0] = self.grid.weights
        return MeshFrontier(0, layout, 0, mass, self.lost, np.arange(self.theta), self.theta)

    def advance(
        self, frontier: MeshFrontier | QuasiStationary | PoweredFrontier, forced: Mapping[str, Any] | None = None
    ) -> tuple[MeshFrontier | QuasiStationary | PoweredFrontier, Stopped]:
        if isinstance(frontier, PoweredFrontier):
            assert forced is None
            return frontier.after()
        if isinstance(frontier, QuasiStationary):
            if forced is None:
                return frontier.after()
            frontier = density_again(frontier)
        step = frontier.step + 1
        move = self.steps.free(frontier) if forced is None else self.steps.forced(frontier, self.reading.forced(forced))
        layout, first = move.target, frontier.first + move.first
        live = frontier.live
        mass = move(frontier.mass, live)
        mass, first = self._bounded(layout, first, mass, live)
        mass, first, dropped = trimmed(mass, first)
        bounded(MOST_NUMBERS, mass.size)
        band = self.bands.at(step, layout, first, mass.shape[1], live)
        here = slice(first - band.first, first - band.first + mass.shape[1])
        mine = band.places(live)
        chances = band.table[:, :, here] if mine is None else band.table[:, :, here][:, mine]
        fired = self.chances.mixing.T @ np.einsum("stkr,tkr->st", chances[:-1], mass)
        watched = np.zeros((len(self.watch), len(live)))
        if (values := band.watched_in(here, mine)) is not None:
            watched = np.einsum("stkr,tkr,estkr->et", chances[:-1], mass, values, optimize=True)
        after = MeshFrontier(step, layout, first, mass * chances[-1], frontier.lost + dropped, live, self.theta)
        stopped = Stopped(spread(fired, frontier), watched.sum(axis=1))
        if forced is not None:
            return after, stopped
        if step % LOOK == 0:
            if self.bands.fixed and layout is frontier.layout:
                found = quasi_stationary(frontier, mass.sum(axis=(1, 2)), after, fired, watched)
                if found is not None:
                    return found, stopped
            after = without_rare_nodes(after)
        if step == self.widen_at:
            powered = self._on_wide_panels(after)
            if powered is not None:
                return powered, stopped
            self.widen_at *= 4
        return after, stopped

    def close(self, frontier: MeshFrontier | QuasiStationary | PoweredFrontier) -> Tail | None:
        """All later steps, once the shape of the density is quasi-stationary or the panels are wide."""
        return None if isinstance(frontier, MeshFrontier) or self.watch else frontier.rest()

    def stuck(self, frontier: MeshFrontier | QuasiStationary | PoweredFrontier) -> float:
        return 0.0

    # ---- wide panels for a density that has become smooth

    def _can_be_widened(self, unforced: bool) -> bool:
        unbounded = self.reading.floor == -math.inf and self.reading.ceiling == math.inf
        return unforced and unbounded and self.bands.fixed and not self.panel_plan.even and not self.watch

    def _on_wide_panels(self, frontier: MeshFrontier) -> PoweredFrontier | None:
        layout = frontier.layout
        if layout.sites and np.abs(frontier.mass[:, :, : layout.first_node]).sum() > DROP:
            return None
        cuts = self.finder.at(1)
        spread_by_now = math.sqrt(frontier.step * self.increments.variance)
        low, high = band_of(frontier, self.theta)
        places = Places(
            increments=self.increments, jumps=_for_all(cuts.jumps, self.theta), kinks=_for_all(cuts.kinks, self.theta),
            low=low, high=high,
            room=4 * cuts.scale if math.isfinite(cuts.scale) else 0.0,
            width=SMOOTH * spread_by_now, widest=WIDE * cuts.scale, count=8 + 2 * self.level,
            weights=self.grid.weights, chances=self._chances_at, mixing=self.chances.mixing,
        )  # fmt: skip
        return on_wide_panels(
            places, lambda points, theta: density_of(frontier, points, theta), frontier.step, frontier.lost
        )

    def _chances_at(self, points: Array, theta: NDArray[np.intp]) -> Array:
        """(stops + 1, nodes, rows)"""
        environment = Environment(1, self.reading.cells(points.ravel(), 1))
        flat = self.chances.paired(1, environment, np.repeat(theta, points.shape[1]))
        return flat.reshape(len(flat), *points.shape)

    def _bounded(self, layout: Layout, first: int, mass: Array, live: NDArray[np.intp]) -> tuple[Array, int]:
        """Moves mass below the floor onto the floor, and mass above the ceiling onto the ceiling."""
        floor, ceiling = self.reading.floor, self.reading.ceiling
        if floor == -math.inf and ceiling == math.inf:
            return mass, first
        close = 1e-7 * layout.period
        mine = live if len(layout.cuts) > 1 else np.zeros(1, np.intp)
        where = layout.positions(first, mass.shape[1])[mine]
        end = layout.origin + (first + mass.shape[1]) * layout.period
        start = layout.origin + first * layout.period
        if floor > start or ceiling < end:
            mass = mass.copy()
        for bound, beyond in ((floor, where < floor - close), (ceiling, where > ceiling + close)):
            if not beyond.any():
                continue
            over = np.where(beyond, mass, 0.0)
            amount = over.sum(axis=(1, 2))
            mass -= over
            place = (bound - layout.origin) / layout.period
            k = math.floor(place + 1e-9)
            if k < first or k >= first + mass.shape[1]:
                before, after = max(0, first - k), max(0, k + 1 - first - mass.shape[1])
                bounded(MOST_NUMBERS, mass.shape[0], mass.shape[1] + before + after, mass.shape[2])
                mass = np.pad(mass, ((0, 0), (before, after), (0, 0)))
                first -= before
                where = layout.positions(first, mass.shape[1])[mine]
            site = np.argmin(np.abs(layout.cuts[mine] - (place - k)), axis=1)
            mass[np.arange(len(mass)), k - first, np.broadcast_to(site, (len(mass),))] += amount
        return mass, first


def _for_all(columns: Array, theta: int) -> Array:
    return np.broadcast_to(columns, (theta, columns.shape[1]))
