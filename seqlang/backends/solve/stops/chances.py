"""The chances of the stops at one step, for programs that only stop (`plan.simple`):

    plan = integration_plan(program, watch); grid = grid_of(program, plan, level)
    chances = Chances(program, plan, grid, watch)
    chances.table(step, Environment(step, cells, fields))   -> (stops + 1, theta, rows)

the chance that the i-th stop of the body is the one that fires, last: none. `cells` are the values that the statements
of the step read (over- and since-cells after the tick, `previous` before). `time_invariant`: nothing that the table or
a watched expression reads depends on the step; then a table for equal cells and fields is taken from the last call.
`results[i]` is what stop i returns (None also for no `return`); `outcomes` and `mixing` (stops, outcomes) turn chances
of stops into chances of outcomes, flips on `return` included.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.solution import Array, Outcome
from seqlang.backends.solve.step.body import Stage, with_plain_values
from seqlang.backends.solve.step.cases import Case, merged
from seqlang.backends.solve.step.comparisons import Known
from seqlang.backends.solve.step.gates import Gate
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.step.steady import SteadyCompiler
from seqlang.backends.solve.stops.outcomes import constant_outcomes
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Define, Program, Stop
from seqlang.record import field, record


@record
class Environment:
    """One step's plain values: an array (rows,) or a number for every cell and field that is read. `step` may be an
    array (rows,) too: then the rows belong to different steps. `possible` (rows,): which of them runs may meet, and all
    that is compared there has to be a number; none in those that are made to fill a table."""

    step: int | Array
    cells: Mapping[str, Array | float]
    fields: Mapping[str, Array | float] = field(default_factory=dict)
    possible: NDArray[np.bool_] | bool = False


SMALL = 0.1
"""A probability. Where the chance to go on is below it, it is computed by itself, and not as 1 less the other chances,
so that it keeps its digits."""


class Chances:
    """Chances of one only-stops program on one grid. Raises Unsolved if the program is not `simple`."""

    def __init__(
        self, program: Program, plan: IntegrationPlan, grid: Grid, watch: tuple[ir.Expression, ...] = ()
    ) -> None:
        if not plan.simple:
            raise Unsolved("the program does more than stop, or a drawn threshold is compared without fresh noise")
        self.program, self.plan, self.grid, self.watch = program, plan, grid, watch
        self.compiler = SteadyCompiler(program)
        self.laws = {name: v.law for name, v in plan.variables.items()}
        self.gates: list[Gate] = []
        self.order: list[Gate | tuple[str, ir.Expression]] = []
        for index, statement in enumerate(program.body):
            if index not in plan.needed.statements:
                continue
            if isinstance(statement, Stop):
                favoured = None if plan.favoured is None else index in plan.favoured
                self.gates.append(Gate(plan.conditions[index], plan, self.compiler, favoured))
                self.gates[-1].nodes_together()
                self.order.append(self.gates[-1])
            elif isinstance(statement, Define):
                self.order.append((statement.name, statement.expression))
        self.runs = {x[0]: self.compiler.compile(x[1]) for x in self.order if isinstance(x, tuple)}
        self.later = [
            frozenset(name for gate in self.gates[i + 1 :] for name in gate.variables) for i in range(len(self.gates))
        ]
        self.known = grid.known()
        self.outcomes: tuple[Outcome, ...]
        self.outcomes, self.mixing = constant_outcomes(program, plan, self.compiler)
        self.time_invariant = not plan.needed.reads_step
        self._last: tuple[Environment, Array] | None = None

    def table(
        self,
        step: int | Array,
        env: Environment,
        nodes: NDArray[np.intp] | None = None,
        also: Known | None = None,
    ) -> Array:
        """(stops + 1, theta, rows), of all nodes of the persistent noises or of `nodes` alone. `also`: what is known of
        further noises in this step."""
        count = len(self.grid.weights)
        if also is not None:
            return self._table(env, {**self.known, **also}, count)
        if nodes is not None and len(nodes) < count:
            known = {name: np.asarray(v)[nodes, None] for name, v in self.grid.values.items()}
            return self._table(env, known, len(nodes))
        if self.time_invariant and self._last is not None and _equal(self._last[0], env):
            return self._last[1]
        found = self._table(env, self.known, count)
        self._last = (env, found) if self.time_invariant else None
        return found

    def _table(self, env: Environment, known: Known, count: int) -> Array:
        stage = self._stage(env.step, env)
        # nodes side by side: where blocks of steps are cut into steps, rows are
        found = self._over_inner(np.zeros((len(self.gates) + 1, stage.count, count)).transpose(0, 2, 1), stage, known)
        if np.any(np.logical_and(stage.wrong, env.possible)):
            raise Unsolved("a side of a comparison is no number, or floats do not know it well")
        return found

    def paired(self, step: int | Array, env: Environment, nodes: NDArray[np.intp]) -> Array:
        """(stops + 1, rows), where row i belongs to node `nodes[i]` of the persistent noises."""
        stage = self._stage(step, env)
        found = np.zeros((len(self.gates) + 1, 1, stage.count))
        known = {name: np.asarray(v)[nodes][None, :] for name, v in self.grid.values.items()}
        return np.asarray(self._over_inner(found, stage, known)[:, 0])

    def _stage(self, step: int | Array, env: Environment) -> Stage:
        return with_plain_values(self.compiler, self.runs, step, env.cells, env.fields)

    def _over_inner(self, found: Array, stage: Stage, known: Known) -> Array:
        """Adds the chances to `found`, averaged over the nodes of fresh noises."""
        for place, weight in enumerate(self.grid.inner_weights):
            self._add(found, stage, {**known, **self.grid.known_inner(place)}, float(weight))
        return found

    def _add(self, found: Array, stage: Stage, known: Known, weight: float) -> None:
        cases = [Case(None, {})]
        for i, gate in enumerate(self.gates):
            if not cases:
                return
            guard, leaves = gate.read(stage, known)
            fired, cases = gate.split(cases, guard, leaves)
            for case in fired:
                chance = case.chance(self.laws)
                found[i] += chance if weight == 1.0 else weight * chance
            if i + 1 < len(self.gates):
                cases = [case.closed(self.later[i], self.laws) for case in cases]
            cases = merged(cases)
        if weight == 1.0 and self.plan.panels is None:
            self._rest(found, cases)
            return
        for case in cases:
            found[-1] += weight * case.chance(self.laws)

    def _rest(self, found: Array, cases: list[Case]) -> None:
        """The chance that no stop fires, as what the others leave; where that is small, by itself: small numbers keep
        their digits."""
        rest = found[-1]
        np.subtract(1.0, found[:-1].sum(axis=0), out=rest)
        few = rest < SMALL
        if not few.any():
            return
        if few.mean() > 0.5:
            rest[...] = 0.0
            for case in cases:
                rest += case.chance(self.laws)
            return
        small = np.zeros(np.count_nonzero(few))
        for case in cases:
            small += case.at(few).chance(self.laws)
        rest[few] = small

    def values(self, step: int | Array, env: Environment, expressions: tuple[ir.Expression, ...]) -> Array:
        """Plain values of expressions on rows: (expressions, rows)."""
        stage = self._stage(step, env)
        rows = [np.broadcast_to(stage.numbers(self.compiler.compile(e)), (stage.count,)) for e in expressions]
        return np.array(rows).reshape(len(expressions), stage.count)


def _equal(one: Environment, other: Environment) -> bool:
    return all(
        a.keys() == b.keys() and all(a[k] is b[k] or np.array_equal(a[k], b[k]) for k in a)
        for a, b in ((one.cells, other.cells), (one.fields, other.fields))
    )
