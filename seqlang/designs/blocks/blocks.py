"""What a block of each size shows, under both hypotheses, and the score that it earns.

The score is the log-likelihood ratio of what is seen, alternative against null, in whole steps of a lattice. Rounding
it is post-processing: it costs a little efficiency and no validity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.designs.blocks.mechanism import Mechanism
from seqlang.designs.problem.entry import Arms, Array, law_of_sum
from seqlang.designs.problem.problem import Problem
from seqlang.record import record

LATTICE = 0.02
"""What one whole score is, in log-odds."""


Whole = NDArray[np.intp]


@record
class Merging:
    """By arm and value seen, the number of its score; then by scores of all arms the number of their sum."""

    arms: tuple[Whole, ...]
    places: Whole

    def of(self, laws: Sequence[Array]) -> Array:
        """The chances of the sums, where the arms show values with these chances."""
        parts = [
            np.asarray(np.bincount(which, law), dtype=np.float64) for which, law in zip(self.arms, laws, strict=True)
        ]
        return np.asarray(np.bincount(self.places, _sums(parts, np.multiply.outer)), dtype=np.float64)


def _sums(parts: Sequence[Array], outer: Callable[[Any, Any], Any]) -> Array:
    return np.asarray(reduce(outer, parts)).ravel()


@record
class Block:
    """A block of `size` entries: the chances of everything that can be seen under the null and the alternative, (2,
    values), and the logarithm of their ratio, (values,). `marks` is the logarithm of the ratio of the masses without
    the clamp, of which the score is made: it differs from `ratio` at both ends at most. Where values of one score are
    counted together, `merging` says which, and `unmerged` has the marks before."""

    size: int
    laws: Array
    ratio: Array
    marks: Array
    merging: Merging | None = None
    unmerged: Array | None = None

    def scores(self, lattice: float) -> Array:
        """The whole score of every value that can be seen."""
        return np.floor(self.marks / lattice + 0.5)

    def doubt(self, lattice: float) -> float:
        """How near a score is to being rounded the other way, in steps of the lattice."""
        part = (self.marks if self.unmerged is None else self.unmerged) / lattice + 0.5
        return float(np.abs(part - np.rint(part)).min())


FEW = 1
"""Of entries with a larger range, values of one score are counted together: they would be too many."""


class Blocks:
    """The blocks of a problem by size, made when they are asked for. Values of one score on the lattice are counted
    together where the entries have many levels; what they score on another lattice is then not known."""

    def __init__(self, problem: Problem, mechanism: Mechanism, lattice: float | None = None) -> None:
        self.problem, self.mechanism = problem, mechanism
        self.lattice = LATTICE if lattice is None else lattice
        self.merged = bool(problem.arms) or (problem.null.range > FEW and problem.privacy.notion != "none")
        self._made: dict[int, Block] = {}
        self._elsewhere: dict[Arms, dict[int, Array]] = {}

    def __getitem__(self, size: int) -> Block:
        if size not in self._made:
            sides = (self.problem.null, self.problem.alternative)
            by_arm = list(zip(*([self._released(arm, size) for arm in side.arms] for side in sides), strict=True))
            marks = [_log_ratio(*(plain for _, plain in pair)) for pair in by_arm]
            laws = [np.stack([seen for seen, _ in pair]) for pair in by_arm]
            if self.merged:
                self._made[size] = self._merged(size, laws, marks)
            else:
                self._made[size] = Block(size, laws[0], _log_ratio(*laws[0]), marks[0])
        return self._made[size]

    def _released(self, chances: tuple[Fraction, ...], size: int) -> tuple[Array, Array]:
        """Of one arm, in which are as many entries of a block as in the other."""
        seen, plain = self.mechanism.noisy(law_of_sum(chances, size // self.problem.turns))
        return seen / seen.sum(), plain

    def _merged(self, size: int, laws: list[Array], marks: list[Array]) -> Block:
        """Values of one score, of each arm and then of the sum of their scores, are one value."""
        gains = [np.unique(np.floor(m / self.lattice + 0.5), return_inverse=True) for m in marks]
        scores, places = np.unique(_sums([g for g, _ in gains], np.add.outer), return_inverse=True)
        counting = Merging(tuple(which for _, which in gains), places)
        merged = np.stack([counting.of([law[side] for law in laws]) for side in (0, 1)])
        return Block(size, merged, _log_ratio(*merged), scores * self.lattice, counting, np.concatenate(marks))

    def at(self, lattice: float) -> Blocks:
        """The same blocks for scores on another lattice."""
        return Blocks(self.problem, self.mechanism, lattice) if self.merged else self

    def law_at(self, arms: Arms, size: int) -> Array:
        """The chances of what is seen where entries have these chances."""
        laws, merging = [self._released(arm, size)[0] for arm in arms], self[size].merging
        return laws[0] if merging is None else merging.of(laws)

    def laws(self, side: int) -> Callable[[int], Array]:
        """The chances under the null (0) or the alternative (1) by size."""
        return lambda size: self[size].laws[side]

    def laws_at(self, arms: Arms) -> Callable[[int], Array]:
        """The chances of what is seen where an entry has these chances, by size."""
        known = self._elsewhere.setdefault(arms, {})

        def law(size: int) -> Array:
            if size not in known:
                known[size] = self.law_at(arms, size)
            return known[size]

        return law

    def scores(self, lattice: float) -> Callable[[int], Array]:
        """The scores by size."""
        return lambda size: self[size].scores(lattice)


def _log_ratio(null: Array, alternative: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(alternative) - np.log(null)
    return np.asarray(np.nan_to_num(ratio, nan=0.0, posinf=700.0, neginf=-700.0))


def power(laws: Array, ratio: Array, alpha: float) -> float:
    """The chance to reject under the alternative for the most powerful test that rejects with chance `alpha` under the
    null: by the likelihood ratio, and by a coin at the threshold."""
    order = np.argsort(-ratio, kind="stable")
    rejected, found = np.cumsum(laws[0][order]), np.cumsum(laws[1][order])
    return float(np.interp(alpha, np.r_[0.0, rejected], np.r_[0.0, found]))


def fixed_size(blocks: Blocks, most: int = 1_000_000) -> int | None:
    """The least size of a single block whose most powerful test meets both errors, the null's by randomising at the
    threshold where needed; None where none up to `most` does."""
    alpha, beta = blocks.problem.errors

    def meets(size: int) -> bool:
        return power(blocks[size].laws, blocks[size].ratio, alpha) >= 1 - beta

    unit = high = blocks.problem.turns
    while not meets(high):
        high *= 2
        if high > most:
            return None
    low = high // 2 - high // 2 % unit
    while high - low > unit:
        middle = (low + high) // 2
        middle -= middle % unit
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


DOUBT = 1e-7
"""Scores that lie nearer to being rounded the other way than this, in steps, might be rounded otherwise elsewhere."""


def safe_lattice(blocks: Blocks, sizes: Iterable[int], start: float = LATTICE) -> float:
    """A lattice near `start`, of few digits, on which no score of these sizes is rounded in doubt."""
    listed = tuple(sizes)
    for i in range(100):
        lattice = round(start * (1 + i / 200), 6)
        if all(blocks[size].doubt(lattice) > DOUBT for size in listed):
            return lattice
    raise ValueError("every lattice rounds some score in doubt")


NEARLY = 2e-3
"""How far the proportion of a walk's two steps may be off, relatively."""


def walk_lattice(block: Block) -> float:
    """The widest lattice on which a single entry's two log-likelihood ratios are whole, nearly: scores that add up over
    many entries must not be rounded one by one."""
    up, down = float(block.ratio.max()), -float(block.ratio.min())
    part = min(up, down) / max(up, down)
    most = 1
    while abs(Fraction(part).limit_denominator(most) / Fraction(part) - 1) > NEARLY:
        most += 1
    near = Fraction(part).limit_denominator(most)
    return float(f"{(up + down) / (near.numerator + near.denominator):.12g}")


SPREAD, MOST_SCORES = 40, 2_000
"""Scores to a standard deviation of the score of an entry, and scores at most from end to end."""


def fine_lattice(blocks: Blocks) -> float:
    """A lattice for scores that add up over many blocks of the least size: rounding moves neither mean by much."""
    size, least = blocks.problem.turns, 16 / MOST_SCORES
    exact = blocks.at(least / 100)[size]
    laws, ratio = exact.laws, exact.marks
    means = [float(law @ ratio) for law in laws]
    start = max(float(np.sqrt(laws[0] @ ratio**2 - means[0] ** 2)) / SPREAD, least)
    tried = [float(f"{start * (1 + i / 100):.6g}") for i in range(60)]

    def off(lattice: float) -> float:
        block = blocks.at(lattice)[size]
        moved = [float(law @ block.scores(lattice)) * lattice - m for law, m in zip(block.laws, means, strict=True)]
        doubtful = block.doubt(lattice) <= DOUBT
        return doubtful + max(abs(by / mean) for by, mean in zip(moved, means, strict=True))

    return min(tried, key=off)
