"""Through a program block by block, with told values in place of noisy sums."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from seqlang.backends.solve.blocks.block_chain import BlockChain
from seqlang.backends.solve.blocks.block_moves import BlockMoves, Moves
from seqlang.backends.solve.blocks.sum_law import SumLaws
from seqlang.backends.solve.solution import Array, Outcome
from seqlang.backends.solve.spaces import space_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.expression import Apply, Expression, Number, Truth
from seqlang.model.program import Program, Stop
from seqlang.record import record, replace

ONE = Number(Fraction(1))
State = Mapping[str, float]
"""The values of all memories at the start of a block."""


@record
class Ended:
    """A block of `size` entries was released; the test goes on from `state`, or has ended with `outcome`."""

    size: int
    state: State
    outcome: Outcome | None
    ended: bool


class Told:
    """In place of the laws of released sums: the value that was released."""

    def __init__(self, value: float, growth: Mapping[str, float]) -> None:
        self.value, self.growth = value, growth

    def shown(self, name: str, size: int) -> tuple[Array, Array, float]:
        """The value, with certainty."""
        return np.array([self.value]), np.ones(1), 0.0


class Course:
    """The blocks of one program under one model. Raises Unsolved where the program is not of that kind."""

    def __init__(self, program: Program, model: str) -> None:
        self.program, self.model = program, model
        self.chain = block_chain(program, model)
        body = tuple(replace(s, when=_never(s.when)) if isinstance(s, Stop) else s for s in program.body)
        self.endless = block_chain(replace(program, body=body), model)
        self.names = self.chain.names
        if len(self.chain.moves.plan.sums) != 1:
            raise Unsolved("several sums are released at the end of a block")
        self.shown = self.chain.moves.plan.sums[0].shown
        self.laws = SumLaws(self.chain.moves.chain, self.chain.moves.plan, model)
        terms = self.chain.moves.plan.sums[0].terms
        self.geometric = [(program.noise(t.noise).family, t.factor) for t in terms] == [("geometric", ONE)]

    @property
    def start(self) -> State:
        return {name: float(column[0]) for name, column in zip(self.names, self.chain.states, strict=True)}

    def law(self, size: int) -> tuple[Array, Array]:
        """(values, chances) of what a block of that size releases. Of geometric noise, which tells no more beyond the
        sums that are possible, up to these only: the rest of the table is cut off somewhere."""
        values, chances, _ = self.laws.shown(self.shown, size)
        reach = round(-self.laws.of[self.shown].noise[0]) if self.geometric else 0
        return values[reach : len(values) - reach], chances[reach : len(values) - reach]

    def noise(self) -> tuple[Array, Array]:
        """(values, chances) of what a block releases besides its sum."""
        least, chances, _ = self.laws.of[self.shown].noise
        return np.arange(len(chances), dtype=np.float64) + least, chances

    @property
    def ratio(self) -> float:
        """What the chances of released values fall by, from one to the next, beyond what `law` lists; 1 if no more than
        next to nothing lies there."""
        chances = self.laws.of[self.shown].noise[1]
        if not self.geometric:
            return 1.0
        return float(chances[0] / chances[1]) if len(chances) > 1 else 0.0

    def next_size(self, state: State) -> int:
        """The size of the block that begins in this state. Raises Unsolved where a coin is still to be thrown."""
        return self._only(self._told(self.endless, state, 0.0)).steps

    def after(self, state: State, value: float) -> Ended:
        """After the next block has released `value`."""
        moves = self._only(self._told(self.endless, state, value))
        ends = [moves for moves in self._told(self.chain, state, value) if moves.stops]
        places = [place for moves in ends for place, mass in moves.stops.items() if mass.any()]
        outcome = self.chain.outcomes[places[0]] if places else None
        return Ended(moves.steps, dict(_rows(moves)[0]), outcome, bool(places))

    def _only(self, found: list[Moves]) -> Moves:
        if len(found) != 1 or len(found[0].mass) != 1:
            raise Unsolved("which way a public coin fell is not known")
        return found[0]

    def _told(self, chain: BlockChain, state: State, value: float) -> list[Moves]:
        known = chain.moves
        moves = BlockMoves(known.chain, known.plan, self.model)
        moves.law = Told(value, known.law.growth)
        found = moves.of({name: np.array([state[name]]) for name in self.names}, 1)
        return [one for one in found if len(one.mass) or one.stops]


def _never(condition: Expression | None) -> Expression:
    """Reads what the condition reads, so that nothing becomes superfluous, and does not hold."""
    return Apply("and", (Truth(True) if condition is None else condition, Truth(False)))


def _rows(moves: Moves) -> list[list[tuple[str, float]]]:
    return [[(name, float(column[i])) for name, column in moves.to.items()] for i in range(len(moves.mass))]


def block_chain(program: Program, model: str) -> BlockChain:
    """The chain of a program that looks at its data in blocks. Raises Unsolved for others."""
    space = space_of(program, model)
    chain = None if space.unforced is None else space.unforced(0)
    if not isinstance(chain, BlockChain):
        raise Unsolved("it does not look at its data in blocks, of which nothing but noisy sums is shown")
    return chain


def begun_at(program: Program, state: State) -> Program:
    """The program from the start of a block on."""
    memories = tuple(replace(m, initial=Number(Fraction(state[m.name]))) for m in program.memories)
    return replace(program, memories=memories)
