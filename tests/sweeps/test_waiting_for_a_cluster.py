"""What a user sees of a scheduler that is not there, and how soon Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from sweep_command import ROOT, command, environment, spec

pytest.importorskip("distributed", reason="needs the extra `cluster`")
pty = pytest.importorskip("pty", reason="needs terminals")

NOWHERE = ("--sweep", "p=0.3,0.45", "--cluster", "tcp://127.0.0.1:9")


def _interrupted(file: str, stderr: int) -> tuple[subprocess.Popen[str], float]:
    """The process, and the seconds that it took to end after a Ctrl-C."""
    process = subprocess.Popen(
        command(file, *NOWHERE), cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment()
    )
    time.sleep(4)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    process.wait(timeout=60)
    return process, time.monotonic() - began


def test_in_a_pipe(tmp_path: Path) -> None:
    process, seconds = _interrupted(spec(tmp_path), subprocess.PIPE)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "\ninterrupted\n")
    assert seconds < 40


def test_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process, seconds = _interrupted(spec(tmp_path), theirs)
    os.close(theirs)
    said = os.read(ours, 10_000).decode()
    os.close(ours)
    assert process.returncode == 130
    assert process.stdout is not None and process.stdout.read() == ""
    process.stdout.close()
    assert said.startswith("waiting for the scheduler at tcp://127.0.0.1:9")
    assert "Traceback" not in said
    assert seconds < 40
