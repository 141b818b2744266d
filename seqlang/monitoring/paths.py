"""All ways through the blocks of a test: which released values lead where is the same under all laws of the entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.blocks.block_chain import BlockChain
from seqlang.backends.solve.blocks.block_moves import BlockMoves, Moves
from seqlang.backends.solve.blocks.sum_law import SumLaws
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.spaces import space_of
from seqlang.backends.solve.states.equal_rows import same_rows
from seqlang.backends.solve.step.stepped_data import stepped
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.expression import Apply, Drawn, MemoryValue, Noised, Number, Truth, walk
from seqlang.model.program import Cell, Memory, Program, Report, SinceReport, Statement, Stop, Update
from seqlang.record import record, replace

Places = NDArray[np.intp]
ENDED = "ended by {}"
"""The memory of whether a stop has happened; no name of a program has a blank."""
PLAN = "plan"
"""The memory of what the public coin chose."""
AFTER_A_BLOCK, AT_ONCE, NEVER = 1, 2, 3
MOST = 40_000_000
"""Moves that are listed."""
MISSING = 1e-9
"""A law may have so much mass where no value is listed."""


@record
class Group:
    """Moves of blocks of one size: from the states `origins` with the public chances `weights` to `targets`, where the
    sums released `shown`, all (moves,). `shown` are places in `values`, which are all that can be told apart."""

    size: int
    origins: Places
    targets: Places
    weights: Array
    shown: Mapping[str, Places]
    values: Mapping[str, Array]


class _Any:
    """In place of the laws of released sums: every value, once."""

    def __init__(self, laws: Sequence[SumLaws]) -> None:
        self.laws, self.growth = laws, laws[0].growth

    def shown(self, name: str, size: int) -> tuple[Array, Array, float]:
        ends = [one.ends(name, size) for one in self.laws]
        values = np.arange(min(low for low, _ in ends), max(high for _, high in ends) + 1)
        return values, np.ones(len(values)), 0.0


class Paths:
    """`states` are the memories at the ends of blocks, (states,) each; the first is that at the start."""

    def __init__(self, program: Program, models: Sequence[str]) -> None:
        """`models`: together they can release what any law can. Raises Unsolved where the program does not look at its
        data in blocks."""
        self.program = program
        self.stops = tuple(s for s in program.body if isinstance(s, Stop))
        chain = _block_chain(_marked(program), models[0])
        self.moves: BlockMoves = chain.moves
        self.sums = self.moves.plan.sums
        self.names = chain.names
        self.moves.law = _Any([self.laws(program, name) for name in models])
        self.columns = [column[:1] for column in chain.states]
        self.known = np.zeros(1, dtype=bool)
        self.groups: list[Group] = []
        self.listed = 0

    def laws(self, program: Program, model: str) -> SumLaws:
        """What blocks release under that model of the program, which is the same but for its models."""
        chain = self.moves.chain
        return SumLaws(chain, self.moves.plan, model, stepped(program, model, chain.plan.needed))

    @property
    def count(self) -> int:
        """Of states."""
        return len(self.known)

    def ended(self) -> tuple[Places, Places]:
        """For each state the stop that has happened, from 0, or -1, and how: AT_ONCE or AFTER_A_BLOCK, (states,)."""
        by, how = np.full(self.count, -1), np.zeros(self.count, dtype=np.intp)
        for number, stop in enumerate(self.stops):
            mark = self._column(ENDED.format(stop.index)).astype(np.intp)
            by, how = np.where(mark > 0, number, by), np.where(mark > 0, mark, how)
        return by, how

    def column(self, name: str) -> Array | None:
        """A memory, (states,), if the program has it."""
        return self._column(name) if name in self.names else None

    def _column(self, name: str) -> Array:
        return self.columns[self.names.index(name)]

    def state(self, number: int) -> dict[str, float]:
        """The program's memories in a state."""
        known = {memory.name for memory in self.program.memories}
        return {n: float(c[number]) for n, c in zip(self.names, self.columns, strict=True) if n in known}

    def explore(self, blocks: int) -> None:
        """Finds all moves of the first `blocks` blocks."""
        reached = np.zeros(1, dtype=np.intp)
        for _ in range(blocks):
            self.learn(reached)
            at = np.isin(np.arange(self.count), reached)
            on = [g.targets[at[g.origins]] for g in self.groups]
            reached = np.unique(np.concatenate(on)) if on else reached[:0]
            reached = reached[self.ended()[0][reached] < 0]

    def learn(self, states: Places) -> None:
        """Finds all moves from these states."""
        new = states[~self.known[states]]
        if not len(new):
            return
        self.known[new] = True
        found = self.moves.of({n: c[new] for n, c in zip(self.names, self.columns, strict=True)}, len(new))
        for moves in found:
            if any(mass.any() for mass in moves.stops.values()):
                raise Unsolved("a stop that is no mark")
            if len(moves.mass):
                self.groups.append(self._group(moves, new))
                self.listed += len(moves.mass)
                if self.listed > MOST:
                    raise Unsolved(f"more than {MOST:,} ways through its blocks")

    def _group(self, moves: Moves, new: Places) -> Group:
        shown, values, counted = {}, {}, np.ones(len(moves.mass))
        for name, column in moves.shown.items():
            values[name], place = np.unique(column, return_inverse=True)
            shown[name] = place.reshape(-1).astype(np.intp)
            every = self.moves.law.shown(name, moves.steps)[0]
            counted *= np.bincount(held(every, values[name]), minlength=len(values[name]))[shown[name]]
        return Group(moves.steps, new[moves.origins], self._numbered(moves), moves.mass / counted, shown, values)

    def _numbered(self, moves: Moves) -> Places:
        """The states that the moves lead to; those that were not met before get a number."""
        columns = [np.concatenate([c, moves.to[n]]) for n, c in zip(self.names, self.columns, strict=True)]
        first, group = same_rows(self.moves.columns(self.names, columns), self.count + len(moves.mass))
        place = np.where(first < self.count, first, -1)
        new = np.flatnonzero(first >= self.count)
        place[new] = self.count + np.arange(len(new))
        before = self.count
        self.columns = [c[np.r_[:before, first[new]]] for c in columns]
        self.known = np.concatenate([self.known, np.zeros(len(new), dtype=bool)])
        return np.asarray(place[group[before:]], dtype=np.intp)

    def masses(self, laws: SumLaws, blocks: int) -> Array:
        """Under this law of the entries: the chance to be in each state after block 1, 2, .. `blocks`, (blocks,
        states); those that have ended are in their state after that block only."""
        origins = np.concatenate([g.origins for g in self.groups])
        targets = np.concatenate([g.targets for g in self.groups])
        chances = np.concatenate([_chances(g, laws) for g in self.groups])
        found, mass = np.zeros((blocks, self.count)), np.zeros(self.count)
        mass[0] = 1.0
        for block in range(blocks):
            mass = np.asarray(np.bincount(targets, mass[origins] * chances, minlength=self.count), dtype=np.float64)
            found[block] = mass
        return found


def held(values: Array, told_apart: Array) -> Places:
    """Which of the values that are told apart each value acts like: itself, or the nearer end."""
    place = np.searchsorted(told_apart, np.clip(values, told_apart[0], told_apart[-1]))
    return np.asarray(place, dtype=np.intp)


def _chances(group: Group, laws: SumLaws) -> Array:
    found = group.weights
    for name, place in group.shown.items():
        values, chances, missing = laws.shown(name, group.size)
        told_apart = group.values[name]
        if missing > MISSING:
            raise Unsolved("a law of which too much is left out")
        found = found * np.bincount(held(values, told_apart), chances, minlength=len(told_apart))[place]
    return found


def _block_chain(program: Program, model: str) -> BlockChain:
    """Raises Unsolved for programs that do not look at their data in blocks."""
    space = space_of(program, model)
    chain = None if space.unforced is None else space.unforced(0)
    if not isinstance(chain, BlockChain):
        raise Unsolved("it does not look at its data in blocks, of which nothing but noisy sums is shown")
    return chain


def _marked(program: Program) -> Program:
    """The program that never stops, and remembers which stop would have happened first: AT_ONCE where the stop stands
    above the report that ends a block, so that it can only have happened before it, else AFTER_A_BLOCK."""
    marks = {s.index: ENDED.format(s.index) for s in program.body if isinstance(s, Stop)}
    end = next((s.keep.report for s in program.body if isinstance(s, Cell) and isinstance(s.keep, SinceReport)), "")
    body: list[Statement] = []
    done: list[str] = []
    how = AT_ONCE
    for statement in program.body:
        if isinstance(statement, Stop):
            mark, holds = marks[statement.index], Truth(True) if statement.when is None else statement.when
            if any(isinstance(e, Noised | Drawn) for e in walk(holds)):
                raise Unsolved("it does not look at its data in blocks: a stop compares with noise")
            open_ = [_is(MemoryValue(other, other in done), 0) for other in marks.values()]
            body.append(Update(mark, Number(Fraction(how)), Apply("and", (holds, *open_))))
            done.append(mark)
            never = Apply("and", (holds, _is(MemoryValue(mark, True), NEVER)))
            body.append(replace(statement, when=never))  # it reads the mark, which is superfluous otherwise
            continue
        body.append(statement)
        how = AFTER_A_BLOCK if isinstance(statement, Report) and statement.name == end else how
    memories = (*program.memories, *(Memory(mark, Number(Fraction(0))) for mark in marks.values()))
    return replace(program, body=tuple(body), memories=memories)


def _is(read: MemoryValue, value: int) -> Apply:
    return Apply("==", (read, Number(Fraction(value))))
