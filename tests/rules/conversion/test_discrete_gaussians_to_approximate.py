"""Discrete Gaussian noise at a delta: against excess masses in long floats, and the conditions of the rule."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from elaborated import elaborated

from seqlang.accounting import discrete_gaussian
from seqlang.analyses.prove import prove, size_of

RULE = "conversion/discrete_gaussians_to_approximate"


def needed(delta: float, deviation: Fraction, shift: int) -> float:
    """The root of delta(eps) = the sum of all max(0, P(k) - e^eps P(k - shift)), by bisection in 40 digits."""
    reach = int(30 * deviation) + 2 * shift + 10
    with mpmath.workdps(40):
        s = mpmath.mpf(deviation.numerator) / deviation.denominator
        masses = {k: mpmath.exp(-mpmath.mpf(k * k) / (2 * s * s)) for k in range(-reach, reach + 1)}
        whole = mpmath.fsum(masses.values())

        def excess(eps: mpmath.mpf) -> mpmath.mpf:
            gaps = (p - mpmath.exp(eps) * masses.get(k - shift, 0) for k, p in masses.items())
            return mpmath.fsum(gap for gap in gaps if gap > 0) / whole

        low, high = mpmath.mpf(0), mpmath.mpf(60)
        if excess(low) <= delta:
            return 0.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if excess(middle) <= delta else (middle, high)
        return float(high)


@pytest.mark.parametrize(
    ("delta", "deviation", "shift"),
    [(1e-5, Fraction(4), 1), (1e-5, Fraction(1), 1), (1e-2, Fraction(1, 2), 3), (1e-9, Fraction(7, 2), 5),
     (0.4, Fraction(2), 1), (0.05, Fraction(3, 10), 1)],
)  # fmt: skip
def test_epsilon_is_the_root_rounded_up(delta: float, deviation: Fraction, shift: int) -> None:
    found, true = discrete_gaussian.epsilon(delta, deviation, shift), needed(delta, deviation, shift)
    assert true <= found <= true + 1e-7


def test_smaller_moves_need_no_more() -> None:
    for deviation in (Fraction(1, 3), Fraction(2), Fraction(5)):
        for delta in (1e-8, 1e-3, 0.1):
            found = [discrete_gaussian.epsilon(delta, deviation, shift) for shift in range(1, 7)]
            assert found == sorted(found)


def test_what_floats_cannot_tell_has_no_bound() -> None:
    assert discrete_gaussian.epsilon(1e-5, Fraction(1), 60) == math.inf
    for deviation, shift in ((Fraction(0), 1), (Fraction(1), 0), (Fraction(10**6), 1)):
        with pytest.raises(ValueError, match="above 0"):
            discrete_gaussian.epsilon(1e-5, deviation, shift)


def proved(*lines: str) -> tuple[str | None, float]:
    """The rule of the bound at 1e-6, and its epsilon."""
    program = elaborated("\n".join(("algorithm t", *lines)))
    found = prove(program).dp
    return (None, math.inf) if found is None else (found.rule, size_of(program, found))


BLOCKS = ("report block when sum(1 since block) >= 4", "report s = sum(x since block) when block")
NOISE = "attach discrete_gaussian(3) to s"
ARMS = (
    "stream x in {0, 1}",
    "report block when sum(1 since block) >= 4",
    "report s = sum(x where step % 2 == 0 since block) when block",
    "report t = sum(x where step % 2 == 1 since block) when block",
    "attach discrete_gaussian(3) to s, t",
)


@pytest.mark.parametrize(
    ("lines", "shift"),
    [
        (("stream x in {0, 1}", *BLOCKS, NOISE), 1),
        (("stream x in 0..5", *BLOCKS, NOISE), 5),
        (("dataset x in {0, 1} size 50", "report s = 2 * sum(x)", "stop", NOISE), 2),
        (ARMS, 1),
    ],
)
def test_one_showing_of_a_number_is_known_exactly(lines: tuple[str, ...], shift: int) -> None:
    rule, epsilon = proved(*lines)
    assert rule == RULE
    true = needed(1e-6, Fraction(3), shift)
    assert true <= epsilon <= true + 1e-6


OTHERWISE = {
    "several showings": ("dataset x in {0, 1} size 50", "report s = sum(x)", "stop when step >= 3", NOISE),
    "several entries": ("dataset x in {0, 1} size 50", "adjacent replace 2", "report s = sum(x)", "stop", NOISE),
    "a list": ("dataset x in {1, 2} size 50", "report s = [count(x[i] == k for i in records) for k in 1..2]", "stop",
               NOISE),
    "an entry in two sums": (*ARMS[:3], "report t = sum(x since block) when block", ARMS[4]),
    "an entry in two of three sums": (
        *ARMS[:4], "report u = sum(x since block) when block", "attach discrete_gaussian(3) to s, t, u",
    ),
    "a replaced entry in two counts": (
        "stream x in {0, 1, 2}", ARMS[1], "report s = count(x == 0 since block) when block",
        "report t = count(x == 1 since block) when block", ARMS[4],
    ),
    "two small releases that cost what the third does": (  # 3^2 + 4^2 = 5^2
        "dataset x in {0, 1}, y in {0, 1, 2} size 20",
        "adjacent add or remove one",
        "report s = sum(3 * x[i] for i in records where y[i] <= 1)",
        "report t = sum(4 * x[i] for i in records where y[i] <= 1)",
        "report u = sum(5 * x[i] for i in records where y[i] == 2)",
        "stop",
        "attach discrete_gaussian(3) to s, t, u",
    ),
    "two noises": ("stream x in {0, 1}", *BLOCKS, NOISE, "attach gaussian(3) to s"),
}  # fmt: skip


@pytest.mark.parametrize("lines", OTHERWISE.values(), ids=OTHERWISE)
def test_the_rule_is_for_nothing_else(lines: tuple[str, ...]) -> None:
    assert proved(*lines)[0] != RULE
