"""Wrong rules are noticed: each is planted in trusted code, and the check of a small program must contradict itself, or
what it proves must contradict the law of the program, of which every draw is gone through."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from enumeration import loss_of
from planted_faults import MUTANTS, Mutant, plant

from seqlang import driver
from seqlang.analyses.prove import size_of
from seqlang.driver import Loaded
from seqlang.driver.contradicted import Contradicted
from seqlang.source import Source

ROOMS = {
    "rules.sensitivity", "rules.alignment", "rules.reading", "rules.composition", "rules.mechanism", "rules.stopping",
    "accounting",
}  # fmt: skip
ENOUGH = 1e-9


def _loaded(mutant: Mutant) -> Loaded:
    """Anew each time: what was derived of a program is kept with it."""
    return driver.load(Source("planted.seq", f'algorithm planted "{mutant.name}"\n{mutant.body}\n'))


def _proved(mutant: Mutant) -> float:
    result = driver.check(_loaded(mutant))
    return inf if result.bounds.pure is None else size_of(result.program, result.bounds.pure)


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if not m.entries], ids=lambda m: m.name)
def test_the_check_contradicts_itself(mutant: Mutant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    driver.check(_loaded(mutant))  # nothing is wrong yet
    planted = plant(monkeypatch, mutant)
    with pytest.raises(Contradicted) as raised:
        driver.check(_loaded(mutant))
    assert planted.changed, "the wrong rule was never asked, or was right"
    assert raised.value.contradictions
    assert raised.value.reproducer is not None
    assert mutant.body in raised.value.reproducer.read_text(encoding="utf-8")


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m.entries], ids=lambda m: m.name)
def test_all_draws_contradict_the_proof(mutant: Mutant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    true = loss_of(_loaded(mutant).program, "x", (0, 1), 3, mutant.entries)
    assert true <= _proved(mutant) + ENOUGH
    planted = plant(monkeypatch, mutant)
    assert true > _proved(mutant) + ENOUGH
    assert planted.changed, "the wrong rule was never asked, or was right"


def test_every_room_has_a_mutant() -> None:
    assert len({m.name for m in MUTANTS}) == len(MUTANTS) >= 20
    assert {m.room for m in MUTANTS} == ROOMS
