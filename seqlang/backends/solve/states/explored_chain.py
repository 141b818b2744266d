"""Any program whose data have finitely many values: the states that are met are listed, step by step.

For others: `explored_chain(program, model, level, watch) -> ExploredChain`, a `Chain`; Unsolved where a noise has no
role or the data have a density. A row is one state: cells, memories, enumerated noises that persist, and the bounds
that are known of persistent noises that are only compared. Rows are multiplied by the entries of the model, by what
reports can say and by the values of enumerated noises, and merged when they are equal again at the end of the step.
`outcomes` grows while values are returned that were not met before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.simulate.arrays import CannotVectorise, from_constant
from seqlang.backends.simulate.vectorised import Run
from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.quadrature.grid import Grid, grid_of
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.states.batch import Batch
from seqlang.backends.solve.states.closed_form import never_stopping, tail_of, transitions
from seqlang.backends.solve.states.end_of_step import States, end_of_step
from seqlang.backends.solve.states.statements import JOINT, ORIGIN, Step, Work
from seqlang.backends.solve.states.tabulated_densities import TabledCompiler
from seqlang.backends.solve.step.body import Stage, started
from seqlang.backends.solve.step.entries import entries, model_of, reads_step
from seqlang.backends.solve.step.gates import Case
from seqlang.backends.solve.step.noise_roles import Roles, is_flip, roles_of
from seqlang.backends.solve.stops.outcomes import chances_of_return
from seqlang.backends.solve.stops.watched import told
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.life import EachStep, Life
from seqlang.model.program import Cell, Draw, Program, Stop

NANOSECONDS = 5.0
"""The time of a number in `recursion.py`."""
STATEMENT, NUMBER = 150_000, 15
"""About how many nanoseconds a statement takes, and a chance."""
TAIL = 1e-17
"""Points of an infinite discrete noise beyond which less than this lies are left out, and counted as lost."""
MANY = 500
"""Rare states are worth dropping where there are more than this,"""
SHARE = 16
"""in each step this part of what may still be dropped."""
NEVER_NOTHING = 1e-30
"""An unbounded noise has points that are left out, however little is lost with them."""
MOST_NUMBERS = 60_000_000
"""More numbers than this at once (theta * rows), and the exploration is given up."""


class ExploredFrontier:
    """The states after `step` steps. Nothing in it is changed by a step."""

    def __init__(self, step: int, states: States, lost: float, work: int = 0) -> None:
        self.step = step
        self.states = states
        self.lost = lost
        self.size = work
        self.cost = work / NANOSECONDS

    @property
    def survivors(self) -> Array:
        return np.asarray(self.states.chances().sum(axis=1))


def explored_chain(
    program: Program,
    model: str,
    level: int,
    watch: tuple[ir.Expression, ...] = (),
    roles: Roles | None = None,
    grid: Grid | None = None,
    spare: float = 0.0,
) -> ExploredChain:
    """`spare`: mass of rare states that may be dropped where there are many. Raises Unsolved."""
    try:
        return ExploredChain(program, model, level, watch, roles, grid, spare)
    except CannotVectorise as why:
        raise Unsolved(str(why)) from None


class ExploredChain:
    """See `Chain`."""

    def __init__(
        self,
        program: Program,
        model: str,
        level: int,
        watch: tuple[ir.Expression, ...],
        roles: Roles | None = None,
        grid: Grid | None = None,
        spare: float = 0.0,
    ) -> None:
        self.program, self.model, self.watch, self.spare = program, model, watch, spare
        self.roles = roles_of(program, watch) if roles is None else roles
        self.grid: Grid = grid_of(program, self.roles, level) if grid is None else grid
        self.compiler = TabledCompiler(program)
        self.known = {name: np.asarray(v)[:, None] for name, v in self.grid.values.items()}
        self.laws = {name: v.law for name, v in self.roles.variables.items()}
        self.persistent = frozenset(
            name for name, v in self.roles.variables.items() if not isinstance(v.life, EachStep)
        )
        self._entries: tuple[Array, dict[str, Any], float] | None = None
        self._outcomes: list[Outcome] = []
        self._places: dict[Outcome, int] = {}
        self._watched: dict[Outcome, list[Run]] = {}
        self.lives: dict[str, Life] = {}
        self._points: dict[str, tuple[Array, Array, float]] = {}
        self._prepare_noises()
        self.work: list[Work] = []
        later: frozenset[str] = self.persistent
        for index in reversed(range(len(program.body))):
            if index in self.roles.needed.statements:
                work = Work(self, index, program.body[index], later)
                self.work.insert(0, work)
                later |= work.variables
        self.fields = frozenset(
            x.name for _, e in self.roles.needed.readings for x in ir.walk(e) if isinstance(x, ir.Field)
        )
        self._learn_constant_outcomes()
        entries(program, model)  # Unsolved now, if the data have a density

    # ---- noises that are enumerated

    def _prepare_noises(self) -> None:
        for name in (*self.roles.enumerated, *self.roles.inner):
            self.lives[name] = self.roles.lives[name]
        self.constant_laws = frozenset(self.lives)
        for statement in self.program.body:
            if isinstance(statement, Draw):
                self.lives[statement.name] = statement.life
        if self.roles.inner:  # their joint nodes are drawn at once
            self.lives[JOINT] = EachStep()
            places = np.arange(len(self.grid.inner_weights), dtype=np.float64)
            self._points[JOINT] = (places[:, None], self.grid.inner_weights[:, None], 0.0)
        for name in self.roles.enumerated:
            if name in self._points:
                continue
            noise = self.program.noise(name)
            if is_flip(noise):
                continue  # its alphabet is known where it is read
            law = self.roles.laws[name]
            values, chances = law.atoms(TAIL)
            least = 0.0 if np.all(np.isfinite(law.support)) else NEVER_NOTHING
            self._points[name] = (values[:, None], chances[:, None], max(least, 1.0 - float(chances.sum())))

    def points(self, name: str, read: ir.Noised | None, stage: Stage) -> tuple[Array, Array, float]:
        """(values, chances, what is left out) of an enumerated noise; of a flip: places on its alphabet's circle."""
        if name not in self._points:
            law = self.program.noise(name).law
            if read is None or not isinstance(law, ir.Law):
                raise Unsolved(f"the flip `{name}` is drawn by itself")
            base = stage.value(self.compiler.compile(read.base))
            size = len(stage.letters(read, base))
            truth = float(self.compiler.exact.constant(law.arguments[0]))
            chances = np.full((size, 1), (1 - truth) / max(1, size - 1))
            chances[0] = truth if size > 1 else 1.0
            self._points[name] = (np.arange(size, dtype=np.float64)[:, None], chances, 0.0)
        return self._points[name]

    # ---- outcomes

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(self._outcomes)

    def place(self, outcome: Outcome) -> int:
        if isinstance(outcome, float):
            outcome = float(f"{outcome:.12g}") + 0.0
        if outcome not in self._places:
            self._places[outcome] = len(self._outcomes)
            self._outcomes.append(outcome)
        return self._places[outcome]

    def watched(self, outcome: Outcome) -> list[Run]:
        """The watched expressions for runs that return this."""
        if outcome not in self._watched:
            self._watched[outcome] = [self.compiler.compile(told(e, outcome)) for e in self.watch]
        return self._watched[outcome]

    def _learn_constant_outcomes(self) -> None:
        """Constant returns come first, in file order."""
        for statement in self.program.body:
            if isinstance(statement, Stop):
                try:
                    for outcome in chances_of_return(statement.result, self.compiler, self.roles):
                        self.place(outcome)
                except Unsolved:
                    continue

    # ---- the chain

    def begin(self) -> ExploredFrontier:
        try:
            stage = started(self.program, self.compiler, self.roles.needed.names)
        except CannotVectorise as why:
            raise Unsolved(str(why)) from None
        for cell in stage.cells.values():
            cell.begin(None)
        due = {name: np.ones(1, dtype=bool) for name in self.lives}
        mass = np.array(self.grid.weights, dtype=np.float64)[:, None]
        return ExploredFrontier(0, States(stage, mass, {}, due, self.laws), 0.0)

    def advance(
        self, frontier: ExploredFrontier, forced: Mapping[str, Any] | None = None
    ) -> tuple[ExploredFrontier, Stopped]:
        """One step."""
        try:
            with np.errstate(all="ignore"):
                return self._advance(frontier, forced)
        except CannotVectorise as why:
            raise Unsolved(str(why)) from None
        except EvaluationError as why:
            raise Unsolved(f"{why.diagnostics[0].message} (in step {frontier.step + 1})") from None

    def _advance(
        self, frontier: ExploredFrontier, forced: Mapping[str, Any] | None
    ) -> tuple[ExploredFrontier, Stopped]:
        course = Step(self, 0.0)
        if frontier.states.count > MANY:
            course.allowed = max(0.0, self.spare - frontier.lost) / SHARE
        after, dropped, work = self._moved(frontier.states, frontier.step + 1, forced, course)
        stopped = np.zeros((len(self._outcomes), len(self.grid.weights)))
        for place, mass in course.stopped.items():
            stopped[place] = mass
        lost = frontier.lost + course.lost + dropped
        return ExploredFrontier(frontier.step + 1, after, lost, work), Stopped(stopped, course.watched)

    def _moved(
        self, states: States, step: int, forced: Mapping[str, Any] | None, course: Step
    ) -> tuple[States, float, int]:
        """(states after the step, mass dropped, work)."""
        chances, fields, missing = self._drawn_entries(step, forced)
        course.lost += missing * float(states.mass.sum())
        rows, atoms = states.count, len(chances)
        self.bounded(rows * atoms)
        batch = Batch(states.stage, states.mass, [Case(None, dict(states.bounds))], states.due)
        batch.take(np.repeat(np.arange(rows), atoms))
        tile = np.tile(np.arange(atoms), rows)
        batch.mass = batch.mass * chances[tile]
        batch.stage.fields = {name: value[..., tile] for name, value in fields.items()}
        batch.stage.step_number = step
        batch.stage.fired = {}
        batch.stage.released = {}
        used = 4 * NUMBER * batch.mass.size
        for work in self.work:
            if not batch.count:
                break
            work.run(batch, course)
            used += STATEMENT + NUMBER * batch.mass.size + work.cost * batch.count
            self.bounded(batch.count)
        after, dropped = end_of_step(
            batch, self.roles, self.grid, self.persistent, self.laws, self.lives, course.allowed
        )
        return after, dropped, used

    def bounded(self, rows: int) -> None:
        if rows * len(self.grid.weights) > MOST_NUMBERS:
            raise Unsolved(f"more than {MOST_NUMBERS // len(self.grid.weights)} states at once")

    def _drawn_entries(self, step: int, forced: Mapping[str, Any] | None) -> tuple[Array, dict[str, Any], float]:
        if forced is None and self._entries is not None and not self._reads_step():
            return self._entries
        listed, missing = entries(self.program, self.model, step)
        merged: dict[tuple[Any, ...], float] = {}
        names = sorted(self.fields)
        for entry in listed:
            whole = {**entry.fields, **(forced or {})}
            key = tuple(whole[name] for name in names)
            merged[key] = merged.get(key, 0.0) + entry.chance
        labels = self.compiler.labels
        fields = {
            name: np.concatenate([_column(from_constant(key[i], labels)) for key in merged], axis=-1)
            for i, name in enumerate(names)
        }
        found = (np.array(list(merged.values())), fields, 0.0 if forced else missing)
        if forced is None:
            self._entries = found
        return found

    def _reads_step(self) -> bool:
        return reads_step(model_of(self.program, self.model))

    def close(self, frontier: ExploredFrontier) -> Tail | None:
        """By linear equations, where nothing depends on the step and nothing is known of persistent noises."""
        if self.watch or self.persistent or not self._steady():
            return None
        found = transitions(self, frontier)
        return None if found is None else tail_of(self, frontier, found)

    def stuck(self, frontier: ExploredFrontier) -> float:
        """Looked for at steps 4, 8, 16, .. only: it costs as much as many steps."""
        if frontier.step < 4 or frontier.step & (frontier.step - 1) or not self._steady():
            return 0.0
        found = transitions(self, frontier)
        if found is None or found.lost > 0:
            return 0.0
        chances = frontier.states.chances()
        return float(chances[never_stopping(found)[:, : chances.shape[1]]].sum())

    def _steady(self) -> bool:
        """Whether a step depends on nothing but the state; nodes that are drawn anew would mix."""
        cells = [s for s in self.program.body if isinstance(s, Cell) and s.name in self.roles.needed.names]
        return (
            not self._reads_step()
            and all(group.report is None for group in self.grid.groups)
            and not any(cell.operator in ("argmax", "argmin") for cell in cells)
            and not any(isinstance(x, ir.StepNumber) for _, e in self.roles.needed.readings for x in ir.walk(e))
        )

    def from_each(
        self, states: States, step: int
    ) -> tuple[States, NDArray[np.intp], dict[int, Array], float]:  # fmt: skip
        """One step from every state with mass 1: (states after, where each came from, outcome -> (theta, states), mass
        that was lost)."""
        each = states.some(np.ones_like(states.mass), np.arange(states.count))
        each.stage.held[ORIGIN] = np.arange(states.count, dtype=np.float64)
        course = Step(self, 0.0)
        course.origins = states.count
        try:
            with np.errstate(all="ignore"):
                after, dropped, _ = self._moved(each, step + 1, None, course)
        except (CannotVectorise, EvaluationError) as why:
            raise Unsolved(str(why)) from None
        origins = after.stage.held.pop(ORIGIN, np.zeros(0))
        return after, np.asarray(origins).astype(np.intp), course.stopped, course.lost + dropped


def _column(value: Any) -> Any:
    array = np.asarray(value, dtype=np.float64)
    return array.reshape(1) if array.ndim == 0 else array


__all__ = ["ExploredChain", "ExploredFrontier", "explored_chain"]
