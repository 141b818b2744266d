"""The statements of a step, each compiled to act on a `Batch`; `explored_chain.py` runs them in the order of the
body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from seqlang.backends.arrays.frame import Run
from seqlang.backends.arrays.values import CannotVectorise, Ragged, shape_of, spread
from seqlang.backends.solve.solution import Array, Outcome
from seqlang.backends.solve.states.batch import Batch, joined, points_of
from seqlang.backends.solve.states.enumerated_noises import JOINT
from seqlang.backends.solve.states.returned import Key
from seqlang.backends.solve.states.setting import Setting
from seqlang.backends.solve.step.body import Rows, Stage
from seqlang.backends.solve.step.cases import Case, merged
from seqlang.backends.solve.step.dependencies import walk_defined
from seqlang.backends.solve.step.gates import Gate
from seqlang.backends.solve.step.rounding_of_sums import Added, adds_up
from seqlang.backends.solve.stops.outcomes import alphabet, chances_of_return, flipped, truth_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.binding import free_variables
from seqlang.model.program import Cell, Define, Draw, Report, Statement, Stop, Update

LEAVES = (ir.Field, ir.CellValue, ir.MemoryValue, ir.Drawn, ir.Reported, ir.StepNumber)
NODE, DENSITY = 3, 30
"""About how many nanoseconds it takes to evaluate a node of an expression on one row, and a density (see
`tabulated_densities.py`)."""
ORIGIN = "the state before"
"""The name under which a row holds the number of the state that it comes from; no user can write it."""


class StepTally:
    """What one step adds up.

    `lost` is the mass of rows that were left out, `allowed` that of rare rows that may still be dropped. `stopped` has
    the mass that stopped by the place of its outcome: (theta,), or (theta, origins) where `origins`, the number of
    states before the step, is given; mass is then kept apart by the state that it comes from. `watched` has the sum of
    mass * value for each watched expression."""

    def __init__(self, watched: int, origins: int | None = None) -> None:
        self.lost = self.allowed = 0.0
        self.stopped: dict[int, Array] = {}
        self.origins = origins
        self.watched = np.zeros(watched)

    def dropped(self, mass: float) -> None:
        """Counts the mass of rows that were dropped because they are rare."""
        self.lost += mass
        self.allowed = max(0.0, self.allowed - mass)

    def stop(self, place: int, mass: Array) -> None:
        """Counts mass that stopped with the outcome at that place."""
        self.stopped[place] = self.stopped.get(place, 0.0) + mass


class CompiledStatement:
    """One statement of the body, compiled. `later`: the variables that later statements read, or that persist."""

    def __init__(self, setting: Setting, index: int, statement: Statement, later: frozenset[str]) -> None:
        self.setting, self.statement, self.later = setting, statement, later
        plan, compiler = setting.plan, setting.compiler
        self.gate = Gate(plan.conditions[index], plan, compiler) if index in plan.conditions else None
        self.variables = self.gate.variables if self.gate is not None else frozenset()
        self.value: Run | None = None
        self.when: Run | None = None
        self.late: dict[str, ir.Noised | None] = {}
        reads = [e for at, e in plan.needed.readings if at == index]
        match statement:
            case Define(_, expression):
                self.value = compiler.compile(expression)
            case Draw(_, law):
                self.value = compiler.compile(law)
            case Report(name, _, value) if value is not None and name in plan.needed.values:
                self.value = compiler.compile(value)
                self.late = self._noises([value])
                reads = [e for e in reads if e is not value and e != value]
            case Update(_, value, when):
                self.value = compiler.compile(value)
                self.when = None if when is None else compiler.compile(when)
            case _:
                pass
        self.early = self._noises(reads)
        nodes = [x for at, e in plan.needed.readings if at == index for x in ir.walk(e)]
        self.cost = NODE * len(nodes) + DENSITY * sum(isinstance(x, ir.Density) for x in nodes)
        if self.gate is not None:
            for comparison in (leaf.comparison for leaf in self.gate.leaves if hasattr(leaf, "comparison")):
                for term in comparison.known:
                    if term.noise in setting.noises.lives:
                        self.early.setdefault(term.noise, None)
        self.result: dict[Outcome, float] | None = None
        self.returns: Run | None = None
        self.exact, self.error = True, 0.0
        self.leaves: list[Run] = []
        self.has_key = False
        self.key: Key = None
        self.flips: tuple[list[Outcome], list[float]] | None = None
        if isinstance(statement, Stop):
            self._prepare_return(statement)

    def _noises(self, reads: list[ir.Expression]) -> dict[str, ir.Noised | None]:
        """Enumerated noises that the expressions read, with the reading."""
        found: dict[str, ir.Noised | None] = {}
        for node in (x for e in reads for x in ir.walk(e)):
            match node:
                case ir.Noised(_, _, terms):
                    found.update({t.noise: node for t in terms if t.noise in self.setting.noises.lives})
                case ir.Drawn(name) if name in self.setting.plan.enumerated or name in self.setting.plan.inner:
                    found.setdefault(name, None)
                case _:
                    pass
        return found

    def _prepare_return(self, stop: Stop) -> None:
        compiler, plan = self.setting.compiler, self.setting.plan
        result = stop.result
        try:
            self.result = chances_of_return(result, compiler, plan.mixing)
            return
        except Unsolved:
            pass
        assert result is not None
        if isinstance(result, ir.Noised) and all(t.noise in plan.mixing for t in result.terms):
            self.flips = (alphabet(result, compiler), truth_of(result, compiler, plan.mixing))
            result = result.base
        self.is_label = compiler.is_label(result)
        self.returns, self.exact, self.error = compiler.shown(result)
        if not self.exact:
            parts = [part for part in dict.fromkeys(walk_defined(compiler.program, result)) if isinstance(part, LEAVES)]
            self.has_key = not any(map(free_variables, parts))
            kept = [part for part in parts if isinstance(part, ir.CellValue | ir.MemoryValue | ir.Drawn)]
            if not all(map(compiler.is_told, kept)):
                raise CannotVectorise("a number is returned that doubles do not tell from others")
            self.leaves = [compiler.compile(part) for part in parts] if self.has_key else []

    # ---- running it

    def run(self, batch: Batch, tally: StepTally) -> None:
        self._ensure(batch, tally, self.early, None)
        if not batch.count:
            return
        match self.statement:
            case Define(name):
                assert self.value is not None
                batch.stage.locals[name] = batch.stage.value(self.value)
            case Cell(name):
                batch.stage.cells[name].tick(batch.stage.frame())
            case Draw(name):
                self._draw(batch, name)
            case Report(name):
                self._report(batch, tally, name)
            case Update(memory):
                self._update(batch, memory)
            case Stop():
                self._stop(batch, tally)

    def _ensure(
        self, batch: Batch, tally: StepTally, noises: Mapping[str, ir.Noised | None], which: str | None
    ) -> None:
        """Draws the enumerated noises that the statement reads (`which`: only in rows where that report is made)."""
        for name, read in noises.items():
            if name in self.setting.plan.inner:
                if batch.due[JOINT].any():
                    values, chances, _ = self.setting.noises.points(JOINT, None, batch.stage)
                    batch.draw(JOINT, None, values, chances)
                    places = batch.stage.held[JOINT].astype(np.intp)
                    for inner, at in self.setting.grid.inner.items():
                        batch.stage.held[inner] = np.asarray(at)[places]
                continue
            if name not in self.setting.noises.constant_laws or not batch.due[name].any():
                continue
            values, chances, missing = self.setting.noises.points(name, read, batch.stage)
            where = None if which is None else np.broadcast_to(batch.stage.fired[which], (batch.count,))
            tally.lost += missing * float(batch.mass.sum())
            self.setting.check_size(batch.count * len(values) if where is None else batch.count)
            tally.dropped(batch.draw(name, where, values, chances, tally.allowed / 2))

    def _draw(self, batch: Batch, name: str) -> None:
        assert self.value is not None
        if not batch.due[name].any():
            return
        values, chances = points_of(batch.stage.value(self.value), batch.count)
        self.setting.check_size(batch.count * len(values))
        batch.draw(name, None, values, chances)

    def _split(self, batch: Batch) -> tuple[list[Case], list[Case]]:
        assert self.gate is not None
        guard, leaves = self.gate.read(batch.stage, self.setting.known)
        return self.gate.split(batch.cases, guard, leaves)

    def _report(self, batch: Batch, tally: StepTally, name: str) -> None:
        assert self.gate is not None
        count, laws = batch.count, self.setting.laws
        if self.gate.is_plain:
            batch.stage.fired[name] = self.gate.holds(batch.stage)
            self._release(batch, tally, name)
            return
        fired, idle = self._split(batch)
        fired = merged([c.closed(self.later, laws) for c in fired])
        idle = merged([c.closed(self.later, laws) for c in idle])
        both = np.arange(count)
        if not idle or not fired:
            batch.cases = fired or idle
            batch.stage.fired[name] = np.full(count, bool(fired))
        else:
            parts = max(len(fired), len(idle))
            cases = []
            for i in range(parts):
                first = fired[i] if i < len(fired) else None
                second = idle[i] if i < len(idle) else None
                cases.append(joined([first, second], [count, count]))
            batch.cases = []
            batch.take(np.concatenate([both, both]))
            batch.cases = cases
            batch.stage.fired[name] = np.repeat([True, False], count)
        batch.integrate_out(self.later, laws)
        self._release(batch, tally, name)

    def _release(self, batch: Batch, tally: StepTally, name: str) -> None:
        """Stores the reported value, which later statements may read."""
        batch.stage.released[name] = batch.stage.fired[name]
        if self.value is not None:
            self._ensure(batch, tally, self.late, name)
            happened = batch.stage.fired[name]
            rows = np.flatnonzero(happened)
            whole: Any = float("nan")
            if len(rows):
                some = batch.stage.frame(rows)
                value = batch.stage.checked(self.value(some), some, f"`{name}`", self.statement.span)
                part = spread(value, len(rows))
                whole = np.full((*part.shape[:-1], batch.count), np.nan)
                whole[..., rows] = part
            batch.stage.released[name] = whole

    def _update(self, batch: Batch, name: str) -> None:
        assert self.value is not None
        stage = batch.stage
        rows = np.arange(stage.count)
        if self.when is not None:
            rows = np.flatnonzero(np.broadcast_to(np.asarray(stage.value(self.when), dtype=bool), (stage.count,)))
        if not len(rows):
            return
        some = stage.frame(rows)
        new = stage.checked(self.value(some), some, f"`{name}`", self.statement.span)
        if isinstance(new, Ragged):
            raise Unsolved("a memory that is a list")
        changed = spread(stage.memory[name], stage.count)
        if np.ndim(new) > changed.ndim:
            changed = spread(changed + np.zeros_like(new[..., :1]), stage.count)
        changed[..., rows] = new
        if isinstance(self.statement, Update) and adds_up(self.statement):
            old = spread(stage.memory[name], stage.count)
            stage.added.setdefault(name, Added()).note(int(stage.step_number), changed[..., rows] - old[..., rows])
        stage.memory[name] = changed

    def _stop(self, batch: Batch, tally: StepTally) -> None:
        fired, idle = self._split(batch)
        laws = self.setting.laws
        mass = np.zeros((len(batch.mass), batch.count))
        for case in fired:
            mass += batch.mass * case.chance(laws)
        if fired and (mass > 0).any():
            self._end(batch, tally, mass)
        batch.cases = idle
        batch.integrate_out(self.later, laws)

    def _end(self, batch: Batch, tally: StepTally, mass: Array) -> None:
        stage = batch.stage
        rows = np.flatnonzero(mass.sum(axis=0) > 0)
        if self.result is not None:
            self._ends(stage, tally, mass, rows, self.result)
            return
        assert self.returns is not None
        some = stage.frame(rows)
        value = stage.checked(self.returns(some), some, "the return value", self.statement.span)
        if isinstance(value, Ragged) or shape_of(value):
            raise Unsolved("a vector is returned")
        found, which = np.unique(spread(value, len(rows)).astype(np.float64), return_inverse=True)
        leaves = [leaf(some) for leaf in self.leaves]
        if any(isinstance(leaf, Ragged) or shape_of(leaf) for leaf in leaves):
            raise Unsolved("a number is returned that is computed from vectors")
        leaves = [spread(leaf, len(rows)) for leaf in leaves]
        for i, number in enumerate(found):
            outcome: Outcome = float(number)
            self.key = None if self.error == 0 else self._key(leaves, which.reshape(-1) == i)
            if self.is_label:
                outcome = list(self.setting.compiler.labels)[int(number)]
            law = {outcome: 1.0} if self.flips is None else flipped(outcome, *self.flips)
            self._ends(stage, tally, mass, rows[which.reshape(-1) == i], law)

    def _key(self, leaves: list[Array], rows: Array) -> Key:
        """What the number was computed from in these rows; None where that is not known. Raises Unsolved where it is
        not the same in all."""
        if not self.has_key:
            if np.count_nonzero(rows) > 1:
                raise Unsolved("a number is returned that doubles do not tell from others")
            return None
        columns = [leaf[rows].astype(np.float64) for leaf in leaves]
        if any(np.any(column != column[0]) for column in columns):
            raise Unsolved("a number is returned that doubles do not tell from others")
        return (float(id(self.statement)), *(float(column[0]) for column in columns))

    def _ends(self, stage: Stage, tally: StepTally, mass: Array, rows: Rows, law: Mapping[Outcome, float]) -> None:
        """Counts rows that stop and return an outcome with this law."""
        by_row = mass[:, rows].sum(axis=0)
        total = mass[:, rows].sum(axis=1)
        if tally.origins is not None:
            places = stage.held[ORIGIN][rows].astype(np.intp)
            total = np.array([np.bincount(places, weights=m, minlength=tally.origins) for m in mass[:, rows]])
        for outcome, chance in law.items():
            tally.stop(self.setting.returned.place(outcome, self.exact, self.error, self.key), total * chance)
            for i, run in enumerate(self.setting.returned.watched(outcome)):
                values = np.broadcast_to(np.asarray(run(stage.frame(rows)), dtype=np.float64), (len(rows),))
                tally.watched[i] += chance * float(by_row @ values)
