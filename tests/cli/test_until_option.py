"""`--until-ci` and the line that tells how far a simulation is."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seqlang.backends.montecarlo.progress import Estimate, Progress
from seqlang.cli.__main__ import main
from seqlang.cli.terminal.progress import told

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--until-ci", "0"], "E0603"),
        (["--until-ci", "-0.1"], "E0603"),
        (["--until-ci", "nan"], "E0602"),
        (["--until-ci", "narrow"], "E0602"),
        (["--until-ci", "0.1", "--data", "x.csv"], "E0601"),
        (["--until-ci", "0.1", "--runs", "0"], "E0603"),
    ],
)
def test_it_refuses(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "@wald1945/sprt", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_json_tells_how_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "@wald1945/sprt", "--until-ci", "0.05", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(found) == 3
    for one in found:
        widths = [r["ci95"][1] - r["ci95"][0] for r in one["returns"].values()]
        assert max(widths) <= 0.05 and one["until_ci"]["reached"] and one["until_ci"]["widest"] == max(widths)
    assert len({one["runs"] for one in found}) > 1  # a chance near 1/2 takes more runs


def test_the_most_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "@wald1945/sprt", "--model", "null", "--until-ci", "1e-4", "--runs", "2000"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "not yet at most 0.0001 wide after 2,000 runs and 2 looks" in text


def test_what_the_line_tells() -> None:
    state = Progress(
        runs_done=2_000,
        runs=10_000,
        steps_done=30_000,
        mean_steps=15.0,
        seconds=2.0,
        estimate=Estimate("P(reject)", 0.25, 0.23, 0.27),
        seconds_left=130.0,
    )
    assert told(state) == "2,000 of 10 k runs  15 k steps/s  P(reject) = 0.25 ± 0.02  2 min 10 s left"
    assert told(Progress(0, 10, 0, None, 0.0)) == "0 of 10 runs  0 steps/s"
    assert told(Progress(317_675, 100_000_000, 12_345_678, None, 1.0)) == "318 k of 100 M runs  12.3 M steps/s"


def test_the_line_is_shown_on_a_terminal_only() -> None:
    always = "from seqlang.backends.montecarlo import progress; progress.EVERY = 0.0"
    command = [
        sys.executable,
        "-c",
        f"import sys; {always}; from seqlang.cli.__main__ import main; sys.exit(main(sys.argv[1:]))",
        "run",
        "@wald1945/sprt",
        "--model",
        "null",
        "--runs",
        "100000",
        "--json",
    ]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    leader, follower = pty.openpty()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=follower, env=environment) as process:
        os.close(follower)
        seen, deadline = b"", time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                part = os.read(leader, 65536)
            except OSError:
                break
            seen += part
            if not part:
                break
        out, _ = process.communicate(timeout=60)
    os.close(leader)
    assert json.loads(out)["runs"] == 100_000  # one object and nothing else
    assert b"steps/s" in seen and b"left" in seen and b"P(" in seen
