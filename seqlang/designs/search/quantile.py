"""The design with the least quantile of the number of entries."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.design import Design
from seqlang.designs.problem.criterion import TIE
from seqlang.designs.problem.problem import Problem
from seqlang.process.doing import doing
from seqlang.record import replace

Made = tuple[Design, Blocks, int]
SPARE = 1e-7
"""The chance aimed at is smaller by this, which leaves room for the coin's decimals."""


def best_quantile(problem: Problem, most: int, design_for: Callable[[Problem], Made]) -> Made:
    """The least n for which a test needs at most n entries with the chance asked for, by bisection: for each n the
    chance to need more is minimised. `most` entries are always enough. The bound is one more than the largest n for
    which the least chance, from below, is too large."""
    criterion = problem.criterion
    allowed = 1 - (criterion.level or 0.0) - SPARE
    low, high, best, bound = 0, most, None, 0
    while high - low > 1 or best is None:
        middle = (low + high) // 2 if high - low > 1 else high
        doing(f"tests of at most {middle} entries, nearly always")
        made = design_for(replace(problem, criterion=replace(criterion, beyond=middle)))
        if chance_beyond(made[0]) <= allowed or middle == most:
            high, best = middle, made
        else:
            low = middle
            bound = middle if (made[0].bound or 0.0) > allowed + 2 * TIE * most else bound
    return replace(best[0], bound=float(bound + 1)), *best[1:]


def chance_beyond(design: Design) -> float:
    """The chance to need more entries than the number aimed at."""
    sides = zip(design.problem.weights, ("null", "alternative"), strict=True)
    ties = TIE * sum(w * design.mean(side, "steps") for w, side in sides)
    return sum(float(c) * column.cost for c, column in zip(design.chances, design.columns, strict=True)) - ties
