"""Wrong rules are noticed: each is planted in trusted code, and the check of a small program must contradict itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_faults import MUTANTS, Mutant, plant

from seqlang import driver
from seqlang.driver import Loaded
from seqlang.driver.contradicted import Contradicted
from seqlang.source import Source

ROOMS = {
    "rules.sensitivity", "rules.alignment", "rules.reading", "rules.composition", "rules.gates", "rules.mechanism",
    "rules.joint", "rules.stopping", "accounting",
}  # fmt: skip


def _loaded(mutant: Mutant) -> Loaded:
    """Anew each time: what was derived of a program is kept with it."""
    return driver.load(Source("planted.seq", f'algorithm planted "{mutant.name}"\n{mutant.body}\n'))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
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


def test_every_room_has_a_mutant() -> None:
    assert len({m.name for m in MUTANTS}) == len(MUTANTS) >= 20
    assert {m.room for m in MUTANTS} == ROOMS
