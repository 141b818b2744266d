"""`python -m seqlang` and the installed command are one: the same text, the same exit code."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULE, _, FUNCTION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["seqlang"].partition(
    ":"
)
INSTALLED = f"import sys; from {MODULE} import {FUNCTION}; sys.argv[0] = 'bin/seqlang'; sys.exit({FUNCTION}())"
"""What an installer writes into the script `seqlang`."""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("--version",), 0),
        (("fmt", "--help"), 0),
        (("chek",), 2),
        (("fmt", "--chek"), 2),
        (("fmt", "none.seq"), 2),
    ],
)
def test_the_same_answer(words: tuple[str, ...], code: int) -> None:
    answers = [
        subprocess.run(
            [sys.executable, *start, *words],
            capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for start in (["-m", "seqlang"], ["-c", INSTALLED])
    ]  # fmt: skip
    first, second = ((a.returncode, a.stdout, a.stderr) for a in answers)
    assert first == second
    assert first[0] == code
    assert "__main__" not in first[1] + first[2]
