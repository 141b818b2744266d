"""Random problems from the texts to the program that is handed over: `find` raises Contradicted where `check`, `solve`
and `run` say otherwise than the design."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from published import Tell

from seqlang.designs.find import find
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.problem.request import problem_of
from seqlang.designs.problem.request_limits import limits_of


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 100))])
def test_a_random_problem(seed: int, published: Tell) -> None:
    draw = random.Random(seed)
    p0, p1 = draw.choice(("0.1", "0.15", "0.22")), draw.choice(("0.6", "0.75", "0.83"))
    if draw.random() < 0.3:
        p0, p1 = p1, p0
    alpha, beta = (Fraction(draw.choice(("0.05", "0.08", "0.13", "0.2"))) for _ in range(2))
    privacy = draw.choice(("pure(1)", "pure(2.5)", "zcdp(0.5)", "dp(2, 1e-4)", "none"))
    wanted = draw.choice(("average", "null", "alternative", "minimax", "at p=0.4"))
    most, looks, every, unit = draw.choice(
        ((None, None, None, None), (24, None, None, None), (None, "6,15,30", None, None), (30, None, 10, None),
         (None, None, 7, None), (32, None, None, 4))
    )  # fmt: skip
    limits = limits_of(most, looks, every, None, unit)
    laws = (f"x ~ bernoulli({p0})", f"x ~ bernoulli({p1})")
    coin = draw.random() < 0.7
    course = draw.choice(("both ends", "one-sided", "futility")) if seed % 2 else "both ends"
    asked = problem_of(*laws, alpha, beta, privacy, wanted, coin, limits, course)
    try:
        found = find(asked)
    except Infeasible as why:
        assert str(why)
        return
    assert found.verdict == (None if privacy == "none" else "proved")
    assert found.errors["null"] <= alpha and found.errors["alternative"] <= beta
    for side, error in (("null", alpha), ("alternative", beta)):
        published("Random problems, seeds 0 to 99: the largest error, in parts of the allowed", side,
                  found.errors[side] / float(error), 1.0)  # fmt: skip
    end = most or (30 if looks else None)
    assert end is None or (found.max_steps is not None and found.max_steps <= end)
    assert found.checked[0] == "check proves all claims of the program"
    if looks or every:
        sizes = {line.size for line in found.schedule if line.size is not None}
        assert sizes <= ({6, 9, 15} if looks else {every})
