"""A sweep as a shell runs it, and ways to interrupt it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = """\
algorithm coin_walk "a walk that is watched from both sides"
param p in (0, 1) = 0.4
param a > 0 = 3
stream x in {0, 1}
model fair:   x ~ bernoulli(1 / 2)
model loaded: x ~ bernoulli(p)
statistic s = sum(2 * x - 1 over steps)
stop when s >= a  return up
stop when s <= -a return down
"""


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "seqlang", "run", *arguments]


def run(*arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=ROOT, capture_output=True, text=True, timeout=timeout, env=environment()
    )


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )


def spec(folder: Path) -> str:
    file = folder / "coin_walk.seq"
    file.write_text(SPEC, encoding="utf-8")
    return str(file)
