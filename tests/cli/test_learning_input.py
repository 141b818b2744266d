"""Bad input to learning specs, on the command line: a clear error with its place, or a behaviour that is said."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from thorough import spread

from seqlang.accounting import gaussian
from seqlang.cli.__main__ import main

ROWS = ["x1,x2,y", "0.1,0.2,1", "0.3,-0.4,-1", "0.5,0.5,1", "-0.2,0.1,-1", "0.2,0.2,1"]


def changed(line: int, row: str) -> list[str]:
    """The file with another row in that line (1: the header)."""
    return [*ROWS[: line - 1], row, *ROWS[line:]]


BAD = {
    "outside the ball": (changed(4, "0.9,0.9,1"), "E0614", "line 4", "ball(1, 2)"),
    "infinite": (changed(4, "inf,0,1"), "E0614", "line 4", "ball(1, 2)"),
    "label 0": (changed(5, "-0.2,0.1,0"), "E0614", "line 5", "{-1, 1}"),
    "label between": (changed(5, "-0.2,0.1,0.5"), "E0614", "line 5", "{-1, 1}"),
    "NaN": (changed(3, "nan,-0.4,-1"), "E0613", "line 3", "`x1`"),
    "label NaN": (changed(3, "0.3,-0.4,NaN"), "E0613", "line 3", "`y`"),
    "nothing in a cell": (changed(3, "0.3,,-1"), "E0613", "line 3", "`x2`"),
    "a word": (changed(3, "0.3,much,-1"), "E0613", "line 3", "`x2`"),
    "a cell too few": (changed(3, "0.3,-0.4"), "E0610", "line 3", ""),
    "a cell too many": (changed(3, "0.3,-0.4,1,1"), "E0610", "line 3", ""),
    "no such column": (["x1,y", "0.1,1"], "E0612", "`x2`", "its columns are"),
    "a header only": (ROWS[:1], "E0611", "no rows", ""),
    "an empty file": ([], "E0611", "is empty", ""),
}

FLMB = ["run", "@bittner2020/flmb", "--set", "d=2", "--set", "L=2", "--column", "x=x1..x2", "--column", "y=y"]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Every bad file, and a good one."""
    found = {}
    for name, rows in {"good": ROWS, **{name: bad[0] for name, bad in BAD.items()}}.items():
        path = tmp_path / f"{name.replace(' ', '_')}.csv"
        path.write_text("".join(row + "\n" for row in rows))
        found[name] = str(path)
    return found


@pytest.mark.parametrize("what", spread(BAD, 6))
@pytest.mark.parametrize("way", ["run", "train", "test"])
def test_bad_rows(what: str, way: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """As the one stream, as the rows to train on, and as the rows held out."""
    data = ["--data", files["good"] if way == "test" else files[what]]
    held_out = [] if way == "run" else ["--test", files["good"] if way == "train" else files[what]]
    assert main([*FLMB, "--set", "n=5", *data, *held_out]) == 2
    seen = capsys.readouterr()
    _, code, *words = BAD[what]
    assert seen.out == ""
    assert seen.err.startswith(f"error[{code}]: `{files[what]}`")
    assert all(word in seen.err for word in words)


def test_clipping_is_asked_for(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Rows outside the ball are projected, labels go to the nearest one; what is missing stays an error."""
    for what, status in {"outside the ball": 0, "label 0": 0, "NaN": 2, "infinite": 2}.items():
        assert main([*FLMB, "--set", "n=5", "--data", files[what], "--clip"]) == status, what
    capsys.readouterr()


@pytest.mark.parametrize("way", [[], ["--twin"]])
@pytest.mark.parametrize(("what", "cures"), [("outside the ball", True), ("label 0", True), ("infinite", False)])
def test_clipping_is_offered_where_it_helps(
    what: str, cures: bool, way: list[str], files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*FLMB, "--set", "n=5", "--data", files[what], *way]) == 2
    help = " ".join(capsys.readouterr().err.partition("help:")[2].split())
    assert help.startswith("--clip moves" if cures else "--clip cannot move what is not finite")


def test_a_stream_that_ends_inside_a_batch(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """What was bought and not yet used has no effect, is not shown, and the run says that it did not stop."""
    seen = {}
    for n in (5, 9):  # five rows
        assert main([*FLMB, "--set", f"n={n}", "--data", files["good"], "--json"]) == 0
        seen[n] = json.loads(capsys.readouterr().out)
    assert (seen[5]["stopped"], seen[9]["stopped"], seen[9]["return"]) == (True, False, None)
    assert seen[9]["reports"] == seen[5]["reports"]
    assert seen[9]["rows_used"] == 5
    assert main([*FLMB, "--set", "n=9", "--data", files["good"]]) == 0
    assert "not stopped after 5 rows: the data ended first" in capsys.readouterr().out
    assert main([*FLMB, "--set", "n=9", "--data", files["good"], "--test", files["good"]]) == 0
    assert "had not stopped when the rows ended" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spec", "setting", "said"),
    [
        ("abadi2016/dp_sgd", "q=1.5", "must be in (0, 1]"),
        ("abadi2016/dp_sgd", "q=0", "must be in (0, 1]"),
        ("abadi2016/dp_sgd", "C=0", "must be above 0"),
        ("abadi2016/dp_sgd", "C=-1", "must be above 0"),
        ("abadi2016/dp_sgd", "sigma=0", "must be above 0"),
        ("abadi2016/dp_sgd", "T=2.5", "must be a whole number from 1"),
        ("abadi2016/dp_sgd", "N=0", "must be a whole number from 1"),
        ("chan2011/tree_sums", "n=0", "must be a whole number from 1"),
        ("chan2011/tree_sums", "n=5.5", "must be a whole number from 1"),
        ("chan2011/tree_sums_printed", "n=1", "must be a whole number from 2"),
        ("bittner2020/flsw", "N=0", "must be a whole number from 1"),
        ("bittner2020/flmb", "L=-1", "must be a whole number from 1"),
        ("bittner2020/flmb", "tau=1", "must be in (0, 1)"),
        ("bittner2020/selection_exponential", "b=1", "must be in (0, M)"),
        ("bittner2020/batch_erm_output", "Lambda=0", "must be above 0"),
    ],
)
def test_parameters_out_of_range(spec: str, setting: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "run"):
        assert main([command, f"@{spec}", "--set", setting]) == 2
        seen = capsys.readouterr()
        assert seen.out == ""
        assert seen.err.startswith(f"error[E0314]: {setting.replace('=', ' = ')} is not in its domain")
        assert said in seen.err


OWN = """algorithm t
param q in real = 0.5
param C in real = 1
dataset x in ball(10, 2) size 5
model some: x ~ uniform(ball(10, 2))
draw batch ~ sample(records, q)
report g = sum(clip_norm(x[i], C) for i in batch)
stop
attach gaussian(1) to g
"""


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("q=1.5", "the argument `q` of `sample` must lie between 0 and 1"),
        ("q=-0.1", "the argument `q` of `sample` must lie between 0 and 1"),
        ("C=-1", "the radius of `clip_norm` must not be negative"),
    ],
)
def test_parameters_without_a_domain(
    setting: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.seq"
    path.write_text(OWN)
    for command in ("check", "run"):
        assert main([command, str(path), "--set", setting]) == 2
        assert f"error[E0316]: {said}" in capsys.readouterr().err


def test_ends_of_these_ranges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """C = 0 makes every gradient 0; q = 0 takes nobody, where the bound stays sound; q = 1 takes everybody."""
    path = tmp_path / "own.seq"
    path.write_text(OWN)
    found = {}
    for setting in ("C=0", "q=0", "q=1"):
        assert main(["check", str(path), "--set", setting, "--json"]) == 0
        found[setting] = json.loads(capsys.readouterr().out)["strong"]["dp"]["upper"]
    assert found["C=0"] == 0
    assert found["q=1"] == pytest.approx(gaussian.epsilon(1e-6, 0.5), rel=1e-9)  # a move of 2 against an sd of 1
    assert found["q=0"] <= found["q=1"]


@pytest.mark.parametrize(
    ("n", "levels"),
    [(1, 1), (6, 3), (1023, 10), *(pytest.param(*case, marks=pytest.mark.long) for case in ((1000, 10), (1025, 11)))],
)
def test_trees_need_no_power_of_two(n: int, levels: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "@chan2011/tree_sums", "--set", f"n={n}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["strong"]["pure"]["upper"] == pytest.approx(1, rel=1e-9)
    assert main(["run", "@chan2011/tree_sums", "--set", f"n={n}", "--runs", "4000", "--json"]) == 0
    released = json.loads(capsys.readouterr().out)["reports"]["total"]["last_value"]
    spread = math.sqrt(n.bit_count() * 2 * levels**2 + n / 4)
    assert released["se"] == pytest.approx(spread / math.sqrt(4000), rel=0.2)
    assert abs(released["mean"] - n / 2) < 4.5 * spread / math.sqrt(4000)
