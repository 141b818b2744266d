"""Designs of two arms between which entries take turns: against a chain of this file's own, and published figures."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from published import Tell
from scipy import stats

from seqlang.cli.__main__ import main
from seqlang.designs.find import best_design, find
from seqlang.designs.problem.problem import Problem
from seqlang.designs.problem.request import problem_of
from seqlang.driver import load
from seqlang.release.foreseen import Foreseen
from seqlang.source import Source

FIFTH = Fraction(1, 5)


def stated(first: float, second: float) -> str:
    return f"control ~ bernoulli({first}), treatment ~ bernoulli({second})"


def asked(null: str, alternative: str, privacy: str, error: Fraction = FIFTH) -> Problem:
    return problem_of(null, alternative, error, error, privacy, "average", True)


def released(share: int, p: float, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """Chances of the noisy count of one arm, clamped to 0 .. share, and its masses without the clamp."""
    wide = np.arange(-80, share + 81)
    ratio = math.exp(-eps)
    whole = np.zeros(len(wide))
    for s in range(share + 1):
        whole += stats.binom.pmf(s, share, p) * (1 - ratio) / (1 + ratio) * ratio ** np.abs(wide - s)
    clamped = whole[80 : 81 + share].copy()
    clamped[0] += whole[:80].sum()
    clamped[-1] += whole[81 + share :].sum()
    return clamped, whole[80 : 81 + share]


@pytest.mark.parametrize("side", [pytest.param(0, marks=pytest.mark.long), 1])
def test_a_design_of_two_arms_is_what_its_paths_say(side: int) -> None:
    """Every pair of noisy counts scores by itself, and both scores add up."""
    arms = ((0.2, 0.2), (0.05, 0.9))
    design, _, _ = best_design(asked(stated(*arms[0]), stated(*arms[1]), "pure(2)"))
    total = np.zeros(2)
    for chance, column in zip(design.chances, design.columns, strict=True):
        policy, waiting = column.policy, {(0, 0): 1.0}
        (row,) = policy.rows
        rejected = steps = 0.0
        while waiting:
            place = min(waiting)
            mass, (n, score) = waiting.pop(place), place
            size = row.sizes[score - row.low]
            assert size % 2 == 0
            gains, chances = [], []
            for arm in (0, 1):
                plain = [released(size // 2, arms[h][arm], 2.0)[1] for h in (0, 1)]
                gains.append(np.floor(np.log(plain[1] / plain[0]) / policy.lattice + 0.5).astype(int))
                chances.append(released(size // 2, arms[side][arm], 2.0)[0])
            for a, p in zip(gains[0], chances[0], strict=True):
                for b, q in zip(gains[1], chances[1], strict=True):
                    after, part = score + int(a + b), mass * float(p * q)
                    if row.low <= after <= row.high:
                        if part > 1e-13:
                            waiting[(n + size, after)] = waiting.get((n + size, after), 0.0) + part
                    else:
                        rejected, steps = rejected + part * (after > row.high), steps + part * (n + size)
        total += float(chance) * np.array([rejected, steps])
    name = ("null", "alternative")[side]
    assert total == pytest.approx([design.mean(name, "reject"), design.mean(name, "steps")], rel=1e-7)


PUBLISHED = [("none", 128), ("pure(2)", 146), ("pure(1)", 172), ("pure(0.5)", 227)]


@pytest.mark.long
@pytest.mark.parametrize(("privacy", "average"), PUBLISHED)
def test_adaptive_blocks_beat_the_best_constant_block(privacy: str, average: float, published: Tell) -> None:
    design, _, _ = best_design(asked(stated(0.4, 0.4), stated(0.3, 0.5), privacy, Fraction(1, 20)))
    published("Two arms, 0.4 and 0.4 against 0.3 and 0.5: average", privacy, design.cost, average)
    assert design.cost <= average
    assert max(design.mean("null", "reject"), design.mean("alternative", "accept")) <= 0.05
    assert design.bound <= design.cost <= design.bound * 1.002


def test_exchanged_arms_are_a_symmetric_problem() -> None:
    assert asked(stated(0.5, 0.1), stated(0.1, 0.5), "pure(1)").symmetric
    assert asked(stated(0.3, 0.4), stated(0.7, 0.6), "pure(1)").symmetric
    assert not asked(stated(0.4, 0.4), stated(0.3, 0.5), "pure(1)").symmetric


@pytest.mark.parametrize(
    ("privacy", "line"),
    [
        ("none", "arm == 1 since block"),
        ("pure(3)", "arm == 1 since block"),
        ("zcdp(2)", "step % 2 == 0 since block"),
        ("rdp(4, 6)", "step % 2 == 0 since block"),
        ("dp(2, 0.01)", " since block"),
    ],
)
def test_two_arms_are_written_proved_solved_and_run(
    privacy: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trial.seq"
    words = ["--null", stated(0.1, 0.1), "--alternative", stated(0.1, 0.9), "--alpha", "0.2", "--beta", "0.2"]
    page = tmp_path / "protocol.md"
    told = ["--output", str(file), "--report", str(page), "--json"]
    assert main(["design", *words, "--privacy", privacy, *told]) == 0
    question = page.read_text(encoding="utf-8").split("\n\n")[1]
    assert "Null hypothesis" in question and "odd entries are control, even ones treatment" in question
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == (None if privacy == "none" else "proved")
    assert "check proves all claims of the program" in found["checked"]
    assert found["null"] == stated(0.1, 0.1)
    program = load(Source("trial", found["spec"])).program
    foreseen = Foreseen(program)
    assert all(foreseen.wrong(step, {"arm": 1 - step % 2}) is None for step in (1, 2, 3))
    assert foreseen.wrong(4, {"arm": 0}) is not None
    assert line in found["spec"]
    assert "public arm in {0, 1}" in found["spec"]
    head = found["spec"].partition("let ")[0]
    assert "odd entries are control (arm 0), even ones treatment" in head and "leave\n# out what is left over" in head
    assert found["arms"] == ["control", "treatment"] and found["in_turn"] is True
    assert all(entry["size"] is None or entry["size"] % 2 == 0 for entry in found["schedule"])
    assert found["cost"] >= max(bound["value"] for bound in found["lower_bounds"])
    assert main(["solve", str(file), "--json"]) == 0
    for law in map(json.loads, capsys.readouterr().out.splitlines()):
        assert law["expected_steps"] == pytest.approx(found["expected_steps"][law["model"]], rel=1e-9)
        wrong = "reject" if law["model"] == "null" else "accept"
        assert law["returns"][wrong] == pytest.approx(found["errors"][law["model"]], abs=1e-9)


NULL = stated(0.4, 0.4)
REFUSED = [
    (NULL, "treatment ~ bernoulli(0.5)", "speaks of 1 arm:"),
    (NULL, "x ~ bernoulli(0.3), y ~ bernoulli(0.5), z ~ bernoulli(0.5)", "speaks of 3 arms"),
    (NULL, "placebo ~ bernoulli(0.3), treatment ~ bernoulli(0.5)", "`placebo` and `treatment`"),
    (NULL, "control ~ bernoulli(0.40), treatment ~ bernoulli(2/5)", "no data can tell them apart"),
    (NULL, "control ~ bernoulli(0.3), treatment ~ bernoulli(1)", "strictly between 0 and 1"),
    (NULL, "control ~ bernoulli(0.3), treatment ~ poisson(1)", "two arms is about outcomes that are 0 or 1"),
    ("a ~ bernoulli(0.4), a ~ bernoulli(0.4)", "a ~ bernoulli(0.3), a ~ bernoulli(0.5)", "these names are taken"),
    ("y ~ bernoulli(0.4), b ~ bernoulli(0.4)", "y ~ bernoulli(0.3), b ~ bernoulli(0.5)", "these names are taken"),
]


@pytest.mark.parametrize(("null", "alternative", "said"), REFUSED)
def test_arms_that_do_not_fit_are_refused(
    null: str, alternative: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["design", "--null", null, "--alternative", alternative, "--privacy", "pure(1)"]) == 2
    assert said in capsys.readouterr().err


def test_other_designs_of_two_arms_have_even_blocks() -> None:
    found = find(asked(stated(0.1, 0.1), stated(0.1, 0.9), "pure(2)"), verify=False, compare="quick")
    assert len(found.compared) >= 4
    known = [one.expected_steps["null"] for one in found.compared]
    assert all(steps is None or steps >= found.expected_steps["null"] * 0.5 for steps in known)
    assert all(one.max_steps is None or one.max_steps % 2 == 0 for one in found.compared)


def test_an_arm_of_which_both_hypotheses_say_the_same_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    """Its outcomes earn no score: what a treatment is compared with is a number, and not the other arm."""
    words = ["design", "--null", stated(0.4, 0.2), "--alternative", stated(0.4, 0.9), "--alpha", "0.2", "--beta", "0.2"]
    assert main([*words, "--privacy", "pure(3)", "--max", "12", "--json"]) == 0
    (warning,) = json.loads(capsys.readouterr().out)["warnings"]
    assert "give control the same chance, 0.4" in warning and "compares treatment" in warning
    assert find(asked(stated(0.4, 0.2), stated(0.5, 0.9), "pure(3)"), verify=False).warnings == ()
