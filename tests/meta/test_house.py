"""The rules of the house, run with the tests: types, lint, import contracts, the wheel, no private paths."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(sys.executable).parent


def _run(*command: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **options)


def test_types() -> None:
    done = _run(sys.executable, "-m", "mypy")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", [("check", "."), ("format", "--check", ".")])
def test_ruff(command: tuple[str, ...]) -> None:
    done = _run(sys.executable, "-m", "ruff", *command)
    assert done.returncode == 0, done.stdout + done.stderr


def test_import_contracts() -> None:
    done = _run(str(SCRIPTS / "lint-imports"), env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_private_paths_or_leftovers() -> None:
    """Tracked text names no path of a machine, and no code is left unfinished."""
    words = re.compile(r"/work/|/root/|\b(TODO|FIXME|XXX)\b|NotImplementedError")
    names = _run("git", "ls-files").stdout.split()
    if not names:
        pytest.skip("not a git checkout")
    found = []
    for name in names:
        path = ROOT / name
        if (
            path.suffix in {".py", ".md", ".seq", ".toml", ".lark", ".txt"}
            and path.is_file()
            and path != Path(__file__)
        ):
            found += [f"{name}: {m[0]}" for m in words.finditer(path.read_text(encoding="utf-8"))]
    assert not found, found


def test_modules_of_tests_have_names_of_their_own() -> None:
    """Two files of one name in folders that are no packages cannot be collected together."""
    loose = [p for p in (ROOT / "tests").rglob("*.py") if not (p.parent / "__init__.py").is_file()]
    names = [p.name for p in loose if p.name != "conftest.py"]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_no_python_where_data_lies() -> None:
    assert not [*(ROOT / "specs").rglob("*.py"), *(ROOT / "grammars").rglob("*.py")]


def test_the_wheel_works_outside_the_checkout(tmp_path: Path) -> None:
    """Builds the wheel, unpacks it elsewhere, and checks a library spec and runs a tour from there."""
    done = _run(sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(site)
    assert any(n.startswith("seqlang/_data/specs/tight/") for n in names)
    assert "seqlang/_data/grammars/seq.lark" in names
    assert "seqlang/py.typed" in names  # PEP 561: the types are for users too
    assert not [n for n in names if n.endswith(".report.txt") or "/specs/sources" in n]
    env = {**os.environ, "PYTHONPATH": str(site)}
    for command, wanted in (
        (["cli", "check", "@tight/one_sided"], "max(D/lz, D/lw)"),
        (["cli", "explain", "E0101"], "E0101"),
        (["cli", "run", "@wald1945/sprt", "--runs", "50", "--model", "null"], "reject"),
        (["tours"], "private_ftal"),
        (["tours", "broken_on_purpose"], "no noise on the total: refuted"),
    ):
        module, *words = command
        shown = subprocess.run(
            [sys.executable, "-m", f"seqlang.{module}", *words], cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert shown.returncode == 0, shown.stderr
        assert wanted in shown.stdout
