"""What a block of each size shows, under both hypotheses, and the score that it earns.

The score is the log-likelihood ratio of what is seen, alternative against null, in whole steps of a lattice. Rounding
it is post-processing: it costs a little efficiency and no validity."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqlang.design.entry import Array
from seqlang.design.mechanism import Mechanism
from seqlang.design.problem import Problem
from seqlang.record import record

LATTICE = 0.02
"""What one whole score is, in log-odds."""


@record
class Block:
    """A block of `size` entries: the chances of everything that can be seen under the null and the alternative, (2,
    values), and the logarithm of their ratio, (values,). `marks` is the logarithm of the ratio of the masses without
    the clamp, of which the score is made: it differs from `ratio` at both ends at most. Where values of one score are
    counted together, `places` says with which, and `unmerged` has the marks before."""

    size: int
    laws: Array
    ratio: Array
    marks: Array
    places: Whole | None = None
    unmerged: Array | None = None

    def scores(self, lattice: float) -> Array:
        """The whole score of every value that can be seen."""
        return np.floor(self.marks / lattice + 0.5)

    def doubt(self, lattice: float) -> float:
        """How near a score is to being rounded the other way, in steps of the lattice."""
        part = (self.marks if self.unmerged is None else self.unmerged) / lattice + 0.5
        return float(np.abs(part - np.rint(part)).min())


Whole = NDArray[np.intp]
FEW = 1
"""Of entries with a larger range, values of one score are counted together: they would be too many."""


class Blocks:
    """The blocks of a problem by size, made when they are asked for. Values of one score on the lattice are counted
    together where the entries have many levels; what they score on another lattice is then not known."""

    def __init__(self, problem: Problem, mechanism: Mechanism, lattice: float | None = None) -> None:
        self.problem, self.mechanism = problem, mechanism
        self.lattice = LATTICE if lattice is None else lattice
        self.merged = problem.null.range > FEW and problem.privacy.notion != "none"
        self._made: dict[int, Block] = {}
        self._elsewhere: dict[tuple[Fraction, ...], dict[int, Array]] = {}

    def __getitem__(self, size: int) -> Block:
        if size not in self._made:
            sides = (self.problem.null, self.problem.alternative)
            found = [self.mechanism.released(side.chances, size) for side in sides]
            laws = np.stack([seen for seen, _ in found])
            laws /= laws.sum(axis=1, keepdims=True)
            marks = _log_ratio(*(plain for _, plain in found))
            block = Block(size, laws, _log_ratio(*laws), marks)
            self._made[size] = self._merged(block) if self.merged else block
        return self._made[size]

    def _merged(self, block: Block) -> Block:
        places: Whole
        scores, places = np.unique(block.scores(self.lattice), return_inverse=True)
        laws = np.stack([_counted(places, law) for law in block.laws])
        return Block(block.size, laws, _log_ratio(*laws), scores * self.lattice, places, block.marks)

    def at(self, lattice: float) -> Blocks:
        """The same blocks for scores on another lattice."""
        return Blocks(self.problem, self.mechanism, lattice) if self.merged else self

    def _law_at(self, chances: tuple[Fraction, ...], size: int) -> Array:
        """The chances of what is seen where entries have these chances."""
        law, places = self.mechanism.released(chances, size)[0], self[size].places
        return np.asarray((law if places is None else _counted(places, law)) / law.sum())

    def laws(self, side: int) -> Callable[[int], Array]:
        """The chances under the null (0) or the alternative (1) by size."""
        return lambda size: self[size].laws[side]

    def laws_at(self, chances: tuple[Fraction, ...]) -> Callable[[int], Array]:
        """The chances of what is seen where an entry has these chances, by size."""
        known = self._elsewhere.setdefault(chances, {})

        def law(size: int) -> Array:
            if size not in known:
                known[size] = self._law_at(chances, size)
            return known[size]

        return law

    def scores(self, lattice: float) -> Callable[[int], Array]:
        """The scores by size."""
        return lambda size: self[size].scores(lattice)


def _counted(places: Whole, law: Array) -> Array:
    return np.asarray(np.bincount(places, law), dtype=np.float64)


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

    high = 1
    while not meets(high):
        high *= 2
        if high > most:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
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


def fine_lattice(block: Block) -> float:
    """A lattice for scores that add up over many entries: rounding moves neither mean by much."""
    null, alternative = block.laws
    ratio = block.marks
    means = null @ ratio, alternative @ ratio
    start = max(float(np.sqrt(null @ ratio**2 - means[0] ** 2)) / SPREAD, 16 / MOST_SCORES)
    tried = [float(f"{start * (1 + i / 100):.6g}") for i in range(60)]

    def off(lattice: float) -> float:
        moved = block.scores(lattice) * lattice - ratio
        doubtful = block.doubt(lattice) <= DOUBT
        return doubtful + max(abs(float(law @ moved) / float(m)) for law, m in zip(block.laws, means, strict=True))

    return min(tried, key=off)
