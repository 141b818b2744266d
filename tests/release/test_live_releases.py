"""Rows that are added while a release runs: they are read at public times, whole lines only, from one file."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from released import BLOCK, THRESHOLD, ledger, program, terms_of

from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError
from seqlang.release.ledger.book import Book
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.live import Line, Waiting, growing, piped
from seqlang.release.releasing import release
from seqlang.release.rows import Form, Rows
from seqlang.release.verification import faults_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What is slept, at a time that stands still."""
    slept: list[float] = []
    monkeypatch.setattr(time, "time", lambda: 1_000_007.25)
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


def until_now(lines: Iterator[Line]) -> list[str]:
    """The lines that come before the next wait."""
    found: list[str] = []
    for line in lines:
        if isinstance(line, Waiting):
            break
        found.append(line)
    return found


def test_whole_lines_are_read_at_public_times(tmp_path: Path, asleep: list[float]) -> None:
    file = tmp_path / "rows"
    file.write_bytes(b"x\n1\n0")
    lines = growing(file, 5)
    assert until_now(lines) == ["x", "1"] and not asleep
    for added, come in ((b"", []), (b"1", []), (b"2\n3\n\n", ["012", "3", ""]), (b"\xff\0\n7", ["\ufffd "])):
        with file.open("ab") as out:
            out.write(added)
        assert until_now(lines) == come
    assert asleep == [2.75] * 4  # to the next whole multiple of 5 seconds, once a look at the file


@pytest.mark.parametrize(("how", "said"), [
    (lambda file: os.truncate(file, 3), "is shorter than it was"),
    (lambda file: os.truncate(file, 0), "is shorter than it was"),
    (lambda file: file.unlink(), "is not there any more"),
    (lambda file: (file.rename(f"{file}.old"), file.write_bytes(b"x\n1\n1\n1\n1\n")), "another file"),
])  # fmt: skip
def test_a_file_that_is_not_added_to(
    tmp_path: Path, asleep: list[float], how: Callable[[Path], object], said: str
) -> None:
    file = tmp_path / "rows"
    file.write_bytes(b"x\n1\n1\n")
    lines = growing(file, 1)
    assert until_now(lines) == ["x", "1", "1"]
    how(file)
    with pytest.raises(SpecError, match=said):
        next(lines)
    with pytest.raises(SpecError, match="cannot be read"):
        next(growing(tmp_path / "none", 1))


@pytest.mark.parametrize(("every", "last"), [(None, ["4"]), (5, [])])
def test_a_pipe(asleep: list[float], every: float | None, last: list[str]) -> None:
    """With public times a line without newline was not written to its end."""
    out, into = os.pipe()
    os.write(into, b"x\n1\n2")
    lines = piped(out, every)
    assert until_now(lines) == ["x", "1"]
    os.write(into, b"\n3\n4")
    assert until_now(lines) == ["2", "3"]
    os.close(into)
    assert list(lines) == last
    assert asleep == ([] if every is None else [2.75] * 2)
    os.close(out)


def test_a_silence_is_written_when_no_more_rows_are_there(tmp_path: Path, asleep: list[float]) -> None:
    """And the release goes on from there; a file that is shorter than what was read is refused."""
    file, book, coins = tmp_path / "rows", ledger(tmp_path / "l"), random.Random(1).randrange
    file.write_bytes(b"x\n1\n1\n")

    class Away(Exception):
        pass

    def rows(more: bytes) -> Iterator[object]:
        for row in Rows(program(BLOCK), growing(file, 1), "rows", Form()):
            yield row
            if isinstance(row, Waiting):
                if not more:
                    raise Away
                with file.open("ab") as out:
                    out.write(more[:2])
                more = more[2:]

    for more, steps in ((b"", [2]), (b"1\n", [2, 3]), (b"0\n0\n", [2, 3, 4, 5])):
        with pytest.raises(Away):
            release(terms_of(BLOCK, book), book, lambda more=more: rows(more), below=coins)
        (charge,) = book.charges.values()
        assert [look["step"] for look in charge.looks] == steps
        assert [bool(look["reports"]) for look in charge.looks] == [step % 3 == 0 for step in steps]
    file.write_bytes(b"x\n1\n1\n1\n")
    with pytest.raises(SpecError, match="rows end before"):
        release(terms_of(BLOCK, book), book, lambda: rows(b""), below=coins)


def written_by_another(file: Path, *parts: str) -> None:
    """Each part by itself."""
    text = "import sys, time\nfor part in sys.argv[2:]:\n open(sys.argv[1], 'a').write(part); time.sleep(0.02)\n"
    subprocess.run([sys.executable, "-c", text, file, *parts], check=True)


def soon(there: Callable[[], object]) -> None:
    for _ in range(600):
        if there():
            return
        time.sleep(0.05)
    raise AssertionError("not within 30 seconds")


def test_a_process_that_follows_what_another_one_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = BLOCK.replace(">= 4", ">= 24").replace("<= -4", "<= -24")  # not in the first look, but for 1 in 3,000
    (tmp_path / "t.seq").write_text(text)
    file, where = tmp_path / "rows", tmp_path / "l"
    ledger(where).store.close()
    file.write_text("x\n1\n1\n")
    words = ["release", str(tmp_path / "t.seq"), "--data", str(file), "--ledger", str(where)]

    def steps() -> list[int]:
        book = Book(SqliteStore(where, reading=True))
        found = [look["step"] for charge in book.charges.values() for look in charge.looks]
        book.store.close()
        return found

    def follow(said: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "seqlang", *words, "--live", "--every", "0.05"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with said.open("wb") as out:
            return subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)

    first = follow(tmp_path / "first")
    soon(lambda: steps() == [2])
    written_by_another(file, "1")
    time.sleep(0.3)
    assert steps() == [2] and (tmp_path / "first").read_text() == ""  # half a line; between looks nothing is told
    written_by_another(file, "\n")
    soon(lambda: steps() == [2, 3])
    soon(lambda: "step 3: block" in (tmp_path / "first").read_text())
    first.send_signal(signal.SIGINT)
    assert first.wait(30) == 0
    told = (tmp_path / "first").read_text().splitlines()
    assert "more rows go on" in told[1]
    second = follow(tmp_path / "second")
    written_by_another(file, *("1\n" * 9 + "1", "\n") * 15)
    assert second.wait(30) == 0
    again = (tmp_path / "second").read_text().splitlines()
    assert again[0] == told[0] and any(line.startswith("stopped at step") for line in again)
    book = Book(SqliteStore(where))
    (charge,) = book.charges.values()
    assert not list(faults_of(book)) and charge.stopped
    shown = [look for look in charge.looks if look["reports"]]
    assert [f"step {look['step']}: block, ones = {look['reports']['ones']}" for look in shown] == again[: len(shown)]
    assert main([*words, "--json"]) == 0  # the file as it is now, read at once
    assert json.loads(capsys.readouterr().out)["looks"] == shown


@pytest.mark.parametrize("live", [[], ["--live", "--every", "0.05"]])
def test_a_named_pipe_is_followed_and_leaves_a_trace(tmp_path: Path, live: list[str]) -> None:
    """Whoever feeds rows through a pipe sees when they were read: a silence is written before more are. Each start is a
    row, and what was silent stays silent."""
    (tmp_path / "t.seq").write_text(THRESHOLD.replace("b = 3", "b = 400"))
    where, pipe = tmp_path / "l", tmp_path / "pipe"
    ledger(where).store.close()
    os.mkfifo(pipe)
    words = ["release", str(tmp_path / "t.seq"), "--data", str(pipe), "--ledger", str(where), *live]

    def steps() -> list[int]:
        book = Book(SqliteStore(where, reading=True))
        found = [look["step"] for charge in book.charges.values() for look in charge.looks]
        book.store.close()
        return found

    environment, rows = {**os.environ, "PYTHONPATH": str(ROOT)}, 0
    for kills in (1, 2, 3):
        command = [sys.executable, "-m", "seqlang", *words]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        with pipe.open("w", buffering=1) as out:
            rows += 1
            out.write("x\n" + "0\n" * rows)
            out.flush()
            soon(lambda rows=rows: steps()[-1:] == [rows])
            process.kill()
            process.wait()
        (charge,) = ledger(where).charges.values()
        assert charge.attempts == kills and [look["step"] for look in charge.looks] == list(range(1, rows + 1))
    assert not list(faults_of(ledger(where)))


def test_no_more_is_taken_out_of_a_pipe_before_a_silence_is_written() -> None:
    """A pipe that is full lets its writer go on when it is read."""
    out, into = os.pipe()
    lines = piped(out)
    os.set_blocking(into, False)
    filled = os.write(into, b"x\n" + b"1\n" * 10**6)
    taken = 0
    for line in lines:
        taken += not isinstance(line, Waiting)
        if isinstance(line, Waiting):
            break
        if taken == 3:
            os.write(into, b"0\n" * 9)  # there is room again: more has come while these rows are read
    assert taken == (filled + 1) // 2
    assert [next(lines) for _ in range(8)] == ["0"] * 8 or filled % 2
    os.close(into)
    os.close(out)


@pytest.mark.parametrize(("words", "code"), [
    (["--every", "5"], "E0601"), (["--live", "--every", "0"], "E0603"), (["--live", "--every", "often"], "E060"),
])  # fmt: skip
def test_times_that_are_none(tmp_path: Path, words: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.seq").write_text(BLOCK)
    ledger(tmp_path / "l").store.close()
    (tmp_path / "rows").write_text("x\n1\n")
    files = ["--data", str(tmp_path / "rows"), "--ledger", str(tmp_path / "l")]
    assert main(["release", str(tmp_path / "t.seq"), *files, *words]) == 2
    assert code in capsys.readouterr().err
    assert not ledger(tmp_path / "l").charges
