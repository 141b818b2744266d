"""Upper bounds on the expected stopping step, each by a theorem, and whether every run stops.

*Bounded run*: a public stop ends every run in step n, so that E[T] <= n.

*Finite chain*: the states that can be reached are finitely many, and none is left out. Let A be the moves between them.
If V >= 0 satisfies V >= 1 + A V, then from state s a run takes at most V(s) more steps on average (Foster 1953, Annals
of Mathematical Statistics 24, 355-360; Meyn & Tweedie 2009, Theorem 11.3.4). V is computed by linear equations,
enlarged, and the inequality is then checked, with rounding counted against it. Every run stops almost surely, as the
expected step is finite.
"""

from __future__ import annotations

import math

import numpy as np

from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.spaces import enclosing_space, explored
from seqlang.backends.solve.states.closed_form import transitions
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.step.known_data import known
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.record import record

LARGER = 1e-9
"""The solution of the equations is enlarged by this part before it is checked."""
ROUNDING = 1e-11
"""Relative error of a sum of at most 1,500 products, and of the chances in them."""
FIRST_STEPS = (1, 2, 5, 10, 20, 50)
"""After which of them the states are taken: a window of the last steps fills up first, and never changes its length
again."""


@record
class StoppingTime:
    """`high`: an upper bound on E[T], infinite where none is known; `by`: the theorem. `surely`: every run stops."""

    high: float
    by: str
    surely: bool


def stopping_time(program: Program, model: str, end: int | None) -> StoppingTime:
    """What is certain of the stopping step under the model. `end`: the step of a public stop, if any."""
    found = StoppingTime(math.inf, "", False)
    if end is not None:
        found = StoppingTime(float(end), f"bounded run: a public stop ends it by step {end}", True)
    try:
        _, plan = enclosing_space(program, model, (), 1)
    except Unsolved:
        return found
    if plan.smooth or plan.nodes or plan.needed.reads_step:
        return found  # the states are not finitely many, or the moves are not known exactly
    try:
        high = _by_finite_chain(program, model, plan)
    except Unsolved:
        return found
    if high is not None and high < found.high:
        return StoppingTime(high, "finite chain: V >= 1 + A V for all states (Foster 1953)", True)
    return found


def _by_finite_chain(program: Program, model: str, plan: IntegrationPlan) -> float | None:
    """An upper bound on E[T] from the states of the program."""
    chain = explored(known(program, model), model, plan)
    if not chain.is_steady():
        return None
    frontier, before = chain.begin(), 0.0
    for last in FIRST_STEPS:
        while frontier.step < last:
            before += float(frontier.survivors.sum())
            frontier, _ = chain.advance(frontier)
        if frontier.lost > 0:
            return None
        if not frontier.states.count:
            return before * (1 + ROUNDING)
        found = transitions(chain, frontier)
        if found is not None:
            if found.lost > 0:
                return None
            mass = frontier.states.chances()[0]
            after = _expected_after(np.asarray(found.moves[0]))
            return None if after is None else (before + float(mass @ after[: len(mass)])) * (1 + ROUNDING)
    return None


def _expected_after(moves: Array) -> Array | None:
    """V with V >= 1 + A V, by state; None where there is none, as some runs never stop."""
    size = len(moves)
    try:
        found = np.linalg.solve(np.eye(size) - moves, np.ones(size)) * (1 + LARGER)
    except np.linalg.LinAlgError:
        return None
    if not np.all(np.isfinite(found)) or np.any(found < 0):
        return None
    least = (1 + moves @ found) * (1 + ROUNDING)
    return np.asarray(found) if np.all(found >= least) else None
