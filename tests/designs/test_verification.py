"""A written program that does not do what the design says is not handed over: whichever of solve and run sees it."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import pytest

from seqlang.cli.__main__ import main
from seqlang.designs import verification
from seqlang.designs.find import find
from seqlang.designs.problem.criterion import Limits
from seqlang.designs.problem.request import problem_of
from seqlang.designs.verification import verified
from seqlang.driver import load, run, solve
from seqlang.driver.contradicted import Contradicted
from seqlang.process.time_limit import limited, poll
from seqlang.record import replace
from seqlang.results.design import DesignResult
from seqlang.results.solve import SolveResult
from seqlang.source import Source

LONGEST = {"null": 100.0, "alternative": 100.0}
"""Further entries that runs of the design expect, wherever they stand: more than is true."""


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
    _, solved, run = verified(design.spec, design, LONGEST).said
    assert solved == "solve computes the same errors and expected entries in its own way"
    assert run == "10,000 simulated runs under each hypothesis agree"


@pytest.mark.parametrize("side", ["null", "alternative"])
@pytest.mark.parametrize("what", ["errors", "expected_steps"])
def test_a_figure_that_is_off_by_a_few_billionths_is_seen(design: DesignResult, side: str, what: str) -> None:
    told = dict(getattr(design, what))
    told[side] += 4e-9
    with pytest.raises(Contradicted, match="solve"):
        verified(design.spec, replace(design, **{what: told}), LONGEST)


@pytest.mark.parametrize(("name", "then"), [("size_1", "2"), ("upper", "9"), ("lower", "-60")])
def test_runs_notice_another_schedule(design: DesignResult, name: str, then: str) -> None:
    line = next(line for line in design.spec.splitlines() if line.startswith(f"let {name}("))
    wrong = line[: line.index("=") + 2] + then
    with pytest.raises(Contradicted, match="run"):
        verified(design.spec.replace(line, wrong), design, LONGEST)


def test_runs_notice_a_decision_that_is_another_where_the_steps_are_the_same(design: DesignResult) -> None:
    """The ends change their names: every run stops where it stopped."""
    spec = design.spec.replace("return reject", "return it").replace("return accept", "return reject")
    with pytest.raises(Contradicted, match=r"reject.* under null.*run"):
        verified(spec.replace("return it", "return accept"), design, LONGEST)


def left_after(law: SolveResult, steps: int) -> SolveResult:
    """What `solve` finds if it is ended after so many steps: the rest is unresolved, and there is no error of the
    expected step."""
    table = law.solution.table[:steps]
    return replace(law, solution=replace(law.solution, table=table, tail=None, unresolved=float(1 - table.sum()),
                                         steps_error=math.inf))  # fmt: skip


@pytest.mark.parametrize("steps", [6, 12])
def test_what_solve_leaves_unresolved_contradicts_nothing(
    design: DesignResult, laws: tuple[SolveResult, ...], monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """The design's figures are those of all steps, and `solve` knows a part of them, more or less."""
    ended = tuple(left_after(law, steps) for law in laws)
    assert all(law.solution.unresolved > 1e-9 for law in ended)
    monkeypatch.setattr(verification, "solve", lambda _: ended)
    assert "leaves unresolved" in verified(design.spec, design, LONGEST).said[1]


@pytest.mark.parametrize("by", [-0.05, 0.05])
@pytest.mark.parametrize("what", ["errors", "expected_steps"])
def test_what_solve_knows_of_is_compared_all_the_same(
    design: DesignResult, laws: tuple[SolveResult, ...], monkeypatch: pytest.MonkeyPatch, what: str, by: float
) -> None:
    """With 2e-4 left, and 100 further entries at most, both figures are known to 0.03."""
    late = next(n for n in range(200) if left_after(laws[0], n).solution.unresolved < 2e-4)
    monkeypatch.setattr(verification, "solve", lambda _: tuple(left_after(law, late) for law in laws))
    told = dict(getattr(design, what))
    told["null"] += by
    with pytest.raises(Contradicted, match="solve"):
        verified(design.spec, replace(design, **{what: told}), LONGEST)


def test_a_solve_that_the_time_limit_ended_is_not_compared(
    design: DesignResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def ended(_: object) -> None:
        now[0] = 2.0
        poll()

    monkeypatch.setattr(verification, "solve", ended)
    with limited(1.0, lambda: now[0]):
        found = verified(design.spec, design, LONGEST)
    assert found.cut_short == ("`solve` of the program", "simulated runs of the program")


def test_runs_that_the_time_limit_ended_are_not_compared(design: DesignResult, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs that were done by then are the short ones: their mean is no estimate."""
    few = run(load(Source("right", design.spec)), runs=20, engine="numpy")
    cut = tuple(replace(one, samples=replace(one.samples, interrupted=True)) for one in few)
    now = [0.0]

    def ended(*_: object, **__: object) -> object:
        now[0] = 2.0
        return cut

    monkeypatch.setattr(verification, "run", ended)
    monkeypatch.setattr(verification, "_ran_otherwise", lambda *_: pytest.fail("compared"))
    with limited(1.0, lambda: now[0]):
        assert verified(design.spec, design, LONGEST).cut_short == ("simulated runs of the program",)


def test_an_interrupt_by_a_person_is_no_time_limit(design: DesignResult, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(verification, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        verified(design.spec, design, LONGEST)


def test_the_command_tells_the_design_whatever_the_limit_ended(
    design: DesignResult, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1, as claims are not decided then."""

    def ended(_: object) -> None:
        while True:
            poll()

    monkeypatch.setattr(verification, "solve", ended)
    words = ["--null", design.null, "--alternative", design.alternative, "--alpha", "0.1", "--beta", "0.25"]
    assert main(["design", *words, "--privacy", "pure(2)", "--time-limit", "1.5"]) == 1
    said = capsys.readouterr().out
    assert "Schedule" in said and "the time limit cut short" in said and "`solve` of the program" in said


@pytest.mark.long
def test_a_test_of_power_one_that_solve_leaves_partly_unresolved() -> None:
    """0.3 against 0.5: `solve` leaves 1e-10 under the alternative, and its expected step is off by 1.4e-7."""
    words = ["--null", "x ~ bernoulli(0.3)", "--alternative", "x ~ bernoulli(0.5)", "--privacy", "pure(1)"]
    assert main(["design", *words, "--one-sided"]) == 0
