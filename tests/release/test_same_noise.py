"""Record and replay: a release on neighbouring rows with the same random bits makes the same draws, at the same places,
as long as it shows the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from released import AGAIN, BLOCK, HEAD, THRESHOLD, program

from seqlang.driver import library, load, read
from seqlang.model.program import Program
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.run import ExactRun, Look
from seqlang.release.rows import reader_of

STEPS = 12
GUARDED = HEAD + "statistic y = x\nstop when x > 0 and y >= 9\nattach geometric(1/2) to y\n"
MIXED = HEAD + ("statistic y = x\nstop when (if x > 0 then y else 0) >= 3\nreport r when x > 0 or y >= 9\n"
                "attach geometric(1/2) to y\n")  # fmt: skip
OWN = {"block": BLOCK, "threshold": THRESHOLD, "again": AGAIN, "guarded": GUARDED, "mixed": MIXED}


def programs() -> dict[str, Program]:
    """Ours, and every program of the library that is released."""
    found = {name: program(text) for name, text in OWN.items()}
    for name in library():
        made = load(read(f"@{name}")).program
        if not obstacles(made):
            found[name] = made
    return found


class Tape:
    """Random bits, written down by the first run and read by the second."""

    def __init__(self, seed: int) -> None:
        self._coins, self.asked, self._known = random.Random(seed), [], {}

    def below(self, n: int) -> int:
        place = len(self.asked)
        self.asked.append(n)
        kept, value = self._known.setdefault(place, (n, self._coins.randrange(n)))
        return value if kept == n else value % n

    def rewind(self) -> list[int]:
        asked, self.asked = self.asked, []
        return asked


def entry(made: Program, coins: random.Random) -> Mapping[str, Any]:
    """Of the domain."""
    compiler = Compiler(made)
    return {f.name: reader_of(f, compiler, None)(str(coins.choice((-3, -1, 0, 1, 1, 2, 5)))) for f in made.inputs}


def run(made: Program, rows: Sequence[Mapping[str, Any]], tape: Tape) -> list[tuple[Look, int]]:
    """Each look, with how many random bits were asked for before its end."""
    if any(field.kind == "dataset" for field in made.inputs):
        made_run = ExactRun(made, below=tape.below, records={n: tuple(r[n] for r in rows) for n in rows[0]})
        rows = [{}] * STEPS
    else:
        made_run = ExactRun(made, below=tape.below)
    found = []
    for row in rows:
        found.append((made_run.advance(row), len(tape.asked)))
        if made_run.stopped:
            break
    return found


def differs_before_it_shows(made: Program, seed: int) -> bool:
    """Whether the draws differ in a step up to the first one that shows another thing."""
    coins, tape = random.Random(seed), Tape(seed)
    rows = [entry(made, coins) for _ in range(STEPS)]
    neighbour = list(rows)
    neighbour[coins.randrange(STEPS)] = entry(made, coins)
    first, bits = run(made, rows, tape), tape.rewind()
    second = run(made, neighbour, tape)
    for (look, asked), (other, also) in zip(first, second, strict=False):
        if asked != also or bits[:asked] != tape.asked[:also]:
            return True
        if look != other:
            return False
    return len(first) != len(second)


def test_draws_tell_nothing_of_entries() -> None:
    found = programs()
    assert "tight/blocks" in found and "suite/rappor" in found
    for name, made in found.items():
        for seed in range(8):
            assert not differs_before_it_shows(made, seed), name


def lazily(self: Compiler, operator: str, arguments: Any) -> Callable[[Any], bool]:
    parts = [self.compile(argument) for argument in arguments]
    return lambda m: (all if operator == "and" else any)(part(m) for part in parts)


def test_that_draws_which_depend_on_entries_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compiler, "_logic", lazily)
    assert any(differs_before_it_shows(program(GUARDED), seed) for seed in range(40))
