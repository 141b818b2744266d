"""The enclosed law of (stopping step, return): probabilities that are surely at least so large.

    enclosed(program, model, panels=256, watch=()) -> EnclosedLaw      raises Unsolved

The runs are followed step by step as in `solve`, but a run is given up as soon as a comparison could come out in two
ways: because of where in its panel a noise lies, or because of rounding. What is given up is in no probability. So each
number of the table, less `rounding` for any sum of them, is a lower bound; what is left of 1 is an upper bound on the
rest. Nothing here is extrapolated.
"""

from __future__ import annotations

import math

import numpy as np

from seqlang.backends.one_thread import one_thread
from seqlang.backends.solve.recursion import OVERHEAD
from seqlang.backends.solve.solution import Array, Outcome
from seqlang.backends.solve.spaces import Space, enclosing_space
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.unsolved import Unsolved, refusals_are_unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.process.time_limit import poll
from seqlang.record import record

ULP = 2.0**-53
CHANCE = 4e-15
"""Absolute error of one computed probability of a listed law: some 30 units in the last place of 1."""
NOTHING_LEFT = 1e-13
"""The loop ends when less than this has not stopped."""
IN_VAIN = 0.02
"""It also ends when as many steps as were taken before resolved less than this part of what is open."""
FEWEST = 256
"""Steps before it may end so."""
SILENT = 32_768
"""Steps before the first stop that are too many: the first block of a test in blocks may be long."""
PATIENCE = 4
"""So many times the step of the last stop is waited for the next one: later blocks may be longer."""
RARE = 1e-12
"""A smaller probability to stop in a step is none here."""
LOOK = 16
"""Steps between two looks at what is left."""
FEW_TERMS = 32
"""Products and sums in each step beside those over the states."""


@record
class EnclosedLaw:
    """`table` (steps, outcomes): each sum of its entries, less `rounding`, is at most the true probability. `watched`
    the same for the watched conditions at the stop. `open`: the probability not to have stopped after the last step, at
    least; `never`: a lower bound on the probability never to stop, by an inequality where `bounds_never`, and else
    unless a probability is too small for floats. `panels`: how many there are of the noises that persist; 1 without
    such."""

    outcomes: tuple[Outcome, ...]
    table: Array
    watched: Array
    rounding: float
    open: float
    never: float
    bounds_never: bool
    panels: int
    method: str

    @property
    def undecided(self) -> float:
        """An upper bound on the probability of all that is neither in the table nor known never to stop."""
        return max(0.0, 1.0 - float(self.table.sum()) - self.never) + self.rounding


def enclosed(
    program: Program,
    model: str,
    *,
    panels: int = 256,
    watch: tuple[ir.Expression, ...] = (),
    favoured: frozenset[int] | None = None,
    work: float = 3e8,
) -> EnclosedLaw:
    """The law with about so many panels. `work`: numbers that may be computed. `favoured`: see `outcomes.py`."""
    try:
        with one_thread(), refusals_are_unsolved():
            space, plan = enclosing_space(program, model, watch, panels, favoured)
            return _followed(space, plan, watch, work)
    except MemoryError:
        raise Unsolved("it takes more memory than there is") from None


def _followed(space: Space, plan: IntegrationPlan, watch: tuple[ir.Expression, ...], work: float) -> EnclosedLaw:
    chain = (space.unforced or space.make)(0)
    frontier = chain.begin()
    nodes = len(frontier.survivors)
    by_inequality = space.bounds_never and space.unforced is not None
    rows: list[Array] = []
    watched = np.zeros(len(watch))
    kept = max((plan.laws[name].sensitivity for name in plan.nodes), default=1.0)
    rounding = CHANCE + 8 * ULP * kept * nodes
    used, step, never, last = 0.0, 0, 0.0, 0
    left = float(frontier.survivors.sum())
    marks = {0: left}
    while True:
        poll()
        frontier, stopped = chain.advance(frontier)
        rounding += left * (plan.cases * CHANCE + (FEW_TERMS + frontier.terms + nodes) * ULP)
        step = frontier.step
        rows.append(stopped.by_outcome.sum(axis=1))
        watched = watched + stopped.watched
        last = step if rows[-1].sum() > RARE else last
        used += getattr(frontier, "cost", frontier.size) + OVERHEAD
        left = float(frontier.survivors.sum())
        if left <= NOTHING_LEFT or used >= work:
            break
        if step % LOOK == 0:
            marks[step] = left
            if by_inequality or not plan.smooth:
                never = max(never, chain.stuck(frontier))
            if left - never <= NOTHING_LEFT or _in_vain(marks, step, never, last):
                break
    width = len(chain.outcomes)
    table = np.concatenate([np.zeros((0, width)), *(_wide(row, width)[None, :] for row in rows)])
    return EnclosedLaw(
        outcomes=tuple(chain.outcomes), table=table, watched=np.atleast_1d(watched), rounding=rounding, open=left,
        never=max(0.0, never - rounding), bounds_never=by_inequality, panels=nodes, method=space.name,
    )  # fmt: skip


def _in_vain(marks: dict[int, float], step: int, never: float, last: int) -> bool:
    """Whether the second half of the steps has hardly resolved anything. `last`: the step of the last stop."""
    if step < FEWEST:
        return False
    half = marks.get(step // 2 // LOOK * LOOK, math.inf)
    if half - marks[step] <= RARE:  # as between two looks
        return step >= (PATIENCE * last or SILENT)
    return half - marks[step] <= IN_VAIN * (marks[step] - never)


def _wide(row: Array, width: int) -> Array:
    return np.pad(row, (0, width - len(row)))
