"""A million runs of written programs, and their exact laws, against the recursion of the design."""

from __future__ import annotations

from fractions import Fraction

import pytest
from published import Tell

from seqlang.designs.find import find
from seqlang.designs.problem.request import problem_of
from seqlang.designs.problem.request_limits import limits_of
from seqlang.driver import check, load, run, solve
from seqlang.source import Source

RUNS = 1_000_000
WRONG = {"null": "reject", "alternative": "accept"}
COINS = ("x ~ bernoulli(0.3)", "x ~ bernoulli(0.7)")
ARMS = ("a ~ bernoulli(0.1), b ~ bernoulli(0.1)", "a ~ bernoulli(0.1), b ~ bernoulli(0.9)")


@pytest.mark.long
@pytest.mark.parametrize(
    ("laws", "privacy", "looks"),
    [
        (COINS, "pure(1)", None),
        (COINS, "zcdp(0.5)", "8,16,32"),
        (COINS, "dp(0.5, 1e-2)", "12,30,60"),
        (COINS, "none", "5,10,20"),
        (("x ~ normal(-1, 1)", "x ~ normal(1, 1)"), "pure(1)", None),
        (ARMS, "pure(3)", None),
    ],
)
def test_a_million_runs(laws: tuple[str, str], privacy: str, looks: str | None, published: Tell) -> None:
    """Chances and means within four standard errors; `solve` to 1e-9."""
    tenth = Fraction(1, 10)
    limits = limits_of(None, looks, None, None, None)
    found = find(problem_of(*laws, tenth, tenth, privacy, "average", True, limits), verify=False)
    loaded = load(Source("designed", found.spec))
    assert all(one.verdict == "proved" for one in check(loaded).verdicts)
    for law, runs in zip(solve(loaded), run(loaded, runs=RUNS, engine="numpy"), strict=True):
        side, wrong = law.model, WRONG[law.model]
        assert law.returns[wrong] == pytest.approx(found.errors[side], abs=1e-9)
        assert law.expected_steps == pytest.approx(found.expected_steps[side], rel=1e-9)
        told = runs.to_dict()
        error, sd = found.errors[side], law.sd_steps
        assert sd is not None
        assert told["runs"] == RUNS
        what = f"{laws[0]} against {laws[1]}, {privacy}, under {side}"
        published("A million runs: mean, against the exact", what, told["steps"]["mean"], found.expected_steps[side])
        assert told["returns"][wrong]["probability"] == pytest.approx(
            error, abs=4 * (error * (1 - error) / RUNS) ** 0.5
        )
        assert told["steps"]["mean"] == pytest.approx(found.expected_steps[side], abs=4 * sd / RUNS**0.5)
