"""Programs with stops only whose one private number moves by continuous increments: densities on panels.

`mesh_for(program, model, roles, grid, level, watch)` is a `Chain`, or raises Unsolved. The density of the number (of
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
from seqlang.backends.solve.mesh.breakpoints import CutFinder
from seqlang.backends.solve.mesh.increments import Increments
from seqlang.backends.solve.mesh.laplace_pairs import regrouped
from seqlang.backends.solve.mesh.matrix_powers import Packed
from seqlang.backends.solve.mesh.panel_plan import columns_of, plan_of
from seqlang.backends.solve.mesh.panels import basis
from seqlang.backends.solve.mesh.periods import MOST_NUMBERS, Layout, Move, bounded
from seqlang.backends.solve.mesh.private_number import Reading, cells_of, read, with_nodes
from seqlang.backends.solve.mesh.quasi_stationary import Settled, settled, spread
from seqlang.backends.solve.mesh.wide_panels import Places, pack
from seqlang.backends.solve.quadrature.grid import Grid, common, first_level, grid_of, kinks_of
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.step.noise_roles import Roles, roles_of
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.backends.solve.stops.watched import Watched
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.record import record, replace

K = TypeVar("K")
V = TypeVar("V")
DROP = 1e-15
"""Ends of the band with less than this share of the mass are dropped in a step."""
REMEMBERED = 2
"""Steps for which the places of moving thresholds stay ends of panels."""
PRODUCT, CALLS = 3.0, 10_000
KEPT = 16
"""Matrices and tables that are kept: forced entries make new ones."""
PACK_FIRST = 32
HELD = 1e-14
"""The step after which the density may be put on wide panels; if it cannot, it is tried again after 4 times as many."""
WIDE, SMOOTH = 3.0, 1.5
"""Wide panels: as multiples of the scale of the noise, and of the standard deviation of the sum so far."""
LOOK = 8
"""Whether the shape has settled is looked at in every LOOK-th step."""


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


def mesh_for(
    program: Program,
    model: str,
    roles: Roles,
    grid: Grid,
    level: int,
    watch: tuple[ir.Expression, ...] = (),
    packing: bool = False,
    rare: float = 0.0,
) -> Mesh:
    """Raises Unsolved with the reason. `packing`: no entry will be forced; `rare`: nodes of this total weight may
    be left out. A drawn threshold without fresh noise, which `noise_roles.py` keeps as an interval, gets
    nodes here."""
    if not roles.simple:
        roles = with_nodes(roles, program)
        kinks = kinks_of(program, roles)
        grid = grid_of(program, roles, first_level(program, roles, kinks) + level, kinks=kinks)
    reading = read(program, model, cells_of(program, roles))
    if reading.program is not program:
        roles = roles_of(reading.program, watch)
        roles = roles if roles.simple else with_nodes(roles, reading.program)
    if packing and not watch:
        grid = regrouped(grid, roles, reading, level)
    grid, lost = common(grid, rare)
    return Mesh(reading, roles, grid, level, watch, packing, lost)


class Mesh:
    """The chain of one sum, or one bounded recursion, of continuous data."""

    def __init__(
        self,
        reading: Reading,
        roles: Roles,
        grid: Grid,
        level: int,
        watch: tuple[ir.Expression, ...] = (),
        packing: bool = False,
        lost: float = 0.0,
    ) -> None:
        self.lost = lost
        self.level = level
        self.reading, self.roles, self.grid, self.watch = reading, roles, grid, watch
        self.increments = reading.increments
        self.chances = Chances(reading.program, roles, grid, watch)
        self.outcomes: tuple[Outcome, ...] = self.chances.outcomes
        self.theta = len(grid.weights)
        self.finder = CutFinder(reading, roles, grid)
        self.moves = self.finder.moves
        self.plan = plan_of(self.increments, self.finder, reading, level, self.theta)
        self.steps: dict[tuple[int, float | None], Move | _Same] = {}  # by the source, which they keep alive
        self.tables: dict[int, _Band] = {}
        self.bands_fixed = self.chances.time_invariant and not self.moves
        self.pack_at = PACK_FIRST if self._can_be_packed(packing) else 0

    # ---- the Chain protocol

    def begin(self) -> MeshFrontier:
        layout = self.plan.layout(self.reading.start, (), sites=True)
        mass = np.zeros((self.theta, 1, layout.rows))
        mass[:, 0, 0] = self.grid.weights
        return MeshFrontier(0, layout, 0, mass, self.lost, np.arange(self.theta), self.theta)

    def advance(
        self, frontier: MeshFrontier | Settled | Packed, forced: Mapping[str, Any] | None = None
    ) -> tuple[MeshFrontier | Settled | Packed, Stopped]:
        if isinstance(frontier, Packed):
            assert forced is None
            return frontier.after()
        if isinstance(frontier, Settled):
            if forced is None:
                return frontier.after()
            frontier = _thawed(frontier)
        step = frontier.step + 1
        move = self._move(frontier) if forced is None else self._forced(frontier, self.reading.forced(forced))
        layout, first = move.target, frontier.first + move.first
        live = frontier.live
        mass = move(frontier.mass, live)
        mass, first = self._bounded(layout, first, mass, live)
        mass, first, dropped = _trimmed(mass, first)
        bounded(MOST_NUMBERS, mass.size)
        band = self._band(step, layout, first, mass.shape[1])
        here = slice(first - band.first, first - band.first + mass.shape[1])
        chances = band.table[:, :, here]
        if len(live) < self.theta:
            chances = chances[:, live]
        fired = self.chances.mixing.T @ np.einsum("stkr,tkr->st", chances[:-1], mass)
        watched = np.zeros((len(self.watch), len(live)))
        if band.watched is not None:
            values = band.watched[:, :, live, here]
            watched = np.einsum("stkr,tkr,estkr->et", chances[:-1], mass, values, optimize=True)
        after = MeshFrontier(step, layout, first, mass * chances[-1], frontier.lost + dropped, live, self.theta)
        stopped = Stopped(spread(fired, frontier), watched.sum(axis=1))
        if step % LOOK == 0 and forced is None:
            if self.bands_fixed and layout is frontier.layout:
                found = settled(frontier, mass.sum(axis=(1, 2)), after, fired, watched)
                if found is not None:
                    return found, stopped
            after = _without_rare_nodes(after)
        if step == self.pack_at and forced is None:
            packed = self._packed(after)
            if packed is not None:
                return packed, stopped
            self.pack_at *= 4
        return after, stopped

    def close(self, frontier: MeshFrontier | Settled | Packed) -> Tail | None:
        """What is left of a shape that has settled."""
        return None if isinstance(frontier, MeshFrontier) or self.watch else frontier.rest()

    def stuck(self, frontier: MeshFrontier | Settled | Packed) -> float:
        return 0.0

    # ---- wide panels for a density that has become smooth

    def _can_be_packed(self, packing: bool) -> bool:
        unbounded = self.reading.floor == -math.inf and self.reading.ceiling == math.inf
        return packing and unbounded and self.bands_fixed and not self.plan.even and not self.watch

    def _packed(self, frontier: MeshFrontier) -> Packed | None:
        layout = frontier.layout
        if layout.sites and np.abs(frontier.mass[:, :, : layout.first_node]).sum() > DROP:
            return None
        cuts = self.finder.at(1)
        spread_by_now = math.sqrt(frontier.step * self.increments.variance)
        low, high = _band_of(frontier, self.theta)
        places = Places(
            increments=self.increments, jumps=_for_all(cuts.jumps, self.theta), kinks=_for_all(cuts.kinks, self.theta),
            low=low, high=high,
            room=4 * cuts.scale if math.isfinite(cuts.scale) else 0.0,
            width=SMOOTH * spread_by_now, widest=WIDE * cuts.scale, count=8 + 2 * self.level,
            weights=self.grid.weights, chances=self._chances_at, mixing=self.chances.mixing,
        )  # fmt: skip
        return pack(places, lambda points, theta: _density(frontier, points, theta), frontier.step, frontier.lost)

    def _chances_at(self, points: Array, theta: NDArray[np.intp]) -> Array:
        """(stops + 1, nodes, rows)"""
        environment = Environment(1, self.reading.cells(points.ravel(), 1))
        flat = self.chances.paired(1, environment, np.repeat(theta, points.shape[1]))
        return flat.reshape(len(flat), *points.shape)

    # ---- one step

    def _move(self, frontier: MeshFrontier) -> Move | _Same:
        source = frontier.layout
        if self.plan.moving:
            target = self._cut_now(frontier.step + 1, source.origin)
            return Move(source, target, self.increments, points_only=source.sites and not self.plan.sites)
        known = self.steps.get((id(source), None))
        if known is None:
            at_start = source.sites and not self.plan.sites
            target = self.plan.without_sites(source) if at_start else source
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
        return self.plan.layout(origin, (*(c - origin for c in now), *more), sites=False)

    def _forced(self, frontier: MeshFrontier, value: float) -> Move | _Same:
        """All mass moves by one value, and the panels with it; new panels where the thresholds cut them."""
        source = frontier.layout
        known = self.steps.get((id(source), value))
        if known is not None and not self.plan.moving:
            return known
        old = [column * source.period for column in source.cuts.T]
        if self.plan.moving:
            target = self._cut_now(frontier.step + 1, source.origin + value, tuple(old))
            if source.sites and not target.sites:
                target = self.plan.layout(target.origin, tuple(target.left.T), sites=True)
        else:
            target = self.plan.layout(source.origin + value, tuple(old), sites=source.sites)
        point = Increments(((value, 1.0),), ())
        made = _Same(source, target) if source.even else Move(source, target, point)
        _remember(self.steps, (id(source), value), made)
        return made

    def _bounded(self, layout: Layout, first: int, mass: Array, live: NDArray[np.intp]) -> tuple[Array, int]:
        """What is below the floor sits on the floor, above the ceiling on the ceiling."""
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

    def _band(self, step: int, layout: Layout, first: int, count: int) -> _Band:
        key = id(layout)
        known = self.tables.get(key)
        if self.bands_fixed and known is not None:
            if known.first <= first and first + count <= known.first + known.table.shape[2]:
                return known
            room = 2 + count // 4
            low = min(known.first, first - room * (first < known.first))
            end = known.first + known.table.shape[2]
            high = max(end, first + count + room * (first + count > end))
            first, count = low, high - low
        found = self._chances(step, layout, first, count)
        if self.bands_fixed:
            _remember(self.tables, key, found)
        return found

    def _chances(self, step: int, layout: Layout, first: int, count: int) -> _Band:
        where = layout.positions(first, count)
        where = where.reshape(len(where), -1)
        tables, values = [], []
        if len(where) > 1 and not self.watch:
            nodes = np.repeat(np.arange(self.theta), where.shape[1])
            flat = self.chances.paired(step, Environment(step, self.reading.cells(where.ravel(), step)), nodes)
            return _Band(layout, first, flat.reshape(len(flat), self.theta, count, layout.rows), None)
        for g, numbers in enumerate(where):
            chances = self.chances if len(where) == 1 else self._chances_of(g)
            environment = Environment(step, self.reading.cells(numbers, step))
            table = chances.table(step, environment)
            theta = self.theta if len(where) == 1 else 1
            tables.append(np.broadcast_to(table, (table.shape[0], theta, len(numbers))))
            if self.watch:
                values.append(Watched(chances, self.watch).at(step, environment, len(numbers)))
        table = np.concatenate(tables, axis=1)
        table = np.ascontiguousarray(table).reshape(table.shape[0], self.theta, count, layout.rows)
        watched = None
        if self.watch:
            seen = np.stack(values, axis=2)  # (expressions, stops, groups, rows)
            seen = seen.reshape(*seen.shape[:3], count, layout.rows)
            watched = np.broadcast_to(seen, (*seen.shape[:2], self.theta, *seen.shape[3:]))
        return _Band(layout, first, table, watched)

    def _chances_of(self, theta: int) -> Chances:
        if not hasattr(self, "_singles"):
            self._singles: dict[int, Chances] = {}
        if theta not in self._singles:
            values = {name: v[theta : theta + 1] for name, v in self.grid.values.items()}
            single = replace(self.grid, values=values, weights=np.ones(1), groups=())
            self._singles[theta] = Chances(self.reading.program, self.roles, single, self.watch)
        return self._singles[theta]


def _for_all(columns: Array, theta: int) -> Array:
    return np.broadcast_to(columns, (theta, columns.shape[1]))


def _band_of(frontier: MeshFrontier, theta: int) -> tuple[Array, Array]:
    """Where the mass of each node is, but for a share of HELD."""
    each = np.abs(frontier.mass).sum(axis=2)
    share = np.cumsum(each, axis=1) / np.maximum(each.sum(axis=1), 1e-300)[:, None]
    layout = frontier.layout
    start = layout.origin + frontier.first * layout.period
    low, high = np.zeros(theta), np.zeros(theta)
    low[frontier.live] = start + (share <= HELD).sum(axis=1) * layout.period
    high[frontier.live] = start + (1 + (share < 1 - HELD).sum(axis=1)) * layout.period
    return low, high


def _density(frontier: MeshFrontier, points: Array, theta: NDArray[np.intp]) -> Array:
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


@record
class _Band:
    """Chances (stops + 1, theta, periods, rows) from period `first` on; watched values (expressions, stops, theta,
    periods, rows)."""

    layout: Layout
    first: int
    table: Array
    watched: Array | None


class _Same:
    """Rows stay what they are; only the origin has moved."""

    first = 0

    def __init__(self, source: Layout, target: Layout) -> None:
        self.source, self.target = source, target

    def __call__(self, mass: Array, live: NDArray[np.intp]) -> Array:
        return mass


def _remember(known: dict[K, V], key: K, value: V) -> None:
    """Keeps the first two entries, which every run needs, and the latest of the others."""
    if len(known) >= KEPT:
        del known[list(known)[2]]
    known[key] = value


def _thawed(frontier: Settled) -> MeshFrontier:
    """The density again."""
    shape: MeshFrontier = frontier.shape
    with np.errstate(all="ignore"):
        ratio = np.where(shape.survivors > 0, frontier.mass / shape.survivors, 0.0)
    mass = shape.mass * ratio[shape.live][:, None, None]
    return MeshFrontier(frontier.step, shape.layout, shape.first, mass, frontier.lost, shape.live, shape.theta)


def _without_rare_nodes(frontier: MeshFrontier) -> MeshFrontier:
    """Without the nodes that together hold next to nothing."""
    each = frontier.mass.sum(axis=(1, 2))
    keep = each > DROP / 10 * float(each.sum()) / len(each)
    if np.count_nonzero(keep) > 0.9 * len(each) or not keep.any():
        return frontier
    lost = frontier.lost + float(np.abs(each[~keep]).sum())
    return replace(frontier, mass=frontier.mass[keep], live=frontier.live[keep], lost=lost)


def _trimmed(mass: Array, first: int) -> tuple[Array, int, float]:
    """Without ends that hold next to nothing, and what they held."""
    each = np.abs(mass).sum(axis=(0, 2))
    rare = DROP * float(each.sum())
    low = int(np.searchsorted(np.cumsum(each), rare, side="right"))
    high = len(each) - int(np.searchsorted(np.cumsum(each[::-1]), rare, side="right"))
    if low >= high:
        return mass[:, :1] * 0.0, first, float(each.sum())
    return mass[:, low:high], first + low, float(each[:low].sum() + each[high:].sum())
