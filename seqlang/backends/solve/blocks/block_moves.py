"""The moves from given states: a state is the values of all memories at the start of a block.

The first step of a block is made as it stands (memories may be set there: a choice drawn at the start, say); then the
steps in which the block goes on are passed over, after a look that nothing happens in them; in its last step the
released value is drawn from its law, and the statements of the program do the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.blocks.block_plan import BlockPlan
from seqlang.backends.solve.blocks.clipped import compiled_clips, folded
from seqlang.backends.solve.blocks.sum_law import SumLaws
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.states.batch import Batch
from seqlang.backends.solve.states.equal_rows import Column
from seqlang.backends.solve.states.explored_chain import ExploredChain
from seqlang.backends.solve.states.statements import ORIGIN, StepTally
from seqlang.backends.solve.step.body import Given, Stage
from seqlang.backends.solve.step.cases import Case
from seqlang.backends.solve.step.rounding_of_sums import Added
from seqlang.backends.solve.unsolved import Unsolved, refusals_are_unsolved
from seqlang.model.expression import Expression
from seqlang.model.program import Cell, Report
from seqlang.record import record

Memories = Mapping[str, Array]
Places = NDArray[np.intp]
LONGEST = 100_000
"""Entries of the longest block."""
AT_ONCE = 64
"""Ages of blocks that are tried in one call."""


@record
class Moves:
    """Some moves that take `steps` steps: from the states `origins` (moves,) with chances `mass` (moves,) to states
    with the memories `to` (moves,) each, after the blocks released `shown` (moves,) each. `stops` has the chances to
    stop then, by outcome and the state before (states,); `missing` what was left out of unbounded noise."""

    steps: int
    origins: Places
    mass: Array
    to: Memories
    shown: Memories
    stops: Mapping[int, Array]
    missing: float


class ReleasedLaws(Protocol):
    """What blocks release; see `sum_law.SumLaws`."""

    @property
    def growth(self) -> Mapping[str, float]: ...

    def shown(self, name: str, size: int) -> tuple[Array, Array, float]: ...


class BlockMoves:
    """Computes moves; `chain` has the compiled statements."""

    def __init__(self, chain: ExploredChain, plan: BlockPlan, model: str) -> None:
        self.chain, self.plan = chain, plan
        self.law: ReleasedLaws = SumLaws(chain, plan, model)
        self.clips = {one.shown: compiled_clips(chain, one.shown) for one in plan.sums}
        self.added: dict[str, Added] = {}
        self.number = 0
        """Of calls of `of`; no state has seen more blocks than calls before it was asked for."""

    def of(self, memories: Memories, count: int) -> list[Moves]:
        """All moves from these states. Raises Unsolved where something happens within a block."""
        self.number += 1
        with np.errstate(all="ignore"), refusals_are_unsolved():
            batch, first = self._step(memories, np.arange(count), np.ones(count), 1)
            found, going = self._parted(batch, first, 1)
            if going is None:
                return [found]
            idle, origins, mass = going
            self._look(idle, len(origins))
            ages = self._ages(idle, len(origins))
            moves = [found]
            for age in np.unique(ages):
                rows = np.flatnonzero(ages == age)
                part = {name: value[rows] for name, value in idle.items()}
                batch, tally = self._step(part, origins[rows], mass[rows], int(age), count)
                moves.append(self._parted(batch, tally, int(age))[0])
            return moves

    def values(self, expressions: Sequence[Expression], memories: Memories) -> Array:
        """(expressions, states): what each is, where it reads memories only."""
        count = len(next(iter(memories.values())))
        stage = self._stage(memories, count, 1.0)
        runs = [self.chain.setting.compiler.compile(e) for e in expressions]
        found = [np.broadcast_to(np.asarray(stage.numbers(run), dtype=np.float64), (count,)) for run in runs]
        return np.array(found).reshape(len(runs), count)

    def columns(self, names: Sequence[str], values: Sequence[Array]) -> list[Column]:
        """The values of these memories, as what distinguishes states."""
        units = self.chain.setting.compiler.exact.jumps.units
        return [Column(value, units.memory(name)) for name, value in zip(names, values, strict=True)]

    def _stage(self, memories: Memories, count: int, age: Any) -> Stage:
        stage = Stage(self.chain.setting.compiler, count)
        stage.step_number = self.number
        stage.memory, stage.added = dict(memories), self.added
        growth = self.law.growth
        stage.cells = {name: Given(growth[name] * age) for name in self.plan.clocks}
        return stage

    def _step(
        self, memories: Memories, origins: Places, mass: Array, age: int, states: int | None = None
    ) -> tuple[Batch, StepTally]:
        """The step in which the block has this age, in all rows."""
        stage = self._stage(memories, len(origins), float(age))
        stage.held[ORIGIN] = origins.astype(np.float64)
        shown = {one.shown: one for one in self.plan.sums}
        own = {term.noise for one in self.plan.sums for term in one.terms}
        due = {name: np.full(len(origins), name not in own) for name in self.chain.setting.noises.lives}
        due |= {name: np.ones(len(origins), dtype=bool) for name in shown}
        batch = Batch(stage, mass[None, :].astype(np.float64), [Case(None, {})], due)
        tally = StepTally(0, origins=len(origins) if states is None else states)
        for statement in self.chain.statements:
            if not batch.count:
                break
            match statement.statement:
                case Cell():
                    continue
                case Report(name) if name in shown:
                    self._show(name, batch, tally, age)
                case _:
                    statement.run(batch, tally)
            self.chain.setting.check_size(batch.count)
        return batch, tally

    def _show(self, name: str, batch: Batch, tally: StepTally, age: int) -> None:
        """The released value of that name, where the block ends."""
        fired = np.broadcast_to(np.asarray(batch.stage.fired[self.plan.end], dtype=bool), (batch.count,))
        if fired.any():
            values, chances, missing = self.law.shown(name, age)
            values, chances = folded(values, chances, self._ends(name, batch.stage, fired))
            tally.lost += missing
            self.chain.setting.check_size(batch.count * len(values))
            batch.draw(name, fired, values[:, None], chances[:, None])
            fired = np.broadcast_to(np.asarray(batch.stage.fired[self.plan.end], dtype=bool), (batch.count,))
        batch.stage.fired[name] = fired
        held = batch.stage.held.pop(name, np.full(batch.count, np.nan))
        batch.stage.released[name] = np.where(fired, held, np.nan)

    def _ends(self, name: str, stage: Stage, fired: NDArray[np.bool_]) -> tuple[float, float] | None:
        """Released values beyond these do what the nearer of them does, in all rows; None where there are none."""
        clips = self.clips[name]
        if clips is None:
            return None
        ends = [[np.broadcast_to(stage.numbers(run), (stage.count,))[fired] for run in pair] for pair in clips]
        low, high = min(float(low.min()) for low, _ in ends), max(float(high.max()) for _, high in ends)
        return (low, high) if low <= high else None  # not where one is no number

    def _parted(
        self, batch: Batch, tally: StepTally, steps: int
    ) -> tuple[Moves, tuple[dict[str, Array], Places, Array] | None]:
        """The moves of the rows whose block has ended, and the other rows: memories, origins, mass."""
        stage, stops = batch.stage, {place: mass[0] for place, mass in tally.stopped.items()}
        if not batch.count:
            return Moves(steps, np.zeros(0, dtype=np.intp), np.zeros(0), {}, {}, stops, tally.lost), None
        mass = np.broadcast_to(batch.mass, (1, batch.count))[0]
        origins = np.asarray(stage.held[ORIGIN]).astype(np.intp)
        memory = {name: np.broadcast_to(value, (batch.count,)) for name, value in stage.memory.items()}
        over = np.broadcast_to(np.asarray(stage.fired[self.plan.end], dtype=bool), (batch.count,))
        ended, on = np.flatnonzero(over), np.flatnonzero(~over)
        shown = {one.shown: np.broadcast_to(stage.released[one.shown], (batch.count,)) for one in self.plan.sums}
        moves = Moves(steps, origins[ended], mass[ended], _some(memory, ended), _some(shown, ended), stops, tally.lost)
        return moves, (_some(memory, on), origins[on], mass[on]) if len(on) else None

    def _look(self, memories: Memories, count: int) -> None:
        """Raises Unsolved where something happens in the second step of a block that does not end then. Conditions read
        neither the step nor a cell, except that of the block's end: so it is with all later steps."""
        batch, tally = self._step(memories, np.arange(count), np.ones(count), 2)
        over = np.broadcast_to(np.asarray(batch.stage.fired[self.plan.end], dtype=bool), (batch.count,))
        on = np.flatnonzero(~over)
        rows = np.asarray(batch.stage.held[ORIGIN]).astype(np.intp)[on] if batch.count else on
        ended = np.zeros(count, dtype=bool)
        ages = self._ages(memories, count, 3) == 2
        ended[ages] = True
        if any(mass[0][~ended].any() for mass in tally.stopped.values()):
            raise Unsolved("runs that stop within a block")
        for name, value in memories.items():
            after = np.broadcast_to(batch.stage.memory[name], (batch.count,))[on]
            if not np.array_equal(after, value[rows]):
                raise Unsolved("memories that change within a block")

    def _ages(self, memories: Memories, count: int, longest: int = LONGEST) -> Places:
        """The age, from 2, at which the block of each row ends."""
        found = np.zeros(count, dtype=np.intp)
        waiting = np.arange(count)
        first = 2
        while len(waiting) and first < longest:
            ages = np.arange(first, min(first + AT_ONCE, longest))
            rows = np.repeat(waiting, len(ages))
            stage = self._stage(_some(memories, rows), len(rows), np.tile(ages, len(waiting)).astype(float))
            over = self._is_over(stage).reshape(len(waiting), len(ages))
            hit = over.any(axis=1)
            found[waiting[hit]] = ages[over.argmax(axis=1)[hit]]
            waiting, first = waiting[~hit], first + AT_ONCE
        if len(waiting) and longest == LONGEST:
            raise Unsolved(f"a block of more than {LONGEST} entries")
        return found

    def _is_over(self, stage: Stage) -> NDArray[np.bool_]:
        """Whether the report that ends a block is made; what stands above it is run."""
        chain, tally = self.chain, StepTally(0)
        due = {name: np.zeros(stage.count, dtype=bool) for name in chain.setting.noises.lives}
        batch = Batch(stage, np.ones((1, stage.count)), [Case(None, {})], due)
        for statement in chain.statements:
            match statement.statement:
                case Cell():
                    continue
                case Report(name) if name == self.plan.end:
                    statement.run(batch, tally)
                    return np.broadcast_to(np.asarray(batch.stage.fired[name], dtype=bool), (stage.count,))
                case _ if self._stands_idle(statement.statement):
                    continue
                case _:
                    statement.run(batch, tally)
        raise Unsolved("no report that ends the block")

    @staticmethod
    def _stands_idle(statement: Any) -> bool:
        """Whether it does nothing within a block: what is drawn or set there was looked at, and is the same again."""
        from seqlang.model.program import Define

        return not isinstance(statement, Define)


def _some(memories: Mapping[str, Array], rows: Places) -> dict[str, Array]:
    return {name: value[rows] for name, value in memories.items()}
