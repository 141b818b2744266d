"""The guided tours run, and say what they should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _run(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, f"examples/{name}", *arguments],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_stop_a_trial() -> None:
    assert "epsilon is at most 1.0" in _run("stop_a_trial.py")


def test_stop_a_trial_on_the_real_stream(shared: Path) -> None:
    said = _run("stop_a_trial.py", str(shared / "data" / "stream_indo_rct.csv.gz"))
    assert "placebo:" in said
    assert "indomethacin:" in said


def test_broken_on_purpose() -> None:
    said = _run("broken_on_purpose.py")
    assert "both noises: proved" in said
    assert said.count("refuted") == 2


def test_printed_tables() -> None:
    said = _run("printed_tables.py")
    assert "85.93 and 121.61" in said
    assert "0.1206" in said
