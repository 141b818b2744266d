"""Whatever stands in a spec, in an option, in a file of data, in a store or in a cache: every command ends soon, with
0, 1 or 2, with a word where it is 2, and without a traceback. A fixed budget here; `--long` tries much more, and
`python tests/fuzz/hunt.py` goes on until it is told to end."""

from __future__ import annotations

import random
from pathlib import Path

import forked
import pytest
from attempts import KINDS, TAKE_A_LIMIT, TIME_LIMIT, attempt
from forked import Outcome, carried_out
from mutants import is_spec, syntactic

from seqlang.cli.__main__ import COMMANDS

BATCH = 10
SOON = "1.5"
"""Seconds of CPU that a command of the fixed budget is given."""
BUDGET = {"syntax": 10, "meaning": 4, "settings": 2, "extremes": 4, "data": 5, "store": 5, "options": 6, "kept": 1,
          "kernels": 1}  # fmt: skip
FIRST = 10
"""The first seed: among those below are two that take seconds."""
LONG = {"syntax": 3000, "meaning": 2000, "settings": 2000, "extremes": 2000,
        "data": 1500, "store": 1000, "options": 2000, "kept": 100,
        "kernels": 100}  # fmt: skip


def _hurried(words: list[str]) -> list[str]:
    """Told to end sooner: many attempts take longer than they need to fail, if they do."""
    return [*words[:-1], SOON] if words[-2:-1] == ["--time-limit"] else words


def _tried(kind: str, seeds: range, folder: Path, hurried: bool = False) -> None:
    faults = []
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        words = attempt(kind, seed, place)
        words = _hurried(words) if hurried else words
        outcome = carried_out(words, place)
        if outcome.fault:
            faults.append(f"{kind} {seed}: {outcome.fault}: seqlang {' '.join(words)}\n{outcome.err[-600:]}")
    assert not faults, "\n".join(faults)


def _batches(budget: dict[str, int]) -> list[tuple[str, int, int]]:
    return [
        (kind, first, min(BATCH, count - first)) for kind, count in budget.items() for first in range(0, count, BATCH)
    ]


@pytest.mark.parametrize(("kind", "first", "count"), _batches(BUDGET))
def test_attempts(kind: str, first: int, count: int, tmp_path: Path) -> None:
    _tried(kind, range(FIRST + first, FIRST + first + count), tmp_path, hurried=True)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "first", "count"), _batches(dict.fromkeys(KINDS, FIRST)))
def test_the_first_attempts(kind: str, first: int, count: int, tmp_path: Path) -> None:
    _tried(kind, range(first, first + count), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "first", "count"), _batches(LONG))
def test_many_attempts(kind: str, first: int, count: int, tmp_path: Path) -> None:
    _tried(kind, range(100_000 + first, 100_000 + first + count), tmp_path)


def test_every_kind_is_tried() -> None:
    assert set(BUDGET) == set(LONG) == set(KINDS)


def test_many_mutants_are_valid() -> None:
    """Else only the parser would be tried."""
    assert sum(is_spec(syntactic(random.Random(seed))) for seed in range(60)) > 6


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (Outcome(0, 0.1, "fine", ""), ""),
        (Outcome(2, 0.1, "", "error: no"), ""),
        (Outcome(2, 0.1, "", ""), "without a word"),
        (Outcome(3, 0.1, "", "internal error"), "exit code 3"),
        (Outcome(-11, 0.1, "", ""), "exit code -11"),
        (Outcome(-24, 30.0, "", ""), "hangs"),
        (Outcome(0, 0.1, "", "Traceback (most recent call last)"), "a traceback"),
        (Outcome(0, 0.1, "\x1b[31m", ""), "an escape sequence"),
    ],
)
def test_what_counts_as_a_fault(outcome: Outcome, fault: str) -> None:
    assert fault in outcome.fault and bool(fault) == bool(outcome.fault)


def test_a_hang_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from seqlang.cli import __main__ as door

    def endless(words: list[str]) -> int:
        while True:
            pass

    monkeypatch.setattr(door, "main", endless)
    assert carried_out(["check"], tmp_path, cpu=1).fault.startswith("hangs")


def test_a_process_that_waits_for_ever_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    from seqlang.cli import __main__ as door

    monkeypatch.setattr(forked, "_SLOWER", 0.5)
    monkeypatch.setattr(door, "main", lambda words: time.sleep(60))
    assert carried_out(["check"], tmp_path, cpu=1).fault.startswith("hangs")


def test_what_takes_a_limit_is_given_one(tmp_path: Path) -> None:
    """Each command says in its help whether it takes one; a word that is no command is refused before."""
    for command in COMMANDS:
        outcome = carried_out([command, "--help"], tmp_path)
        assert ("--time-limit" in outcome.out) == (command in TAKE_A_LIMIT), command
    assert attempt("data", 0, tmp_path)[-2:] == ["--time-limit", str(TIME_LIMIT)]


def test_an_exception_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from seqlang.cli import __main__ as door

    monkeypatch.setattr(door, "_dispatch", lambda words: [][1])
    assert carried_out(["check"], tmp_path).fault == "exit code 3"
