"""`check --suite`: one table over many specs, folders included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main

_GOOD = """algorithm good "One draw"
param eps > 0 = 1
stream x in [0, 1]
stop return x
attach laplace(1 / eps) to x
claim strong pure(eps)
claim strong pure(eps / 2) expect refuted
"""
_WRONG = """algorithm wrong "A claim too small"
stream x in [0, 1]
stop return x
attach laplace(1) to x
claim strong pure(1 / 2)
"""


def test_a_folder_becomes_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.seq").write_text(_GOOD)
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "wrong.seq").write_text(_WRONG)
    assert main(["check", "--suite", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    rows = [row.split() for row in out.splitlines()]
    assert ["good", "strong", "pure(eps)", "proved"] in [row[:4] for row in rows]
    assert ["strong", "pure(eps", "/", "2)", "refuted", "as", "expected", "1"] in rows
    assert any(row[:5] == ["wrong", "strong", "pure(1", "/", "2)"] and "refuted" in row for row in rows)
    assert "2 specs, 3 claims: 1 proved, 2 refuted, 0 computed, 0 unknown" in out
    assert "1 specs not as expected" in out


def test_labels_of_claims_have_a_column_where_there_are_any(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a source printed stands beside what is proved: here as the label of the claim."""
    (tmp_path / "good.seq").write_text(_GOOD.replace("pure(eps)\n", 'pure(eps) "weight 1, 0.24 s"\n'))
    assert main(["check", "--suite", str(tmp_path)]) == 0
    rows = capsys.readouterr().out.splitlines()
    head, first = rows[1].split(), rows[2].split()
    assert head[:4] == ["spec", "claim", "labelled", "verdict"]
    assert first[:8] == ["good", "strong", "pure(eps)", "weight", "1,", "0.24", "s", "proved"]
    (tmp_path / "good.seq").write_text(_GOOD)
    assert main(["check", "--suite", str(tmp_path)]) == 0
    assert "labelled" not in capsys.readouterr().out


def test_an_invalid_file_stands_in_the_table_and_the_worst_code_wins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.seq").write_text("algorithm bad\nstop whn x >= 1\n")
    (tmp_path / "good.seq").write_text(_GOOD)
    assert main(["check", "--suite", str(tmp_path)]) == 2
    shown = capsys.readouterr()
    assert "invalid" in shown.out and "good" in shown.out
    assert "bad.seq:2" in shown.err


def test_a_library_folder_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--suite", "--json", "@dwork2014"]) == 0
    objects = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert {"laplace", "randomized_response"} <= {found["algorithm"] for found in objects}


@pytest.mark.parametrize("option", ["--explain", "--weak-profile", "--latex"])
def test_views_of_one_spec_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--suite", option, "@dwork2014"]) == 2
    assert option in capsys.readouterr().err


def test_a_folder_without_specs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in ([], ["--suite"]):
        assert main(["check", *options, str(tmp_path)]) == 2
        assert "no spec (*.seq) is below it" in capsys.readouterr().err


def test_reports_in_a_pipe_are_as_wide_as_columns_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = {}
    (tmp_path / "good.seq").write_text(_GOOD)
    for columns in ("60", "200", "", "many", "1"):
        monkeypatch.setenv("COLUMNS", columns)
        main(["check", str(tmp_path / "good.seq")])
        longest[columns] = max(len(line) for line in capsys.readouterr().out.splitlines() if "✓" not in line)
    assert longest["60"] < longest[""] <= 110 < longest["200"] <= 200  # no word is broken
    assert longest["many"] == longest[""]
