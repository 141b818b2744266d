"""Chances next to 0 that are differences of chances next to 1: what `conditioned` divides by, and `1 - LAW.cdf(x)`.
Doubles know few digits of them, or none; what is claimed of them is true, or not decided. The truths are sums of masses
in fractions, and upper tails."""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, factorial, sqrt
from typing import Any

import pytest
from one_value.verdicts import decided

import seqlang
from seqlang import SpecError

COIN = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\n"
STOPS = "stop when z == 1 return yes\nstop return no\n"


def poisson(mean: int, low: int, high: int) -> Fraction:
    """P(X = low) given that X is between low and high."""
    masses = [Fraction(mean**k, factorial(k)) for k in range(low, high + 1)]
    return masses[0] / sum(masses)


def upper(x: float) -> float:
    """P(Z > x) of a normal variable."""
    return erfc(x / sqrt(2)) / 2


CHANCES = [
    ("conditioned(poisson(1), 18, 20).pmf(18)", poisson(1, 18, 20)),
    ("conditioned(poisson(10), 40, 60).pmf(40)", poisson(10, 40, 60)),
    ("conditioned(geometric(0.5), 45, 47).pmf(45)", Fraction(4, 7)),
    ("conditioned(normal(0, 1), 8.1, 8.3).cdf(8.2)", (upper(8.1) - upper(8.2)) / (upper(8.1) - upper(8.3))),
    ("conditioned(exponential(1), 35, 37).cdf(36)", (1 - exp(-1)) / (1 - exp(-2))),
    ("(1 - normal(0, 1).cdf(8)) / (1 - normal(0, 1).cdf(7.9))", upper(8) / upper(7.9)),
    ("(1 - geometric(0.5).cdf(50)) * 2 ^ 51", Fraction(2, 3)),
    ("conditioned(poisson(3), 2, 4).pmf(3)", Fraction(3**3, 6) / (Fraction(9, 2) + Fraction(27, 6) + Fraction(81, 24))),
    ("1 - normal(0, 1).cdf(1)", upper(1)),
    ("conditioned({0.1: 1, 0.2: 1, 0.3: 2}, 0.2, 0.3).pmf(0.3)", Fraction(2, 3)),
    ("conditioned(binomial(30, 0.5), 29, 30).pmf(30)", Fraction(1, 31)),
]
"""A chance that is drawn with, and its value."""


@pytest.mark.parametrize(("chance", "truth"), CHANCES)
def test_a_chance_that_is_drawn_with(chance: str, truth: Fraction | float) -> None:
    head = f"{COIN}draw z ~ bernoulli({chance})\n{STOPS}"
    above, below = float(truth) + 1e-6, float(truth) - 1e-6
    claims = f"claim probability(yes) <= {above:.12f} under m\nclaim probability(yes) <= {below:.12f} under m\n"
    found = decided(head + claims)
    assert found in ([], ["proved", "refuted"], ["unknown", "unknown"])
    assert found or "conditioned" in chance or "/" in chance or "^" in chance, "an ordinary chance is not refused"


@pytest.mark.parametrize(
    "condition",
    [
        "conditioned(poisson(1), 18, 20).pmf(18) > 0.9",
        "conditioned(poisson(1), 10, 12).pmf(10) == 132 / 145",
        "conditioned(exponential(1), step + 34, step + 36).cdf(step + 35) < 0.75",
        "x * conditioned(geometric(0.5), 50, 52).pmf(50) < 0.6",
    ],
)
def test_a_comparison_with_one(condition: str) -> None:
    """Each holds in the first step."""
    text = f"{COIN}stop when {condition} return yes\nstop return no\n"
    text += "claim probability(yes) <= 0.001 under m\nclaim probability(yes) >= 0.999 under m\n"
    assert decided(text) in ([], ["unknown", "unknown"], ["refuted", "proved"])


def test_weights_that_are_differences() -> None:
    tail = [1 - sum(exp(-1) / factorial(k) for k in range(n)) for n in (2, 3)]  # of P(X > 1), P(X > 2)
    head = COIN + "draw z ~ {0: 1 - poisson(1).cdf(1), 1: 1 - poisson(1).cdf(2)}\n" + STOPS
    chance = tail[1] / sum(tail)
    claims = f"claim probability(yes) <= {chance + 1e-6} under m\nclaim probability(yes) <= {chance - 1e-6} under m\n"
    assert decided(head + claims) == ["proved", "refuted"]
    far = head.replace("cdf(1)", "cdf(17)").replace("cdf(2)", "cdf(16)")
    assert decided(f"{far}claim probability(yes) >= 0.94 under m\n") in ([], ["unknown"], ["proved"])


@pytest.mark.parametrize(
    ("scale", "truth"),
    [
        ("conditioned(poisson(1), 18, 20).pmf(18)", float(1 / poisson(1, 18, 20))),
        ("1 / conditioned(geometric(0.5), 50, 52).pmf(50)", 4 / 7),
        ("(1 - poisson(1).cdf(15)) * 10 ^ 13", 5.353998),
    ],
)
def test_the_scale_of_a_noise(scale: str, truth: float) -> None:
    text = f"{COIN}report r = x\nstop when step >= 1\nattach laplace({scale}) to r\nclaim strong pure({truth + 1e-3})\n"
    assert "refuted" not in decided(text)


@pytest.mark.parametrize("engine", ["interpreter", "numpy", "compiled"])
def test_draws_in_a_tail(engine: Any) -> None:
    """The chance is .455; quantiles next to 1 made .25 of it."""
    text = "algorithm a\nstream x in real\nmodel m: x ~ conditioned(exponential(1), 36, 38)\n"
    text += "stop when x <= 36.5 return yes\nstop return no\n"
    try:
        found = seqlang.run(text, runs=4000, seed=1, engine=engine)[0].returns["yes"]
    except SpecError as error:
        assert error.diagnostics[0].code in ("E0620", "E0622")
    else:
        assert found == pytest.approx((1 - exp(-0.5)) / (1 - exp(-2)), abs=0.05)


# ---- programs that ended with an internal error

CRASHED = [
    f"{COIN}draw z ~ sum_of(2, bernoulli(1 / (2 + x)))\nstop when z >= 2 return yes\nstop return no\n",
    "algorithm a\nparam a0 = 0.2\nstream x in {0, 1, 2}\nmodel m: x ~ uniform({0, 1, 2})\nmemory vm = [1, 2]\n"
    "statistic s0 = argmax(x over steps)\nstatistic q = vm[min(max(1, round(s0 / 1)), 2)]\n"
    "stop when (q == a0) or step >= 3 return yes\nattach bernoulli(0.3) to q once\nattach bernoulli(0.5) to a0\n",
]


def test_a_chance_of_listed_values_beside_noise() -> None:
    """It ended with an internal error, as arrays have no `cdf` of a law that lists its values."""
    text = f"{COIN}statistic s = step\nstop when s <= {{0: 1 + step, step: 1}}.cdf(step) return yes\n"
    assert decided(f"{text}stop return no\nattach logistic(1) to s\nclaim weak pure(0.01) under m\n")


@pytest.mark.parametrize("text", CRASHED)
def test_solve_ends_with_a_law_or_a_refusal(text: str) -> None:
    try:
        seqlang.solve(text)
    except SpecError as error:
        assert error.diagnostics[0].code == "E0623"


def test_noise_that_a_private_choice_switches_on_and_reads() -> None:
    """P(z = 0 and x + noise <= 0): 1/2 * 7/10 * 1/3."""
    text = f"{COIN}draw z ~ {{0: 1 + x, 1: 2}}\nstop when (if z < 0.5 then x else 1) <= 0 return yes\nstop return no\n"
    text += "attach bernoulli(0.3) to x\n"
    claims = "claim probability(yes) <= 0.1168 under m\nclaim probability(yes) <= 0.1166 under m\n"
    assert decided(text + claims) == ["proved", "refuted"]


def test_a_conditioned_law_on_the_values_of_the_domain() -> None:
    text = (
        "algorithm a\nstream x in {0.1, 0.2, 0.3}\nmodel m: x ~ conditioned(uniform({0.1, 0.2, 0.3, 0.4}), 0.2, 0.3)\n"
    )
    text += "stop when x >= 0.3 return yes\nstop return no\n"
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(0.5, abs=1e-12)
