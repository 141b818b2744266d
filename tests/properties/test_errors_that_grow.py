"""Small errors that are magnified: by a place that is large beside the scale of a law, by powers and memories, by many
factors, by differences of large numbers beside noise. And different numbers that are returned and have one double. What
is claimed of such programs is true, or not decided; the truths are identities, or sums of few chances."""

from __future__ import annotations

import pytest
from mpmath import asin, mp, mpf, sin, sqrt
from one_value.verdicts import decided

import seqlang
from seqlang import SpecError

TWO = "algorithm a\nstream x in {{{0}, {1}}}\nmodel m: x ~ uniform({{{0}, {1}}})\n"
SMALL = TWO.format(2, 3)


@pytest.mark.parametrize(
    ("numbers", "condition"),
    [
        (("100000.1", "100000.3"), "uniform(100000, 100001).cdf(x) > 0.3"),
        (("1", "2"), "ceil(100 * uniform(100000, 100001).cdf(100000.07)) != 7"),
        (("1", "2"), "normal(1013.25, 0.1).cdf(1012.95) > 0.001349898031631"),
        (("1", "2"), "normal(1000000, 0.125).cdf(1000000 - 0.3) < 0.008197535920424821163788199257312502629622"),
        (("1", "2"), "geometric(0.99999).pmf(9000000) > 4.0951835377e-45"),
    ],
)
def test_densities_at_a_place_that_is_large_beside_the_scale(numbers: tuple[str, str], condition: str) -> None:
    """None of the conditions ever holds."""
    text = TWO.format(*numbers) + f"stop when {condition} return yes\nstop when step >= 3 return no\n"
    claims = "claim probability(yes) >= 0.002 under m\nclaim probability(yes) <= 0.002 under m\n"
    assert decided(text + claims) in ([], ["unknown", "unknown"], ["refuted", "proved"])


def test_densities_at_ordinary_places_are_decided() -> None:
    text = f"{SMALL}stop when normal(0.5, 1.1).cdf(0.3 * x) > 0.6 return yes\nstop return no\n"
    claims = "claim probability(yes) >= 0.499 under m\nclaim probability(yes) <= 0.501 under m\n"
    assert decided(text + claims) == ["proved", "proved"]  # of x = 3 only: a score of 0.09 and of 0.36


RETURNED = [
    ("s = max(sqrt(x) over steps)", "1 + s * 1e-17"),
    ("s = max(sqrt(x) over steps)", "s + 1e17"),
    ("s = min(sqrt(x) over steps)", "exp(s * 1e-17)"),
    ("s = max(exp(-40 * x) over steps)", "1 + s"),
    ("s = max(laplace(0.1).cdf(4 * x) over steps)", "s"),
    ("s = previous(normal(0, 1).cdf(9 * x), 0)", "s"),
]


@pytest.mark.parametrize(("statistic", "returned"), RETURNED)
def test_returned_numbers_with_one_double(statistic: str, returned: str) -> None:
    """They tell the largest, least or last entry, which is 1 or 2: no weak bound holds."""
    text = f"{TWO.format(1, 2)}statistic {statistic}\nstop when step >= 3 return {returned}\n"
    assert decided(f"{text}claim weak pure(0.01) under m\n") in ([], ["unknown"], ["refuted"])


def test_returned_numbers_are_told_where_doubles_tell_them() -> None:
    text = f"{SMALL}statistic s = sum(log(x) over steps)\nstop when step >= 2 return exp(s)\n"
    assert seqlang.solve(text)[0].returns == pytest.approx({"4": 0.25, "6": 0.5, "9": 0.25}, abs=1e-12)


POWERS = [
    ("memory w = sqrt(2)\nupdate w = w ^ 3 / 2\ndraw z ~ {1: w, 2: sqrt(2)}\n", 36),
    ("memory w = 0.1\nupdate w = w * w * 10\ndraw z ~ {1: w, 2: 0.1}\n", 60),
    ("memory w = sqrt(0.5)\nupdate w = w ^ 3 * 2\ndraw z ~ {1: w, 2: sqrt(0.5)}\n", 36),
]


@pytest.mark.parametrize(("lines", "step"), POWERS)
def test_memories_that_magnify_their_errors(lines: str, step: int) -> None:
    """w never moves: the chance is one half."""
    text = f"{SMALL}{lines}stop when step >= {step} and z == 1 return yes\nstop when step >= {step} return no\n"
    claims = "claim probability(yes) >= 0.501 under m\nclaim probability(yes) <= 0.499 under m\n"
    assert set(decided(text + claims)) <= {"unknown", "refuted"}


def test_nested_powers() -> None:
    power = "s * s / (if s > 1.5 then 3 else 2)"
    for _ in range(4):
        power = f"({power})^16"
    text = f"{SMALL}statistic s = max(sqrt(x) over steps)\nstop when step >= 3 return {power}\n"
    assert "refuted" not in decided(text + "claim strong pure(0.01)\nclaim weak pure(0.01) under m\n")


def test_many_factors_raise_what_is_next_to_0() -> None:
    """The chance is 0.253946: the weights are 3.74631 and 2.72627."""
    factors = " * ".join(["1e12"] * 26 + ["1e11"])
    text = f"{SMALL}statistic s = max(sqrt(x) over steps)\ndraw z ~ {{1: 1, 2: exp(-741 - s) * {factors}}}\n"
    text += "stop when step >= 2 and z == 1 return yes\nstop when step >= 2 return no\n"
    assert "proved" not in decided(text + "claim probability(yes) <= 0.2519 under m\n")


@pytest.mark.parametrize(
    ("numbers", "value"),
    [
        ((1, 2), "exp(s + 30) - exp(s) * exp(30)"),
        ((17, 18), "exp(s) - exp(s / 2) ^ 2"),
        ((17, 18), "sqrt(s * 1e30) - sqrt(s) * 1e15"),
    ],
)
def test_differences_of_large_numbers_beside_noise(numbers: tuple[int, int], value: str) -> None:
    """The value is 0."""
    text = TWO.format(*numbers) + f"statistic s = sum(x over steps)\nreport r = {value}\n"
    text += "attach laplace(0.1) to r\nstop when step >= 2\nclaim strong pure(0.01)\n"
    assert "refuted" not in decided(text)


@pytest.mark.parametrize("step", [70, 75])
def test_a_chaotic_memory(step: int) -> None:
    """The logistic map doubles an error in each step: of the 70th value doubles know no digit. By its closed form."""
    with mp.workdps(60):
        truth = sin(2 ** (step - 1) * asin(sqrt(mpf("0.3")))) ** 2 > mpf("0.5")
    share = "uniform(0, 1).cdf(w)"
    text = f"{SMALL}memory w = 0.3\nupdate w = 4 * {share} * (1 - {share})\n"
    text += f"stop when step >= {step} and w > 0.5 return high\nstop when step >= {step} return low\n"
    claims = "claim probability(high) <= 0.5 under m\nclaim probability(low) <= 0.5 under m\n"
    right = ["refuted", "proved"] if truth else ["proved", "refuted"]
    assert decided(text + claims) in ([], ["unknown", "unknown"], right)


@pytest.mark.parametrize(
    ("law", "at", "score"),
    [
        ("conditioned(geometric(0.5), 1, 2)", 1, "2 / 3"),
        ("convolve(conditioned(geometric(0.5), 1, 2), {0: 1, 1: 1})", 1, "1 / 3"),
        ("conditioned(convolve(conditioned(geometric(0.5), 1, 2), {0: 1, 1: 1}), 1, 2)", 1, "2 / 5"),
    ],
)
def test_conditioned_laws_within_laws(law: str, at: int, score: str) -> None:
    """Neither condition holds: geometric(0.5) has twice the chance at 1 that it has at 2."""
    for condition in (">", "<"):
        text = f"{SMALL}statistic k = x - x\nstop when {law}.pmf({at} + k) {condition} {score} return yes\n"
        text += "stop return no\n"
        text += "claim probability(yes) >= 0.001 under m\nclaim probability(yes) <= 0.001 under m\n"
        assert decided(text) in ([], ["unknown", "unknown"], ["refuted", "proved"])


def test_a_vector_beside_noise() -> None:
    """The first number is 0, and its noise exceeds 1 with probability exp(-1) / 2 = 0.184."""
    text = f"{SMALL}statistic s = sum(x over steps)\nstatistic v = [1000 * (exp(s + 30) - exp(s) * exp(30)), 1]\n"
    text += "report w = v\nattach laplace(1) to w\nstop when step >= 3 and w[1] > 1 return yes\n"
    text += "stop when step >= 3 return no\n"
    claims = "claim probability(yes) >= 0.19 under m\nclaim probability(yes) <= 0.18 under m\nclaim strong pure(0.01)\n"
    assert set(decided(text + claims)[:2]) <= {"unknown", "refuted"}
    assert "refuted" not in decided(text + claims)[2:]


CANCELLING = "(sqrt(2) * step) ^ 20 * (sqrt(3) * step) ^ 20 / 1e88 - (sqrt(6) * step * step) ^ 20 / 1e88"


@pytest.mark.parametrize("step", [200, 220])
def test_an_error_that_grows_with_the_step(step: int) -> None:
    """The two large terms cancel, and 1/4 or 1/2 is left."""
    chance = f"clip({CANCELLING} + x / 8, 0, 1)"
    text = f"{SMALL}draw z ~ bernoulli({chance})\nstop when step >= {step} and z == 1 return yes\n"
    text += f"stop when step >= {step} return no\n"
    claims = "claim probability(yes) <= 0.3124 under m\nclaim probability(yes) >= 0.3126 under m\n"
    assert set(decided(text + claims)) <= {"unknown", "refuted"}


def test_a_place_whose_error_grows_with_the_step() -> None:
    """The place is 0, so z is 1 with probability 2/3."""
    place = CANCELLING.replace("1e88", "1e133")
    text = f"{SMALL}draw z ~ {{1: 1, 2: laplace(1).cdf({place})}}\nstop when step >= 3000 and z == 1 return yes\n"
    text += "stop when step >= 3000 return no\n"
    try:
        found = seqlang.solve(text)[0].to_dict()
        yes = pytest.approx(2 / 3, abs=1e-9) if found["mass_unresolved"] < 0.5 else 0  # a law may end before that step
        assert found["returns"]["yes"] == yes
    except SpecError as error:
        assert {d.code for d in error.diagnostics} <= {"E0620", "E0623"}


CHANCES = [
    (("1", "-1"), "conditioned(normal(0, 1), 0, 1).cdf(x / 1099511627776) > 1.06295e-12", 0.5),
    (("1", "29383"), "(if poisson(24000).pmf(x) > 7.115964972795e-248 then 1 else 0) > 0", 0.0),
    (("1", "2"), "(if x * discrete_gaussian(1001).cdf(-30000) > 1.2246041028e-197 then 1 else 0) > 0", 0.5),
]


@pytest.mark.parametrize(("numbers", "condition", "chance"), CHANCES)
def test_chances_next_to_0(numbers: tuple[str, str], condition: str, chance: float) -> None:
    """By mpmath to 60 digits: 1.06296023e-12; 7.11596497278780559e-248; 1.22460410263824439e-197."""
    text = f"{TWO.format(*numbers)}statistic s = if {condition} then 1 else 0\nstop when s > 0 return yes\n"
    text += f"stop return no\nclaim probability(yes) <= {chance + 0.01} under m\n"
    text += f"claim probability(yes) >= {chance + 0.01} under m\n"
    assert decided(text) in ([], ["unknown", "unknown"], ["proved", "refuted"])


def test_chances_far_out_beside_noise() -> None:
    """A constant made of chances beside noise had no value where it was compared."""
    value = "((gumbel(1).cdf(8 + 1e-9) - gumbel(1).cdf(8)) * 1e8) ^ 16"
    text = f"{SMALL}statistic r = {value}\nattach laplace(1) to r\nstop when r > 0.33 return yes\nstop return no\n"
    assert "refuted" not in decided(text + "claim probability(yes) <= 0.5 under m\n")
