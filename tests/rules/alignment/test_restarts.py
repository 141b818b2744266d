"""Recursions that begin anew after a report: what is recognised, beside differences computed by hand."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import pytest
import reporting_instances

from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.model.expression import Local
from seqlang.model.program import Program
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.motion import folds
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.motion import Motion
from seqlang.rules.sensitivity.motion.motion_of import motion_of
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.restarts import Restart
from seqlang.source import Source

TEXT = """algorithm t
stream x in [0, 1], y in {{0, 1}}
memory raised = false
memory late = true
memory slow = false
draw w ~ laplace(1)
statistic s = {value}
report other when s + w >= 9
report alarm when s + w >= 3
report shown = step >= 2
update raised = alarm
update late = alarm
update slow = alarm when step % 2 == 0
stop when step >= 9
"""
LAST = "previous(s, 0)"


def loaded(value: str) -> Program:
    return driver.load(Source("<test>", TEXT.format(value=value))).program


def motion(value: str) -> Motion:
    facts = facts_of(loaded(value))
    near = neighbours_of(facts)
    assert not isinstance(near, str)
    return motion_of(Entry(facts, near), facts.expand(Local("s")))


@pytest.mark.parametrize(
    ("value", "kind", "report"),
    [
        (f"(if previous(alarm, false) then 0 else {LAST}) + x", "window", "alarm"),
        (f"(if raised then 5 else {LAST}) + x", "window", "alarm"),
        (f"(if not raised then {LAST} else 0) + x", "window", "alarm"),
        (f"max(0, (if raised then 0 else {LAST}) + x - 0.6)", "same sign, not growing", "alarm"),
        (f"if raised then x else {LAST} / 2 + x", "same sign, not growing", "alarm"),
        (f"x - (if raised then 0 else {LAST}) / 2", "arbitrary", "alarm"),
        (f"(if raised or step % 3 == 0 then 0 else {LAST}) + x", "same sign, not growing", "alarm"),
        # not in every step after an alarm, or not known to be
        (f"{LAST} + x", "uniform", None),
        (f"(if late and step > 1 then 0 else {LAST}) + x", "same sign, not growing", None),
        (f"(if slow then 0 else {LAST}) + x", "same sign, not growing", None),
        (f"(if raised and step % 2 == 0 then 0 else {LAST}) + x", "same sign, not growing", None),
        (f"(if previous(raised, false) then 0 else {LAST}) + x", "same sign, not growing", None),
        (f"(if raised then 0 else {LAST}) + {LAST} / 4 - {LAST} / 4 + x", "same sign, not growing", None),
        (f"(if raised then 0 else {LAST} / 2) + {LAST} / 2 + x", "same sign, not growing", None),
        # made in every step, whatever it says
        (f"(if previous(shown, false) then 0 else {LAST}) + x", "same sign, not growing", None),
        (f"(if raised then {LAST} else 0) + x", "same sign, not growing", None),
    ],
)
def test_which_report_ends_a_difference(value: str, kind: str, report: str | None) -> None:
    found = motion(value)
    assert (found.kind, found.report) == (kind, report)


def test_a_private_test_is_no_restart() -> None:
    assert motion(f"(if raised and y == 1 then 0 else clip({LAST}, 0, 1)) + x").report is None


@pytest.mark.parametrize("seed", range(20))
def test_differences_of_random_courses(seed: int) -> None:
    """Given the steps with an alarm, two streams that differ in one entry: one sign, no growth, then nothing."""
    random = Random(seed)
    alarms = {t for t in range(1, 13) if random.random() < 0.3}
    first = [random.randint(0, 4) / 4 for _ in range(12)]
    k = random.randint(1, 12)
    second = [random.randint(0, 4) / 4 if t == k else v for t, v in enumerate(first, 1)]

    def course(entries: list[float]) -> list[float]:
        levels, level = [], 0.0
        for t, entry in enumerate(entries, 1):
            level = max(0.0, (0.0 if t - 1 in alarms else level) + entry - 0.5)
            levels.append(level)
        return levels

    moved = [b - a for a, b in zip(course(first), course(second), strict=True)]
    end = min((t for t in alarms if t >= k), default=12)
    assert all(d == 0 for t, d in enumerate(moved, 1) if t < k or t > end)
    inside = moved[k - 1 : end]
    assert all(abs(b) <= abs(a) and a * b >= 0 for a, b in pairwise(inside))
    assert abs(inside[0]) <= 1


def instance(quantity: str) -> reporting_instances.Instance:
    report = reporting_instances.Report(quantity, "", 0, 1, "z", "w")
    return reporting_instances.Instance("one", (report,), (("z", "R0"),), ("two",), ("1", "1"), 0.25)


def bound(made: reporting_instances.Instance) -> float:
    program = driver.load(Source("<instance>", made.text)).program
    found = prove(program, orders=()).pure
    return math.inf if found is None else size_of(program, found)


def test_a_restart_that_does_not_happen_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle would notice a rule that takes every recursion for one that begins anew."""
    monkeypatch.setattr(reporting_instances, "LENGTH", 5)
    again, ever = instance("alarms"), instance("ever")
    cost = math.log(4)
    assert bound(again) == pytest.approx(2 * cost, rel=1e-9)  # one translation of each noise
    assert reporting_instances.exact_loss(again)[0] <= 2 * cost + 1e-9
    truth = reporting_instances.exact_loss(ever)[0]
    assert 2 * cost < truth <= bound(ever)
    monkeypatch.setattr(folds, "restart_of", lambda entry, body, own: Restart("R0", body))
    assert bound(ever) < truth
