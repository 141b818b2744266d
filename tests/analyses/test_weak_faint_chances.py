"""Chances that doubles do not hold, and those of laws of which something was left out, prove and refute nothing."""

from __future__ import annotations

import math

import pytest

import seqlang

COIN = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\n"


def verdicts(text: str) -> list[str]:
    return [claim["verdict"] for claim in seqlang.check(text).to_dict()["claims"]]


FAR = [
    ("laplace(1)", 800, 1.0),
    ("laplace(1)", 740, 1.0),
    ("geometric(exp(-1))", 800, 1.0),
    ("logistic(1)", 741, 1.0),
    ("gaussian(1)", 40, 39.5),
    ("discrete_gaussian(1)", 60, 59.5),
]
"""(noise, threshold, loss of x + noise >= threshold)"""


@pytest.mark.parametrize(("noise", "threshold", "loss"), FAR)
def test_a_threshold_far_out(noise: str, threshold: int, loss: float) -> None:
    text = f"{COIN}stop when x >= {threshold} return a\nstop return b\nattach {noise} to x\n"
    low, high = verdicts(f"{text}claim weak pure({0.9 * loss}) under m\nclaim weak pure({1.1 * loss}) under m\n")
    assert low != "proved"
    assert high != "refuted"
    assert verdicts(f"{text}claim weak rdp(1000, 0.01) under m\n") != ["proved"]


DRAWS = [
    ("poisson(1)", 168, math.log(168)),
    ("poisson(1)", 170, math.log(170)),
    ("binomial(200, 0.01)", 180, 6.74),
    ("exponential(1)", 741, 1.0),
]
"""(law, threshold, loss of x + z >= threshold)"""


@pytest.mark.parametrize(("law", "threshold", "loss"), DRAWS)
def test_a_draw_far_out(law: str, threshold: int, loss: float) -> None:
    text = f"{COIN}draw z ~ {law}\nstatistic t = z + x\nstop when t >= {threshold} return a\nstop return b\n"
    low, high = verdicts(f"{text}claim weak pure({0.5 * loss}) under m\nclaim weak pure({1.01 * loss}) under m\n")
    assert low != "proved"
    assert high != "refuted"


def test_entries_that_are_very_rare() -> None:
    text = (
        "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(1e-200)\nstatistic s = sum(x over steps)\n"
        "stop when step >= 4 and s >= 3 return a\nstop when step >= 4 return b\nclaim weak pure(0.01) under m\n"
    )
    assert verdicts(text) != ["proved"]


SUMS = ["convolve(geometric(0.25), geometric(0.25))", "convolve({0: 1, 1: 1}, geometric(0.25))",
        "convolve(discrete_gaussian(1), geometric(0.25))"]  # fmt: skip


@pytest.mark.parametrize("noise", SUMS)
def test_sums_of_noises(noise: str) -> None:
    """What is left out of a sum is not impossible. The loss is that of the last part, log 4, at most."""
    text = f"{COIN}stop return x\nattach {noise} to return\n"
    assert "refuted" not in verdicts(f"{text}claim weak pure(2 * log(4)) under m\nclaim weak zcdp(1) under m\n")
    for threshold in (30, 60, 100):
        text = f"{COIN}stop when x >= {threshold} return a\nstop return b\nattach {noise} to x\n"
        assert verdicts(f"{text}claim weak pure(log(4) + 0.01) under m\n") != ["refuted"]


def test_a_sum_of_noises_far_out() -> None:
    """Given that it is 100 or 101, geometric noise of ratio 1/2 is 101 with chance 1/3."""
    text = (
        f"{COIN}draw z ~ conditioned(convolve(geometric(0.5), point(0)), 100, 101)\nstop when z == 101 return yes\n"
        "stop return no\nclaim probability(yes) <= 0.1 under m\n"
    )
    assert verdicts(text) != ["proved"]


def test_points_that_are_on_no_common_step() -> None:
    text = (
        f"{COIN}draw z ~ convolve({{0: 1, 1: 1, 100000.00000005: 1}}, {{0: 1, 1: 1}})\n"
        "stop when z > 100000 return yes\nstop return no\nclaim probability(yes) <= 0.2 under m\n"
    )
    assert verdicts(text) != ["proved"]  # it is 1/3


def test_the_ends_of_a_condition() -> None:
    text = (
        f"{COIN}draw z ~ conditioned({{0: 1, 0.0000000000001: 1, 1: 1}}, 0.0000000000001, 1)\n"
        "stop when z * x >= 0.5 return yes\nstop return no\n"
    )
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(0.25, abs=1e-12)
