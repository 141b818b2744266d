"""(epsilon, delta) without a horizon: Gaussian thresholds, Laplace or exponential looks, each end with its own
noises."""

from __future__ import annotations

import math

from seqlang.accounting import gaussian
from seqlang.arithmetic.rounding import divide_down, divide_up, sum_up
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation
from seqlang.rules.computed import Computed, from_the_program
from seqlang.rules.search import Search
from seqlang.rules.stopping.directions import directions_of
from seqlang.rules.stopping.ends import End, candidates, ends_of
from seqlang.rules.stopping.gaussian_two_ends import down_cost


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
    down = [down_cost(end, radius, 2.0, None) for end, radius in zip(ends, directions.radii, strict=True)]
    if directions.patterns is None:
        share = _share(delta, sum(end.threshold.family == "gaussian" for end in ends))
        up = [_up(end, radius, share) for end, radius in zip(ends, directions.radii, strict=True)]
        total = sum_up(max(u, d) for u, d in zip(up, down, strict=True))
    else:
        total = max(_along(ends, directions.radii, down, pattern, delta) for pattern in directions.patterns)
    return total if total < math.inf else "the looks are Gaussian, or a noise has the wrong side"


def _along(
    ends: tuple[End, ...], radii: tuple[float, ...], down: list[float], pattern: tuple[int, ...], delta: float
) -> float:
    """One joint direction: the falling ends pay purely, the Gaussian thresholds of the rising ones share delta."""
    rising = sum(s > 0 and end.threshold.family == "gaussian" for s, end in zip(pattern, ends, strict=True))
    share = _share(delta, rising)
    return sum_up(
        _up(end, radius, share) if s > 0 else fall if s < 0 else 0.0
        for s, end, radius, fall in zip(pattern, ends, radii, down, strict=True)
    )


def _share(delta: float, parts: int) -> float:
    return divide_down(delta, float(parts)) if parts > 1 else delta


def _up(end: End, radius: float, delta: float) -> float:
    if radius == 0:
        return 0.0
    source = end.threshold
    if source.family == "gaussian":
        return gaussian.epsilon_at(delta, divide_up(radius, source.scale))
    return divide_up(radius, source.scale) if source.family == "laplace" or source.sign < 0 else math.inf


def _least(program: Program, asked: ApproximateBound, _: Derivation) -> float | str:
    return bound(program, asked.gates, asked.delta)


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


def suggest(program: Program, delta: float) -> Derivation | None:
    """An ApproximateBound for all comparisons that are ends with noises of their own, or nothing."""
    offer = _COMPUTED.offer(program, ApproximateBound(candidates(program), math.nan, delta, None), _because)
    return offer if isinstance(offer, Derivation) else None


def _because(bound: ApproximateBound) -> str:
    return (
        "Gaussian threshold noise covers the ends that the change pushes up, the looks cover the stop of those it "
        f"pushes down, purely and once: epsilon {bound.epsilon:.6g} at delta {bound.delta:g}, for any number of steps"
    )


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("delta",), suggest)
