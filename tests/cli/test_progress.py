"""What is said on a terminal while a command works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from seqlang.process.doing import doing, heard

ROOT = Path(__file__).resolve().parents[2]
pty = pytest.importorskip("pty", reason="needs terminals")

SLOW = """
import sys, time
import seqlang.cli.terminal.waiting as waiting
from seqlang.process.doing import doing
waiting.AFTER = {after}
with waiting.working("@a/b", waiting.AFTER):
    doing("witness search")
    time.sleep({seconds})
    doing("claims")
    time.sleep({seconds})
print("the result")
"""


def _on_a_terminal(code: str) -> str:
    """stderr of a process whose stderr is a terminal, with its stdout in its place."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:
            break
        if not part:
            break
        said += part
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return said.decode()


def test_a_long_command_says_what_it_does() -> None:
    said = _on_a_terminal(SLOW.format(after=0.05, seconds=0.6))
    assert re.search(r"@a/b: witness search \.\. \d+ s", said)
    assert re.search(r"@a/b: claims \.\. \d+ s", said)
    assert said.endswith("\r\x1b[Kthe result\r\n")  # the line is gone before anything is printed


def test_a_short_one_says_nothing() -> None:
    assert _on_a_terminal(SLOW.format(after=30, seconds=0.05)) == "the result\r\n"


def test_nothing_in_a_pipe() -> None:
    code = SLOW.format(after=0.01, seconds=0.3)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("the result\n", "")


def test_the_line_waits_a_second() -> None:
    from seqlang.cli.terminal.waiting import AFTER

    assert AFTER == 1.0


def test_what_the_passes_tell() -> None:
    import seqlang

    text = "algorithm a\nparam eps > 0 = 1\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\n" \
           "stop when x >= 1 return done\nattach laplace(1 / eps) to x\nclaim strong pure(eps) within 2 steps\n" \
           "claim probability(done) >= 0.5 under m\n"  # fmt: skip
    said: list[str] = []
    with heard(said.append):
        spec = seqlang.load(text)
        seqlang.check(spec)
        seqlang.solve(spec)
    assert said[:3] == ["reading the spec", "proof search", "witness search"]
    assert "claim probability(done) >= 0.5 under m" in said
    assert said[-1] == "exact law"
    before = len(said)
    doing("nobody listens")
    assert len(said) == before


def test_a_listener_that_fails_is_forgotten() -> None:
    def fails(what: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), heard(fails):
        doing("something")
    doing("nobody listens")
