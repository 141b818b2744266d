"""Whether any test can keep the errors within its constraints, and what would do where none can."""

from __future__ import annotations

import numpy as np

from seqlang.designs.blocks.blocks import LATTICE, Blocks, power
from seqlang.designs.blocks.evaluation import by_gain
from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.search.calendar import Calendar
from seqlang.process.doing import doing


def require_feasible(blocks: Blocks, calendar: Calendar, fixed: int) -> None:
    """Raises Infeasible if even the test that decides by all that a calendar can show errs too often."""
    problem = blocks.problem
    allowed = decimal(problem.beta)
    doing("whether any test keeps the constraints")
    if not calendar.forced:
        missed = missed_by(blocks, (calendar.most,))
        if missed > problem.errors[1]:
            few = _budget(blocks, calendar.most, missed, allowed)
            raise Infeasible(f"{few}; a single block needs {fixed} (--max {fixed})")
        return
    times = calendar.times[1:]
    missed = missed_by(blocks, gaps(times))
    if missed <= problem.errors[1]:
        return
    if len(times) == 1 or missed_by(blocks, times[-1:]) > problem.errors[1]:
        missed = missed_by(blocks, times[-1:])
        raise Infeasible(f"{_budget(blocks, times[-1], missed, allowed)}, even as one block, which needs {fixed}: let "
                         "the last look be later")  # fmt: skip
    ways = (times[::-1][::apart][::-1] for apart in range(2, len(times) + 1))
    pooled = next(kept for kept in ways if missed_by(blocks, gaps(kept)) <= problem.errors[1])
    many, alpha = len(pooled) > 1, decimal(problem.alpha)
    raise Infeasible(
        f"{len(times)} looks within {times[-1]} entries: a test that rejects with chance {alpha} under "
        f"the null accepts with chance {missed:.4f} under the alternative, even if it waits for the last look, "
        f"where {allowed} is allowed: each look adds noise of its own. Release pooled blocks: {len(pooled)} "
        f"look{'s' * many} keep{'s' * (not many)} both errors (--looks {','.join(map(str, pooled))})"
    )


def _budget(blocks: Blocks, size: int, missed: float, allowed: str) -> str:
    alpha = decimal(blocks.problem.alpha)
    return (f"{size} entries are too few: a test that rejects with chance {alpha} under the null accepts with chance "
            f"{missed:.4f} under the alternative, where {allowed} is allowed")  # fmt: skip


def gaps(times: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes of blocks that end after these numbers of entries."""
    return tuple(b - a for a, b in zip((0, *times), times, strict=False))


def missed_by(blocks: Blocks, sizes: tuple[int, ...]) -> float:
    """The chance to accept under the alternative for the most powerful test that sees blocks of all these sizes."""
    alpha = blocks.problem.errors[0]
    if len(sizes) == 1:
        block = blocks[sizes[0]]
        return 1 - power(block.laws, block.ratio, alpha)
    laws = [np.ones(1), np.ones(1)]
    for size in sizes:
        gained = blocks[size].scores(LATTICE)
        laws = [np.convolve(law, by_gain(blocks[size].laws[side], gained)[1]) for side, law in enumerate(laws)]
    return 1 - power(np.stack(laws), np.arange(len(laws[0]), dtype=float), alpha)
