"""The end of a step: noises whose life is over are forgotten, cells begin the next step, equal states are merged."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.cells.kept import Kept, Window
from seqlang.backends.arrays.operators import LOWEST
from seqlang.backends.arrays.values import Ragged
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.states.batch import Batch, joined
from seqlang.backends.solve.states.equal_rows import Column, same_rows, summed
from seqlang.backends.solve.step.body import Stage
from seqlang.backends.solve.step.cases import Bounds, Case
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.life import EachReport, EachStep, Life
from seqlang.model.units import Unit
from seqlang.record import record

Array = NDArray[Any]
BEYOND = 1e-22
"""A probability: a bound on a noise that excludes less than this is forgotten."""
DROPPED = 1e-15
"""A probability: in each step rare rows may be dropped that have less than this together, or what is allowed if that is
more."""


@record
class States:
    """States between two steps. `bounds[name]`: what is known of a persistent variable, (theta or 1, rows) each."""

    stage: Stage
    mass: Array
    bounds: Mapping[str, Bounds]
    due: Mapping[str, Array]
    laws: Mapping[str, ScalarLaw]

    @property
    def count(self) -> int:
        return self.stage.count

    def chances(self) -> Array:
        """(theta, rows)."""
        return np.asarray(self.mass * Case(None, self.bounds).chance(self.laws))

    def some(self, mass: Array, rows: Array) -> States:
        """These rows, with that mass."""
        bounds = {n: (_rows(a, rows), _rows(b, rows)) for n, (a, b) in self.bounds.items()}
        due = {name: d[rows] for name, d in self.due.items()}
        return States(self.stage.take(rows), mass, bounds, due, self.laws)


def end_of_step(
    batch: Batch, plan: IntegrationPlan, grid: Grid, persistent: frozenset[str], laws: Mapping[str, ScalarLaw],
    lives: Mapping[str, Life], allowed: float = 0.0,
) -> tuple[States, float]:  # fmt: skip
    """The states after the step, and the mass of rare ones that were dropped."""
    _one_case(batch, persistent, laws)
    stage = batch.stage
    stage.fields, stage.locals, stage.released = {}, {}, {}
    bounds = dict(batch.cases[0].bounds) if batch.cases else {}
    mass = batch.mass
    if stage.count:
        mass, bounds = _renewed(stage, mass, bounds, plan, grid, laws)
        for cell in stage.cells.values():
            cell.begin(None if cell.report is None else np.asarray(stage.fired[cell.report]))
    due = dict(batch.due)
    for name, life in lives.items():
        if isinstance(life, EachStep):
            stage.held.pop(name, None)
            due[name] = np.ones(stage.count, dtype=bool)
            continue
        if isinstance(life, EachReport):
            due[name] = due[name] | np.asarray(stage.fired.get(life.report, False))
        if name in stage.held:  # what is not drawn yet does not tell states apart
            stage.held[name] = np.where(due[name], 0.0, stage.held[name])
    stage.fired = {}
    bounds = {name: _clipped(ends, laws[name]) for name, ends in bounds.items()}
    bounds = {name: ends for name, ends in bounds.items() if ends[0] is not None or ends[1] is not None}
    return _merged(States(stage, mass, bounds, due, laws), max(DROPPED, allowed))


def _one_case(batch: Batch, persistent: frozenset[str], laws: Mapping[str, ScalarLaw]) -> None:
    """Gives every case rows of its own, so that one case is left."""
    batch.integrate_out(persistent, laws)
    if len(batch.cases) <= 1:
        return
    count, cases = batch.count, batch.cases
    batch.cases = []
    batch.take(np.tile(np.arange(count), len(cases)))
    batch.cases = [joined(cases, [count] * len(cases))]
    batch.integrate_out(persistent, laws)


def _renewed(
    stage: Stage,
    mass: Array,
    bounds: dict[str, Bounds],
    plan: IntegrationPlan,
    grid: Grid,
    laws: Mapping[str, ScalarLaw],
) -> tuple[Array, dict[str, Bounds]]:
    """Noises whose life ended are drawn anew: bounds are forgotten, nodes get their weights again."""
    for name in list(bounds):
        life = plan.variables[name].life
        if not isinstance(life, EachReport):
            continue
        fired = np.asarray(stage.fired[life.report])[None, :]
        inside = Case(None, {name: bounds[name]}).chance(laws)
        mass = mass * np.where(fired, inside, 1.0)
        low, high = bounds[name]
        bounds[name] = (
            None if low is None else np.where(fired, -np.inf, low),
            None if high is None else np.where(fired, np.inf, high),
        )
    shape = [len(g.weights) for g in grid.groups]
    for axis, group in enumerate(grid.groups):
        if group.report is None:
            continue
        rows = np.flatnonzero(stage.fired[group.report])
        if not len(rows):
            continue
        if any(_varies(end, shape, axis, rows) for ends in bounds.values() for end in ends):
            raise Unsolved("a noise is drawn anew while what is known of another depends on it")
        part = mass[:, rows].reshape(*shape, len(rows))
        weights = group.weights.reshape([-1 if i == axis else 1 for i in range(len(shape) + 1)])
        renewed = part.sum(axis=axis, keepdims=True) * weights
        mass = mass.copy()
        mass[:, rows] = renewed.reshape(-1, len(rows))
    return mass, bounds


def _varies(end: Array | None, shape: list[int], axis: int, rows: Array) -> bool:
    """Whether a bound in these rows depends on the nodes of one group."""
    if end is None or end.shape[0] == 1:
        return False
    part = end if end.shape[1] == 1 else end[:, rows]
    whole = part.reshape(*shape, part.shape[1])
    return not bool(np.all(whole == whole.take([0], axis=axis)))


@lru_cache(maxsize=256)
def _reach(law: ScalarLaw) -> tuple[float, float]:
    return law.effective_support(BEYOND)


def _clipped(ends: Bounds, law: ScalarLaw) -> Bounds:
    """The bounds without those that lie so far out in a tail that they exclude next to nothing."""
    low, high = ends
    least, most = _reach(law)
    if low is not None:
        low = np.where(low < least, -np.inf, np.minimum(low, most + law.scale))
        low = None if np.all(np.isneginf(low)) else low
    if high is not None:
        high = np.where(high > most, np.inf, np.maximum(high, least - law.scale))
        high = None if np.all(np.isposinf(high)) else high
    return low, high


def _merged(states: States, allowed: float) -> tuple[States, float]:
    if not states.count:
        return states, 0.0
    first, group = same_rows(columns_of(states), states.count)
    new = states.some(summed(states.mass, group, len(first)), first)
    total = new.chances().sum(axis=0)
    order = np.argsort(total)
    cut = int(np.searchsorted(np.cumsum(total[order]), allowed))
    if cut == 0:
        return new, 0.0
    keep = np.sort(order[cut:])
    return new.some(new.mass[:, keep], keep), float(total[order[:cut]].sum())


def _rows(end: Array | None, rows: Array) -> Array | None:
    return end if end is None or end.shape[1] == 1 else end[:, rows]


def columns_of(states: States) -> list[Column]:
    """Everything that distinguishes two states, as arrays (rows,)."""
    stage, count = states.stage, states.count
    units = stage.compiler.exact.jumps.units
    columns: list[Column] = []
    for name, cell in stage.cells.items():
        for kept in cell.kept.values():
            for value in state_of(kept):
                columns += _columns(value, count, units.cell(name))
    for table, unit in ((stage.memory, units.memory), (stage.held, units.held)):
        for name, value in table.items():
            columns += _columns(value, count, unit(name))
    columns += [Column(due.astype(np.float64)) for due in states.due.values()]
    for name, ends in states.bounds.items():
        law = states.laws[name]
        for end in ends:
            placed = _placed(law, end) if law.discrete and end is not None else end
            columns += [Column(column, continuous=True) for column in _end_columns(placed, count)]
    return columns


def state_of(kept: Kept) -> list[Any]:
    """What a cell remembers from one step to the next; what is pending has been stored when a step is over."""
    if isinstance(kept, Window):
        return kept.state()
    return [value for name, value in vars(kept).items() if name not in ("operator", "pending", "taken")]


def _columns(value: Any, count: int, unit: Unit | None) -> list[Column]:
    if isinstance(value, Ragged):
        listed = np.arange(len(value.values)).reshape(-1, *[1] * (value.values.ndim - 1)) < value.lengths
        values = np.where(listed, value.values, LOWEST)  # behind the end of a list may stand anything
        flat = values.reshape(-1, values.shape[-1]) if values.size else np.zeros((0, count))
        rows = [value.lengths.astype(np.float64), *(np.nan_to_num(row, nan=LOWEST) for row in flat)]
        return [Column(row, unit) for row in rows]
    array = np.asarray(value)
    if array.ndim == 0 or array.shape[-1] != count:
        return []  # the same in all rows
    numbers = array.reshape(-1, count).astype(np.float64)
    return [Column(row, unit) for row in np.where(np.isnan(numbers), LOWEST, numbers)]


def _end_columns(end: Array | None, count: int) -> list[Array]:
    """One column an end; where ends depend on the nodes, random mixtures of the nodes' ends stand for them."""
    if end is None or end.shape[1] != count:
        return []
    if end.shape[0] == 1:
        return [end[0]]
    random = np.random.default_rng(0)
    infinite = np.isposinf(end) * 1.0 - np.isneginf(end)
    parts = (np.where(infinite == 0, end, 0.0), infinite)
    return [random.uniform(0.5, 1.5, end.shape[0]) @ part for part in parts for _ in range(2)]


def _placed(law: ScalarLaw, ends: Array) -> Array:
    """After how many points of a discrete law each end lies."""
    return np.searchsorted(_points(law), ends).astype(np.float64)


@lru_cache(maxsize=256)
def _points(law: ScalarLaw) -> Array:
    return law.atoms(BEYOND)[0]


def shared_of(states: States) -> list[float]:
    """Numbers of the state that all rows share, a count of steps for one."""
    found: list[float] = []
    for cell in states.stage.cells.values():
        for kept in cell.kept.values():
            for part in state_of(kept):
                array = np.asarray(0.0 if part is None or isinstance(part, Ragged) else part, dtype=np.float64)
                if array.ndim == 0 or array.shape[-1] != states.count:
                    found += np.nan_to_num(array.reshape(-1)).tolist()
    return found
