"""A written program that does not do what the design says is not handed over: whichever of solve and run sees it."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest

from seqlang.designs import verification
from seqlang.designs.find import find
from seqlang.designs.problem.criterion import Limits
from seqlang.designs.problem.request import problem_of
from seqlang.designs.verification import verified
from seqlang.driver import load, solve
from seqlang.driver.contradicted import Contradicted
from seqlang.record import replace
from seqlang.results.design import DesignResult
from seqlang.results.solve import SolveResult
from seqlang.source import Source


@pytest.fixture(scope="module")
def design() -> DesignResult:
    """Of blocks of 2 and 1 entries about."""
    laws = "x ~ bernoulli(0.1)", "x ~ bernoulli(0.8)"
    asked = problem_of(*laws, Fraction(1, 10), Fraction(1, 4), "pure(2)", "average", True, Limits())
    return find(asked, verify=False)


@pytest.fixture(scope="module")
def laws(design: DesignResult) -> tuple[SolveResult, ...]:
    return solve(load(Source("right", design.spec)))


@pytest.fixture(autouse=True)
def known(laws: tuple[SolveResult, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """What check and solve say is not computed again: the laws of the program as it was designed."""
    monkeypatch.setattr(verification, "check", lambda _: SimpleNamespace(verdicts=()))
    monkeypatch.setattr(verification, "solve", lambda _: laws)


def test_what_is_written_is_what_was_designed(design: DesignResult) -> None:
    _, (_, solved, run) = verified(design.spec, design)
    assert solved == "solve computes the same errors and expected entries in its own way"
    assert run == "10,000 simulated runs under each hypothesis agree"


@pytest.mark.parametrize("side", ["null", "alternative"])
@pytest.mark.parametrize("what", ["errors", "expected_steps"])
def test_a_figure_that_is_off_by_a_few_billionths_is_seen(design: DesignResult, side: str, what: str) -> None:
    told = dict(getattr(design, what))
    told[side] += 4e-9
    with pytest.raises(Contradicted, match="solve"):
        verified(design.spec, replace(design, **{what: told}))


@pytest.mark.parametrize(("name", "then"), [("size_1", "2"), ("upper", "9"), ("lower", "-60")])
def test_runs_notice_another_schedule(design: DesignResult, name: str, then: str) -> None:
    line = next(line for line in design.spec.splitlines() if line.startswith(f"let {name}("))
    wrong = line[: line.index("=") + 2] + then
    with pytest.raises(Contradicted, match="run"):
        verified(design.spec.replace(line, wrong), design)


def test_runs_notice_a_decision_that_is_another_where_the_steps_are_the_same(design: DesignResult) -> None:
    """The ends change their names: every run stops where it stopped."""
    spec = design.spec.replace("return reject", "return it").replace("return accept", "return reject")
    with pytest.raises(Contradicted, match=r"reject.* under null.*run"):
        verified(spec.replace("return it", "return accept"), design)
