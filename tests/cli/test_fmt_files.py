"""What `fmt` does to the file besides its text: nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main

UGLY = "algorithm   a\nstop   when step>=3\n"


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_modes_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.seq"
    path.write_text(UGLY)
    for mode in (0o640, 0o755, 0o600):
        path.write_text(UGLY)
        path.chmod(mode)
        assert main(["fmt", str(path)]) == 0
        assert path.read_text() != UGLY
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_links_stay(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    path, link, second = folder / "a.seq", tmp_path / "link.seq", tmp_path / "second.seq"
    path.write_text(UGLY)
    link.symlink_to(Path("elsewhere") / "a.seq")
    second.symlink_to(link)
    assert main(["fmt", str(second)]) == 0
    assert second.is_symlink() and link.is_symlink() and not path.is_symlink()
    assert "stop when step >= 3" in path.read_text()
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.seq", "elsewhere", "link.seq", "second.seq"]
