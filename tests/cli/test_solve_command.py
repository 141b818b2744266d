"""`solve`, and the options of `check` that need exact laws, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from seqlang.cli.__main__ import main


def _objects(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_object_of_the_interface(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "@wald1945/sprt", "--model", "null", "--json"]) == 0
    (found,) = _objects(capsys)
    assert found["schema"] == 1
    assert (found["algorithm"], found["model"]) == ("sprt", "null")
    assert set(found["returns"]) == {"reject", "accept"}
    assert sum(found["returns"].values()) == pytest.approx(1, abs=1e-9)
    assert found["expected_steps"] == pytest.approx(9.34730, rel=1e-6)
    assert found["sd_steps"] == pytest.approx(6.037, rel=1e-4)
    assert found["quantiles"]["0.5"] == 8
    assert found["never_stops"] == 0
    assert found["mass_unresolved"] < 1e-9
    assert 0 <= found["error_bound"] < 1e-9
    assert found["parameters"]["p0"] == 0.3


def test_every_model_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "@wald1945/sprt", "--json"]) == 0
    assert [found["model"] for found in _objects(capsys)] == ["null", "alternative", "truth"]


def test_a_curve_has_the_values_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "@wald1945/sprt", "--model", "truth", "--curve", "p=0.2:0.8:4", "--json"]) == 0
    found = _objects(capsys)
    assert [f["parameters"]["p"] for f in found] == [0.2, 0.4, 0.6, 0.8]
    # the test is symmetric: what rejects at p accepts at 1 - p
    assert found[0]["returns"]["reject"] == pytest.approx(found[3]["returns"]["accept"], rel=1e-9)
    assert found[1]["expected_steps"] == pytest.approx(found[2]["expected_steps"], rel=1e-9)


def test_a_curve_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "@wald1945/sprt", "--model", "truth", "--curve", "p=0.5:0.5:1"]) == 0
    said = capsys.readouterr().out
    assert "expected steps" in said
    assert " 16 " in said  # a fair walk between -4 and 4


@pytest.mark.parametrize("arguments", [[], ["--curve", "p=0.3:0.7:3", "--model", "truth"]])
def test_pictures(arguments: list[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "law.png"
    assert main(["solve", "@wald1945/sprt", "--plot", str(file), *arguments]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--curve", "p=0:1"], "p=0.2:0.8:41"),
        (["--curve", "p=0:1:1"], "from 2 to"),
        (["--curve", "p=0:1:99999999"], "from 2 to"),
        (["--curve", "q=0:1:3"], "no param `q`"),
        (["--model", "nul"], "did you mean `null`"),
        (["--tolerance", "0"], "between 0 and 1"),
        (["--tolerance", "x"], "--tolerance"),
        (["--plot", "/nosuch/folder/x.png"], "no folder"),
        (["--plot", "x.png", "--curve", "p=0:1:3", "--y", "rejct"], "did you mean `reject`"),
        (["--plot", "x.png", "--y", "reject"], "belongs to the --plot of a sweep"),
        (["--curve", "p=0:1:3", "--sweep", "p=0.1,0.2"], "varied twice"),
    ],
)
def test_mistakes_are_named(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "@wald1945/sprt", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_what_cannot_be_solved_names_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "@tight/window"]) == 2
    said = capsys.readouterr().err
    assert "E0623" in said
    assert "seqlang run @tight/window" in said


def test_a_file_without_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bare.seq"
    file.write_text("algorithm bare\nstream x in {0, 1}\nstatistic s = sum(x over steps)\nstop when s >= 3\n")
    assert main(["solve", str(file)]) == 2
    assert "model" in capsys.readouterr().err


def test_the_profile_falls_and_its_numbers_are_in_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", "@wang2020/weak_sprt", "--set", "eps_out=0.5", "--model", "null", "--json"]
    assert main([*asked, "--weak-profile", "--epsilons", "0:2:3"]) in (0, 1)  # claims are expected of other values
    (found,) = _objects(capsys)
    (profile,) = found["weak_profiles"]
    uppers = [d["upper"] for d in profile["delta"]]
    assert uppers == sorted(uppers, reverse=True)
    assert all(s["upper"] <= d["upper"] for s, d in zip(profile["per_step"], profile["delta"], strict=True))
    assert profile["delta"][1]["lower"] == pytest.approx(0.1213, abs=5e-5)
    (weak,) = found["weak"]
    assert weak["model"] == "null"
    assert weak["dp"]["lower"] <= weak["dp"]["upper"]


def test_instances(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "@wald1945/sprt", "--instances", "3", "--model", "null", "--json"]) == 0
    (found,) = _objects(capsys)
    assert found["streams"] == 3
    assert found["loss"]["0.5"] == "inf"  # without noise every neighbour can be told apart


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "null"], "--weak-profile or --instances"),
        (["--seed", "2"], "--instances"),
        (["--epsilons", "0:1:3"], "--weak-profile"),
        (["--weak-profile", "--epsilons", "0:1"], "0:3:13"),
        (["--weak-profile", "--epsilons=-1:1:3"], "not negative"),
        (["--weak-profile", "--instances", "3"], "two views"),
        (["--weak-profile", "--model", "nul"], "did you mean `null`"),
        (["--instances", "0"], "--instances"),
        (["--audit", "-1"], "--audit"),
    ],
)
def test_mistakes_in_check(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "@wang2020/weak_sprt", *arguments]) == 2
    assert said in capsys.readouterr().err


OPAQUE = """\
algorithm opaque
stream x in {0, 1}
statistic k = sum(x over steps)
draw r ~ {0: 1 + k, 1: 2}
stop when r == 1 and step >= 3 return one
stop when step >= 5 return zero
"""


def test_an_audit_is_labelled_as_statistical(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "opaque.seq"
    file.write_text(OPAQUE)
    assert main(["check", str(file), "--audit", "2"]) == 0
    assert "statistical, no proof" in capsys.readouterr().out


def test_a_law_that_leaves_out_steps_that_fail_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No stop reads the root, so that the law is that of a run which goes on where it has no value."""
    file = tmp_path / "fails.seq"
    text = "algorithm fails\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstatistic s = sqrt(0 - x)\n"
    file.write_text(text + "stop when step >= 2 return a\n")
    assert main(["solve", str(file)]) == 0
    assert "a step may fail for some data" in capsys.readouterr().out
    file.write_text(text.replace("0 - x", "x") + "stop when step >= 2 return a\n")
    assert main(["solve", str(file)]) == 0
    assert "may fail" not in capsys.readouterr().out
