"""A bound on quantiles of the number of entries, for every eps-private test of coin flips, and for all without privacy.

If N <= n with chance q under one hypothesis, let the test stop at n, and then decide against that hypothesis: it errs
there at most by 1 - q more, and no more often under the other. It is then an eps-private test of n flips, or any test
of them. No private one has more power than the best test of the noisy sum, clamped to 0 .. n (Awan & Slavkovic
2018: thresholds of the sum with Tulap noise are best, and can be had from it); more flips are never worse. So n is at
least the size of the best single block with those errors."""

from __future__ import annotations

from fractions import Fraction

from seqlang.designs.blocks.blocks import Blocks, fixed_size
from seqlang.designs.blocks.mechanism import mechanism_for
from seqlang.designs.problem.problem import Problem
from seqlang.record import replace

SPARE = Fraction(1, 10**9)
"""More than what the power of a block is off by: errors are larger by it, and the bound so smaller."""


def one_block_bound(problem: Problem) -> int | None:
    """None where the criterion is no quantile, entries are no flips of one coin, or noise is not that of pure
    privacy."""
    level, notion = problem.criterion.level, problem.privacy.notion
    if level is None or problem.reading is not None or problem.arms or notion not in ("pure", "none"):
        return None
    more = [error + SPARE for error in (problem.alpha, problem.beta)]
    under = problem.weights.index(max(problem.weights))
    more[under] += 1 - Fraction(str(level))
    if sum(more) >= 1:
        return 1
    wider = replace(problem, alpha=more[0], beta=more[1])
    return fixed_size(Blocks(wider, mechanism_for(problem.privacy, 1)))
