"""Claims on error rates, expected steps and stops: what the law of the runs that stop does not show."""

from __future__ import annotations

import pytest

import seqlang

STUCK = """algorithm a
stream x in {0, 1}
model m: x ~ bernoulli(0.3)
draw z ~ bernoulli(0.3) once
stop when x >= 1 and z >= 1 return hit
"""
"""Seven runs in ten never stop."""


def verdict(text: str, claim: str) -> str:
    (found,) = seqlang.check(seqlang.load(f"{text}claim {claim} under m\n")).verdicts
    return found.verdict


@pytest.mark.parametrize(
    "claim, expected",
    [
        ("probability(not stops) <= 0.1", "refuted"),
        ("probability(not stops) >= 0.69", "proved"),
        ("probability(not hit) <= 0.1", "refuted"),
        ("probability(step >= 2) >= 0.75", "proved"),  # 0.7 + 0.3 * 0.7
        ("probability(hit) >= 0.31", "refuted"),
        ("probability(stops) >= 1", "refuted"),
        ("expected(if hit then 0 else 1) <= 0.29", "unknown"),
        ("expected(step) <= 1000000", "refuted"),
    ],
)
def test_runs_that_never_stop(claim: str, expected: str) -> None:
    assert verdict(STUCK, claim) == expected


def test_steps_that_fail_are_not_left_out() -> None:
    """No stop reads the root, but the run ends in an error where the entry is 1."""
    fails = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstatistic s = sqrt(0 - x)\n"
    fails += "stop when step >= 2 return a\n"
    assert verdict(fails, "probability(a) >= 0.9") == "unknown"
    assert verdict(fails, "expected(step) <= 3") == "unknown"
    assert verdict(fails, "weak pure(1)") == "unknown"
    assert verdict(fails.replace("0 - x", "x"), "weak pure(1)") == "proved"
    for value in ("[1][step]", "sqrt(0 - step)", "[1][z + 1]"):  # the step and a coin are no data, and end a run too
        known = fails.replace("statistic s = sqrt(0 - x)", f"draw z ~ bernoulli(0.5)\nstatistic s = {value}")
        assert verdict(known, "probability(a) >= 0.9") == "unknown", value
    assert verdict(fails.replace("0 - x", "step"), "probability(a) >= 0.9") == "proved"


def test_stops_for_sure() -> None:
    ends = STUCK + "stop when step >= 5 return late\n"
    assert verdict(ends, "probability(stops) >= 1") == "proved"
    assert verdict(ends, "probability(hit or late) >= 1") == "proved"
    # never stops if z > 2, of chance e^-200 / 2: no node of a quadrature sees that
    rare = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.3)\ndraw z ~ laplace(0.01) once\n"
    assert verdict(rare + "draw w ~ uniform(0, 1)\nstop when x + w >= z\n", "probability(stops) >= 1") == "unknown"


def test_extremes_of_several_numbers_and_the_step() -> None:
    """The second 1 comes in step 2 with chance 1/4; whole parts and remainders of the step are functions of it, too."""
    coins = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstatistic s = sum(x over steps)\n"
    coins += "stop when s >= 2\nstop when step >= 20\n"
    assert verdict(coins, "probability(max(0, 1, step) >= 3) <= 0.76") == "proved"
    assert verdict(coins, "probability(max(0, 1, step) >= 3) <= 0.74") == "refuted"
    assert verdict(coins, "probability(floor(step / 3) >= 1) <= 0.74") == "refuted"


def test_final_values_of_a_density_are_left_open() -> None:
    """An indicator cuts a density where no panel ends: its sum over nodes is wrong in the third digit."""
    walk = """algorithm a
stream x in real
model m: x ~ normal(0.3, 1)
statistic s = sum(x over steps)
draw w ~ laplace(1)
stop when s + w >= 2 return up
stop when s + w <= -2 return down
"""
    assert verdict(walk, "probability(s >= 1.7) >= 0.4058") == "unknown"
    assert verdict(walk, "probability(up) >= 0.7") == "proved"


def test_a_chance_too_small_for_floats_is_not_never() -> None:
    far = """algorithm a
stream x in {0}
model m: x ~ point(0)
draw w ~ gaussian(1)
statistic s = sum(x over steps)
stop when s + w >= 60
"""
    assert verdict(far, "probability(stops) >= 0.5") == "unknown"
    # bounded noise, and still too small: it stops at last
    inside = far.replace("gaussian(1)", "conditioned(gaussian(1), -100, 100)")
    assert verdict(inside, "probability(stops) >= 0.5") == "unknown"
    outside = far.replace("gaussian(1)", "conditioned(gaussian(1), -3, 3)")
    assert verdict(outside, "probability(stops) >= 0.5") == "computed"


def test_an_expectation_that_is_infinite_by_rare_draws() -> None:
    """E[T | z] is 1 / P(w >= 1 + z), which grows faster than Laplace noise falls."""
    queries = """algorithm a
stream x in {0}
model m: x ~ point(0)
draw z ~ laplace(0.05) once
draw w ~ gaussian(1)
stop when x + w >= 1 + z
"""
    assert verdict(queries, "expected(step) <= 1000") == "unknown"
