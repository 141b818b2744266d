"""Claims on the expected step where what decides is too rare to be seen, or lost to rounding."""

from __future__ import annotations

import pytest

import seqlang

TRAP = """\
algorithm trap
param T = 0.5
stream x in {{0, 1}}
model m: x ~ bernoulli({rare})
statistic s = 5 * max(x over steps)
stop when s <= T return out
attach uniform(-2, 2) to s
{claim}
"""
NARROW = """\
algorithm narrow
stream x in real
adjacent every x within 1
model m: x ~ normal(3, 1e-4)
statistic s = sum(x over steps)
stop when s >= 5.99 return high
stop when step >= 2 return low
{claim}
"""
WIDE = """\
algorithm wide
param T = 5
stream x in real
adjacent every x within 1
model m: x ~ point(0)
stop when x >= T return high
stop when step >= 1 return low
attach gaussian(1000) to T once
attach gaussian(0.001) to x
{claim}
"""


def verdict(text: str, claim: str, **values: object) -> str:
    return seqlang.check(text.format(claim=f"claim {claim}", **values)).verdicts[0].verdict


@pytest.mark.parametrize("rare", ["1e-10", "1e-12", "1e-14", "1e-17", "1e-20"])
def test_a_trap_that_is_hardly_ever_entered(rare: str) -> None:
    """After the first 1 nobody stops: the expected step is infinite, however rare a 1 is."""
    assert verdict(TRAP, "expected(step) <= 10 under m", rare=rare) != "proved"
    assert verdict(TRAP, "probability(stops) >= 1 under m", rare=rare) != "proved"


def test_rounding_of_a_narrow_law() -> None:
    """Nobody stops in step 1 (2.99 / 1e-4 standard deviations), so T = 2, and 6 - 5.99 is 70 deviations of the sum."""
    assert verdict(NARROW, "expected(step) >= 2 - 1e-13 under m") != "refuted"
    assert verdict(NARROW, "probability(high) >= 1 - 1e-13 under m") != "refuted"
    assert verdict(NARROW, "expected(step) <= 2.000001 under m") == "proved"


def test_a_threshold_noise_of_another_size() -> None:
    """P(high) = Phi(-5 / 1000) = 0.4980053"""
    assert verdict(WIDE, "probability(high) >= 0.499 under m") == "refuted"
    assert verdict(WIDE, "probability(high) <= 0.4981 under m") == "computed"
