"""Derived shifts hold on neighbours that are tried, of random statistics and of the library; those that are made too
small are noticed, so that silence means something."""

from __future__ import annotations

import random
import sys
from math import inf
from pathlib import Path

import pytest
from thorough import several

from seqlang import driver
from seqlang.analyses.shifts import statistics
from seqlang.analyses.trials import failures, trials
from seqlang.analyses.trials.claimed import Claimed, claimed
from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Expression
from seqlang.model.program import Program
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.shift import Shift
from seqlang.source import Source

sys.path.insert(0, str(Path(__file__).parents[1] / "rules" / "sensitivity"))

from neighbouring import ADJACENT
from small_statistics import draw, text_of

WORK = 30_000
PROGRAMS = several(24, 60)
FORGIVEN = 8 * PROGRAMS // 60  # whose bounds are more than twice what their statistics do
DOMAINS = ("{-1, 0, 2}", "[-1, 2]", "-1..2")
BOUNDED = 46 * PROGRAMS // 60  # of the programs have a statistic that moves, and not without bound


def _random_program(seed: int) -> Program:
    rng = random.Random(seed)
    text = text_of(rng.choice(sorted(ADJACENT)), draw(rng)[0], rng.choice(DOMAINS))
    return driver.load(Source(f"program {seed}", text)).program


def _smaller(program: Program, expression: Expression, revealed: frozenset[str]) -> Claimed | None:
    """Less than half of what is derived."""
    found = claimed(program, expression, revealed)
    if found is None:
        return None
    return Claimed(found.kind, tuple((n, 0.45 * r) for n, r in found.radii), found.onset, found.report, found.sign)


def test_shifts_of_random_statistics_hold() -> None:
    for seed in range(PROGRAMS):
        assert failures(_random_program(seed), work=WORK) == (), f"seed {seed}"


def _is_bounded(program: Program, shift: Shift) -> bool:
    return 0 < enclose(shift.radius, parameter_values(program)).high < inf


def test_shifts_that_are_too_small_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "claimed", _smaller)
    bounded = [p for p in map(_random_program, range(PROGRAMS)) if any(_is_bounded(p, s.shift) for s in statistics(p))]
    assert len(bounded) >= BOUNDED
    missed = [p for p in bounded if not failures(p, work=WORK)]
    assert len(missed) <= FORGIVEN, missed


@pytest.mark.long
def test_shifts_of_the_library_are_really_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """That they hold is seen by every check of a spec; here, that too small ones would be noticed."""
    monkeypatch.setattr(trials, "claimed", _smaller)
    names = sorted(driver.library())[::3]
    missed = [name for name in names if not failures(driver.load(driver.read(f"@{name}")).program)]
    assert len(missed) <= len(names) / 6, missed


@pytest.mark.long
def test_shifts_of_many_random_statistics_hold() -> None:
    for seed in range(PROGRAMS, 5000):
        assert failures(_random_program(seed), work=10 * WORK) == (), f"seed {seed}"
