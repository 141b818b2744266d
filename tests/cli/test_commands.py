"""The commands as a user meets them: exit codes, what goes where, and bad input."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest

from seqlang.backends.montecarlo.progress import Progress
from seqlang.cli import run as run_command
from seqlang.cli.__main__ import main

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What a process would write and return; `tests/cli/test_output.py` starts real ones."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(ROOT), patch.dict(os.environ, COLUMNS="110"), redirect_stdout(out), redirect_stderr(err):
        code = main(list(arguments))
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "seqlang check" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert main([]) == 2
    for command in ("check", "run", "fmt", "specs", "explain"):
        with pytest.raises(SystemExit) as left:
            main([command, "--help"])
        assert left.value.code == 0
        assert "examples" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chekc"], "did you mean `seqlang check`"),
        (["check"], "FILE"),
        (["check", "--explian", "@tight/one_sided"], "did you mean `--explain`"),
        (["check", "nosuch.seq"], "cannot read `nosuch.seq`"),
        (["check", "@tight/one_sidd"], "did you mean `@tight/one_sided`"),
        (["check", "specs"], "is a folder"),
        (["check", "@tight/one_sided", "--set", "lz=-1"], "lz"),
        (["check", "@tight/one_sided", "--set", "lz=nan"], "lz"),
        (["check", "@tight/one_sided", "--set", "lz=inf"], "lz"),
        (["check", "@tight/one_sided", "--set", "lz=1e999"], "lz"),
        (["check", "@tight/one_sided", "--set", "lz=1e-400"], "lz"),
        (["check", "@tight/one_sided", "--set", "lzz=1"], "did you mean `lz`"),
        (["check", "@tight/one_sided", "--set", "lz"], "NAME=VALUE"),
        (["check", "@tight/one_sided", "--set", "=1"], "NAME=VALUE"),
        (["check", "@tight/repeated_kept", "--set", "c=2.5"], "c"),
        (["check", "@tight/one_sided", "--delta", "2"], "between 0 and 1"),
        (["check", "@tight/one_sided", "--delta", "-1"], "between 0 and 1"),
        (["check", "@tight/one_sided", "--delta", "nan"], "--delta"),
        (["check", "@tight/one_sided", "--horizon", "0"], "at least 1"),
        (["run", "@wald1945/sprt", "--runs", "0"], "at least 1"),
        (["run", "@wald1945/sprt", "--model", "nul"], "null"),
        (["run", "@wald1945/sprt", "--seed", "x"], "--seed"),
        (["run", "@wald1945/sprt", "--data", "nosuch.csv"], "nosuch.csv"),
        (["run", "@wald1945/sprt", "--data", "x.csv", "--model", "null"], "does not go with --data"),
        (["run", "@wald1945/sprt", "--sweep", "p0="], "--sweep"),
        (["explain", "E9999"], "E9999"),
        (["specs", "nosuch"], "nosuch"),
    ],
)
def test_bad_input_is_named_and_exits_2(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert not captured.out


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 100, b"\xff\xfe\x00", b"algorithm a\nlet x = " + b"(" * 5000 + b"1" + b")" * 5000,
     b"algorithm a\nlet x = " + b"9" * 20000, b"algorithm a\nlet x = 1e999999999", b"algorithm a\nstream x in {0, 1"],
)  # fmt: skip
def test_hostile_files_exit_2(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.seq"
    file.write_bytes(data)
    assert main(["check", str(file)]) == 2
    assert "x.seq" in capsys.readouterr().err


def test_results_go_to_stdout_and_json_is_one_object_a_line() -> None:
    done = run("check", "@tight/one_sided", "@tight/two_sided", "--json")
    assert done.returncode == 0
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first["algorithm"] == "one_sided"
    assert second["strong"]["pure"]["symbolic"] == "D/lz + D/lw"
    assert done.stderr == ""


def test_worst_exit_code_wins() -> None:
    done = run("check", "@tight/one_sided", "nosuch.seq", "@tight/two_sided", "--json")
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 2


def test_a_claim_that_fails_exits_1(tmp_path: Path) -> None:
    spec = tmp_path / "x.seq"
    text = (ROOT / "specs/tight/one_sided.seq").read_text(encoding="utf-8")
    spec.write_text(text.replace("pure(max(D / lz, D / lw))", "pure(1 / 2)"), encoding="utf-8")
    done = run("check", str(spec))
    assert done.returncode == 1
    assert "refuted" in done.stdout


def test_expect_speaks_of_the_defaults() -> None:
    """Another verdict than expected under --set is reported and does not fail."""
    assert run("check", "@refuted/threshold_noise_only", "--set", "lz=1000").returncode == 0


def test_run_is_reproducible_and_sweeps() -> None:
    command = ("run", "@wald1945/sprt", "--model", "null", "--runs", "500", "--sweep", "p1=0.6,0.7", "--json")
    first, second = run(*command), run(*command)
    assert first.returncode == 0
    cells = [json.loads(line) for line in first.stdout.splitlines()]
    again = [json.loads(line) for line in second.stdout.splitlines()]
    assert [c["parameters"]["p1"] for c in cells] == [0.6, 0.7]
    assert [c["steps"] for c in cells] == [c["steps"] for c in again]
    assert cells[0]["steps"]["mean"] > cells[1]["steps"]["mean"]


def test_a_spec_that_cannot_stop_needs_a_cap(tmp_path: Path) -> None:
    spec = tmp_path / "x.seq"
    spec.write_text("algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nreport up when x == 1\n")
    done = run("run", str(spec), "--runs", "10")
    assert done.returncode == 2
    assert "--cap" in done.stderr
    done = run("run", str(spec), "--runs", "10", "--cap", "5", "--json")
    assert json.loads(done.stdout)["unstopped"] == 10


def test_a_spec_without_a_model_cannot_be_simulated(tmp_path: Path) -> None:
    spec = tmp_path / "x.seq"
    spec.write_text("algorithm a\nstream x in {0, 1}\nstop when x == 1\n")
    done = run("run", str(spec))
    assert done.returncode == 2
    assert "model" in done.stderr


def test_fmt(tmp_path: Path) -> None:
    spec = tmp_path / "x.seq"
    spec.write_text("algorithm   a\nstream x in {0,1}   # a coin\nstop when x==1\n")
    assert run("fmt", "--check", str(spec)).returncode == 1
    assert run("fmt", str(spec)).returncode == 0
    assert "# a coin" in spec.read_text()
    assert run("fmt", "--check", str(spec)).returncode == 0


def test_specs_and_explain() -> None:
    assert "tight/one_sided" in run("specs").stdout
    assert run("specs", "tight/one_sided").stdout == (ROOT / "specs/tight/one_sided.seq").read_text(encoding="utf-8")
    listed = run("explain").stdout
    assert "E0101" in listed
    assert "alignment/" in listed


def test_latex() -> None:
    said = run("check", "@tight/one_sided", "@wald1945/sprt", "--latex").stdout
    assert r"\varepsilon_{\mathrm{pure}} \le \max\left(\frac{D}{\mathrm{lw}}, \frac{D}{\mathrm{lz}}\right)" in said
    assert r"\Delta(\mathrm{total}) = D" in said
    assert r"\log" in said


def test_plot(tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    done = run("run", "@tight/two_sided", "--runs", "200", "--plot", str(picture))
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_data(tmp_path: Path) -> None:
    """A short stream is not stopped, and says so."""
    rows = tmp_path / "x.csv"
    rows.write_text("arm,outcome\n1,1\n0,0\n1,1\n1,1\n1,1\n1,1\n")
    done = run("run", "@wald1945/sprt", "--data", str(rows), "--column", "x=outcome", "--where", "arm=1", "--json")
    found = json.loads(done.stdout)
    assert (found["stopped"], found["step"], found["return"], found["rows"]) == (True, 4, "reject", 5)
    rows.write_text("x\n1\n0\n")
    found = json.loads(run("run", "@wald1945/sprt", "--data", str(rows), "--json").stdout)
    assert (found["stopped"], found["rows_used"]) == (False, 2)
    rows.write_text("x\n1\n7\n")
    done = run("run", "@wald1945/sprt", "--data", str(rows))
    assert done.returncode == 2
    assert "7" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--plot", "no/such/folder/x.png"], "no folder"),
        (["--plot", "x.xyz"], "formats are"),
        (["--plot", "x.png", "--sweep", "lz=1,2", "--y", "stepps"], "did you mean `steps`"),
        (["--plot", "x.png", "--x", "lz"], "belongs to the --plot of a sweep"),
        (["--sweep", "lz=1,2", "--output", "x.xlsx"], "formats are .csv .parquet"),
        (["--sweep", "lz=1,2", "--store", "no/such/folder/x.sqlite"], "E0641"),
        (["--sweep", "lz=1,-1"], "lz"),
        (["--column", "x=y"], "belongs to --data"),
    ],
)
def test_run_refuses_before_it_runs(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "@tight/one_sided", "--runs", "1000000000", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert not captured.out


def test_an_interrupted_run_keeps_what_is_done_and_starts_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C under the first model, once runs are finished: they are shown, the second model is not begun."""

    @contextmanager
    def pressed(title: str) -> Iterator[Callable[[Progress], None]]:
        def tell(state: Progress) -> None:
            if state.runs_done:
                os.kill(os.getpid(), signal.SIGINT)

        yield tell

    monkeypatch.setattr(run_command, "progress_line", pressed)
    assert main(["run", "@wald1945/sprt", "--runs", "1000000000", "--engine", "numpy", "--json"]) == 130
    said = capsys.readouterr()
    assert [json.loads(line)["model"] for line in said.out.splitlines()] == ["null"]
    assert "Traceback" not in said.err


def test_a_value_that_fails_in_a_run_shows_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "x.seq"
    spec.write_text("algorithm a\nstream x in [0, 1]\nmodel m: x ~ point(0.5)\nstop when log(x - step) >= 3\n")
    assert main(["run", str(spec), "--runs", "5"]) == 2
    assert "x.seq:4:11" in capsys.readouterr().err


def test_fmt_goes_on_after_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "x.seq"
    spec.write_text("algorithm   a\nstream x in {0,1}\nstop when x==1\n")
    assert main(["fmt", str(tmp_path / "none.seq"), str(spec)]) == 2
    assert spec.read_text().startswith("algorithm a\n")


def test_a_spec_that_only_has_a_name_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "x.seq"
    spec.write_bytes(b"\xef\xbb\xbfalgorithm a")
    assert main(["check", str(spec)]) == 0
    assert not capsys.readouterr().err


def test_sizes_that_no_search_could_hold(tmp_path: Path) -> None:
    """The bound is still proved (each record moves the sum by at most 1); only witnesses are not looked for."""
    spec = tmp_path / "x.seq"
    spec.write_text(
        "algorithm a\ndataset x in [0, 1] size 10 ^ 7\nstatistic s = sum(x[i] for i in records)\n"
        "stop return s\nattach laplace(2) to s\nclaim strong pure(1 / 2)\n"
    )
    began = time.process_time()
    assert main(["check", str(spec)]) == 0
    assert time.process_time() - began < 60
