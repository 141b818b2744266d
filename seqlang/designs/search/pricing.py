"""The best policy where a wrong decision has a price: dynamic programming over the posterior log-odds.

With both hypotheses equally likely at first, V(x) is the least expected cost at log-odds x: of deciding, or of one more
block. V is a concave function of the posterior chance, and values between two knots are interpolated linearly in that
chance. Interpolating a concave function gives no more than the function, so that by induction over the number of blocks
every V here is a lower bound on what any policy with these sizes can reach (weak duality makes it a bound for the
design with both errors bounded)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from scipy.special import expit

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.visits import absorbed, is_thin
from seqlang.designs.problem.entry import Array
from seqlang.record import record

Whole = NDArray[np.int64]
RARE = 1e-17
"""What is seen more rarely under both hypotheses is left out, which lowers bounds by as much."""
ROUNDS = 5_000
"""Policies that are tried one after the other; a few are enough but for walks, which grow by a step each time."""


@record
class Prices:
    """The costs of rejecting where the null holds, and of accepting where the alternative does; in entries. `weights`
    of the costs of which the largest is minimised add up to 1."""

    null: float
    alternative: float
    weights: tuple[float, ...] = (1.0,)


class Table:
    """The moves of the posterior from given places, by size: (places, knots) chances each with a prior of one half,
    where the knots hold log-odds -reach .. reach and both certainties, of which the values are 0. `known`: a table with
    the same places and knots, of which the moves of the same sizes are taken over."""

    def __init__(
        self, blocks: Blocks, sizes: Sequence[int], places: Array, knots: Array, known: Table | None = None
    ) -> None:
        self.sizes = tuple(sizes)
        self.places = places
        kept = {} if known is None else {m: x for m, x in zip(known.sizes, known.moves, strict=True) if not issparse(x)}
        self.moves: tuple[Any, ...] = tuple(kept[m] if m in kept else moves(blocks, m, places, knots) for m in sizes)
        if len(self.moves) == 1 and is_thin(self.moves[0]):
            self.moves = (csr_matrix(self.moves[0]),)
        w0, w1 = blocks.problem.weights
        chance = expit(places)
        self.costs = np.outer(np.array(sizes, dtype=float), 2 * (w0 * (1 - chance) + w1 * chance))

    def continued(self, values: Array) -> Array:
        """(sizes, places): the cost of one more block, and the best after it."""
        return np.asarray(self.costs + np.stack([moved @ values for moved in self.moves]))

    def rows(self, choice: Whole, places: Whole) -> Any:
        """(places, knots): the moves from these places with these choices."""
        if len(self.moves) == 1:
            return self.moves[0][places]
        found = np.empty((len(places), self.moves[0].shape[1]))
        for which in np.unique(choice).tolist():
            found[choice == which] = self.moves[which][places[choice == which]]
        return found


def moves(blocks: Blocks, size: int, places: Array, knots: Array) -> Array:
    """(places, knots): the chances with which the posterior comes to the knots, between which it is shared."""
    block = blocks[size]
    chance = expit(places)[:, None]
    some = block.laws.max(axis=0) > RARE
    null, alternative = block.laws[:, some]
    mass = (1 - chance) * null + chance * alternative
    after = np.clip(places[:, None] + block.ratio[some], -600, 600)
    step = knots[1] - knots[0]
    left = np.clip(np.floor((after - knots[0]) / step).astype(np.int64), -1, len(knots) - 1)
    ends = np.r_[0.0, expit(knots), 1.0]  # the certainties, which cost nothing, stand before and behind the knots
    low, high = ends[left + 1], ends[left + 2]
    share = np.clip((expit(after) - low) / (high - low), 0.0, 1.0)
    width = len(knots) + 2
    at = np.arange(len(places))[:, None] * width + left + 1
    whole = np.bincount(at.ravel(), (mass * (1 - share)).ravel(), minlength=len(places) * width)
    whole += np.bincount(at.ravel() + 1, (mass * share).ravel(), minlength=len(places) * width)[: len(whole)]
    return np.asarray(whole.reshape(len(places), width)[:, 1:-1])


def stopping(prices: Prices, places: Array) -> Array:
    """(2, places): the cost of rejecting and of accepting."""
    chance = expit(places)
    return np.stack([prices.null * (1 - chance), prices.alternative * chance])


def best_values(table: Table, prices: Prices, start: Array | None = None) -> Array:
    """V at the knots, which are the places of the table. Policy iteration: each policy's values are a linear system;
    it ends when no size is better anywhere. The last sweep is from below: V decreases to the fixed point, and the
    defect of the last system is rounding.

    Where it has not ended after ROUNDS, what is returned is below V: where one more sweep would lower the values v of a
    policy by at most d, and a block costs at least c, w = v / (1 + d / c) is at most what is paid for stopping, and at
    most what a block costs with w after it."""
    ends = stopping(prices, table.places).min(axis=0)
    values = ends if start is None else np.minimum(ends, start)
    before: Whole | None = None
    for _ in range(ROUNDS):
        further = table.continued(values)
        choice = further.argmin(axis=0)
        choice[further.min(axis=0) >= ends] = -1
        if before is not None and np.array_equal(choice, before):
            return np.asarray(values)
        before = choice
        values = _of_policy(table, choice, ends)
    values = np.minimum(values, ends)
    defect = float(np.maximum(0.0, values - table.continued(values).min(axis=0)).max())
    return np.asarray(values / (1 + defect / table.costs.min()))


def _of_policy(table: Table, choice: Whole, ends: Array) -> Array:
    """The values of the policy that makes this choice: a size, or -1 to stop."""
    rows = np.flatnonzero(choice >= 0)
    values = ends.copy()
    if len(rows):
        moved = table.rows(choice[rows], rows)
        stopped = np.ones(len(ends), dtype=bool)
        stopped[rows] = False
        known = table.costs[choice[rows], rows] + moved[:, stopped] @ ends[stopped]
        values[rows] = absorbed(moved[:, rows], known)
    return values


def decide(table: Table, values: Array, prices: Prices, slack: float) -> Whole:
    """The best at every place of the table, given V at the knots: a size, 0 to reject, -1 to accept. In the middle a
    decision costs one entry: no run takes none."""
    ends = stopping(prices, table.places)
    further = table.continued(values)
    middle = len(table.places) // 2
    goes_on = further.min(axis=0) < ends.min(axis=0)
    goes_on[middle] = further[:, middle].min() < 1 + ends[:, middle].min()
    sizes = np.array(table.sizes)[steady(further, slack)]
    return np.asarray(np.where(goes_on, sizes, np.where(ends[0] <= ends[1], 0, -1)), dtype=np.int64)


def steady(further: Array, slack: float) -> Whole:
    """Which way to go on at every place, by the costs of going on, (ways, places). From the middle outwards a way is
    kept while it costs at most `slack` more than the best, so that a schedule has few lines."""
    allowed = further <= further.min(axis=0) + slack
    best = further.argmin(axis=0)
    middle = len(best) // 2
    choice = best.copy()
    for side in (range(middle, len(best)), range(middle, -1, -1)):
        kept = int(best[middle])
        for place in side:
            if not allowed[kept, place]:
                kept = int(best[place])
            choice[place] = kept
    return np.asarray(choice, dtype=np.int64)


def knots_for(reach: float, step: float) -> Array:
    """Evenly spaced log-odds, 0 among them."""
    count = math.ceil(reach / step)
    return np.asarray(np.arange(-count, count + 1) * step, dtype=np.float64)
