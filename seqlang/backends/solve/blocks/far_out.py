"""Scores so far out that a run hardly ever comes back: it goes on for ever, but for a chance that is bounded.

Statement. Let S_0, S_1, .. be a score after 0, 1, .. blocks, and let each move from a score s <= line have the law of
K, whatever s. If E[exp(rate K)] <= 1 for some rate > 0, then from s <= line the score ever exceeds the line with a
chance of at most exp(-rate (line - s)).

Proof. exp(rate S), stopped where S exceeds the line, is a supermartingale that is not negative; its chance ever to
exceed exp(rate line) is at most exp(rate s) / exp(rate line). Ville (1939), Etude critique de la notion de collectif,
chapter V; for random walks Wald (1944), Annals of Mathematical Statistics 15, 283-296.

A run that stays below a line below which nobody stops never stops. Scores that go up for ever are those below with the
other sign. That moves have one law below the line is read off the program (`translation.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.blocks.block_moves import BlockMoves, Moves
from seqlang.backends.solve.blocks.block_plan import BlockPlan
from seqlang.backends.solve.blocks.sum_law import SumLaws
from seqlang.backends.solve.blocks.translation import Translation, translations
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.states.explored_chain import ExploredChain
from seqlang.backends.solve.step.entries import model_named
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Draw
from seqlang.record import record

FARTHEST = float(2**20)
"""A score. If moves are not of one law there, they are not further out either, for all that is known."""
GONE = 28.0
"""-log of the chance to come back from where runs are no longer followed."""
MOST = 20_000
"""Scores between the line and there."""
COMBINATIONS = 16
"""Of values of other memories, of which moves are looked at."""
ROUNDING = 1e-9
"""The sum of chance * exp(rate * move) is enlarged by this part: terms are exact to some units in the last place."""
STEEPEST = 4.0
"""Of rates: a move is known to some 1e-10, as it is read off scores of the size of FARTHEST."""
LEFT_OUT = 1e-15
"""What is left out of the laws of sums and noises beside what is said to be: tails, and what floats take for 0."""
HARDLY = 1e-280
"""A chance. Listed values of an infinite law, or of none, get at least this."""


@record
class FarOut:
    """Scores s with sign * s <= `floor` exceed the line with a chance of at most `chance`."""

    sign: int
    line: float
    rate: float

    @property
    def floor(self) -> float:
        return self.line - math.ceil(GONE / self.rate)

    @property
    def chance(self) -> float:
        return math.exp(-self.rate * (self.line - self.floor)) * (1 + ROUNDING)


def falls(gains: Array, chances: Array, missing: float, rate: float) -> bool:
    """Whether E[exp(rate K)] <= 1 for a move K with these chances; what is missing moves by at most max(gains)."""
    with np.errstate(over="ignore"):
        listed = float(chances @ np.exp(rate * gains))
        return listed * (1 + ROUNDING) + missing * math.exp(min(700.0, rate * float(gains.max()))) <= 1


def rate_of(gains: Array, chances: Array, missing: float) -> float | None:
    """A rate with which the score falls, near the largest one; None where none was found."""
    largest = float(gains.max())
    if largest <= 0 or chances @ gains >= 0:
        return None  # a score that never rises is left to others
    low = 1 / largest
    for _ in range(60):
        if falls(gains, chances, missing, low):
            break
        low /= 2
    else:
        return None
    high = 2 * low
    while high < STEEPEST and falls(gains, chances, missing, high):
        low, high = high, 2 * high
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(gains, chances, missing, middle) else (low, middle)
    return low


class FarOutScores:
    """The scores of a program from which runs hardly come back. `names`: of its memories."""

    def __init__(self, chain: ExploredChain, plan: BlockPlan, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.moves = BlockMoves(chain, plan, chain.model)
        self.moves.law = _AllValues(SumLaws(chain, plan, chain.model))
        self.known: dict[tuple[float, ...], FarOut | None] = {}
        body = [s for i, s in enumerate(chain.program.body) if i in chain.plan.needed.statements]
        fits = not model_named(chain.program, chain.model).memories and _draws_are_listed(chain, plan)
        found = translations(body) if fits else ()
        self.read: Translation | None = next((one for one in found if one.memory in self.names), None)

    def held(self, states: Sequence[Array]) -> tuple[list[Array], NDArray[np.bool_]]:
        """The states (by memory, as `names`) with scores so far out held where that begins, and which these are."""
        found, far = list(states), np.zeros(len(states[0]) if states else 1, dtype=bool)
        if self.read is None or not len(far):
            return found, far
        at = self.names.index(self.read.memory)
        others = [s for i, s in enumerate(states) if i != at]
        rows = np.column_stack(others) if others else np.zeros((len(far), 0))
        listed, which = np.unique(rows, axis=0, return_inverse=True)
        for place, values in enumerate(listed):
            one = self._of(tuple(values.tolist()))
            if one is not None:
                here = (which.reshape(-1) == place) & (one.sign * states[at] <= one.floor)
                found[at] = np.where(here, one.sign * one.floor, found[at])
                far |= here
        return found, far

    @property
    def chance(self) -> float:
        """The largest chance to come back from scores so far out."""
        return max((one.chance for one in self.known.values() if one is not None), default=0.0)

    def _of(self, others: tuple[float, ...]) -> FarOut | None:
        if others not in self.known:
            found = None
            if len(self.known) < COMBINATIONS:
                tried = (self._found(others, sign) for sign in (1, -1))
                found = next((one for one in tried if one is not None), None)
            self.known[others] = found
        return self.known[others]

    def _memories(self, others: tuple[float, ...], score: float) -> dict[str, Array]:
        assert self.read is not None
        values = iter(others)
        return {n: np.array([score if n == self.read.memory else next(values)]) for n in self.names}

    def _found(self, others: tuple[float, ...], sign: int) -> FarOut | None:
        """From the moves at one score very far out."""
        assert self.read is not None
        at = self._memories(others, -sign * FARTHEST)
        try:
            moves = self.moves.of(at, 1)
        except Unsolved:
            return None
        found = _gains(moves, at, self.read.memory, sign)
        if found is None:
            return None
        gains, chances, missing = found
        rate, most = rate_of(gains, chances, missing), float(gains.max())
        top = None if rate is None else self._top(others, sign, -FARTHEST + most)
        if rate is None or top is None or rate * MOST < GONE:
            return None
        return FarOut(sign, top - most, rate)

    def _top(self, others: tuple[float, ...], sign: int, least: float) -> float | None:
        """A whole number, at most 0, up to which sign * score may rise and no comparison changes, from minus infinity
        on; None where that is less than `least`."""
        if not self._settled(others, sign, least):
            return None
        low, high = least, 1.0
        while high - low > 1:
            middle = math.floor((low + high) / 2)
            low, high = (middle, high) if self._settled(others, sign, middle) else (low, middle)
        return low - 1  # however sums that are compared are rounded

    def _settled(self, others: tuple[float, ...], sign: int, score: float) -> bool:
        """Whether all comparisons are at this score what they are at infinity: they are monotone."""
        assert self.read is not None
        here, beyond = (
            self.moves.values(self.read.comparisons, self._memories(others, sign * s)) for s in (score, -math.inf)
        )
        finite = self.moves.values(self.read.others, self._memories(others, 0.0))
        return bool(np.array_equal(here, beyond) and np.all(np.isfinite(finite)))


def _gains(
    found: Sequence[Moves], at: Mapping[str, Array], memory: str, sign: int
) -> tuple[Array, Array, float] | None:
    """By how much the score rises, the chances, and what is left out; None where a run may stop, another memory
    changes, or something may be shown that is not listed and need not act like what is."""
    if any(stops.any() for moves in found for stops in moves.stops.values()):
        return None
    moves = [one for one in found if len(one.mass)]
    if len(moves) != 1 or not _all_shown(moves[0].shown):
        return None
    (one,) = moves
    if any(not np.all(one.to[name] == value[0]) for name, value in at.items() if name != memory):
        return None
    gains = sign * (one.to[memory] - at[memory][0])
    if not np.all(np.isfinite(gains)) or not np.array_equal(gains, np.rint(gains)):
        return None
    return gains, one.mass, sum(m.missing for m in found) + LEFT_OUT


def _all_shown(shown: Mapping[str, Array]) -> bool:
    """Whether all combinations of whole numbers between the least and the largest values shown are listed."""
    rows = np.unique(np.column_stack(list(shown.values())), axis=0)
    if not np.all(np.isfinite(rows)):
        return False
    wanted = np.prod(np.ptp(rows, axis=0) + 1)
    return bool(np.array_equal(rows, np.rint(rows)) and len(rows) == wanted)


def _draws_are_listed(chain: ExploredChain, plan: BlockPlan) -> bool:
    """Whether all draws but the noise of the sums have few values, none of which is too rare for floats."""
    own = {term.noise for one in plan.sums for term in one.terms}
    if any(isinstance(s, Draw) for i, s in enumerate(chain.program.body) if i in chain.plan.needed.statements):
        return False
    for name in set(chain.plan.enumerated) - own:
        law = chain.plan.laws.get(name)
        if law is None or not np.all(np.isfinite(law.support)) or law.atoms()[1].min() < HARDLY:
            return False
    return True


class _AllValues:
    """The laws of released values with all values that a block can release: those that are too rare, and infinity where
    it has no end, have a chance that is next to nothing."""

    def __init__(self, law: SumLaws) -> None:
        self.law = law
        self.growth = law.growth

    def shown(self, name: str, size: int) -> tuple[Array, Array, float]:
        values, chances, missing = self.law.shown(name, size)
        low, high = self.law.ends(name, size)
        whole = np.arange(low, high + 1)
        listed = np.full(len(whole), HARDLY)
        listed[(values - low).astype(np.intp)] = chances
        if not self.law.is_unbounded(name):
            return whole, listed, missing
        return np.r_[-np.inf, whole, np.inf], np.r_[HARDLY, listed, HARDLY], missing
