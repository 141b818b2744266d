"""`seqlang design` as people and programs call it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main
from seqlang.designs import find as finding
from seqlang.designs.problem.request import problem_of
from seqlang.driver.contradicted import Contradicted

HYPOTHESES = ["--null", "y ~ bernoulli(0.1)", "--alternative", "y ~ bernoulli(0.8)"]
EASY = ["design", *HYPOTHESES, "--alpha", "0.1", "--beta", "0.25"]


def test_a_design_is_written_proved_solved_and_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "trial.seq"
    assert main([*EASY, "--privacy", "pure(2)", "--output", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    assert found["verdict"] == "proved"
    assert found["privacy"] == "pure(2)"
    assert found["errors"]["null"] <= 0.1
    assert found["errors"]["alternative"] <= 0.25
    assert found["spec"] == file.read_text(encoding="utf-8")
    assert found["average"] == pytest.approx(sum(found["expected_steps"].values()) / 2)
    assert found["quantiles"]["null"]["0.5"] <= found["quantiles"]["null"]["0.99"]
    assert found["lower_bounds"]
    assert found["ratio"] >= 1
    assert 0 <= found["optimality_gap"] < 0.01
    low, high = found["certified"]["errors"]["null"]
    assert low <= found["errors"]["null"] + 1e-14 and found["errors"]["null"] - 1e-14 <= high <= 0.1
    assert 0.1 < found["worst"]["at"] < 0.8
    assert found["worst"]["expected_steps"] >= max(found["expected_steps"].values()) * 0.999
    decided = {line["decision"] for line in found["schedule"] if line["size"] is None}
    assert decided == {"accept", "reject"}
    for law in _lines(capsys, ["solve", str(file), "--json"]):
        assert law["expected_steps"] == pytest.approx(found["expected_steps"][law["model"]], rel=1e-9)
        wrong = "reject" if law["model"] == "null" else "accept"
        assert law["returns"][wrong] == pytest.approx(found["errors"][law["model"]], abs=1e-9)


def _lines(capsys: pytest.CaptureFixture[str], words: list[str]) -> list[dict[str, object]]:
    assert main(words) == 0
    return [json.loads(text) for text in capsys.readouterr().out.splitlines()]


def test_the_report_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EASY, "--privacy", "none"]) == 0
    shown = capsys.readouterr().out
    assert "next block" in shown
    assert "and above" in shown
    assert "check proves all claims" in shown


REFUSED = [
    (["--alternative", "y ~ bernoulli(0.1)"], "no data can tell them apart"),
    (["--alternative", "z ~ bernoulli(0.8)"], "the null is about `y`"),
    (["--alternative", "y ~ bernoulli(1)"], "strictly between 0 and 1"),
    (["--alternative", "y ~ bernouli(0.8)"], "bernoulli"),
    (["--alternative", "0.8"], "no law of a stream"),
    (["--alpha", "0.5"], "between 0 and 0.5"),
    (["--alpha", "1e-14"], "below 1e-7"),
    (["--beta", "1/20000000"], "below 1e-7"),
    (["--beta", "0"], "between 0 and 0.5"),
    (["--privacy", "pure(0)"], "above 0"),
    (["--privacy", "pur(1)"], "no notion of privacy"),
    (["--privacy", "pure"], "does not say how much"),
    (["--privacy", "none(1)"], "does not say how much"),
    (["--privacy", "dp(1)"], "does not say how much"),
    (["--privacy", "dp(1, 1)"], "delta must be below 1"),
    (["--privacy", "rdp(1, 1)"], "order must be above 1"),
    (["--privacy", "pure(101)"], "protects nobody"),
    (["--minimise", "avarage"], "average"),
    (["--alternative", "y ~ bernoulli(p), q >= 0.8"], "the inequality is about `q`"),
    (["--alternative", "y ~ bernoulli(p), p <= 0.8"], "they overlap"),
    (["--minimise", "at p=1"], "strictly between 0 and 1"),
    (["--minimise", "quantile 1 under null"], "strictly between 0 and 1"),
    (["--minimise", "quantile 0.5 under nil"], "there is no such criterion"),
    (["--looks", "20,10"], "must rise"),
    (["--looks", "10,20", "--every", "10"], "leave one out"),
    (["--looks", "10,20", "--max", "30"], "leave --max out"),
    (["--looks", "10,12", "--smallest", "5"], "a block of 2 entries"),
    (["--every", "15", "--unit", "10"], "a block of 15 entries"),
    (["--max", "3", "--smallest", "5"], "no block fits"),
    (["--max", "0"], "at least 1"),
    (["--max", "ten"], "not a number"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_cannot_be_asked_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EASY, "--privacy", "pure(1)", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_design_with_an_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Looks after 4 and 9 entries: the program is proved, and its exact law is that of the design."""
    file = tmp_path / "trial.seq"
    words = [*EASY, "--alpha", "0.05", "--beta", "0.1", "--privacy", "pure(2)", "--looks", "4,9", "--output", str(file)]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "proved"
    assert found["max_steps"] == 9
    assert {line["stage"] for line in found["schedule"]} == {0, 4, 9}
    assert {line["size"] for line in found["schedule"] if line["size"]} == {4, 5}
    for law in _lines(capsys, ["solve", str(file), "--json"]):
        assert law["expected_steps"] == pytest.approx(found["expected_steps"][law["model"]], rel=1e-9)
        wrong = "reject" if law["model"] == "null" else "accept"
        assert law["returns"][wrong] == pytest.approx(found["errors"][law["model"]], abs=1e-9)
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "entries used" in shown and "never more than 9 entries" in shown


def test_hypotheses_about_all_chances_up_to_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--null", "y ~ bernoulli(p), p <= 0.1", "--alternative", "y ~ bernoulli(p), p >= 0.8", *EASY[5:]]
    assert main(["design", *words, "--privacy", "pure(2)", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["null"] == "y ~ bernoulli(0.1)"
    assert "the chance to reject is at most 0.1 at all chances up to 0.1" in found["checked"][-2]
    assert "the chance to accept is at most 0.25 at all chances from 0.8" in found["checked"][-1]


def test_a_limit_of_time_ends_a_design(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--null", "x ~ bernoulli(0.45)", "--alternative", "x ~ bernoulli(0.55)", "--privacy", "pure(1)"]
    assert main(["design", *words, "--time-limit", "0.1"]) == 1
    said = capsys.readouterr().out
    assert "the time limit cut short the search for a better design" in said


def test_an_end_that_is_too_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EASY, "--privacy", "pure(2)", "--max", "2"]) == 1
    assert "2 entries are too few" in capsys.readouterr().err


def test_hypotheses_too_near_for_the_budget_are_infeasible(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--null", "x ~ bernoulli(0.5)", "--alternative", "x ~ bernoulli(0.500001)", "--privacy", "pure(0.01)"]
    assert main(["design", *words]) == 1
    assert "no design" in capsys.readouterr().err


def test_a_program_that_says_otherwise_is_not_handed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A boundary of the written program is moved, not that of the design."""
    honest = finding.spec_text
    monkeypatch.setattr(
        finding, "spec_text", lambda design: honest(design).replace("let upper = ", "let upper = -99 + ")
    )
    monkeypatch.chdir(tmp_path)
    tenth, quarter = Fraction(1, 10), Fraction(1, 4)
    asked = problem_of(HYPOTHESES[1], HYPOTHESES[3], tenth, quarter, "pure(3)", "average", False)
    with pytest.raises(Contradicted):
        finding.find(asked)
