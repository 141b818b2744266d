"""The hooks for pre-commit and the workflow of the manual do what they are for, in a repository made for the test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "seqlang/manual/written/guide/in_ci.md").read_text(encoding="utf-8")
GOOD = "algorithm good\n\nparam eps > 0 = 1\n\ndataset x in [0, 1] size 9\nstatistic s = sum(x)\nstop return s\n" + (
    "attach laplace(1 / eps) to s\n\nclaim strong pure(eps)\n"
)
FALSE = GOOD.replace("algorithm good", "algorithm wrong").replace("pure(eps)", "pure(eps / 2)")


def shell(folder: Path, command: str, *, path: str = "") -> subprocess.CompletedProcess[str]:
    names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
    environment = {
        **os.environ,
        **{f"GIT_{name}": "nobody" for name in names},
        "PRE_COMMIT_HOME": str(folder / ".cache"),
    }
    environment["PATH"] = f"{path}:{folder.parent / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    if path:
        environment.pop("PYTHONPATH", None)
    command_ = ["bash", "-euo", "pipefail", "-c", command]
    return subprocess.run(command_, cwd=folder, env=environment, capture_output=True, text=True, timeout=500)


def repository(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = shell(folder, "git init -q && git add -A && git commit -qm 'for a test'")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def program(tmp_path: Path) -> None:
    """`seqlang` on PATH is the one that is tested."""
    file = tmp_path / "bin/seqlang"
    file.parent.mkdir()
    file.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m seqlang "$@"\n', encoding="utf-8")
    file.chmod(0o755)


def workflow() -> list[str]:
    """The commands of the workflow, in their order."""
    (text,) = (block for block in re.findall(r"```yaml\n(.*?)```", GUIDE, re.S) if "runs-on" in block)
    return re.findall(r"^\s*- run: (.*)$", text, re.M)


@pytest.mark.usefixtures("program")
def test_the_workflow(tmp_path: Path) -> None:
    install, *commands = workflow()
    assert install == "pip install seqlang" and len(commands) == 2
    good = repository(tmp_path / "good", {"good.seq": GOOD})
    for command in commands:
        done = shell(good, command)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    bad = repository(tmp_path / "bad", {"good.seq": GOOD, "wrong.seq": FALSE.replace("\n\n", "\n\n\n")})
    layout, claims = (shell(bad, command) for command in commands)
    assert layout.returncode == 1 and layout.stdout.startswith("::error file=wrong.seq,title=layout::")
    assert claims.returncode == 1 and claims.stdout.startswith("::error file=wrong.seq,line=")
    assert "title=refuted" in claims.stdout and "good.seq" not in claims.stdout


@pytest.mark.long
def test_the_workflow_after_its_own_installation(tmp_path: Path) -> None:
    """`pip install` of this checkout into an environment of its own."""
    venv.create(tmp_path / "venv", with_pip=True)
    good = repository(tmp_path / "good", {"good.seq": GOOD})
    binaries = str(tmp_path / "venv/bin")
    for command in [line.replace("install seqlang", f"install -q {ROOT}") for line in workflow()]:
        done = shell(good, command, path=binaries)
        assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("language", ["system", pytest.param("python", marks=pytest.mark.long)])
def test_the_hooks(language: str, tmp_path: Path) -> None:
    """With `system`, pre-commit takes the seqlang that is on PATH and needs no network; with `python`, as the file has
    it, it installs a clone."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert hooks.count("language: python") == 2
    if language == "system":
        source = repository(tmp_path / "hooks", {".pre-commit-hooks.yaml": hooks.replace("python", "system")})
    else:
        done = shell(tmp_path, f"git clone -q {ROOT} hooks")
        source = tmp_path / "hooks"
        assert done.returncode == 0, done.stderr
    revision = shell(source, "git rev-parse HEAD").stdout.strip()
    (config,) = (block for block in re.findall(r"```yaml\n(.*?)```", GUIDE, re.S) if "repos:" in block)
    config = config.replace("ADDRESS", str(source)).replace("VERSION", revision)
    loose = FALSE.replace("\n\n", "\n\n\n")
    project = repository(tmp_path / "project", {".pre-commit-config.yaml": config, "a.seq": GOOD, "b.txt": "no spec"})
    done = shell(project, f"{sys.executable} -m pre_commit run --all-files")
    assert done.returncode == 0 and done.stdout.count("Passed") == 2, done.stdout
    (project / "wrong.seq").write_text(loose, encoding="utf-8")
    done = shell(project, f"git add -A && {sys.executable} -m pre_commit run --all-files")
    assert done.returncode == 1 and done.stdout.count("Failed") == 2, done.stdout
    assert (project / "wrong.seq").read_text(encoding="utf-8") == FALSE  # laid out by the first hook
    assert "refuted" in done.stdout
