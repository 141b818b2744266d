"""Group-sequential tests with published boundaries, on released scores."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np

from seqlang.designs.blocks.blocks import LATTICE, Blocks
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds.spending import classic_bounds
from seqlang.designs.design import Design
from seqlang.designs.search.master import Column

Kind = Literal["obrien_fleming", "pocock"]
CLASSIC: tuple[tuple[Kind, str], ...] = (("obrien_fleming", "O'Brien & Fleming"), ("pocock", "Pocock"))


def classic_design(blocks: Blocks, kind: Kind, fixed: int, looks: int) -> Design:
    """Looks after equal blocks, the smallest with which the alternative is missed rarely enough: the test rejects where
    the score, standardised under the null, is above the published boundary of a normal score, and accepts at the end.
    Its error under the null is what it is: the score is not normal."""
    problem = blocks.problem
    alpha, beta = problem.errors
    bounds = classic_bounds([k / looks for k in range(1, looks + 1)], 2 * alpha, kind)
    turns = problem.turns
    low, high = 0, max(1, fixed // looks // turns)  # in turns
    while _classic(blocks, turns * high, bounds).errors[1] > beta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _classic(blocks, turns * middle, bounds).errors[1] <= beta else (middle, high)
    return Design(problem, (_classic(blocks, turns * high, bounds),), (Fraction(1),), None)


def _classic(blocks: Blocks, size: int, bounds: tuple[float, ...]) -> Column:
    block, gains = blocks[size], blocks[size].scores(LATTICE)
    mean = float(block.laws[0] @ gains)
    sd = float(np.sqrt(block.laws[0] @ (gains - mean) ** 2))
    least = int(gains.min())
    rows = [Row(0, 0, (size,))]
    for look, bound in enumerate(bounds, 1):
        first = int(np.ceil(look * mean + bound * np.sqrt(look) * sd))  # the first score that rejects
        going = (size,) * (first - look * least) if look < len(bounds) else ()
        rows.append(Row(look * size, look * least if going else first, going))
    return column_of(Policy(LATTICE, tuple(rows), ends=True), blocks)


def column_of(policy: Policy, blocks: Blocks) -> Column:
    """A policy with what it does under both hypotheses; its cost is the average of both expected numbers of entries."""
    sides = [evaluate(policy, blocks.laws(side), blocks.scores(policy.lattice)) for side in (0, 1)]
    return Column(policy, sides[0], sides[1], ((sides[0].steps + sides[1].steps) / 2,))
