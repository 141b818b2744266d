"""(epsilon, delta) without a horizon: Gaussian thresholds, Laplace or exponential looks, each end with its own
noises."""

from __future__ import annotations

import math
from fractions import Fraction

from seqlang.accounting import gaussian
from seqlang.arithmetic.formula import INFINITY, Formula, of_float
from seqlang.arithmetic.rounding import divide_down, fraction_down, sum_up
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.computed import Computed, from_the_program
from seqlang.rules.search import Search
from seqlang.rules.stopping.directions import directions_of
from seqlang.rules.stopping.ends import End, candidates, cost, ends_of


def bound(program: Program, gates: tuple[str, ...], delta: float) -> float | str:
    """The epsilon of the gates together at `delta`, for any number of steps, rounded up; or why there is none."""
    ends = ends_of(program, gates)
    if isinstance(ends, str):
        return ends
    if any(end.most != 1 for end in ends):
        return "the test goes on after its first report"
    if not 0 < delta < 1:
        return "delta must lie strictly between 0 and 1"
    directions = directions_of(program, ends)
    if isinstance(directions, str):
        return directions
    pairs = list(zip(ends, directions.radii, strict=True))
    down = [value_up(program, cost(end.look, radius, 1, lambda _: INFINITY)) for end, radius in pairs]
    if directions.patterns is None:
        share = _share(delta, sum(end.threshold.family == "gaussian" for end in ends))
        up = [_up(program, end, radius, share) for end, radius in pairs]
        total = sum_up(max(u, d) for u, d in zip(up, down, strict=True))
    else:
        total = max(_along(program, ends, directions.radii, down, pattern, delta) for pattern in directions.patterns)
    return total if total < math.inf else "the looks are Gaussian, or a noise has the wrong side"


def _along(
    program: Program,
    ends: tuple[End, ...],
    radii: tuple[Formula, ...],
    down: list[float],
    pattern: tuple[int, ...],
    delta: float,
) -> float:
    """One joint direction: the falling ends pay purely, the Gaussian thresholds of the rising ones share delta."""
    rising = sum(s > 0 and end.threshold.family == "gaussian" for s, end in zip(pattern, ends, strict=True))
    share = _share(delta, rising)
    return sum_up(
        _up(program, end, radius, share) if s > 0 else fall if s < 0 else 0.0
        for s, end, radius, fall in zip(pattern, ends, radii, down, strict=True)
    )


def _share(delta: float, parts: int) -> float:
    return divide_down(delta, float(parts)) if parts > 1 else delta


def _up(program: Program, end: End, radius: Formula, delta: float) -> float:
    def profile(moved: Formula) -> Formula:
        return of_float(gaussian.epsilon_at(delta, value_up(program, moved)))

    return value_up(program, cost(end.threshold, radius, -1, profile))


def _least(program: Program, asked: ApproximateBound, _: Derivation) -> float | str:
    return bound(program, asked.gates, fraction_down(asked.delta))


_COMPUTED = Computed(
    "stopping/mixed_gaussian",
    "Gaussian thresholds with Laplace or exponential looks",
    """Gates j = 1..J, each: stop iff value_j + a_j Z_j + b_j W_j(t) >= 0, all noises independent, W_j Laplace, or
    exponential
raising the value; neighbours move value_j by one constant c_j from the changed entry on, |c_j| <= D_j.

    down_j = D_j / (|b_j| scale(W_j));   up_j: Phi(m/2 - up_j/m) - e^up_j Phi(-m/2 - up_j/m) <= delta_j, m = D_j /
    (|a_j| sd(Z_j))
    ------------------------------------------------------------------------------------------------
    the gates together are (max over the joint directions of sum_j up_j or down_j, sum of the delta_j)-DP, in nats,
    for any number of steps""",
    "Theorems G1 and G4 (seqlang, accounting/noisy_test); profile: Balle & Wang 2018, Theorem 8",
    ApproximateBound,
    from_the_program,
    _least,
)


def suggest(program: Program, delta: Fraction) -> Derivation | None:
    """An ApproximateBound for all comparisons that are ends with noises of their own, or nothing."""
    offer = _COMPUTED.offer(program, ApproximateBound(candidates(program), INFINITY, delta, None), _BECAUSE)
    return offer if isinstance(offer, Derivation) else None


_BECAUSE = (
    "Gaussian threshold noise covers the ends that the change pushes up, the looks cover the stop of those it pushes "
    "down, purely and once, for any number of steps"
)


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("delta",), suggest)
