"""What a cold start may import. What it costs is measured by tests/benchmarks/cold_start.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from seqlang.backends.one_thread import POOLS

ROOT = Path(__file__).resolve().parents[2]
PARTS = 8
HEAVY = {"numpy", "scipy", "sympy", "numba", "matplotlib", "pandas"}


def _modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_importing_the_package_imports_nothing_heavy() -> None:
    loaded = _modules_after("import seqlang")
    assert not loaded & (HEAVY | {"lark", "rich", "argparse"})


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, PARTS))])
def test_check_imports_nothing_heavy(part: int) -> None:
    """Every spec of the tests family whose claims are about the worst case: the others need an exact law."""
    files = [str(p) for folder in ("tight", "refuted", "michel2025", "wald1945", "dwork2014")
             for p in sorted((ROOT / "specs" / folder).glob("*.seq"))
             if " under " not in p.read_text(encoding="utf-8")]  # fmt: skip
    assert len(files) >= 15
    files = files[part::PARTS]
    loaded = _modules_after(
        f"import io, contextlib\nfrom seqlang.cli.__main__ import main\n"
        f"with contextlib.redirect_stdout(io.StringIO()): code = main(['check', *{files!r}])\nassert code == 0, code"
    )
    assert not loaded & HEAVY, loaded & HEAVY


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads as Linux lists them")
@pytest.mark.parametrize("words", [["check", "@zhang2022/privsprt_bernoulli"], ["solve", "@wald1945/sprt"]])
def test_no_thread_is_started_for_linear_algebra(words: list[str]) -> None:
    """They would take CPU time while they wait for work that never comes. (With one core none is started anyway.)"""
    code = (
        f"import os, sys\nos._exit = lambda code: None\nsys.argv = {['seqlang', *words]!r}\n"
        "from seqlang.cli.__main__ import main\nmain()\n"
        "print(len(os.listdir('/proc/self/task')), 'numpy' in sys.modules)"
    )
    environment = {k: v for k, v in os.environ.items() if k not in POOLS}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "1 True"


@pytest.mark.parametrize("watched", [True, False])
def test_a_check_ends_at_once_unless_it_is_watched(watched: bool, tmp_path: Path) -> None:
    """A profiler writes its file when the interpreter ends; else nobody waits for that."""
    profile = tmp_path / "profile"
    watch = ["-m", "cProfile", "-o", str(profile)] if watched else []
    handler = "import atexit; atexit.register(print, 'the interpreter ended')\n"
    (tmp_path / "sitecustomize.py").write_text(handler, encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *watch, "-m", "seqlang", "check", "@tight/one_sided"], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "proved" in done.stdout
    assert ("the interpreter ended" in done.stdout) == watched == profile.is_file()
