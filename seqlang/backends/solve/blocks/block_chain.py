"""The chain of a program that looks at its data in blocks: the mass that waits for the start of blocks, by step.

`BlockChain(moves, outcomes, memories, spare, scores)` is a `Chain`. States are found while mass reaches them. Where
they are few, what is left is known in closed form: a semi-Markov chain, whose moves take several steps. States from
which runs hardly come back (`far_out.py`) are not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from seqlang.backends.solve.blocks.block_moves import BlockMoves, Moves
from seqlang.backends.solve.blocks.far_out import FarOutScores
from seqlang.backends.solve.blocks.semi_markov import Rows, tail_of
from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.states.equal_rows import same_rows
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.record import record

STATES = 3_000
"""States of which the rest is known in closed form."""
MOST = 50_000
"""States that are listed at all."""
AT_ONCE = 1_000
"""New states at the start of blocks in one step; of more, the rarest are dropped."""
APART = 3
"""Matrices for moves of one length, on the average."""
SHARE = 64
"""At the start of a block rare states may be dropped of up to 1 / SHARE of what may still be dropped."""
ROUNDING = 1e-12
"""The mass that is no longer followed is a sum of chances, with an error of at most this part."""
CONVOLVED = 100_000.0
"""Terms of the longest sum of products that the law of a block takes."""
NOTHING = np.zeros(0)


@record
class BlockFrontier:
    """After `step` steps: the mass that starts a block then or later, by step and state, and the mass that will stop
    then, by step and outcome. `left` has not stopped yet; `far` of it is no longer followed, and never stops but for a
    chance that the chain bounds."""

    step: int
    starts: Mapping[int, Array]
    stops: Mapping[int, Array]
    left: float
    lost: float
    cost: float = 0.0
    far: float = 0.0

    @property
    def survivors(self) -> Array:
        return np.array([self.left])

    @property
    def size(self) -> int:
        return 1

    @property
    def terms(self) -> float:
        """In how many terms a probability was summed at most: the sums over a block."""
        return CONVOLVED


class BlockChain:
    """See the module. `outcomes` may grow; `spare` is the mass of rare states that may be dropped."""

    def __init__(
        self,
        moves: BlockMoves,
        outcomes: Callable[[], tuple[Outcome, ...]],
        memories: Mapping[str, Array],
        spare: float,
        scores: FarOutScores | None = None,
    ) -> None:
        self.moves, self._outcomes, self.spare, self.scores = moves, outcomes, spare, scores
        self.names = tuple(memories)
        self.states = [np.asarray(value, dtype=np.float64) for value in memories.values()]
        self.count = 1
        self.far = self._held(self.states)[1]
        self.known = self.far.copy()
        self.rows: list[Rows] = []
        self.settled = False

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return self._outcomes()

    def begin(self) -> BlockFrontier:
        return BlockFrontier(0, {0: np.ones(1)}, {}, 1.0, 0.0)

    def advance(
        self, frontier: BlockFrontier, forced: Mapping[str, Any] | None = None
    ) -> tuple[BlockFrontier, Stopped]:
        """One step."""
        if forced is not None:
            raise Unsolved("a given entry in a block")
        step = frontier.step
        starts, stops = dict(frontier.starts), dict(frontier.stops)
        mass, lost, cost, far = starts.pop(step, None), frontier.lost, 0.0, frontier.far
        if mass is not None:
            away = self.far[: len(mass)]
            mass, far = np.where(away, 0.0, mass), far + float(mass[away].sum())
            mass, dropped = self._without_rare(mass, max(0.0, self.spare - lost) / SHARE)
            lost += dropped
            cost += self.learn(np.flatnonzero(mass))
            self._settle()
            self._gather()
            mass = _padded(mass, self.count)
            for block in self.rows:
                part = mass[block.rows]
                total = float(part.sum())
                if total == 0:
                    continue
                later = step + block.steps
                starts[later] = _plus(starts.get(later), part @ block.to)
                stops[later] = _plus(stops.get(later), part @ block.stops)
                lost += total * block.missing
                cost += block.cost
        width = len(self.outcomes)
        now = _padded(stops.pop(step + 1, NOTHING), width)
        left = max(0.0, frontier.left - float(now.sum()) - (lost - frontier.lost))
        return BlockFrontier(step + 1, starts, stops, left, lost, cost, far), Stopped(now[:, None], NOTHING)

    def _without_rare(self, mass: Array, allowed: float) -> tuple[Array, float]:
        """Without states of next to no mass that nobody has seen before."""
        new = np.flatnonzero((mass > 0) & ~self.known[: len(mass)])
        if not len(new):
            return mass, 0.0
        order = new[np.argsort(mass[new])]
        cut = int(np.searchsorted(np.cumsum(mass[order]), allowed))
        cut = max(cut, len(new) - min(AT_ONCE, max(0, (MOST - self.count) // 10)))
        mass = mass.copy()
        dropped = float(mass[order[:cut]].sum())
        mass[order[:cut]] = 0.0
        return mass, dropped

    def learn(self, states: Any) -> float:
        """Finds the moves from these states that are not known yet. The cost in numbers."""
        new = states[~self.known[states]]
        if not len(new):
            return 0.0
        found = self.moves.of({n: s[new] for n, s in zip(self.names, self.states, strict=True)}, len(new))
        self.known[new] = True
        for moves in found:
            targets = self._places(moves)
            self.rows.append(self._block(moves, new, targets))
        return float(30 * sum(len(m.mass) for m in found))

    def _places(self, moves: Moves) -> Any:
        """The states that the moves lead to, by number; those that were not met before get one."""
        size = len(moves.mass)
        if not size:
            return np.zeros(0, dtype=np.intp)
        reached = [moves.to[name] for name in self.names]
        reached, far = self._held(reached)
        columns = [np.concatenate(pair) for pair in zip(self.states, reached, strict=True)]
        first, group = same_rows(self.moves.columns(self.names, columns), self.count + size)
        place = np.where(first < self.count, first, -1)
        new = np.flatnonzero(first >= self.count)
        place[new] = self.count + np.arange(len(new))
        self.states = [np.concatenate([s, c[first[new]]]) for s, c in zip(self.states, columns, strict=True)]
        at = first[new] - len(self.far)
        self.far = np.concatenate([self.far, far[at]])
        self.known = np.concatenate([self.known, far[at]])
        targets = place[group[self.count :]]
        self.count += len(new)
        if self.count > MOST:
            raise Unsolved(f"more than {MOST} states at the starts of blocks")
        return targets

    def _held(self, states: list[Array]) -> tuple[list[Array], NDArray[np.bool_]]:
        """See `FarOutScores.held`."""
        nothing = np.zeros(len(states[0]) if states else 1, dtype=bool)
        return (states, nothing) if self.scores is None else self.scores.held(states)

    def _block(self, moves: Moves, rows: Any, targets: Any) -> Rows:
        stops = np.zeros((len(rows), len(self.outcomes)))
        for place, mass in moves.stops.items():
            stops[:, place] = mass
        used = np.zeros(len(rows), dtype=bool)
        used[moves.origins] = True
        used |= stops.sum(axis=1) > 0
        some = np.flatnonzero(used)
        to = csr_matrix((moves.mass, (moves.origins, targets)), shape=(len(rows), self.count))[some]
        return Rows(moves.steps, rows[some], to, stops[some], moves.missing, 20_000.0 + 2 * to.nnz)

    def _settle(self) -> None:
        """Once all moves are known, and the states few, one matrix serves for all moves of a length."""
        if self.settled or self.count > STATES or not self.known.all():
            return
        self.settled, width = True, len(self.outcomes)
        found: dict[int, list[Rows]] = {}
        for block in self.rows:
            found.setdefault(block.steps, []).append(block)
        self.rows = []
        for steps, blocks in found.items():
            rows = np.concatenate([b.rows for b in blocks])
            to, stops = np.zeros((len(rows), self.count)), np.zeros((len(rows), width))
            first = 0
            for b in blocks:
                last = first + len(b.rows)
                to[first:last, : b.to.shape[1]], stops[first:last, : b.stops.shape[1]] = b.to.toarray(), b.stops
                first = last
            missing = max(b.missing for b in blocks)
            self.rows.append(Rows(steps, rows, to, stops, missing, 2_000.0 + to.size / 20))

    def _gather(self) -> None:
        """Moves that were found one after the other, as one matrix for all of a length."""
        lengths = {block.steps for block in self.rows}
        if self.settled or len(self.rows) <= APART * len(lengths):
            return
        gathered = []
        for steps in lengths:
            blocks = [block for block in self.rows if block.steps == steps]
            for block in blocks:
                block.to.resize(len(block.rows), self.count)
            width = len(self.outcomes)
            stops = np.concatenate([np.pad(b.stops, ((0, 0), (0, width - b.stops.shape[1]))) for b in blocks])
            to, rows = vstack([b.to for b in blocks], format="csr"), np.concatenate([b.rows for b in blocks])
            cost = 20_000.0 + 2 * to.nnz
            gathered.append(Rows(steps, rows, to, stops, max(b.missing for b in blocks), cost))
        self.rows = gathered

    def close(self, frontier: BlockFrontier) -> Tail | None:
        """By linear equations, where the states that can be reached are few, and all are followed."""
        if self.far.any():
            return None
        while not self.known.all():
            if self.count > STATES:
                return None
            self.learn(np.flatnonzero(~self.known))
        if self.count > STATES:
            return None
        self._settle()
        return tail_of(frontier.step, frontier.starts, frontier.stops, self.rows, self.count, len(self.outcomes))

    def stuck(self, frontier: BlockFrontier) -> float:
        """Of the runs that are no longer followed."""
        return 0.0 if self.scores is None else frontier.far * (1 - self.scores.chance) * (1 - ROUNDING)


def _padded(mass: Array, count: int) -> Array:
    return mass if len(mass) == count else np.pad(mass, (0, count - len(mass)))


def _plus(before: Array | None, more: Array) -> Array:
    if before is None:
        return more
    size = max(len(before), len(more))
    return np.asarray(_padded(before, size) + _padded(more, size))
