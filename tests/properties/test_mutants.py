"""Wrong rules are noticed: each is planted in trusted code, and the check of a small program must contradict itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutants import MUTANTS, Mutant, plant

from seqlang import driver
from seqlang.driver.contradicted import Contradicted
from seqlang.source import Source

ROOMS = {"rules.sensitivity", "rules.alignment", "rules.composition", "rules.mechanism", "rules.stopping", "accounting"}


def _checked(mutant: Mutant) -> None:
    text = f'algorithm planted "{mutant.name}"\n{mutant.body}\n'
    driver.check(driver.load(Source("planted.seq", text)))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_a_wrong_rule_is_noticed(mutant: Mutant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    _checked(mutant)  # nothing is wrong yet
    planted = plant(monkeypatch, mutant)
    with pytest.raises(Contradicted) as raised:
        _checked(mutant)
    assert planted.changed, "the wrong rule was never asked, or was right"
    assert raised.value.contradictions
    assert raised.value.reproducer is not None
    assert mutant.body in raised.value.reproducer.read_text(encoding="utf-8")
