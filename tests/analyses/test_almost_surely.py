"""Stops with probability 1 by the law of large numbers: what is accepted, and what must not be."""

from __future__ import annotations

import pytest
from elaborated import elaborated

from seqlang.analyses.operating.almost_surely import surely_stops

COIN = "draw sign ~ uniform({-1, 1})"
SIGNED = (COIN, "statistic s = sum(sign * x over steps)")
STEADY = "model even: x ~ uniform(0, 1)"
BELOW = "stop when s < a * step"


def found(*lines: str, model: str = STEADY) -> str | None:
    text = "\n".join((
        "algorithm t", "param a > 0 = 0.2", "stream x in [0, 1]", model, *lines,
        "claim probability(stops) >= 1 under even",
    ))  # fmt: skip
    program = elaborated(text)
    return surely_stops(program, program.claims[0], "even")


@pytest.mark.parametrize(
    "lines",
    [
        (*SIGNED, "stop when step > 100 and abs(s) < a * step"),
        (*SIGNED, "stop when abs(s) < a * step", "attach laplace(3) to s"),
        (*SIGNED, "stop when max(s, -2 * s, 100) <= a * step"),
        (*SIGNED, "stop when step >= 10 and (x > 2 or s < a * step)"),
        (COIN,
         "statistic r = max(abs(sum(sign * (if x >= c then 1 else 0) over steps)) for c in {0.2, 0.7})",
         "stop when r < a * step"),
        ("statistic s = sum(x over steps)", "stop when s <= 2 * step - 5"),
        ("statistic s = count(x > 0.5 over steps)", "stop when s + 7 < 1.1 * step"),
        ("stop when step >= 5",),
        ("stop",),
    ],
)  # fmt: skip
def test_stops(lines: tuple[str, ...]) -> None:
    assert found(*lines) is not None


@pytest.mark.parametrize(
    ("lines", "model"),
    [
        ((*SIGNED, "stop when abs(s) < 3"), STEADY),                               # no drift
        ((*SIGNED, "stop when s > a * step"), STEADY),                             # never, most likely
        (("statistic s = sum(x over steps)", "stop when s < 0.7 * step"), STEADY),  # the mean is 1/2: not used here
        (("draw sign ~ uniform({-1, 2})", "statistic s = sum(sign * x over steps)", BELOW), STEADY),
        ((COIN, "statistic s = sum(sign * sign * x over steps)", BELOW),
         STEADY),
        ((COIN + " once", "statistic s = sum(sign * x over steps)", BELOW), STEADY),
        ((COIN, "statistic s = sum(sign * step * x over steps)", BELOW), STEADY),
        ((COIN, "statistic s = sum(sign * previous(x, 0) over steps)", BELOW),
         STEADY),
        ((*SIGNED, BELOW), "model even: x ~ uniform(0, 1 / step)"),                # not the same law each step
        ((*SIGNED, "stop when s < a * step and x > 0.5"), STEADY),                 # a test of each step's own
        ((*SIGNED, "stop when step == 7 and abs(s) < a * step"), STEADY),
        ((*SIGNED, "stop when step < 9"), STEADY),
        (("statistic s = max(x over steps)", BELOW), STEADY),   # true, but no sum
    ],
)  # fmt: skip
def test_not_known_to(lines: tuple[str, ...], model: str) -> None:
    assert found(*lines, model=model) is None
