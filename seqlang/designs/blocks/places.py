"""Laws between the hypotheses: what is expected there, and where it is most."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from scipy.optimize import minimize_scalar

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.policy import Policy
from seqlang.designs.problem.entry import Arms

Plans = Sequence[tuple[float, Policy]]
"""Policies with the chances of the public coin."""
DIGITS = 10**9
"""Places between the hypotheses are looked at in parts of this."""


def between(at: Fraction) -> Arms:
    """The chances of an entry at chance `at` of a 1."""
    return ((1 - at, at),)


def steps_at(plans: Plans, blocks: Blocks, place: Fraction) -> float:
    """The expected entries where an entry is 1 with chance `place`."""
    laws = blocks.laws_at(between(place))
    return sum(c * evaluate(policy, laws, blocks.scores(policy.lattice)).steps for c, policy in plans)


def worst_place(plans: Plans, blocks: Blocks) -> Fraction:
    """Where the expected number of entries is largest: it has one peak between the hypotheses."""
    problem = blocks.problem
    ends = sorted(side.chances[1] for side in (problem.null, problem.alternative))
    if problem.symmetric:
        return sum(ends, Fraction(0)) / 2
    found = minimize_scalar(
        lambda p: -steps_at(plans, blocks, Fraction(round(p * DIGITS), DIGITS)),
        bounds=(float(ends[0]), float(ends[1])),
        method="bounded",
        options={"xatol": 1e-3 * float(ends[1] - ends[0])},
    )
    return Fraction(round(float(found.x) * DIGITS), DIGITS)
