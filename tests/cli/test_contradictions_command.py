"""A result that contradicts itself: exit 3, both numbers, the spec saved, and no verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seqlang.cli.__main__ import main
from seqlang.rules.gates import radius
from seqlang.rules.mechanism import release

RIGHT = 'algorithm right "right"\nstream x in {0, 1}\nreport r = x\nattach laplace(1) to r\nstop when step >= 2\n'
WRONG = (
    RIGHT.replace("right", "wrong").replace("laplace(1)", "laplace(scale)").replace("stream", "param scale = 1\nstream")
)


@pytest.fixture
def half_the_radius(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the program `wrong`: a release costs half of what it should."""
    true = radius.radius_of

    def half(program: Any, *rest: Any) -> Any:
        found = true(program, *rest)
        return found if program.name == "right" or isinstance(found, str) else (found[0] / 2, found[1])

    monkeypatch.setattr(release, "radius_of", half)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.seq").write_text(RIGHT)
    (tmp_path / "wrong.seq").write_text(WRONG)
    return tmp_path


@pytest.mark.parametrize("form", [[], ["--json"], ["--explain"]])
def test_exit_3_and_no_verdict(
    half_the_radius: None, folder: Path, capsys: pytest.CaptureFixture[str], form: list[str]
) -> None:
    assert main(["check", "wrong.seq", "--set", "scale=1/2", *form]) == 3
    out, error = capsys.readouterr()
    assert out == ""
    assert "says at most 1," in error
    assert "says at least 2" in error
    (saved,) = folder.glob("contradiction-wrong-*.seq")
    assert str(saved) in error
    assert "--set scale=1/2" in saved.read_text()


def test_the_saved_spec_brings_it_about_again(
    half_the_radius: None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "wrong.seq"]) == 3
    (saved,) = folder.glob("contradiction-*.seq")
    assert main(["check", str(saved)]) == 3


def test_other_files_are_checked_all_the_same(
    half_the_radius: None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "wrong.seq", "right.seq", "absent.seq", "--json"]) == 3
    out, _ = capsys.readouterr()
    assert '"algorithm": "right"' in out
    assert '"algorithm": "wrong"' not in out


def test_it_is_saved_elsewhere_where_the_folder_is_closed(
    half_the_radius: None, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = folder / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(elsewhere))
    monkeypatch.setattr("os.getcwd", lambda: str(folder / "no such folder"))
    assert main(["check", "wrong.seq"]) == 3
    assert list(elsewhere.glob("contradiction-wrong-*.seq"))
    assert "temporary" in capsys.readouterr().err


def test_laws_are_compared_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from seqlang.analyses.contradictions import law

    text = RIGHT.replace("report", "model m: x ~ bernoulli(1 / 2)\nreport").replace("laplace(1)", "geometric(1 / 2)")
    (folder / "law.seq").write_text(text)
    assert main(["solve", "law.seq"]) == 0
    monkeypatch.setattr(law, "longest_run", lambda program: 1)
    assert main(["solve", "law.seq"]) == 3
    assert "at most 1 steps" in capsys.readouterr().err
