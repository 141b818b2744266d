"""Private e-processes over blocks of one size.

The likelihood ratio of all releases so far, alternative against null, is an e-process of the null: it begins at 1, and
is expected to stay there. A test that rejects where it reaches 1/alpha does so with chance alpha at most, whenever it
is looked at (Ville 1939; Howard, Ramdas, McAuliffe & Sekhon 2021, Lemma 1); the reciprocal is an e-process of the
alternative, by which it accepts where that reaches 1/beta. Nobody has to compute a boundary. Scores are rounded to the
lattice, which moves an e-value by some hundredths; the errors are those of the rounded ones."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log

from seqlang.designs.blocks.blocks import LATTICE, Blocks, fine_lattice, safe_lattice, walk_lattice
from seqlang.designs.blocks.policy import NEVER, Policy, Row
from seqlang.designs.compare.classic import column_of
from seqlang.designs.design import Design, single
from seqlang.designs.search.master import Column

PARTS = (0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.8, 1.0)
"""Sizes of blocks that are tried, as parts of the best fixed size."""


def e_process(blocks: Blocks, fixed: int, *, accepts: bool) -> tuple[Design, Blocks]:
    """The one with the best of some sizes of blocks: on average over both hypotheses, or, where it does not accept,
    under the alternative."""
    problem = blocks.problem
    turns = problem.turns
    if problem.privacy.notion == "none":
        lattice = fine_lattice(blocks) if problem.reading or problem.arms else walk_lattice(blocks[1])
        sizes = {turns}
    else:
        lattice, sizes = LATTICE, {turns * max(1, round(part * fixed / turns)) for part in PARTS}
    at = blocks.at(lattice)
    cost: Callable[[Column], float] = (lambda c: c.cost) if accepts else (lambda c: c.alternative.steps)
    size = min(sizes, key=lambda m: cost(_with_blocks_of(at, m, lattice, accepts)))
    if problem.privacy.notion != "none":
        lattice = safe_lattice(at, {size})
        at = blocks.at(lattice)
    return single(problem, _with_blocks_of(at, size, lattice, accepts), None), at


def _with_blocks_of(blocks: Blocks, size: int, lattice: float, accepts: bool) -> Column:
    alpha, beta = blocks.problem.errors
    upper = ceil(log(1 / alpha) / lattice)
    lower = ceil((log(1 / beta) if accepts else NEVER) / lattice)
    row = Row(0, 1 - lower, (size,) * (upper + lower - 1))
    return column_of(Policy(lattice, (row,), endless=not accepts), blocks)
