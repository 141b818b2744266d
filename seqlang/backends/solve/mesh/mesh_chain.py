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
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.chain import Stopped
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
from seqlang.backends.solve.mesh.increments import Increments
from seqlang.backends.solve.mesh.laplace_pairs import grid_by_differences
from seqlang.backends.solve.mesh.matrix_powers import PoweredFrontier
from seqlang.backends.solve.mesh.panel_plan import columns_of, panel_plan_of
from seqlang.backends.solve.mesh.periods import MOST_NUMBERS, Layout, Move, bounded
from seqlang.backends.solve.mesh.private_number import Reading, cells_of, read, with_nodes
from seqlang.backends.solve.mesh.quasi_stationary import QuasiStationary, quasi_stationary, spread
from seqlang.backends.solve.mesh.wide_panels import Places, on_wide_panels
from seqlang.backends.solve.quadrature.grid import Grid, common, first_level, grid_of
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, integration_plan
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.backends.solve.stops.watched import Watched
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.record import record, replace

K = TypeVar("K")
V = TypeVar("V")
REMEMBERED = 2
"""Steps for which the places of moving thresholds stay ends of panels."""
KEPT = 16
"""Matrices and tables that are kept: forced entries make new ones."""
WIDEN_FIRST = 32
"""The step after which the density may be put on wide panels; where it cannot, that is tried again after 4 times as
many steps."""
WIDE, SMOOTH = 3.0, 1.5
"""Wide panels: as multiples of the scale of the noise, and of the standard deviation of the sum so far."""
ROOM_LEAST, ROOM_SHARE = 2, 4
"""Periods beyond those that the mass reaches for which chances are computed too: so many, and this part of them."""
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
        self.moves = self.finder.moves
        self.panel_plan = panel_plan_of(self.increments, self.finder, reading, level, self.theta)
        self.steps: dict[tuple[int, float | None], Move | _Same] = {}  # by the source, which they keep alive
        self.tables: dict[int, _Band] = {}
        self._singles: dict[int, Chances] = {}
        self.bands_fixed = self.chances.time_invariant and not self.moves
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
        move = self._move(frontier) if forced is None else self._forced(frontier, self.reading.forced(forced))
        layout, first = move.target, frontier.first + move.first
        live = frontier.live
        mass = move(frontier.mass, live)
        mass, first = self._bounded(layout, first, mass, live)
        mass, first, dropped = trimmed(mass, first)
        bounded(MOST_NUMBERS, mass.size)
        band = self._band(step, layout, first, mass.shape[1], live)
        here = slice(first - band.first, first - band.first + mass.shape[1])
        chances, mine = band.table[:, :, here], band.places(live)
        if mine is not None:
            chances = chances[:, mine]
        fired = self.chances.mixing.T @ np.einsum("stkr,tkr->st", chances[:-1], mass)
        watched = np.zeros((len(self.watch), len(live)))
        if band.watched is not None:
            values = band.watched[:, :, :, here] if mine is None else band.watched[:, :, mine, here]
            watched = np.einsum("stkr,tkr,estkr->et", chances[:-1], mass, values, optimize=True)
        after = MeshFrontier(step, layout, first, mass * chances[-1], frontier.lost + dropped, live, self.theta)
        stopped = Stopped(spread(fired, frontier), watched.sum(axis=1))
        if step % LOOK == 0 and forced is None:
            if self.bands_fixed and layout is frontier.layout:
                found = quasi_stationary(frontier, mass.sum(axis=(1, 2)), after, fired, watched)
                if found is not None:
                    return found, stopped
            after = without_rare_nodes(after)
        if step == self.widen_at and forced is None:
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
        return unforced and unbounded and self.bands_fixed and not self.panel_plan.even and not self.watch

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

    # ---- one step

    def _move(self, frontier: MeshFrontier) -> Move | _Same:
        source = frontier.layout
        if self.panel_plan.moving:
            target = self._cut_now(frontier.step + 1, source.origin)
            return Move(source, target, self.increments, points_only=source.sites and not self.panel_plan.sites)
        known = self.steps.get((id(source), None))
        if known is None:
            at_start = source.sites and not self.panel_plan.sites
            target = self.panel_plan.without_sites(source) if at_start else source
            known = Move(source, target, self.increments, points_only=at_start)
            _remember(self.steps, (id(source), None), known)
        return known

    def _cut_now(self, step: int, origin: float, more: tuple[Array, ...] = ()) -> Layout:
        """New panels for thresholds that change from step to step. What they cut off in the steps before left jumps, of
        which the jumps of the increments made kinks."""
        now = columns_of(self.finder.at(step), self.theta)
        if self.increments.edges:
            for before in range(max(1, step - REMEMBERED), step):
                now += columns_of(self.finder.at(before), self.theta)
        return self.panel_plan.layout(origin, (*(c - origin for c in now), *more), sites=False)

    def _forced(self, frontier: MeshFrontier, value: float) -> Move | _Same:
        """All mass moves by one value, and the panels with it; new panels where the thresholds cut them."""
        source = frontier.layout
        known = self.steps.get((id(source), value))
        if known is not None and not self.panel_plan.moving:
            return known
        old = [column * source.period for column in source.cuts.T]
        if self.panel_plan.moving:
            target = self._cut_now(frontier.step + 1, source.origin + value, tuple(old))
            if source.sites and not target.sites:
                target = self.panel_plan.layout(target.origin, tuple(target.left.T), sites=True)
        else:
            target = self.panel_plan.layout(source.origin + value, tuple(old), sites=source.sites)
        point = Increments(((value, 1.0),), ())
        made = _Same(source, target) if source.even else Move(source, target, point)
        _remember(self.steps, (id(source), value), made)
        return made

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

    # ---- chances of the stops

    def _band(self, step: int, layout: Layout, first: int, count: int, live: NDArray[np.intp]) -> _Band:
        """The chances on these periods, for at least the nodes `live`. Where they are the same in every step, a table
        with room for later steps is kept: it moves on with the mass and forgets what lies far behind, as a table of all
        periods that the mass has ever reached would be made anew for every few of them."""
        if not self.bands_fixed:
            return self._chances(step, layout, first, count, live)
        key, end = id(layout), first + count
        known = self.tables.get(key)
        if known is None:
            found = self._chances(step, layout, first, count, live)
        elif known.first <= first and end <= known.end and known.has(live):
            return known
        else:
            room = ROOM_LEAST + count // ROOM_SHARE
            low = first - room if first < known.first else max(known.first, first - room)
            high = end + room if end > known.end else min(known.end, end + room)
            found = self._chances(step, layout, low, high - low, live)
        _remember(self.tables, key, found)
        return found

    def _chances(self, step: int, layout: Layout, first: int, count: int, live: NDArray[np.intp]) -> _Band:
        where = layout.positions(first, count)
        where = where.reshape(len(where), -1)
        if len(where) > 1 and not self.watch:
            where = where[live]
            environment = Environment(step, self.reading.cells(where.ravel(), step))
            flat = self.chances.paired(step, environment, np.repeat(live, where.shape[1]))
            return _Band(layout, first, live, flat.reshape(len(flat), len(live), count, layout.rows), None)
        tables, values = [], []
        for g in live if len(where) > 1 else range(1):
            chances, nodes = (self.chances, live) if len(where) == 1 else (self._chances_of(g), None)
            environment = Environment(step, self.reading.cells(where[g], step))
            tables.append(chances.table(step, environment, nodes))
            if self.watch:
                values.append(Watched(chances, self.watch).at(step, environment, where.shape[1]))
        table = np.concatenate(tables, axis=1)
        table = np.ascontiguousarray(table).reshape(table.shape[0], len(live), count, layout.rows)
        watched = None
        if self.watch:
            seen = np.stack(values, axis=2)  # (expressions, stops, groups, rows)
            seen = seen.reshape(*seen.shape[:3], count, layout.rows)
            watched = np.broadcast_to(seen, (*seen.shape[:2], len(live), *seen.shape[3:]))
        return _Band(layout, first, live, table, watched)

    def _chances_of(self, theta: int) -> Chances:
        if theta not in self._singles:
            values = {name: v[theta : theta + 1] for name, v in self.grid.values.items()}
            single = replace(self.grid, values=values, weights=np.ones(1), groups=())
            self._singles[theta] = Chances(self.reading.program, self.plan, single, self.watch)
        return self._singles[theta]


def _for_all(columns: Array, theta: int) -> Array:
    return np.broadcast_to(columns, (theta, columns.shape[1]))


@record
class _Band:
    """Chances (stops + 1, live, periods, rows) from period `first` on; watched values (expressions, stops, live,
    periods, rows). `live` are the nodes of the persistent noises for which they were computed, in rising order."""

    layout: Layout
    first: int
    live: NDArray[np.intp]
    table: Array
    watched: Array | None

    @property
    def end(self) -> int:
        """The period after the last one."""
        return self.first + int(self.table.shape[2])

    def has(self, live: NDArray[np.intp]) -> bool:
        """Whether it was computed for all of these nodes."""
        if live is self.live:
            return True
        return bool((self.live.take(np.searchsorted(self.live, live), mode="clip") == live).all())

    def places(self, live: NDArray[np.intp]) -> NDArray[np.intp] | None:
        """Where these nodes stand among those of the table; None where they are all of them."""
        return None if len(live) == len(self.live) else np.searchsorted(self.live, live)


class _Same:
    """A step that moves the origin of the panels and leaves the mass of all rows as it is."""

    first = 0

    def __init__(self, source: Layout, target: Layout) -> None:
        self.source, self.target = source, target

    def __call__(self, mass: Array, live: NDArray[np.intp]) -> Array:
        return mass


def _remember(known: dict[K, V], key: K, value: V) -> None:
    """Keeps the first two entries, which every run needs, and the latest of the others."""
    if key not in known and len(known) >= KEPT:
        del known[list(known)[2]]
    known[key] = value
