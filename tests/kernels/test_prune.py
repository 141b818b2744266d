"""Which kernels stay in the folder where they are kept."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.compiling.prune import note_use, prune, versions

DAY = 86_400


def _kernel(folder: Path, name: str, days: float, first: str) -> list[Path]:
    """The files of a kernel that was compiled, so many days ago."""
    (folder / "__pycache__").mkdir(exist_ok=True)
    files = [folder / f"seqlang_kernel_{name}.py"]
    files += [folder / "__pycache__" / f"seqlang_kernel_{name}.kernel-9.py311.{end}" for end in ("nbi", "1.nbc")]
    for path in files:
        path.write_text(f"{first}\nimport math\n")
        _aged(path, days)
    return files


def _aged(path: Path, days: float) -> None:
    then = time.time() - days * DAY
    os.utime(path, (then, then))


def test_what_is_not_used_goes(tmp_path: Path) -> None:
    ours, others = versions(), "# seqlang 0.0.1, numba 0.1, Python 3.10.0"
    stay = (
        _kernel(tmp_path, "a", 59, ours) + _kernel(tmp_path, "b", 6, others) + _kernel(tmp_path, "c", 6, "import math")
    )
    go = _kernel(tmp_path, "d", 61, ours) + _kernel(tmp_path, "e", 8, others) + _kernel(tmp_path, "f", 8, "import math")
    used = _kernel(tmp_path, "g", 400, ours)
    note_use(used[0])
    (tmp_path / "tmp1.part").write_text("half")
    (tmp_path / "notes.txt").write_text("not ours")
    _aged(tmp_path / "tmp1.part", 8)
    _aged(tmp_path / "notes.txt", 400)
    prune(tmp_path)
    assert all(path.exists() for path in stay + used)
    assert not any(path.exists() for path in go)
    assert not (tmp_path / "tmp1.part").exists()
    assert (tmp_path / "notes.txt").exists()


def test_use_is_noted_once_a_day_and_not_in_the_kernel_itself(tmp_path: Path) -> None:
    kernel, *_ = _kernel(tmp_path, "a", 30, versions())
    mark, before = kernel.with_suffix(".used"), kernel.stat().st_mtime
    note_use(kernel)
    first = mark.stat().st_mtime
    assert time.time() - first < 60
    _aged(mark, 0.5)
    half_a_day = mark.stat().st_mtime
    note_use(kernel)
    assert mark.stat().st_mtime == half_a_day
    _aged(mark, 2)
    note_use(kernel)
    assert time.time() - mark.stat().st_mtime < 60
    assert kernel.stat().st_mtime == before


def test_another_process_was_faster_or_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _kernel(tmp_path, "a", 61, versions())

    def refused(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "no", str(self)) if self.suffix == ".py" else FileNotFoundError(2, "gone", str(self))

    monkeypatch.setattr(Path, "unlink", refused)
    prune(tmp_path)
    prune(tmp_path / "nowhere")
    note_use(tmp_path / "nowhere" / "seqlang_kernel_a.py")


def test_only_a_kernel_compiled_anew_prunes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pruned: list[Path] = []
    monkeypatch.setattr(build, "_ready", lambda path, further: None)
    monkeypatch.setattr(build, "_folder", lambda: tmp_path)
    monkeypatch.setattr(build, "prune", pruned.append)
    monkeypatch.setattr(build, "_made", {})
    body = "def kernel(k):\n    k[0] = 3.0\n"
    build.compiled(body)
    assert pruned == [tmp_path]
    monkeypatch.setattr(build, "_made", {})  # as in another process
    build.compiled(body)
    assert pruned == [tmp_path]
    (kernel,) = tmp_path.glob("*.py")
    assert kernel.read_text().startswith(versions() + "\n")
    assert kernel.with_suffix(".used").exists()
