"""Events about values that are clipped, flipped coordinate by coordinate, public, or reported by a noisy condition."""

from __future__ import annotations

from math import exp, log

import pytest
from scipy.stats import laplace, norm

from seqlang.analyses.witnesses.confirm import log_chance
from seqlang.backends.transcript.follow import Follower
from seqlang.backends.transcript.integrals.quadrature import FINE
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.driver import load
from seqlang.proof.entry import Entry
from seqlang.proof.witness import Event
from seqlang.source import Source

INF = float("inf")


def chance(text: str, stream: tuple[Entry, ...], event: Event) -> float:
    program = load(Source("a.seq", f"algorithm a\n{text}\n")).program
    return exp(log_chance(Follower(program), stream, event, FINE).log)


@pytest.mark.parametrize(
    "told, low, high",
    [
        ((-INF, 0.0), -INF, 0.0),
        ((0.5, 2.0), 0.5, 2.0),
        ((0.5, 3.0), 0.5, INF),
        ((0.0, 3.0), -INF, INF),
        ((3.0, INF), 3.0, INF),
        ((-INF, -0.5), 1.0, 1.0),
        ((3.5, 4.0), 1.0, 1.0),
    ],
)
def test_a_clipped_value(told: tuple[float, float], low: float, high: float) -> None:
    text = "stream x in [0, 3]\nstop return clip(x, 0, 3)\nattach laplace(2) to x"
    found = chance(text, (1.0,), Event(stopped_at=1, result=told))
    assert found == pytest.approx(laplace.cdf(high - 1, scale=2) - laplace.cdf(low - 1, scale=2), abs=1e-12)


def test_flips_of_a_list_multiply() -> None:
    text = "dataset bit in {0, 1} size 4\nstop return bit\nattach randomized_response(0.7) to bit"
    found = chance(text, (0, 1, 1, 0), Event(stopped_at=1, result=(0, 1, 0, 0)))
    assert found == pytest.approx(0.7**3 * 0.3)


def test_flips_among_three_values() -> None:
    text = "stream x in {0, 1, 2}\nstop return x\nattach randomized_response(0.6) to x"
    assert chance(text, (1,), Event(stopped_at=1, result=1)) == pytest.approx(0.6)
    assert chance(text, (1,), Event(stopped_at=1, result=2)) == pytest.approx(0.2)


PUBLIC = "stream x in [0, 1]\nreport y = step - 1\nreport z = x\nattach laplace(1) to z\n"


@pytest.mark.parametrize("value, expected", [(0, 0.5), (True, 0.5), (1, 0.0)])
def test_a_public_value_is_reported_whatever_it_is(value: object, expected: float) -> None:
    event = Event(not_by=1, reports=((1, "y", value), (1, "z", (0.0, INF))))
    assert chance(PUBLIC, (0.0,), event) == pytest.approx(expected)


def test_a_public_value_cannot_be_left_out() -> None:
    assert chance(PUBLIC, (0.0,), Event(not_by=1, reports=((1, "z", (0.0, INF)),))) == 0.0


def test_a_value_that_a_noisy_condition_lets_through() -> None:
    text = (
        "stream x in [0, 1]\nstatistic level = x\nreport y = 7 when level >= 0.5\n"
        "stop when step >= 2\nattach gaussian(1) to level"
    )
    over = norm.sf(0.3)
    said, unsaid = ((1, "y", 7),), ()
    assert chance(text, (0.2,), Event(not_by=1, reports=said)) == pytest.approx(over)
    assert chance(text, (0.2,), Event(not_by=1, reports=unsaid)) == pytest.approx(1 - over)
    assert chance(text, (0.2,), Event(not_by=1, reports=((1, "y", 8),))) == 0.0


def test_windows_of_all_lengths() -> None:
    text = (
        "stream x in [0, 1]\nlet n = 3\nstatistic s = [sum(x over last n + 1 - k) for k in 1..n]\n"
        "stop when step >= n return argmax(s)\nattach laplace(1) to s"
    )
    # sums 1.5, 0.5, 0.25 of the last three, two, one
    values = (1.5, 0.5, 0.25)

    def others(z: float) -> float:
        return float(laplace.cdf(values[1] + z - values[0]) * laplace.cdf(values[1] + z - values[2]))

    expected = laplace.expect(others, lb=-40, ub=40, epsabs=1e-11, limit=200)
    found = chance(text, (1.0, 0.25, 0.25), Event(stopped_at=3, result=2))
    assert log(found) == pytest.approx(log(expected), abs=1e-6)


@pytest.mark.parametrize(
    "test, below", [("x < 1", 0.7), ("x <= 0", 0.7), ("x < 0", 0.0), ("x <= 1", 1.0), ("x < 0.5", 0.7)]
)
def test_ties_with_noise_of_few_values(test: str, below: float) -> None:
    text = f"stream x in [0, 1]\nstop when {test} return low\nstop return high\nattach bernoulli(0.3) to x"
    assert chance(text, (0.0,), Event(stopped_at=1, result="low")) == pytest.approx(below)
    assert chance(text, (0.0,), Event(stopped_at=1, result="high")) == pytest.approx(1 - below)


def test_a_flip_of_a_flip() -> None:
    text = (
        "stream x in {0, 1, 2}\nstatistic first = x\nstatistic second = first\nstop return second\n"
        "attach randomized_response(0.7) to first once\nattach randomized_response(0.6) to second"
    )
    right = 0.7 * 0.6 + 2 * 0.15 * 0.2
    other = 0.7 * 0.2 + 0.15 * 0.6 + 0.15 * 0.2
    assert right + 2 * other == pytest.approx(1)
    assert chance(text, (1,), Event(stopped_at=1, result=1)) == pytest.approx(right)
    assert chance(text, (1,), Event(stopped_at=1, result=0)) == pytest.approx(other)


def test_a_flip_that_is_read_twice_is_refused() -> None:
    text = (
        "stream x in {0, 1}\nstatistic first = x\nstatistic second = first\nreport third = first\n"
        "stop return second\nattach randomized_response(0.7) to first once\nattach randomized_response(0.6) to second"
    )
    with pytest.raises(Unsupported):
        chance(text, (1,), Event(stopped_at=1, result=1, reports=((1, "third", 1),)))
