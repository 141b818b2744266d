"""Only files of the chosen folder are read, and the token's file is the user's alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from seqlang.diagnostics import SpecError
from seqlang.studio import secret

session = pytest.importorskip(
    "seqlang.studio.session", reason="the extra `studio` is not installed", exc_type=ImportError
)


def test_files_of_the_folder_and_no_others(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "a.seq").write_text("algorithm a\n")
    (tmp_path / "secret.seq").write_text("algorithm s\n")
    (folder / "link.seq").symlink_to(tmp_path / "secret.seq")
    (folder / "b.txt").write_text("no spec")
    assert session.text_of("a.seq", folder) == "algorithm a\n"
    for name in ("../secret.seq", str(tmp_path / "secret.seq"), "link.seq", "b.txt", "", ".", "a.seq\0", "x" * 5000):
        with pytest.raises(SpecError):
            session.text_of(name, folder)
    for name in ("@../../etc/passwd", "@", "@no/such"):
        with pytest.raises(SpecError):
            session.text_of(name, folder)


def test_the_token_is_kept_and_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQLANG_CACHE", str(tmp_path))
    first = secret.token()
    file = tmp_path / "seqlang" / "studio-token"
    assert len(first) == 43 and secret.token() == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert secret.token(new=True) != first
    for spoil in (lambda: file.chmod(0o644), lambda: file.write_text("short"), lambda: os.replace(_link(file), file)):
        before = secret.token()
        spoil()
        assert secret.token() != before


def _link(file: Path) -> Path:
    other, link = file.with_name("other"), file.with_name("link")
    other.write_text("x" * 43)
    other.chmod(0o600)
    link.symlink_to(other)
    return link
