"""Two noises that are drawn once and read together, with none that is fresh: enclosed, and searched for witnesses."""

from __future__ import annotations

import random
from math import exp, inf

import mpmath
import pytest
from thorough import several

from seqlang.analyses.witnesses.recompute import NotEnclosed, enclosure
from seqlang.backends.transcript.follow import Follower
from seqlang.backends.transcript.integrals.linear_conditions import exclude_each_other
from seqlang.driver import check, load
from seqlang.proof.witness import Event
from seqlang.source import Source

ONE = """algorithm one
param T = 20
stream q in 0..40
adjacent every q within 1
report above when q >= T
stop when above return found
attach NOISE(4) to q once
attach NOISE(2) to T once
claim strong pure(1)
"""
REAL = ONE.replace("0..40", "real")


def density(noise: str, scale: float, x: mpmath.mpf) -> mpmath.mpf:
    if noise == "laplace":
        return mpmath.exp(-abs(x) / scale) / (2 * scale)
    return mpmath.npdf(x / scale) / scale


def below(noise: str, scale: float, x: mpmath.mpf) -> mpmath.mpf:
    if noise == "gaussian":
        return mpmath.ncdf(x / scale)
    tail = mpmath.exp(-abs(x) / scale) / 2
    return tail if x < 0 else 1 - tail


def between(noise: str, low: float, high: float) -> float:
    """P(low < z4 - z2 <= high), z4 and z2 being noises of the scales 4 and 2."""
    if low >= high:
        return 0.0

    def inner(z: mpmath.mpf) -> mpmath.mpf:
        return density(noise, 2, z) * (below(noise, 4, high + z) - below(noise, 4, low + z))

    return float(mpmath.quad(inner, sorted({-150, -20, -low, 0, 20, 150, *({-high} if high < inf else ())})))


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_one_sum_of_two_noises_lies_in_a_range(noise: str) -> None:
    """The report is made at the first entry that is at least T + z2 - z4."""
    follower = Follower(load(Source("one.seq", REAL.replace("NOISE", noise))).program)
    rng = random.Random(noise)
    for _ in range(several(3, 12)):
        stream = [round(rng.uniform(14, 26), 2) for _ in range(rng.choice((1, 2, 3, 6)))]
        event = Event(stopped_at=len(stream), result="found", reports=((len(stream), "above", True),))
        truth = between(noise, 20 - stream[-1], min([20 - q for q in stream[:-1]], default=mpmath.inf))
        low, high = enclosure(follower, stream, event, 1e7)
        if truth == 0:
            assert (low, high) == (-inf, -inf)
            continue
        assert exp(low) * (1 - 1e-12) <= truth <= exp(high) * (1 + 1e-12)
        assert high - low < 1e-8


def test_more_than_two_are_refused_unless_they_exclude_each_other() -> None:
    text = REAL.replace("T = 20", "T = 20\nparam U = 0").replace("q >= T", "q >= T + U").replace("NOISE", "laplace")
    follower = Follower(load(Source("three.seq", f"{text}attach laplace(1) to U once\n")).program)
    event = Event(stopped_at=2, result="found", reports=((2, "above", True),))
    assert enclosure(follower, [21, 20], event) == (-inf, -inf)
    with pytest.raises(NotEnclosed):
        enclosure(follower, [20, 21], event)


@pytest.mark.parametrize("noise", ["laplace", "gaussian", "geometric"])
def test_a_threshold_without_any_fresh_noise_is_refuted_for_every_epsilon(noise: str) -> None:
    text = (
        (ONE if noise == "geometric" else REAL)
        .replace("NOISE(4)", f"{noise}(0.8)")
        .replace("NOISE(2)", f"{noise}(0.7)")
    )
    found = check(load(Source("one.seq", text)))
    (verdict,) = found.verdicts
    assert verdict.verdict == "refuted"
    assert found.witness is not None
    assert found.witness.loss == inf
    first, second = found.witness.streams
    assert len(first) == len(second) <= 3


def test_conditions_that_exclude_each_other() -> None:
    s, t = (("s",), 2.0), (("t",), -1.0)
    turned = ((("s",), -4.0), (("t",), 2.0))
    assert exclude_each_other(((1.0, (s, t), False), (-2.1, turned, False)))  # s' >= -1/2, s' <= -0.525
    assert not exclude_each_other(((1.0, (s, t), False), (-1.9, turned, False)))
    assert not exclude_each_other(((1.0, (s, t), False), (-2.0, turned, False)))  # one value is left
    assert exclude_each_other(((1.0, (s, t), False), (-2.0, turned, True)))
    assert exclude_each_other(((1.0, (s, t), True), (1.0, (s, t), False), (-2.0, turned, False)))
    assert not exclude_each_other(((1.0, (s, t), True), (-2.0 + 1e-12, turned, True)))  # it may be rounding
    assert not exclude_each_other(((-5.0, (s,), False), (-5.0, (t,), False)))
    assert exclude_each_other(((0.0, (s, s), False), (-1.0, ((("s",), -1.0),), False)))
