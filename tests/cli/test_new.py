"""`seqlang new` writes specs that are proved as they are, laid out as `fmt` lays them out."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqlang import driver
from seqlang.cli.__main__ import main
from seqlang.cli.new import KINDS
from seqlang.source import Source


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_proves(kind: str, folder: Path) -> None:
    assert main(["new", kind, "trial_7"]) == 0
    text = (folder / "trial_7.seq").read_text(encoding="utf-8")
    assert "NAME" not in text and "algorithm trial_7 " in text and text.count("#") >= 8
    result = driver.check(driver.load(Source("trial_7.seq", text)))
    assert result.verdicts and all(v.verdict == "proved" and v.claim.expect is None for v in result.verdicts)
    assert any(v.claim.kind == "strong" for v in result.verdicts)
    assert not result.warnings
    assert main(["fmt", "--check", "trial_7.seq"]) == 0
    commands = [line for line in text.splitlines() if "seqlang check" in line]
    assert commands and all("trial_7.seq" in line for line in commands)


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_simulated(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["new", kind, "a"])
    assert main(["run", "a.seq", "--runs", "3", "--engine", "interpreter", "--cap", "30", "--json"]) == 0


def test_nothing_is_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mine.seq").write_text("mine", encoding="utf-8")
    for name in ("mine", "mine.seq"):
        assert main(["new", "query", name]) == 2
        assert "is there already" in capsys.readouterr().err
    assert (folder / "mine.seq").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "said"),
    [("stop", "word of the language"), ("my-test", "my_test"), ("7", "no digit"), ("no/such/a", "cannot write")],
)
def test_names_that_cannot_be(name: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "test", name]) == 2
    assert said in capsys.readouterr().err
    assert not list(folder.iterdir())


def test_a_folder_and_a_long_name(folder: Path) -> None:
    (folder / "specs").mkdir()
    name = "a_" * 50 + "b"
    assert main(["new", "monitoring", f"specs/{name}"]) == 0
    assert main(["fmt", "--check", f"specs/{name}.seq"]) == 0
