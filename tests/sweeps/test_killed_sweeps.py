"""A sweep that is killed goes on where it was: nothing done twice, nothing lost, the same table in the end."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sweep_command import run, spec, start

GRID = ("--sweep", "a=8,9,10,11,12", "--sweep", "p=0.3,0.45", "--runs", "10000", "--exact")
UNITS = 5 * 2 * 2 * 2  # values of a, of p, models, and each simulated and solved


def _finished(store: Path) -> int:
    try:
        with closing(sqlite3.connect(store, timeout=10)) as database:
            return int(database.execute("select count(*) from finished").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def _wait(ready: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while not ready():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)


def _times(store: Path) -> dict[str, str]:
    """What is stored, times of computation included: a unit that is done again would have another."""
    with closing(sqlite3.connect(store)) as database:
        return dict(database.execute("select key, answer from finished"))


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.long), "2"])
def test_killed_and_resumed_is_the_same_table(workers: str, tmp_path: Path) -> None:
    file = spec(tmp_path)
    whole = run(file, *GRID, "--workers", workers, "--output", str(tmp_path / "whole.csv"))
    assert whole.returncode == 0, whole.stderr

    store = tmp_path / "done.sqlite"
    command = (file, *GRID, "--workers", workers, "--store", str(store), "--output", str(tmp_path / "parts.csv"))
    kept: dict[str, str] = {}
    for least in (3, 9):
        with start(*command) as process:
            _wait(lambda least=least: _finished(store) >= least, process)
            process.kill()
            process.communicate()
        before, kept = kept, _times(store)
        assert before.items() <= kept.items()
        assert least <= len(kept) < UNITS
    assert not (tmp_path / "parts.csv").exists()

    last = run(*command)
    assert last.returncode == 0, last.stderr
    assert last.stdout == whole.stdout
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    after = _times(store)
    assert len(after) == UNITS
    assert kept.items() <= after.items()  # nothing was done twice


def test_two_sweeps_share_a_store(tmp_path: Path) -> None:
    """Both tables are whole and equal, and no unit was computed by both: what a process computes it says in the store,
    and the second finds all that the first has."""
    store = tmp_path / "done.sqlite"
    command = (spec(tmp_path), *GRID, "--workers", "1", "--store", str(store))
    with start(*command) as first, start(*command) as second:
        outs = [process.communicate(timeout=120) for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], outs
    assert outs[0][0] == outs[1][0]
    assert len(outs[0][0].splitlines()) > 16
    assert _finished(store) == UNITS


def test_ctrl_c_shows_what_is_finished_and_keeps_it(tmp_path: Path) -> None:
    store = tmp_path / "done.sqlite"
    command = (spec(tmp_path), "--sweep", "a=3,4,5,1e9", "--runs", "1000", "--workers", "2", "--store", str(store))
    with start(*command) as process:  # the last two units never end
        _wait(lambda: _finished(store) == 6, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "6 of 8 rows" in out
    assert "go on with the same command" in err
    assert "Traceback" not in err
    assert _finished(store) == 6


def test_no_process_outlives_a_sweep_that_was_killed(tmp_path: Path) -> None:
    with start(spec(tmp_path), "--sweep", "a=1e9,2e9", "--runs", "100", "--workers", "2") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.parent.exists():
            pytest.skip("no /proc here")
        _wait(lambda: len(children.read_text().split()) == 2, process)
        numbers = children.read_text().split()
        process.kill()
        process.communicate()
    until = time.monotonic() + 120
    while any(_runs(number) for number in numbers):
        assert time.monotonic() < until
        time.sleep(0.05)


def _runs(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
