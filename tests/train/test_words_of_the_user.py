"""What is wrong with `--predict`, `--truth` and `--track` is shown in what the user wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqlang.cli.__main__ import main
from seqlang.diagnostics.elsewhere import made
from seqlang.source import Source

ROWS = "x1,x2,y\n.1,.2,1\n.3,.1,-1\n.2,.2,1\n.1,.1,-1\n"
STREAM = "@bittner2020/flmb"
DATASET = "@bittner2020/batch_erm_output"
HELD = ("--test-rows", "1:2")


def _error(spec: str, folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    (folder / "rows.csv").write_text(ROWS)
    given = ["--set", "d=2", "--set", "n=4", "--data", str(folder / "rows.csv"), "--column", "x=x1,x2"]
    assert main(["run", spec, *given, *options]) == 2
    said = capsys.readouterr().err
    for internal in ("statistic", "predicted_", "truth_", "returned_"):
        assert internal not in said.replace("a statistic", "").replace("statistic q", "")
    return said.splitlines()


@pytest.mark.parametrize(
    ("spec", "options", "place", "marked"),
    [
        (STREAM, (*HELD, "--predict", "dot(w, x) > nothing"), "--predict:1:13", "nothing"),
        (STREAM, (*HELD, "--predict", "> 0"), "--predict:1:1", ">"),
        (STREAM, (*HELD, "--predict", "(dot(w, x) > 0"), "--predict:1:1", "("),
        (STREAM, (*HELD, "--predict", "dot(w, x)"), "--predict:1:1", "dot(w, x)"),
        (STREAM, (*HELD, "--truth", "y > return"), "--truth:1:1", "y > return"),
        (STREAM, (*HELD, "--predict", "dot(w, x) >\n0 0"), "--predict:2:1", "0 0"),
        (STREAM, ("--track", "a=nope + 1"), "--track:1:3", "nope"),
        (STREAM, ("--track", "b=count(selected over steps)", "--track", "a = y + nope"), "--track:1:7", "nope"),
        (STREAM, ("--track", "w=1"), "--track:1:1", "w"),
        (STREAM, ("--track", "a=1\nstatistic q = 2"), "--track:2:1", "statistic q = 2"),
        (DATASET, (*HELD, "--predict", "dot(return, x) + q > 0"), "--predict:1:18", "q"),
        (DATASET, (*HELD, "--predict", "dot(return, y) > 0"), "--predict:1:13", "y"),
        (DATASET, (*HELD, "--predict", "return > 0"), "--predict:1:1", "return"),
    ],
)
def test_the_place(
    spec: str,
    options: tuple[str, ...],
    place: str,
    marked: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = _error(spec, tmp_path, capsys, *options)
    at = next(i for i, line in enumerate(lines) if "-->" in line)
    assert lines[at].split("--> ")[1] == place
    text, signs = lines[at + 2].split("| ", 1)[1], lines[at + 3].split("| ", 1)[1]
    first = signs.index("^")
    assert text[first : first + signs.count("^")] == marked


def test_what_the_user_has_in_a_file_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = _error(STREAM, tmp_path, capsys, "--track", "w=1")
    assert any("note: first declared here: @bittner2020/flmb:20:8" in line for line in lines)


def test_an_expression_over_two_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    given = ["--set", "d=2", "--set", "n=4", "--data", str(tmp_path / "rows.csv"), "--column", "x=x1,x2"]
    assert main(["run", STREAM, *given, "--track", "a=count(selected\n  over steps)"]) == 0
    assert "a, at the end" in capsys.readouterr().out


def test_every_character_comes_from_somewhere() -> None:
    found = made(Source("--predict", "u = xx + y"), 4, "u = ", r"xx", lambda word: "long[1]")
    assert found.text == "u = long[1] + y"
    assert found.places == (0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 6, 7, 8, 9)
