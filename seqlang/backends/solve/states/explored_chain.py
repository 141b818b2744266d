"""The chain for any program whose data have finitely many values: the states that occur are listed, step by step.

`ExploredChain(program, model, watch, plan, grid)` is a `Chain`; it raises Unsolved where a noise cannot be treated or
the data have a density. A row is one state: cells, memories, enumerated noises that persist, and the bounds that are
known of persistent noises that are only compared. Rows are multiplied by the entries of the model, by what reports can
say and by the values of enumerated noises, and merged when they are equal again at the end of the step.
`outcomes` grows while values are returned that were not met before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.states.batch import Batch
from seqlang.backends.solve.states.closed_form import never_stopping, tail_of, transitions
from seqlang.backends.solve.states.drawn_entries import DrawnEntries
from seqlang.backends.solve.states.end_of_step import States, end_of_step
from seqlang.backends.solve.states.enumerated_noises import EnumeratedNoises
from seqlang.backends.solve.states.frontier import ExploredFrontier
from seqlang.backends.solve.states.returned import OutcomePlaces, Returned
from seqlang.backends.solve.states.setting import Setting
from seqlang.backends.solve.states.statements import ORIGIN, CompiledStatement, StepTally
from seqlang.backends.solve.states.tabulated_densities import TabledCompiler
from seqlang.backends.solve.step.body import started
from seqlang.backends.solve.step.cases import Case
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.unsolved import refusals_are_unsolved
from seqlang.model import expression as ir
from seqlang.model.life import EachStep
from seqlang.model.program import Cell, Program
from seqlang.operators.groups import PLACES
from seqlang.process.time_limit import poll

STATEMENT, NUMBER = 150_000, 15
"""About how many nanoseconds it takes to run a statement, and to compute one chance."""
MANY = 500
"""Rare states are dropped where there are more states than this: with fewer, a step is all overhead."""
SHARE = 16
"""In each step rare states may be dropped of up to 1 / SHARE of the mass that may still be dropped."""


class ExploredChain:
    """A `Chain`. `spare`: mass of rare states that may be dropped where there are many; `places`: those of the
    outcomes, if other chains share them. Raises Unsolved."""

    def __init__(
        self,
        program: Program,
        model: str,
        watch: tuple[ir.Expression, ...],
        plan: IntegrationPlan,
        grid: Grid,
        spare: float = 0.0,
        places: OutcomePlaces | None = None,
    ) -> None:
        self.program, self.model, self.watch, self.plan, self.grid, self.spare = (
            program,
            model,
            watch,
            plan,
            grid,
            spare,
        )
        compiler = TabledCompiler(program)
        self.persistent = frozenset(name for name, v in self.plan.variables.items() if not isinstance(v.life, EachStep))
        noises = EnumeratedNoises(program, self.plan, self.grid, compiler)
        self.returned = Returned(program, self.plan, compiler, watch, OutcomePlaces() if places is None else places)
        laws = {name: v.law for name, v in self.plan.variables.items()}
        self.setting = Setting(self.plan, self.grid, compiler, noises, self.returned, self.grid.known(), laws)
        self.statements: list[CompiledStatement] = []
        later: frozenset[str] = self.persistent
        for index in reversed(range(len(program.body))):
            if index in self.plan.needed.statements:
                statement = CompiledStatement(self.setting, index, program.body[index], later)
                self.statements.insert(0, statement)
                later |= statement.variables
        self.entries = DrawnEntries(program, model, self.plan.needed.fields, compiler.labels)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return self.returned.outcomes

    def begin(self) -> ExploredFrontier:
        with refusals_are_unsolved():
            stage = started(self.program, self.setting.compiler, self.plan.needed.names)
        for cell in stage.cells.values():
            cell.begin(None)
        due = {name: np.ones(1, dtype=bool) for name in self.setting.noises.lives}
        mass = np.array(self.grid.weights, dtype=np.float64)[:, None]
        return ExploredFrontier(0, States(stage, mass, {}, due, self.setting.laws), 0.0)

    def advance(
        self, frontier: ExploredFrontier, forced: Mapping[str, Any] | None = None
    ) -> tuple[ExploredFrontier, Stopped]:
        """One step."""
        tally = StepTally(len(self.watch))
        if frontier.states.count > MANY:
            tally.allowed = max(0.0, self.spare - frontier.lost) / SHARE
        after, dropped, work = self._moved(frontier.states, frontier.step + 1, forced, tally)
        stopped = np.zeros((len(self.outcomes), len(self.grid.weights)))
        for place, mass in tally.stopped.items():
            stopped[place] = mass
        lost = frontier.lost + tally.lost + dropped
        return ExploredFrontier(frontier.step + 1, after, lost, work), Stopped(stopped, tally.watched)

    def _moved(
        self, states: States, step: int, forced: Mapping[str, Any] | None, tally: StepTally
    ) -> tuple[States, float, int]:
        """(states after the step, mass dropped, work)."""
        with np.errstate(all="ignore"), refusals_are_unsolved(f" (in step {step})"):
            return self._worked_through(states, step, forced, tally)

    def _worked_through(
        self, states: States, step: int, forced: Mapping[str, Any] | None, tally: StepTally
    ) -> tuple[States, float, int]:
        drawn = self.entries.of(states, step, forced)
        tally.lost += drawn.lost
        self.setting.check_size(len(drawn.rows))
        batch = Batch(states.stage, states.mass, [Case(None, dict(states.bounds))], states.due)
        batch.take(drawn.rows)
        batch.mass = batch.mass * drawn.chances
        batch.stage.fields = dict(drawn.fields)
        batch.stage.step_number = step
        batch.stage.fired = {}
        batch.stage.released = {}
        used = 4 * NUMBER * batch.mass.size
        for statement in self.statements:
            if not batch.count:
                break
            poll()
            statement.run(batch, tally)
            used += STATEMENT + NUMBER * batch.mass.size + statement.cost * batch.count
            self.setting.check_size(batch.count)
        after, dropped = end_of_step(
            batch, self.plan, self.grid, self.persistent, self.setting.laws, self.setting.noises.lives, tally.allowed
        )
        return after, dropped, used

    def close(self, frontier: ExploredFrontier) -> Tail | None:
        """By linear equations, where nothing depends on the step and nothing is known of persistent noises."""
        if self.watch or not self.is_steady():
            return None
        found = transitions(self, frontier)
        return None if found is None else tail_of(frontier, found)

    def stuck(self, frontier: ExploredFrontier) -> float:
        """Looked for at steps 4, 8, 16, .. only: it costs as much as many steps."""
        if frontier.step < 4 or frontier.step & (frontier.step - 1) or not self._steady():
            return 0.0
        found = transitions(self, frontier)
        if found is None or found.lost > 0:
            return 0.0
        chances = frontier.states.chances()
        return float(chances[never_stopping(found)[:, : chances.shape[1]]].sum())

    def is_steady(self) -> bool:
        """Whether the states form a chain: a step depends on nothing but the state, and nothing else is known of a
        noise that persists."""
        return not self.persistent and self._steady()

    def _steady(self) -> bool:
        """Whether a step depends on nothing but the state; nodes that are drawn anew would mix."""
        cells = [s for s in self.program.body if isinstance(s, Cell) and s.name in self.plan.needed.names]
        return (
            not self.entries.reads_step
            and all(group.report is None for group in self.grid.groups)
            and not any(cell.operator in PLACES for cell in cells)
            and not self.plan.needed.reads_step
        )

    def from_each(self, states: States, step: int) -> tuple[States, NDArray[np.intp], dict[int, Array], float]:
        """See `closed_form.FromEachState`."""
        each = states.some(np.ones_like(states.mass), np.arange(states.count))
        each.stage.held[ORIGIN] = np.arange(states.count, dtype=np.float64)
        tally = StepTally(len(self.watch), origins=states.count)
        after, dropped, _ = self._moved(each, step + 1, None, tally)
        origins = after.stage.held.pop(ORIGIN, np.zeros(0))
        return after, np.asarray(origins).astype(np.intp), tally.stopped, tally.lost + dropped
