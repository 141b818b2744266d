"""What a block of each size shows, under both hypotheses, and the score that it earns.

The score is the log-likelihood ratio of what is seen, alternative against null, in whole steps of a lattice. Rounding
it is post-processing: it costs a little efficiency and no validity."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from seqlang.design.entry import Array
from seqlang.design.mechanism import Mechanism
from seqlang.design.problem import Problem
from seqlang.record import record


@record
class Block:
    """A block of `size` entries: the chances of everything that can be seen under the null and the alternative, (2,
    values), and the logarithm of their ratio, (values,). `marks` is the logarithm of the ratio of the masses without
    the clamp, of which the score is made: it differs from `ratio` at both ends at most."""

    size: int
    laws: Array
    ratio: Array
    marks: Array

    def scores(self, lattice: float) -> Array:
        """The whole score of every value that can be seen."""
        return np.floor(self.marks / lattice + 0.5)

    def doubt(self, lattice: float) -> float:
        """How near a score is to being rounded the other way, in steps of the lattice."""
        part = self.marks / lattice + 0.5
        return float(np.abs(part - np.rint(part)).min())


class Blocks:
    """The blocks of a problem by size, made when they are asked for."""

    def __init__(self, problem: Problem, mechanism: Mechanism) -> None:
        self.problem, self.mechanism = problem, mechanism
        self._made: dict[int, Block] = {}

    def __getitem__(self, size: int) -> Block:
        if size not in self._made:
            sides = (self.problem.null, self.problem.alternative)
            found = [self.mechanism.released(side.chances, size) for side in sides]
            laws = np.stack([seen for seen, _ in found])
            laws /= laws.sum(axis=1, keepdims=True)
            self._made[size] = Block(size, laws, _log_ratio(*laws), _log_ratio(*(plain for _, plain in found)))
        return self._made[size]

    def laws(self, side: int) -> Callable[[int], Array]:
        """The chances under the null (0) or the alternative (1) by size."""
        return lambda size: self[size].laws[side]

    def scores(self, lattice: float) -> Callable[[int], Array]:
        """The scores by size."""
        return lambda size: self[size].scores(lattice)


def _log_ratio(null: Array, alternative: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(alternative) - np.log(null)
    return np.asarray(np.nan_to_num(ratio, nan=0.0, posinf=700.0, neginf=-700.0))


def fixed_size(blocks: Blocks, most: int = 1_000_000) -> int | None:
    """The least size of a single block whose most powerful test meets both errors, the null's by randomising at the
    threshold where needed; None where none up to `most` does."""
    alpha, beta = blocks.problem.errors

    def meets(size: int) -> bool:
        block = blocks[size]
        order = np.argsort(-block.ratio, kind="stable")
        rejected, power = np.cumsum(block.laws[0][order]), np.cumsum(block.laws[1][order])
        return bool(np.interp(alpha, np.r_[0.0, rejected], np.r_[0.0, power]) >= 1 - beta)

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


LATTICE = 0.02
"""What one whole score is, in log-odds."""
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
