"""Completion is tried in the shells themselves: keys are typed on a terminal, and the line that comes out is read."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main
from seqlang.cli.shells.offered import commands, flags_of

START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
LOAD = {
    "bash": "bind 'set enable-bracketed-paste off'; . ./script",
    "zsh": "bindkey -e; unsetopt ZLE_BRACKETED_PASTE PROMPT_SP; autoload -U compinit; compinit -D; . ./script",
    "fish": "source ./script",
}
LINES = [
    ("seqlang comp\tfish", ["seqlang", "completion", "fish"]),
    ("seqlang check --form\tgit\t", ["seqlang", "check", "--format", "github"]),
    ("seqlang run --eng\tnum\t", ["seqlang", "run", "--engine", "numpy"]),
    ("seqlang check @tight/one_s\t", ["seqlang", "check", "@tight/one_sided"]),
    ("seqlang specs @wald1945/sp\t", ["seqlang", "specs", "@wald1945/sprt"]),
    ("seqlang check my_t\t", ["seqlang", "check", "my_test.seq"]),
    ("seqlang solve my_t\t--toler\t1e-6", ["seqlang", "solve", "my_test.seq", "--tolerance", "1e-6"]),
    ("seqlang completion z\t", ["seqlang", "completion", "zsh"]),
    ("seqlang check --plot pic\t", ["seqlang", "check", "--plot", "picture.svg"]),
]


@contextmanager
def terminal(shell: str, folder: Path) -> Iterator[int]:
    """A shell that runs on a terminal of its own, in a folder; its end of the terminal."""
    child, end = pty.fork()
    if not child:
        os.chdir(folder)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
            "PS1": "$ ",
        }
        os.execvpe(START[shell][0], START[shell], environment)
    try:
        yield end
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(end)


def read_until(end: int, wanted: str, seconds: float = 120.0) -> str:
    """What the terminal shows, up to a mark."""
    seen, over = "", time.monotonic() + seconds
    while wanted not in seen:
        ready, _, _ = select.select([end], [], [], max(0.0, over - time.monotonic()))
        assert ready, f"no {wanted!r} in {seen!r}"
        seen += os.read(end, 65536).decode("utf-8", "replace")
    return seen


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", START)
def test_a_shell_completes(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(script(shell, capsys), encoding="utf-8")
    (tmp_path / "my_test.seq").touch()
    (tmp_path / "my_text.txt").touch()  # is no spec
    (tmp_path / "picture.svg").touch()
    with terminal(shell, tmp_path) as end:
        os.write(end, f"{LOAD[shell]}; echo rea''dy\n".encode())
        read_until(end, "ready")
        for number, (typed, wanted) in enumerate(LINES):
            # The completed line becomes the arguments of a command that prints them.
            for key in re.findall("\t|[^\t]+", typed):
                os.write(end, key.encode())
                time.sleep(0.05 if key != "\t" else 0.15)
            os.write(end, f"\x01printf '<%s>' {number}'{number}' ".encode() + b"\x05 en''d\n")
            shown = read_until(end, "<end>")
            assert re.findall("<([^<>]*)>", shown[shown.index(f"<{number}{number}>") :])[1:-1] == wanted, typed


@pytest.mark.parametrize("shell", START)
def test_all_that_parsers_know_is_in_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    for command in commands():
        for flag in flags_of(command):
            spelt = f"-l {flag[2:]} " if shell == "fish" and flag.startswith("--") else flag.strip("-")
            assert spelt in text, (command.name, flag)
    assert "@tight/one_sided" in text
