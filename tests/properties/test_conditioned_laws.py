"""Laws on listed values that are conditioned or added up: their chances, and the values next to the ends. What noise on
points makes of a number that is returned."""

from __future__ import annotations

from typing import Any

import pytest
from one_value.verdicts import verdicts

import seqlang
from seqlang import SpecError

COIN = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\n"
TENTHS = "algorithm a\nstream x in {0, 0.1}\nmodel m: x ~ uniform({0, 0.1})\n"
ENGINES: tuple[Any, ...] = ("interpreter", "numpy", "compiled")


def chances(text: str) -> list[float]:
    """Of "yes", by `solve` and by every engine that runs it."""
    found: list[float] = []
    try:
        found.append(seqlang.solve(text)[0].returns.get("yes", 0.0))
    except SpecError as error:
        assert "E0623" in str(error)
    for engine in ENGINES:
        try:
            found.append(seqlang.run(text, runs=2000, seed=1, engine=engine)[0].returns.get("yes", 0.0))
        except SpecError as error:
            assert engine != "interpreter" and "E0622" in str(error)
    return found


@pytest.mark.parametrize(
    ("law", "at", "chance"),
    [
        ("conditioned({0.25: 1, 0.5: 1, 0.75: 1}, 0.5, 1)", "0.75", 1 / 2),
        ("conditioned({0.1: 1, 0.3: 1, 0.7: 1}, 0.2, 1)", "0.3", 1 / 2),
        ("conditioned({0.5: 1, 1: 1, 2: 1}, 1, 3)", "2", 1 / 2),
        ("conditioned(uniform({0.3, 0.7, 1.7}), 0.5, 2)", "1.7", 1 / 2),
        ("conditioned(geometric(0.5), 1, 2)", "1", 2 / 3),
    ],
)
def test_masses_of_a_conditioned_law(law: str, at: str, chance: float) -> None:
    text = f"{COIN}let L = {law}\ndraw z ~ bernoulli(L.pmf({at}))\nstop when z == 1 return yes\nstop return no\n"
    for found in chances(text):
        assert found == pytest.approx(chance, abs=0.05)


def test_a_noise_whose_scale_is_such_a_mass() -> None:
    """The scale is 3/2, and the loss 2/3."""
    text = (
        f"{COIN}let L = conditioned({{0.25: 1, 0.5: 1, 0.75: 1}}, 0.5, 1)\nstatistic s = sum(x over steps)\n"
        "report r = s\nattach laplace(3 * L.pmf(0.75)) to r\nstop when step >= 1\nclaim strong pure(0.7)\n"
    )
    assert verdicts(text)[0] != "refuted"


THREE, SOME = "{0.25: 1, 0.5: 1, 0.75: 1}", "{0.1: 1, 0.3: 1, 0.7: 1}"
TWO = "algorithm a\nstream x in {0, 1}, y in {0.25, 0.5, 0.75}\nmodel m: x ~ bernoulli(0.5), y ~ "
BITS = "algorithm a\nstream x in {0, 0.1}, y in {0, 1}\nmodel m: x ~ uniform({0, 0.1}), y ~ "
ONE = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ "
PMF = "stop when step >= 3 and conditioned(geometric(0.5), step * 0.1 * 10, 4).pmf(3) > 0.5 return yes\n"
CHANGING = [
    (f"{TWO}conditioned({THREE}, 0.25 + x / 4, 1)\n", "y == 0.75", 1, 5 / 12),
    (f"{BITS}conditioned({{0: 1, 1: 1}}, 3 * x - 0.3, 1)\n", "y == 0", 1, 1 / 2),
    (f"{ONE}conditioned({{0: 1, 1: 1}}, step * 0.1 - 0.3, 1)\n", "x == 0", 3, 1 / 2),
    (f"{COIN}draw z ~ conditioned(geometric(0.5), step * 0.1 * 10, 4)\n", "z == 3", 3, 2 / 3),
    (f"{COIN}draw z ~ conditioned(binomial(4, 0.5), step * 0.1 * 10, 4)\n", "z == 3", 3, 4 / 5),
    (f"{COIN}draw z ~ conditioned(uniform(1..4), step * 0.1 * 10, 4)\n", "z == 3", 3, 1 / 2),
    (f"{COIN}draw z ~ conditioned({{0: 1, 1: 1}}, step * 0.1 - 0.3, 3)\n", "z == 0", 3, 1 / 2),
    (f"{COIN}memory w = 0\ndraw z ~ conditioned({SOME}, w, 1)\nupdate w = w + 0.1\n", "z == 0.3", 4, 1 / 2),
    (f"{COIN}{PMF}", "x > 1", 3, 1.0),
]


@pytest.mark.parametrize(("head", "condition", "step", "chance"), CHANGING)
def test_ends_that_change(head: str, condition: str, step: int, chance: float) -> None:
    text = f"{head}stop when step >= {step} and {condition} return yes\nstop when step >= {step} return no\n"
    for found in chances(text):
        assert found == pytest.approx(chance, abs=0.05)


@pytest.mark.parametrize(
    "text",
    [
        f"{TENTHS}stop when conditioned(convolve({{0.1: 1}}, {{0.2: 1, 0.7: 1}}), 0, 1).pmf(0.3) >= 0.5 return yes\n",
        f"{COIN}draw z ~ conditioned(convolve({{0.1: 1, 0: 1}}, {{0: 1, 0.2: 1}}), 0, 0.3)\nstop return z\n",
        "algorithm a\nstream x in {0.1, 0.2}, y in {0.2, 0.3, 0.4}\n"
        "model m: x ~ uniform({0.1, 0.2}), y ~ convolve({0.1: 1}, {x: 1})\nstop when y == 0.3 return yes\n",
    ],
)
def test_sums_of_laws_with_points_that_doubles_miss_are_refused(text: str) -> None:
    with pytest.raises(SpecError, match="E0419"):
        seqlang.solve(f"{text}stop when step >= 3 return no\n")


# ---- numbers with noise on points that are returned

RETURNED = [  # noise, domain, claim that holds
    ("geometric(0.5)", "{0.1, 1.1}", "pure(0.7)"), ("geometric(0.5)", "{0.1, 1.1}", "dp(0.7, 1e-9)"),
    ("geometric(0.5)", "{0.1, 1.1}", "zcdp(1)"), ("geometric(0.5)", "{1/3, 4/3}", "rdp(2, 0.7)"),
    ("discrete_gaussian(2)", "{0.1, 1.1}", "zcdp(0.126)"), ("discrete_gaussian(2)", "{0.1, 1.1}", "rdp(150, 18.8)"),
    ("uniform({0, 0.1, 0.2, 0.3})", "{0, 0.1}", "dp(0, 0.2501)"),
]  # fmt: skip


@pytest.mark.parametrize(("noise", "domain", "claim"), RETURNED)
@pytest.mark.parametrize("target", ["return", "s"])
def test_one_lattice_is_one_lattice(noise: str, domain: str, claim: str, target: str) -> None:
    text = f"algorithm a\nstream x in {domain}\nmodel m: x ~ uniform({domain})\nstatistic s = x\nstop return s\n"
    assert verdicts(f"{text}attach {noise} to {target}\nclaim weak {claim} under m\n")[0] != "refuted"


def test_a_sum_with_a_constant() -> None:
    text = f"{COIN}stop return x + 0.1\nattach geometric(0.5) to return\n"
    assert verdicts(f"{text}claim weak pure(0.7) under m\nclaim strong pure(0.7)\n") == ["proved", "proved"]


@pytest.mark.parametrize(("small", "large"), [("0.00000001", 1000000000), ("0.00001", 1000000000000)])
def test_numbers_with_noise_that_have_one_double(small: str, large: int) -> None:
    """The loss is infinite."""
    domain = f"{{0, {small}}}"
    text = f"algorithm a\nstream x in {domain}\nmodel m: x ~ uniform({domain})\nstop return x\n"
    noise = f"attach uniform({{{large}, {2 * large}}}) to return\n"
    assert verdicts(f"{text}{noise}claim weak pure(0.01) under m\n") != ["proved"]


def test_a_set_that_reads_a_public_field() -> None:
    text = (
        "algorithm a\nstream x in {0, 1}\npublic p in {0.1, 0.2}\n"
        "model m: x ~ uniform({0, 1}), p ~ uniform({0.1, 0.2})\n"
        "stop when x >= length({0.3, 3 * p}) return yes\nstop return no\nclaim weak pure(0.1) under m\n"
    )
    assert verdicts(text) == ["unknown"]


def test_a_mean_with_a_binder_is_returned() -> None:
    text = f"{TENTHS}statistic s = sum(mean(k * x over last 2) for k in {{1, 2}})\nstop when step >= 2 return s\n"
    assert verdicts(f"{text}claim weak pure(1) under m\n")[0] != "proved"  # the loss is infinite
