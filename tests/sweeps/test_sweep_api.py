"""`seqlang.sweep`, and sweeps on the command line that are not interrupted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sweep_command import SPEC, run, spec

import seqlang
from seqlang.cli.__main__ import main


def test_a_cell_is_the_run_with_its_values() -> None:
    """The seed of a cell is the seed of the sweep: any cell can be looked at alone."""
    found = seqlang.sweep("@wald1945/sprt", grid={"p1": [0.6, "3/4"]}, model="null", runs=300, seed=5)
    for row, p1 in zip(found.rows, (0.6, 0.75), strict=True):
        (alone,) = seqlang.run(seqlang.load("@wald1945/sprt", p1=p1), model="null", runs=300, seed=5)
        assert row.run is not None
        clocks = {"seconds": 0, "steps_per_second": 0, "seconds_preparing": 0}
        assert {**row.run, **clocks} == {
            **alone.to_dict(), **clocks,
        }  # fmt: skip
    assert found.names == ("p1",)


def test_values_of_a_loaded_spec_stay() -> None:
    found = seqlang.sweep(seqlang.load(SPEC, a=2), grid={"p": [0.3]}, runs=10)
    assert found.rows[0].parameters == {"p": 0.3, "a": 2.0}


def test_cases_of_mappings_and_of_files(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("p,model,seed\n0.3,fair,4\n1/3,,\n")
    told: list[tuple[int, int]] = []
    first = seqlang.sweep(SPEC, cases=[{"p": 0.3, "model": "fair", "seed": 4}, {"p": "1/3"}], runs=50,
                          progress=lambda done, rows: told.append((done, rows)))  # fmt: skip
    second = seqlang.sweep(SPEC, cases=file, runs=50)
    assert str(first) == str(second)
    assert first.frame() == second.frame()
    assert [(r.model, r.run["seed"]) for r in first.rows if r.run] == [("fair", 4), ("fair", 1), ("loaded", 1)]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_store_gives_back_what_it_has(tmp_path: Path) -> None:
    store = tmp_path / "done.sqlite"
    first = seqlang.sweep(SPEC, grid={"a": [2, 3]}, runs=50, store=store)
    again = seqlang.sweep(SPEC, grid={"a": [3, 2, 4]}, runs=50, store=store)
    assert again.rows[0] == first.rows[2]  # times and all
    assert again.rows[2] == first.rows[0]


def test_only_solved() -> None:
    found = seqlang.sweep("@wald1945/sprt", grid={"p": [0.5]}, model="truth", simulate=False)
    assert found.rows[0].run is None
    assert found.rows[0].exact is not None
    # a fair walk from 0 to 4 or -4
    assert found.rows[0].exact["expected_steps"] == pytest.approx(16, rel=1e-9)
    assert found.to_dict()["rows"][0]["returns"]["reject"] == pytest.approx(0.5)
    with pytest.raises(seqlang.SpecError, match="E0623"):
        seqlang.sweep("@tight/window", simulate=False)


def test_what_is_not_solved_says_so_once() -> None:
    found = seqlang.sweep("@tight/window", grid={"lz": [1, 2]}, runs=20, exact=True)
    assert all(row.exact is None and row.unsolved for row in found.rows)
    assert str(found).count("no exact value") == 1


def test_mistakes() -> None:
    with pytest.raises(seqlang.SpecError, match="E0602"):
        seqlang.sweep(SPEC, grid={"a": ["x"]})
    with pytest.raises(seqlang.SpecError, match="no param `b`"):
        seqlang.sweep(SPEC, grid={"b": [1]})
    with pytest.raises(seqlang.SpecError, match="E0608"):
        seqlang.sweep(SPEC, cases=[{"model": "fiar"}])


def test_json_lines_are_in_the_order_of_the_cells(tmp_path: Path) -> None:
    """The first cell takes longest, and is printed first."""
    done = run(spec(tmp_path), "--sweep", "a=30,2,3", "--model", "fair", "--runs", "3000", "--workers", "3", "--json")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["parameters"]["a"] for line in done.stdout.splitlines()] == [30, 2, 3]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cases", "nosuch.csv"], "cannot read `nosuch.csv`"),
        (["--sweep", "a=1,2", "--workers", "0"], "--workers"),
        (["--sweep", "a=1,2", "--workers", "2", "--cluster", "tcp://x:1"], "does not go with --cluster"),
        (["--sweep", "a=1,2", "--y", "steps"], "belongs to --plot"),
        (["--sweep", "a=1,2", "--sweep", "a=3"], "varied twice"),
        (["--sweep", "a=1:2"], "NAME=FROM:TO:COUNT"),
        (["--sweep", "a=1,-2"], "-2"),
        (["--sweep", "a=1,,2"], "an empty place between its commas"),
        (["--sweep", "a=1:2:1"], "asks for 1 value:"),
        (["--sweep", "a=1:2:0"], "the COUNT, is 0"),
        (["--sweep", "a=1,2", "--store", ""], "it has no name"),
        (["--sweep", "a=1,2", "--plot", "x.png", "--x", "a", "--y", "a"], "--x and --y are the same"),
        (["--sweep", "a=1,2", "--plot", "x.png", "--colour", "steps"], "--colour belongs to a map"),
        (["--sweep", "b=1"], "no param `b`"),
        (["--exact", "--plot", "x.png"], "no parameter varies"),
        (["--data", "x.csv", "--store", "x.sqlite"], "--store does not go with --data"),
        (["--data", "x.csv", "--exact"], "--exact does not go with --data"),
        (["--data", "x.csv"], "--runs does not go with --data"),
    ],
)
def test_mistakes_on_the_command_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", spec(tmp_path), "--runs", "1000000000", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert not captured.out


def test_a_range_of_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", spec(tmp_path), "--sweep", "p=0.1:0.3:3", "--runs", "5", "--json", "--model", "loaded"]) == 0
    found = [json.loads(line)["parameters"]["p"] for line in capsys.readouterr().out.splitlines()]
    assert found == [0.1, 0.2, 0.3]


def test_solve_sweeps_lists_and_keeps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "list.csv"
    cases.write_text("p,model\n1/4,truth\n3/4,truth\n")
    command = ["solve", "@wald1945/sprt", "--cases", str(cases), "--store", str(tmp_path / "s.sqlite")]
    assert main([*command, "--json"]) == 0
    low, high = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert low["returns"]["reject"] == pytest.approx(high["returns"]["accept"], rel=1e-9)
    assert main([*command, "--output", str(tmp_path / "t.csv")]) == 0
    assert (tmp_path / "t.csv").read_text().startswith("p,p0,p1,")
    assert "expected steps" in capsys.readouterr().out


def test_python_is_told_of_nothing_to_do(tmp_path: Path) -> None:
    import seqlang
    from seqlang.diagnostics import SpecError

    with pytest.raises(SpecError, match="`a` is varied over no values"):
        seqlang.sweep(spec(tmp_path), grid={"a": []})
    with pytest.raises(SpecError, match="runs is 0"):
        seqlang.sweep(spec(tmp_path), grid={"a": [1]}, runs=0)
