"""Options of a sweep that are refused or remarked upon."""

from __future__ import annotations

from pathlib import Path

import pytest
from sweep_command import spec

from seqlang.cli.__main__ import main

FEW = ("--runs", "200", "--model", "loaded")


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [("run", "--sweep", "p=0.2,0.3"), ("solve", "--sweep", "p=0.2,0.3"), ("solve", "--curve", "p=0.2:0.3:2")],
)
def test_a_set_value_that_no_cell_would_use(
    command: str, option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, spec(tmp_path), "--set", "p=0.4", option, value]) == 2
    said = capsys.readouterr()
    assert "E0601" in said.err
    assert f"`p` has a value by --set and others by {option}" in said.err
    assert "leave out --set p=" in said.err
    assert not said.out


def test_a_set_value_stands_in_for_the_empty_fields_of_a_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("p\n0.2\n0.3\n")
    asked = ["run", spec(tmp_path), *FEW, "--set", "p=0.25", "--cases", str(listed)]
    assert main(asked) == 2
    assert "others by --cases" in capsys.readouterr().err
    listed.write_text("p,a\n0.2,2\n,4\n")
    assert main(asked) == 0
    table = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert table[2:] == [["0.2", "2"], ["0.25", "4"]]


def test_the_threads_of_an_engine_without_any(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more in ((), ("--sweep", "p=0.2,0.3")):
        assert main(["run", spec(tmp_path), *FEW, *more, "--engine", "numpy", "--threads", "2", "--json"]) == 0
        said = capsys.readouterr()
        assert "the numpy engine ran" in said.err
        assert said.err.count("\n") == 1
        assert all(line.startswith("{") for line in said.out.splitlines())
        assert main(["run", spec(tmp_path), *FEW, *more, "--engine", "numpy"]) == 0
        assert not capsys.readouterr().err
