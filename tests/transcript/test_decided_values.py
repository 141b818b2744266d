"""Events about values that comparisons decide: what is seen is the value, and the report is made whatever it is."""

from __future__ import annotations

from math import exp

import pytest
from scipy.stats import laplace, norm

from seqlang.analyses.refute import lower_bound
from seqlang.analyses.witnesses.confirm import log_chance
from seqlang.backends.transcript.follow import Follower
from seqlang.backends.transcript.integrals.quadrature import FINE
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.driver import load
from seqlang.model.program import Program
from seqlang.proof.witness import Event
from seqlang.source import Source

LOW, HIGH = laplace.cdf(1), laplace.sf(1)
"""The chances that 0 with Laplace noise of scale 1 is below 1, and that it is not."""


def loaded(text: str) -> Program:
    return load(Source("a.seq", f"algorithm a\nstream x in {{0, 1}}\n{text}\n")).program


def chance(text: str, event: Event, *stream: int) -> float:
    return exp(log_chance(Follower(loaded(text)), stream, event, FINE).log)


TWO = "statistic s = x\nstatistic t = x\n{}\nattach laplace(1) to s\nattach laplace(1) to t"
ALIKE = TWO.format("report A = if s >= 1 then 3 else if t >= 1 then 4 else 3\nstop when step >= 1")
LATER = TWO.format(
    "memory w = 0\nreport A = if s >= 1 then 3 else 4\nupdate w = A\nreport B when t >= w - 3\nstop when step >= 1"
)


def test_two_ways_to_one_value() -> None:
    assert chance(ALIKE, Event(stopped_at=1, reports=((1, "A", 3),)), 0) == pytest.approx(HIGH + LOW * LOW)
    assert chance(ALIKE, Event(stopped_at=1, reports=((1, "A", 4),)), 0) == pytest.approx(LOW * HIGH)
    assert chance(ALIKE, Event(stopped_at=1, reports=((1, "A", 5),)), 0) == 0.0
    assert chance(ALIKE, Event(stopped_at=1, reports=((1, "A", True),)), 0) == pytest.approx(1.0)


def test_a_value_is_reported_whatever_it_is() -> None:
    assert chance(ALIKE, Event(stopped_at=1), 0) == 0.0
    text = "statistic s = x\nreport R = s >= 1\nstop when step >= 2\nattach laplace(1) to s"
    false = tuple((step, "R", 0) for step in (1, 2))
    assert chance(text, Event(stopped_at=2, reports=false), 0, 0) == pytest.approx(LOW * LOW)
    assert chance(text, Event(stopped_at=2), 0, 0) == 0.0


def test_memory_holds_the_value() -> None:
    said = ((1, "A", 4),)
    assert chance(LATER, Event(stopped_at=1, reports=said), 0) == pytest.approx(LOW * LOW)
    assert chance(LATER, Event(stopped_at=1, reports=(*said, (1, "B", True))), 0) == pytest.approx(LOW * HIGH)


@pytest.mark.parametrize(
    "shown, seen", [("if s >= 1 then 3 else 4", 3), ("s >= 1", 1), ("if s >= 1 then a else b", "a")]
)
def test_a_returned_value(shown: str, seen: object) -> None:
    text = f"statistic s = x\nstop when step >= 1 return {shown}\nattach laplace(1) to s"
    assert chance(text, Event(stopped_at=1, result=seen), 0) == pytest.approx(HIGH)


def test_what_runs_since_a_truth_value_begins_anew_in_every_step() -> None:
    """Two noises of the threshold, two of the statistic, which is 0 and then 0 again."""
    text = (
        "param T = 1\nstatistic s = sum(1 since R)\nreport R = s > T + 1\nstop when step >= 2\n"
        "attach gaussian(2) to s\nattach gaussian(1) to T each R"
    )
    false = tuple((step, "R", 0) for step in (1, 2))
    below = norm.cdf(1 / 5**0.5)
    assert chance(text, Event(stopped_at=2, reports=false), 0, 0) == pytest.approx(below**2)


def test_a_condition_and_a_value_that_noise_decides() -> None:
    text = TWO.format("report R = s >= 1 when t >= 1\nstop when step >= 1")
    assert chance(text, Event(stopped_at=1), 0) == pytest.approx(LOW)
    assert chance(text, Event(stopped_at=1, reports=((1, "R", 0),)), 0) == pytest.approx(HIGH * LOW)
    assert chance(text, Event(stopped_at=1, reports=((1, "R", 1),)), 0) == pytest.approx(HIGH * HIGH)


def test_a_choice_of_what_may_be_no_number_is_refused() -> None:
    with pytest.raises(Unsupported):
        chance("memory w = 0\n" + ALIKE.replace("then 4", "then w"), Event(stopped_at=1), 0)


def test_no_position_is_0() -> None:
    text = "statistic l = [x, 1]\nreport A = argmax(l)\nstop when step >= 1\nattach laplace(1) to l"
    chances = [chance(text, Event(stopped_at=1, reports=((1, "A", place),)), 1) for place in (0, 1, 2, 1.5, 3)]
    assert chances == [0.0, pytest.approx(0.5), pytest.approx(0.5), 0.0, 0.0]


@pytest.mark.parametrize("at", ["x", "x - 1", "x + 0.5"])
def test_a_position_before_the_start_of_a_list_has_no_value(at: str) -> None:
    text = f"statistic s = [5, 7][{at}]\nstop when step >= 1 return s\nattach laplace(1) to s"
    with pytest.raises(Unsupported):
        chance(text, Event(stopped_at=1, result=(7.0, float("inf"))), 0)


def test_no_report_below_a_stop_is_made_in_its_step() -> None:
    """The event holds where `x` is below 1 and then stops at the end of the step, and not where the first stop ends
    it."""
    text = "statistic s = x\nstop when s >= 1\nreport R when step == 1\nstop when step == 1\nattach laplace(1) to s"
    assert chance(text, Event(stopped_at=1, reports=((1, "R", True),)), 0) == pytest.approx(LOW)
    assert chance(text, Event(stopped_at=1), 0) == pytest.approx(HIGH)


def test_equal_values_tell_nothing() -> None:
    """The first program shows 3 whatever the data are, the second one something."""
    text = "adjacent replace one\nstatistic s = x\nreport A = if s >= 1 then 3 else {}\nstop when step >= 1\n"
    text += "attach laplace(1) to s"
    assert lower_bound(loaded(text.format(3))) is None
    found = lower_bound(loaded(text.format(4)))
    assert found is not None and found.loss == pytest.approx(1.0, abs=1e-3)
