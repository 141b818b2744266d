"""`seqlang lsp` without what it needs, and its version."""

from __future__ import annotations

import pytest

from seqlang.cli import lsp
from seqlang.cli.__main__ import main
from seqlang.version import __version__


def test_without_the_extra_it_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lsp, "find_spec", lambda name: None)
    assert main(["lsp"]) == 2
    assert "pip install 'seqlang[editor]'" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lsp", "--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"
