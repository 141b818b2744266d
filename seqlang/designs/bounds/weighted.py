"""Chances of decisions where an entry is 1 with weight u and 0 with weight v, surely enclosed, in floats.

F(u, v), the sum over all ways to the decision of u^ones v^zeros times the chances of the noise on the way, is the
chance of the decision at p = u for v = 1 - u. It is a power series with coefficients >= 0: it rises in both weights,
and is convex in each, which bounds it between two chances. No number here is negative, so that rounding is relative: a
block of m entries takes fewer than 40 m + 300 operations, each within a unit in the last place, times what
1 - exp(-eps) loses, or what the exponents of Gaussian masses do. Those of more than twelve deviations are left out,
less than `LEFT_OUT` of each value seen. Without an end F is the least solution x >= 0 of x = r + M x: any y >= r + M y
is above it, and any y <= r + M y below it if M has a spectral radius below 1, which some z > 0 with z >= 1 + M z
shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.mechanism import DiscreteGaussian, Geometric, NoNoise
from seqlang.designs.blocks.policy import Decision, Policy
from seqlang.designs.problem.entry import Array
from seqlang.record import record

UNIT = 2.0**-52
TINY = 1e-290
"""What chances near the least float may be off by."""
LEFT_OUT = 1e-29
"""exp(-12^2 / 2) = 5e-32, on both sides."""
WIDEST = 500
"""The largest deviation of Gaussian noise that is followed: sums of masses are then added up one by one."""
LARGEST = 3_000
"""Entries of the largest block that is followed."""
FURTHEST = 300
"""The largest logarithm of a weight."""
Ends = tuple[float, float]
"""Below and above; infinite above where nothing is known."""


@record
class Block:
    """The gains of a block in whole scores, by value seen, and the relative error of what is computed of it."""

    gains: NDArray[np.int64]
    off: float


class Weighted:
    """F of one policy and decision. A problem about one coin."""

    def __init__(self, policy: Policy, blocks: Blocks, decision: Decision) -> None:
        self.policy, self.mechanism, self.decision = policy, blocks.mechanism, decision
        self.blocks = {m: self._block(blocks, m) for m in policy.sizes}

    def _block(self, blocks: Blocks, size: int) -> Block:
        gains = blocks[size].scores(self.policy.lattice).astype(np.int64)
        eps = float(self.mechanism.eps) if isinstance(self.mechanism, Geometric) else math.inf
        lost = (1 + eps) / -math.expm1(-eps) if eps < math.inf else 1.0
        if isinstance(self.mechanism, DiscreteGaussian):  # exponents up to 72, and sums of all masses
            lost = 2 + float(self.mechanism.sd)
        return Block(gains, UNIT * (40 * size + 300) * lost)

    def at(self, u: float, v: float) -> Ends:
        """F(u, v)."""
        if self.policy.at_once is not None:
            return (1.0, 1.0) if self.policy.at_once == self.decision else (0.0, 0.0)
        if max(self.policy.sizes) * math.log(max(1.0, u + v)) > FURTHEST:
            return 0.0, math.inf
        laws = {m: self._law(m, u, v) for m in self.policy.sizes}
        cells = sum(map(len, laws.values()))
        gaussian = isinstance(self.mechanism, DiscreteGaussian)
        self.tiny = TINY + gaussian * LEFT_OUT * cells * max(1.0, u + v) ** max(self.policy.sizes)
        return self._with_an_end(laws) if self.policy.ends else self._without_an_end(laws)

    def _law(self, size: int, u: float, v: float) -> Array:
        return self.mechanism.noisy(weights(size, u, v))[0]

    def _with_an_end(self, laws: dict[int, Array]) -> Ends:
        """Backward from the last row. By entries used the values at all scores of any row and one beyond on either
        side, below and above."""
        rows = self.policy.rows
        low = self.policy.lowest
        scores = np.arange(low, max(row.high for row in rows) + 2)
        values: dict[int, tuple[Array, Array]] = {}
        for row in reversed(rows):
            decided = (scores > row.high) if self.decision == "reject" else (scores < row.low)
            least, most = decided.astype(float), decided.astype(float)
            sizes = np.array(row.sizes, dtype=np.int64)
            for size in np.unique(sizes).tolist():
                places = np.flatnonzero(sizes == size) + row.low - low
                block = self.blocks[size]
                to = np.clip(places[:, None] + block.gains, 0, len(scores) - 1)
                off = block.off + UNIT * len(block.gains)
                after = values[row.used + size]
                least[places] = (after[0][to] @ laws[size]) * (1 - off) - TINY
                most[places] = (after[1][to] @ laws[size]) * (1 + off) + self.tiny * (1 + after[1].max())
            values[row.used] = np.maximum(least, 0.0), most
        start = values[0]
        return float(start[0][-low]), float(start[1][-low])

    def _without_an_end(self, laws: dict[int, Array]) -> Ends:
        """By a linear system, and a proof that what it gives, moved a little, lies below and above."""
        (row,) = self.policy.rows
        moves, ends = self._moves(laws)
        count = len(ends)
        off = max(block.off for block in self.blocks.values()) + UNIT * (4 * count + 10 * max(map(len, laws.values())))
        try:
            found = np.linalg.solve(np.eye(count) - moves, np.column_stack([ends, np.ones(count)]))
        except np.linalg.LinAlgError:
            return 0.0, math.inf
        middle, looks = np.maximum(found[:, 0], 0.0), 1.01 * found[:, 1]
        if not (looks > 0).all() or not (looks >= (moves @ looks) * (1 + off) + 1.0).all():
            return 0.0, math.inf  # the spectral radius may be 1 or more
        by = 4 * (off + UNIT * count) * (1 + float(middle.max())) * looks
        above, below = middle + by, np.maximum(0.0, middle - by)
        start = -row.low
        surely = bool((above >= (ends + moves @ above) * (1 + off) + self.tiny * (1 + above.max())).all())
        sure = bool((below <= (ends + moves @ below) * (1 - off)).all())
        return float(below[start]) if sure else 0.0, float(above[start]) if surely else math.inf

    def _moves(self, laws: dict[int, Array]) -> tuple[Array, Array]:
        """The moves among the scores that go on, and the weights of the decision."""
        (row,) = self.policy.rows
        sizes = np.array(row.sizes)
        count = len(sizes)
        moves, ends = np.zeros((count, count)), np.zeros(count)
        for size in np.unique(sizes).tolist():
            places = np.flatnonzero(sizes == size)
            after = np.clip(places[:, None] + self.blocks[size].gains, -1, count) + 1
            at = np.arange(len(places))[:, None] * (count + 2) + after
            mass = np.broadcast_to(laws[size], after.shape)
            whole = np.bincount(at.ravel(), mass.ravel(), minlength=len(places) * (count + 2))
            whole = whole.reshape(len(places), count + 2)
            moves[places], ends[places] = whole[:, 1:-1], whole[:, -1 if self.decision == "reject" else 0]
        return moves, ends


def weights(size: int, u: float, v: float) -> Array:
    """comb(size, s) u^s v^(size - s) for s = 0 .. size: from the largest on by ratios of neighbours, which add up to
    (u + v)^size."""
    top = min(size, math.floor((size + 1) * (u / (u + v))))
    up, down = np.arange(top, size), np.arange(top, 0, -1)
    above = np.cumprod((size - up) / (up + 1) * (u / v)) if len(up) else np.zeros(0)
    below = np.cumprod(down / (size - down + 1) * (v / u)) if len(down) else np.zeros(0)
    parts = np.r_[below[::-1], 1.0, above]
    return np.asarray(parts / parts.sum() * (u + v) ** size)


class Mixed:
    """F of a mixture of policies by a public coin; to reject, where no end for futility is heeded."""

    def __init__(self, plans: Sequence[tuple[Fraction, Policy]], blocks: Blocks, decision: Decision) -> None:
        judged = [(c, policy.ignoring or policy if decision == "reject" else policy) for c, policy in plans]
        self.parts = [(float(c), Weighted(policy, blocks, decision)) for c, policy in judged]
        self.known: dict[tuple[float, float], Ends] = {}

    def at(self, u: float, v: float) -> Ends:
        """F(u, v)."""
        if (u, v) not in self.known:
            found = [(c, part.at(u, v)) for c, part in self.parts]
            low, high = (sum(c * ends[end] for c, ends in found) for end in (0, 1))
            spare = 4 * UNIT * (len(found) + 1)
            self.known[u, v] = low * (1 - spare), high * (1 + spare)
        return self.known[u, v]


def is_followed(blocks: Blocks, sizes: Sequence[int]) -> bool:
    """Whether the kind of noise and the sizes are followed here."""
    mechanism = blocks.mechanism
    known = isinstance(mechanism, Geometric | NoNoise) or (
        isinstance(mechanism, DiscreteGaussian) and mechanism.sd <= WIDEST
    )
    return known and max(sizes, default=0) <= LARGEST
