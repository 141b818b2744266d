"""Results reach every stdout, and what a user wrote is obeyed by no terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from thorough import spread

from seqlang.cli.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
TITLE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eépée ≤ ∞"
SPEC = f"""\
algorithm a "{TITLE}"
param eps > 0 = 1
stream x in {{0, 1}}
model m: x ~ bernoulli(0.5)
statistic s = sum(x over steps)
report r = s when step >= 2
stop when step >= 2 return done
attach laplace(1 / eps) to s
claim strong pure(eps) "{TITLE}"
claim probability(done) >= 1 under m "{TITLE}"
"""
OBEYED = ("\x1b", "\x07", "\x9b", "\u202e")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.seq"
    path.write_text(SPEC, encoding="utf-8")
    return str(path)


def run(*words: str, encoding: str = "utf-8", **more: object) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "110"}
    return subprocess.run(
        [sys.executable, "-m", "seqlang", *words], cwd=ROOT, timeout=120, env=environment,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
    )  # fmt: skip


@pytest.mark.parametrize("encoding", spread(["cp1252", "latin-1", "ascii", "utf-16"], 2))
def test_every_encoding(encoding: str, file: str) -> None:
    done = run("check", file, "--explain", encoding=encoding)
    assert done.returncode in (0, 1), done.stderr
    said = done.stdout.decode(encoding)
    assert "claim strong pure(eps)" in said and "Derivation" in said
    if encoding == "ascii":
        assert "epee <= inf" in said
        assert "+-" in said  # branches of the derivation
    if encoding == "cp1252":
        assert "épée <= inf" in said


def test_json_is_the_same_in_every_encoding(file: str) -> None:
    plain, small = (run("solve", file, "--json", encoding=e) for e in ("utf-8", "ascii"))
    assert plain.returncode == small.returncode == 0
    one, other = (json.loads(done.stdout.decode()) for done in (plain, small))
    assert {**one, "seconds": 0} == {**other, "seconds": 0}
    checked = run("check", file, "--json", encoding="ascii")
    assert json.loads(checked.stdout.decode())["claims"][0]["label"] == TITLE
    assert not any(c in checked.stdout.decode() for c in OBEYED)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk(file: str) -> None:
    with open("/dev/full", "wb") as full:
        done = run("check", file, stdout=full)
        assert done.returncode == 2
        assert done.stderr.decode() == "error: the results cannot be written: No space left on device\n"
        assert run("solve", file, "--json", stdout=full).returncode == 2
        assert run("check", "nothing.seq", stderr=full).returncode == 2
        assert run("specs", stdout=full, stderr=full).returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_closed_stdout(file: str) -> None:
    for redirect, code in ((">&-", 0), ("2>&-", 0), (">&- 2>&-", 0)):
        shell = f'"{sys.executable}" -m seqlang solve "{file}" {redirect}'
        assert subprocess.run(shell, shell=True, cwd=ROOT, capture_output=True, timeout=120).returncode == code


@pytest.mark.parametrize("words", [["check", "--explain"], ["run", "--runs", "5"], ["solve"], ["check", "--json"],
                                   ["check", "--suite"]])  # fmt: skip
def test_titles_in_a_pipe(words: list[str], file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([words[0], file, *words[1:]]) in (0, 1)
    said = capsys.readouterr()
    assert not any(c in said.out + said.err for c in OBEYED)


def test_titles_on_a_terminal(file: str) -> None:
    from io import StringIO

    import seqlang
    from seqlang.report.document.rich_text import show

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    show(seqlang.check(file).document(True), screen)
    ours = screen.getvalue()
    assert "owned" in ours
    assert "\x1b]" not in ours and "\x1b[2J" not in ours and "\x07" not in ours and "\x9b" not in ours


def test_names_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\x1b[2J\x9b31m.seq"
    path.write_text("algorithm   a\nstop\n", encoding="utf-8")
    assert main(["fmt", "--check", str(path)]) == 1
    assert main(["fmt", str(path)]) == 0
    assert main(["check", f"{path}x"]) == 2
    assert main([f"{path}"]) == 2
    said = capsys.readouterr()
    assert not any(c in said.out + said.err for c in OBEYED)


def test_data_in_errors(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("x\n\x1b[2J\x9b31m\n", encoding="utf-8")
    assert main(["run", file, "--data", str(rows)]) == 2
    said = capsys.readouterr()
    assert "E0613" in said.err
    assert not any(c in said.out + said.err for c in OBEYED)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device that never ends")
@pytest.mark.parametrize("words", [["check", "/dev/zero"], ["fmt", "--check", "/dev/zero"],
                                   ["run", "@wald1945/sprt", "--data", "/dev/zero"],
                                   ["run", "@wald1945/sprt", "--cases", "/dev/zero"]])  # fmt: skip
def test_files_without_an_end(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "/dev/zero" in capsys.readouterr().err
