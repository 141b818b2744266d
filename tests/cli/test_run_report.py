"""The report of `run` as it is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main

RARELY = """algorithm rarely
stream x in {0, 1}
model m: x ~ bernoulli(1 / 4096)
stop when x == 1 return yes
stop when x == 0 return no
"""
VECTOR = """algorithm pair
stream x in {0, 1}
model m: x ~ bernoulli(1)
memory w = zeros(2)
report r = x
update w = [r, 3 * r]
stop when step >= 1 return w
"""


def _said(text: str, folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    file = folder / "a.seq"
    file.write_text(text)
    assert main(["run", str(file), *options]) == 0
    return capsys.readouterr().out.splitlines()


def test_an_interval_near_one_holds_its_estimate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _said(RARELY, tmp_path, capsys, "--runs", "100000")
    (no,) = (line.split() for line in said if line.split()[0] == "no")
    assert float(no[2]) < float(no[1]) < float(no[4])


def test_a_returned_vector_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = [line.split() for line in _said(VECTOR, tmp_path, capsys, "--runs", "10")]
    assert ["return[1]", "1", "0", "returned"] in said
    assert ["return[2]", "3", "0", "returned"] in said


def test_one_run_is_not_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert " 1 run, seed" in _said(RARELY, tmp_path, capsys, "--runs", "1")[0]


def test_one_run_has_no_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in (RARELY, VECTOR):
        one = "\n".join(_said(text, tmp_path, capsys, "--runs", "1"))
        assert "± se" not in one
        assert "sd" not in one
        assert "± se" in "\n".join(_said(text, tmp_path, capsys, "--runs", "2"))


def test_one_run_has_no_standard_error_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = _said(VECTOR, tmp_path, capsys, "--runs", "1", "--json")
    found = json.loads(text)
    assert (found["steps"]["se"], found["steps"]["sd"], found["steps"]["mean"]) == (None, None, 1)
    assert found["return_value"]["se"] == [None, None]
    assert (found["reports"]["r"]["se"], found["reports"]["r"]["last_value"]["se"]) == (None, None)
    (text,) = _said(VECTOR, tmp_path, capsys, "--runs", "2", "--json")
    found = json.loads(text)
    assert (found["steps"]["se"], found["steps"]["sd"], found["return_value"]["se"]) == (0.0, 0.0, [0.0, 0.0])
