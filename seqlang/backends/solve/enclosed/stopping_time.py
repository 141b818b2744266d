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
from typing import Any

import numpy as np

from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.spaces import enclosing_space, explored
from seqlang.backends.solve.states.closed_form import transitions
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.step.known_data import known
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.record import record, replace

LARGER = 1e-9
"""The solution of the equations is enlarged by this part before it is checked."""
ROUNDING = 1e-11
"""Relative error of a sum of at most 1,500 products, and of the chances in them."""
LEAST = 1e-60
"""A chance: products of a few of them are no float 0, and less than what is counted as left out."""
FIRST_STEPS = (1, 5, 50)
"""After which of them the states are taken: a window of the last steps fills up first, and never changes its length
again."""


@record
class StoppingTime:
    """`high`: an upper bound on E[T], infinite where none is known; `by`: the theorem. `surely`: every run stops."""

    high: float
    by: str
    surely: bool


def stopping_time(program: Program, model: str, end: int | None, *, clear: bool) -> StoppingTime:
    """What is certain of the stopping step under the model. `end`: the step of a public stop, if any. `clear`: whether
    a chance that is computed as 0 is 0, noises on all whole numbers left aside: a move that floats take for impossible
    may lead to where no run stops."""
    found = StoppingTime(math.inf, "", False)
    if end is not None:
        found = StoppingTime(float(end), f"bounded run: a public stop ends it by step {end}", True)
    try:
        _, plan = enclosing_space(program, model, (), 1)
    except Unsolved:
        return found
    if not clear or plan.smooth or plan.nodes or plan.inner or plan.needed.reads_step:
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
    variables = {name: replace(v, law=_never_zero(v.law)) for name, v in plan.variables.items()}
    chain = explored(known(program, model), model, replace(plan, variables=variables))
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


class _NeverZero(ScalarLaw):
    """A law on whole numbers without end, of which no chance is less than LEAST unless nothing is between the bounds:
    what leads to moves that are too rare for floats is then counted as left out."""

    discrete = True

    def __init__(self, law: ScalarLaw) -> None:
        self.law, self.scale, self.centre, self.condition = law, law.scale, law.centre, law.condition

    def above(self, x: Any, strict: bool = False) -> Array:
        return np.where(np.asarray(x, float) < np.inf, np.maximum(self.law.above(x, strict), LEAST), 0.0)

    def below(self, x: Any, strict: bool = False) -> Array:
        return np.where(np.asarray(x, float) > -np.inf, np.maximum(self.law.below(x, strict), LEAST), 0.0)

    def between(self, low: Any, high: Any, open_low: bool = False, open_high: bool = False) -> Array:
        low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
        inside = np.floor(high) >= np.ceil(low)
        return np.where(inside, np.maximum(self.law.between(low, high, open_low, open_high), LEAST), 0.0)

    def density(self, x: Any) -> Array:
        return self.law.density(x)

    def atoms(self, tail: float = 0.0) -> tuple[Array, Array]:
        return self.law.atoms(tail)


def _never_zero(law: ScalarLaw) -> ScalarLaw:
    return law if all(map(math.isfinite, law.support)) else _NeverZero(law)


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
