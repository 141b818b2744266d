"""Ranges: exact where values can be listed, interval arithmetic elsewhere, and never too narrow."""

from __future__ import annotations

import math

import pytest
from small_statistics import program

from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Local
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.ranges.range import Range
from seqlang.rules.sensitivity.ranges.ranges import range_of


def ranged(statistic: str, declarations: str = "stream x in {0, 1}") -> tuple[Range, float, float]:
    made = program(f'algorithm t "t"\n{declarations}\nstatistic s = {statistic}\nstop when step >= 5')
    found = range_of(made, Local("s"))
    values = parameter_values(made)
    low = -math.inf if found.low is None else enclose(found.low, values).low
    high = math.inf if found.high is None else enclose(found.high, values).high
    return found, low, high


INTERVAL = "stream x in [-1, 3]"


@pytest.mark.parametrize(
    ("statistic", "declarations", "low", "high"),
    [
        ("2 * x - 1", "stream x in {0, 1}", -1, 1),
        ("x * x - x", "stream x in {-1, 0, 2}", 0, 2),  # exact: interval arithmetic would give [-3, 6]
        ("x", INTERVAL, -1, 3),
        ("x - x", INTERVAL, 0, 0),
        ("abs(x)", INTERVAL, 0, 3),
        ("x ^ 2", INTERVAL, 0, 9),
        ("x ^ 3", INTERVAL, -1, 27),
        ("max(x, 1) - 1", INTERVAL, 0, 2),
        ("clip(x, 0, 1)", INTERVAL, 0, 1),
        ("exp(x)", INTERVAL, math.exp(-1), math.exp(3)),
        ("log(x + 2)", INTERVAL, 0, math.log(5)),
        ("log(x + 1)", INTERVAL, -math.inf, math.log(4)),
        ("1 / (x + 2)", INTERVAL, 0.2, 1),
        ("1 / x", INTERVAL, -math.inf, math.inf),
        ("sqrt(x + 1)", INTERVAL, 0, 2),
        ("(if x > 1 then 5 else x)", INTERVAL, -1, 5),
        ("step % 3 + x", INTERVAL, -1, 5),
        ("1 / step", INTERVAL, 0, 1),
        ("sum(x over last 4)", INTERVAL, -4, 12),
        ("max(x over steps)", INTERVAL, -1, 3),
        ("sum(abs(x) over steps)", INTERVAL, 0, math.inf),
        ("count(x > 0 over last 3)", INTERVAL, 0, 3),
        ("max(0, previous(s, 0) + x)", INTERVAL, 0, math.inf),
        ("norm(v)", "stream v in ball(2, 3)", 0, 2),
        ("dot(v, v)", "stream v in ball(2, 3)", -4, 4),
        ("log(P.pdf(x) / Q.pdf(x))".replace("P", "normal(1, 1)").replace("Q", "normal(-1, 1)"), INTERVAL, -2, 6),
    ],
)
def test_ends(statistic: str, declarations: str, low: float, high: float) -> None:
    _, found_low, found_high = ranged(statistic, declarations)
    assert found_low == pytest.approx(low, abs=1e-12)
    assert found_high == pytest.approx(high, abs=1e-12)


def test_unequal_normals_give_a_completed_square() -> None:
    """log ratio of N(0, 2) to N(1, 1): smallest at 4/3 if x is free, largest at an end of the interval."""

    def ratio(x: float) -> float:
        return -(x**2) / 8 - math.log(2) + (x - 1) ** 2 / 2

    grid = [ratio(-1 + 4 * i / 10000) for i in range(10001)]
    _, low, high = ranged("log(normal(0, 2).pdf(x) / normal(1, 1).pdf(x))", INTERVAL)
    assert low == pytest.approx(min(grid), abs=1e-6)
    assert high == pytest.approx(max(grid), abs=1e-12)


def test_a_log_likelihood_ratio_is_unbounded_on_the_real_line() -> None:
    found, low, high = ranged("log(normal(1, 1).pdf(x) / normal(0, 1).pdf(x))", "stream x in real")
    assert (low, high) == (-math.inf, math.inf)
    assert not found.is_bounded


def test_listed_values_and_whole_numbers() -> None:
    found, _, _ = ranged("2 * x + 1", "stream x in {0, 1, 5}")
    assert found.values is not None
    assert len(found.values) == 3
    assert found.integer
    assert not ranged("x / 2", "stream x in {0, 1}")[0].integer
    assert ranged("sum(x over steps)", "stream x in {0, 1}")[0].integer


@pytest.mark.parametrize(
    ("statistic", "low", "high"),
    [
        ("max(2 where step > 3 over steps)", -math.inf, 2),
        ("min(2 where step > 3 over steps)", 2, math.inf),
        ("mean(2 where step > 3 over steps)", -math.inf, math.inf),
        ("max(2 over last step - 1)", -math.inf, 2),
        ("max(2 over last 3)", 2, 2),
        ("min(2 over steps)", 2, 2),
    ],
)
def test_a_fold_over_no_step_is_infinite(statistic: str, low: float, high: float) -> None:
    _, least, most = ranged(statistic)
    assert (least, most) == (low, high)


@pytest.mark.parametrize("fold", ["max(2 where step > 100 over steps)", "max(2 over last step - 1)"])
def test_what_a_fold_over_no_step_multiplies(fold: str) -> None:
    """In step 1 the fold is -inf and the report is -50 times the sum; the range of its body said 2 times."""
    text = f"""\
algorithm t "t"
stream x in [0, 1]
statistic s = sum(x over steps)
statistic m = {fold}
report r = s * clip(m, -50, 3)
stop when step >= 3
attach laplace(3) to r
claim strong pure(3) expect unknown
"""
    from seqlang.api import check, load

    (claim,) = check(load(text)).to_dict()["claims"]
    assert claim["verdict"] != "proved"


@pytest.mark.parametrize(
    ("statistic", "whole"),
    [
        ("max(0, previous(s, 0) + x - 1)", True),
        ("previous(s, 3) * x + 2 * previous(s, 3)", True),
        ("(if step % 3 == 0 then 0 else previous(s, 0)) + x", True),
        ("previous(s, 0) / 2 + x", False),
        ("previous(s, 0.5) + x", False),  # whole steps from a half
        ("previous(s, 0) + x * previous(previous(x, 0) / 2, 0)", False),
        ("previous(s, 0) + previous(s * 0.5, 0) + x", False),
    ],
)
def test_recursions_of_whole_numbers_by_induction(statistic: str, whole: bool) -> None:
    assert ranged(statistic)[0].integer is whole
