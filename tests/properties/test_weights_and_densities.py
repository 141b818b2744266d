"""Chances that are computed from numbers which a run keeps: weights next to 0, parameters with an error, laws over a
bound variable. What is claimed of them is true, or not decided."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import Any

import pytest

import seqlang
from seqlang import SpecError
from seqlang.driver.loading import load
from seqlang.release.exact.plan import obstacles
from seqlang.source import Source

ENGINES: tuple[Any, ...] = ("interpreter", "numpy", "compiled")
COIN = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\n"
DECAY = COIN + "memory w = 1\nupdate w = w * 0.9\n"
COUNT = COIN + "memory w = 1\nupdate w = w + 1\n"


def run(text: str, engine: Any, runs: int) -> Any:
    """Chances of what is returned; None where the compiled engine leaves it to the others."""
    try:
        return seqlang.run(text, runs=runs, seed=1, engine=engine)[0].returns
    except SpecError as error:
        assert engine == "compiled" and "E0622" in str(error)
        return None


def spec(head: str, condition: str, step: int) -> str:
    return f"{head}stop when step >= {step} and {condition} return yes\nstop when step >= {step} return no\n"


def verdict(text: str, claim: str) -> str:
    return str(seqlang.check(f"{text}claim {claim} under m\n").to_dict()["claims"][0]["verdict"])


# ---- laws with a bound variable

TABLE = COUNT + "let L = {k: k * w + 1 for k in 1..3}\n"


def table(k: int) -> Fraction:
    """In step 3, where w = 4."""
    return Fraction(4 * k + 1, sum(4 * j + 1 for j in (1, 2, 3)))


@pytest.mark.parametrize(
    ("draw", "chance"),
    [
        ("draw z ~ bernoulli(L.pmf(1) * (if L.pmf(2) > 0.2 then 1 else 0))", table(1)),
        ("draw z ~ {1: L.pmf(1) * (if L.pmf(2) > 0.2 then 1 else 0), 2: L.pmf(3)}", table(1) / (table(1) + table(3))),
        ("draw z ~ bernoulli(if L.pmf(2) > 1 / 3 then 1 else 0)", Fraction(0)),
    ],
)
def test_a_law_over_a_bound_variable(draw: str, chance: Fraction) -> None:
    text = spec(f"{TABLE}{draw}\n", "z == 1", 3)
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(float(chance), abs=1e-9)
    for engine in ENGINES:
        found = run(text, engine, 2000)
        assert found is None or found["yes"] == pytest.approx(float(chance), abs=0.05)


@pytest.mark.parametrize(("bound", "answer"), [("0.2", "yes"), ("1 / 3", "no")])
def test_a_law_over_a_bound_variable_after_another_loop(bound: str, answer: str) -> None:
    text = spec(f"{TABLE}draw y ~ L\n", f"y > 0 and L.pmf(2) > {bound}", 3)
    assert seqlang.solve(text)[0].returns[answer] == pytest.approx(1)
    for engine in ENGINES:
        found = run(text, engine, 20)
        assert found is None or found[answer] == 1


# ---- weights

SMALL = [
    (COIN + "draw z ~ {1: exp(-2 * step), 2: exp(-2 * step - 1)}\n", 372, 1 / (1 + exp(-1))),
    (COIN + "memory w = 1\nupdate w = w / 2\ndraw z ~ {1: w, 2: w * 2 / 3}\n", 1074, 0.6),
    (COIN + "draw z ~ {1: exp(-744), 2: exp(-745)}\n", 3, 1 / (1 + exp(-1))),
]


@pytest.mark.parametrize(("head", "step", "chance"), SMALL)
def test_weights_next_to_0(head: str, step: int, chance: float) -> None:
    text = spec(head, "z == 1", step)
    assert verdict(text, f"probability(yes) <= {chance - 0.005:.6f}") != "proved"
    assert verdict(text, f"probability(yes) >= {chance - 0.001:.6f}") != "refuted"
    for engine in ENGINES:
        with pytest.raises(SpecError, match=r"E0620.*too small"):
            seqlang.run(text, runs=5, seed=1, engine=engine)


def test_a_law_of_data_with_weights_next_to_0() -> None:
    text = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ {0: exp(-744), 1: exp(-745)}\nstop when x == 0 return yes\n"
    with pytest.raises(SpecError, match="too small"):
        seqlang.check(f"{text}stop return no\nclaim probability(yes) <= 0.7 under m\n")


def test_scores_that_are_far_apart_are_drawn_from() -> None:
    text = spec(COIN + "draw z ~ {1: exp(-2), 2: exp(-2000), 3: exp(-1)}\n", "z == 1", 3)
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(1 / (1 + exp(1)))


# ---- densities

DENSITIES = [  # in step 3, where w = 0.9^3
    ("bernoulli(1 - w / 1000000000000).pmf(0) > 0.000000000000728995", True),  # 7.29e-13
    ("bernoulli(1 - w / 1000000000000).pmf(0) < 0.000000000000728995", False),
    ("geometric(1 - w / 1000000000000).pmf(0) > 0.00000000000036449", True),  # 3.645e-13
    ("binomial(10, 1 - w / 1000000000000).pmf(9) < 0.00000000000728995", False),
    ("poisson(1000000 * w).pmf(729000) > 0.00046724670994599", False),  # 1.00000000008 of what it is
    ("bernoulli(w).pmf(0) > 0.2709", True),
    ("log(bernoulli(w).pmf(0)) > -1.31", True),
]


@pytest.mark.parametrize(("condition", "holds"), DENSITIES)
def test_a_density_with_a_parameter_that_is_kept(condition: str, holds: bool) -> None:
    text = spec(DECAY, condition, 3)
    try:
        found = verdict(text, "probability(yes) <= 0.01")
    except SpecError as error:
        assert "E0419" in str(error)
        return
    assert found in ("refuted" if holds else "proved", "unknown")


# ---- noise


@pytest.mark.parametrize(
    ("statistic", "threshold", "noise"),
    [
        ("mean(x over steps) * 0.0000000001 + 1000", "1000.00000000005", "gaussian(0.00000000001)"),
        ("x * 0.00000000000001 * sqrt(2) + sqrt(3)", "sqrt(3)", "laplace(0.00000000000001)"),
    ],
)
def test_a_noise_that_is_small_beside_its_number(statistic: str, threshold: str, noise: str) -> None:
    text = spec(f"{COIN}statistic q = {statistic}\n", f"q >= {threshold}", 3) + f"attach {noise} to q\n"
    try:
        assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(
            0.5 * (1 + 1 - 0.5 * exp(-(2**0.5))) - 0.25, abs=1e-6
        )
    except SpecError as error:
        assert "very large beside their noise" in str(error)
    found = seqlang.check(f"{text}claim strong pure(1)\nclaim probability(yes) >= 0.4999 under m\n").to_dict()
    assert [claim["verdict"] for claim in found["claims"]] != ["refuted", "refuted"]


def test_a_square_of_a_root_does_not_contradict_its_trial_run() -> None:
    text = (
        f"{COIN}statistic s = sqrt(2) * sum(x over steps)\n"
        "stop when step >= 3 and s * s == 2 * sum(x over steps) * sum(x over steps) return yes\n"
        "stop when step >= 4 return no\nclaim strong pure(1)\n"
    )
    assert seqlang.check(text).to_dict()["claims"][0]["verdict"] == "proved"


# ---- releases

SUM = "algorithm a\nstream x in {0, 1}\nmemory w = 0\nreport r = x\nupdate w = w + r\n"


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("poisson(2).cdf(w) > 0.1", "distribution function of `poisson`"),
        ("convolve(geometric(0.5), geometric(0.5)).pmf(w) > 0.1", "infinitely many"),
        ("sum_of(3, geometric(0.5)).pmf(w) > 0.1", "infinitely many"),
        ("conditioned(geometric(0.5), 0, 3).pmf(w) > 0.1", "`conditioned`"),
        ("poisson(2).pmf(sqrt(w * w + 1) ^ 2) > 0.1", "may not be rational"),
    ],
)
def test_a_plan_says_which_chances_are_not_computed_exactly(test: str, reason: str) -> None:
    text = f"{SUM}stop when step >= 3 and {test} return yes\nattach geometric(exp(-1)) to r\n"
    made = load(Source("a.seq", text)).program
    assert any(reason in obstacle for obstacle in obstacles(made))
