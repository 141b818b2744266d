"""Designs with a public coin: what holds on average over it, what holds given the plan that it shows, and what it costs
to do without. The written programs are solved exactly; given a plan, the program whose coin shows that plan surely."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest

from seqlang.cli.__main__ import main
from seqlang.designs.find import find
from seqlang.designs.problem.request import problem_of
from seqlang.driver import load, solve
from seqlang.results.design import DesignResult
from seqlang.source import Source

WRONG = {"null": "reject", "alternative": "accept"}


@pytest.fixture(scope="module")
def mixed() -> DesignResult:
    asked = problem_of("x ~ bernoulli(0.3)", "x ~ bernoulli(0.7)", Fraction(1, 10), Fraction(1, 10), "pure(1)",
                       "average", True)  # fmt: skip
    return find(asked, verify=False)


def solved(spec: str) -> dict[str, tuple[float, float]]:
    """By model: the chance of the wrong decision, and the expected entries."""
    laws = solve(load(Source("spec", spec)))
    found = {}
    for law in laws:
        assert law.expected_steps is not None
        found[law.model] = law.returns[WRONG[law.model]], law.expected_steps
    return found


def given(spec: str, plan: int) -> str:
    text, count = re.subn(r"draw coin ~ \{.*\}", f"draw coin ~ {{{plan}: 1}}", spec)
    assert count == 1
    return text


def test_the_figures_given_each_plan(mixed: DesignResult) -> None:
    """One of the plans errs more often than allowed: only the mean over the coin keeps the errors."""
    assert len(mixed.plans) == len(mixed.coin) == 2
    for number, plan in enumerate(mixed.plans, 1):
        for side, (error, steps) in solved(given(mixed.spec, number)).items():
            assert plan.errors[side] == pytest.approx(error, abs=1e-9)
            assert plan.expected_steps[side] == pytest.approx(steps, rel=1e-9)
    assert max(plan.errors["null"] for plan in mixed.plans) > 0.1
    for side, (error, steps) in solved(mixed.spec).items():
        assert error <= 0.1
        means = [sum(p.chance * x for p, x in zip(mixed.plans, listed, strict=True)) for listed in (
            [p.errors[side] for p in mixed.plans], [p.expected_steps[side] for p in mixed.plans])]  # fmt: skip
        assert means == [pytest.approx(error, abs=1e-9), pytest.approx(steps, rel=1e-9)]


@pytest.mark.parametrize("option", ["--no-coin", "--pure"])
def test_a_design_without_a_coin_keeps_the_errors_at_the_price_that_is_told(
    option: str, mixed: DesignResult, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["design", "--null", "x ~ bernoulli(0.3)", "--alternative", "x ~ bernoulli(0.7)", "--alpha", "0.1",
             "--beta", "0.1", "--privacy", "pure(1)", option, "--json"]  # fmt: skip
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert "coin" not in found["spec"] and found["coin"] == [1.0] and found["without_coin"] is None
    laws = solved(found["spec"])
    assert all(error <= 0.1 for error, _ in laws.values())
    mean = sum(steps for _, steps in laws.values()) / 2
    told = mixed.without_coin
    assert told is not None and told.cost == pytest.approx(mean, rel=1e-9)
    assert mixed.to_dict()["without_coin"]["dearer_by"] == pytest.approx(mean / mixed.cost - 1)
    assert 1 < mean / mixed.cost < 1.03


def test_the_report_says_so_beside_the_figures(mixed: DesignResult) -> None:
    text = " ".join(str(mixed).split())
    assert "error on average" in text and "on average over the public coin" in text
    for number, plan in enumerate(mixed.plans, 1):
        assert f"plan {number} {plan.chance:.6g} {plan.errors['null']:.6g}" in text
    assert mixed.without_coin is not None
    assert f"without a coin (--no-coin): {mixed.without_coin.cost:.6g} entries" in text


def test_where_no_single_schedule_keeps_the_errors_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from seqlang.designs import find as finding

    monkeypatch.setattr(finding, "best_single", lambda search, found: None)
    asked = problem_of("x ~ bernoulli(0.1)", "x ~ bernoulli(0.9)", Fraction(1, 20), Fraction(1, 20), "none", "average",
                       True)  # fmt: skip
    found = finding.find(asked, verify=False)
    assert found.without_coin is None and "no single schedule" in found.reasons["without_coin"]
    assert "no design without a coin: no single schedule" in " ".join(str(found).split())
