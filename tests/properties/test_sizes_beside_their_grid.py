"""Multiples of a small fraction that are so large that doubles, or a tolerance, take two of them for one; truth values
and chances that are taken for something else."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest
from one_value.verdicts import decided, verdicts

import seqlang
from seqlang import SpecError

ENGINES: tuple[Any, ...] = ("interpreter", "numpy", "compiled")
COIN = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\n"


def never_false(text: str, claim: str, truth: float, kind: str = " under m") -> None:
    """Of a claim with a bound: what is above the truth is not refuted, and what is below it is not proved."""
    above, below = (decided(f"{text}{claim.format(truth * factor)}{kind}\n") for factor in (1.01, 0.99))
    assert "refuted" not in above, (text, above)
    assert "proved" not in below, (text, below)


# ---- named truth values, where the parts of a number cancel

CANCELLING = [
    "(if f then w else w + 1) < w + 1", "(if not f then w + 1 else w) < w + 1",
    "(if f and step >= 1 then w else w + 1) < w + 1", "w + count(f for k in 1..3) > w",
    "w + sum(1 for k in 1..3 where f) > w", "w + count([f, f]) > w", "length({w, if f then 2 * w else w}) == 2",
]  # fmt: skip


@pytest.mark.parametrize("condition", CANCELLING)
def test_truth_values_are_no_numbers_that_cancel(condition: str) -> None:
    """It holds where f does."""
    text = (
        f"{COIN}memory w = 1\nstatistic f = x == 1\nstop when {condition} return yes\nstop when step >= 3 return no\n"
    )
    text += "update w = w * 0.9\n"
    assert decided(f"{text}claim probability(yes) <= 0.5 under m\n") != ["proved"]
    assert decided(f"{text}claim weak pure(0.1) under m\n") != ["proved"]
    for engine in ENGINES:
        try:
            found = seqlang.run(text, runs=2000, engine=engine)[0].returns["yes"]
        except SpecError as error:
            assert {d.code for d in error.diagnostics} <= {"E0620", "E0622"}
        else:
            assert abs(found - 0.875) < 0.05, engine


def test_what_always_holds_is_not_refuted() -> None:
    text = f"{COIN}memory w = 1\nreport f when step >= 1\nupdate w = w * 0.9\n"
    for value in ("if (if f then w else w + 1) < w + 1 then 1 else x",
                  "if length({step + 1, if f then step else step + 1}) == 2 then 1 else x"):  # fmt: skip
        program = f"{text}report r = {value}\nstop when step >= 3 return no\n"
        claims = "claim weak pure(0.1) under m\nclaim strong pure(0.1)\n"
        assert "refuted" not in decided(program + claims)


# ---- states that differ in their last digits


@pytest.mark.parametrize("size", ["10^3", "10^12", "10^15"])
def test_states_are_told_in_all_digits(size: str) -> None:
    """The last entry but one decides the result of half of the runs."""
    text = f"algorithm a\nstream x in {{0, 1}}\nmodel m: x ~ uniform({{0, 1}})\nstatistic p = previous(x, 1) + {size}\n"
    text += f"statistic q = previous(p, {size} + 1)\ndraw z ~ bernoulli(0.5)\n"
    text += f"stop when z == 1 and q == {size} return yes\nstop when z == 1 and q != {size} return no\n"
    never_false(text, "claim weak dp(0.1, {})", 0.125)


@pytest.mark.parametrize("other", ["10^3", "10^15"])
def test_states_beside_a_large_one(other: str) -> None:
    text = "algorithm a\nstream x in {0, 1, 2}\nmodel m: x ~ uniform({0, 1, 2})\n"
    text += f"statistic p = previous(if x == 2 then {other} else x, 0)\ndraw z ~ bernoulli(0.5)\n"
    text += "stop when z == 1 and p == 1 return yes\nstop when z == 1 and p != 1 return no\n"
    never_false(text, "claim weak dp(0.1, {})", 0.25)


@pytest.mark.parametrize(
    "constant", ["(max(x, y) + min(x, y)) / step", "max(x / step, y / step) + min(x / step, y / step)"]
)
def test_one_number_of_which_runs_show_several_doubles(constant: str) -> None:
    """With y = 1.7 - x it is always 1.7 (1 + 1/2 + 1/3). Runs add up doubles: some show another one than others, which
    tells of the data."""
    text = "algorithm a\nstream x in {0.2, 0.6, 0.7}\nmodel m: x ~ uniform({0.2, 0.6, 0.7})\n"
    text += f"statistic s = sum({constant.replace('y', '(1.7 - x)')} over steps)\nstop when step >= 3 return s\n"
    shown = {value for value, chance in seqlang.run(text, runs=500)[0].returns.items() if chance}
    found = decided(f"{text}claim weak pure(0.001) under m\n")
    assert len(shown) == 1 or found == ["unknown"]


# ---- chances that doubles do not know


@pytest.mark.parametrize("at", [5, 7.5, 8, 8.2])
def test_differences_of_chances_refute_nothing_that_holds(at: float) -> None:
    text = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ uniform({0, 1})\n"
    text += f"draw z ~ bernoulli(1 - normal(0, 1).cdf({at} + x * 0.2))\nreport r = z\nstop when step >= 1 return no\n"
    with mpmath.workdps(40):
        tails = [mpmath.erfc((mpmath.mpf(at) + x * mpmath.mpf("0.2")) / mpmath.sqrt(2)) for x in (0, 1)]
        loss = float(mpmath.log(tails[0] / tails[1]))
    for kind in ("strong", "weak"):
        never_false(text, f"claim {kind} pure({{}})", loss, " under m" if kind == "weak" else "")


@pytest.mark.parametrize("digits", [6, 10, 12, 14])
def test_the_other_side_of_a_coin_that_is_nearly_sure(digits: int) -> None:
    """Its chances are 10^-digits and ten times that: the loss is log(10)."""
    text = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ uniform({0, 1})\n"
    text += f"draw z ~ bernoulli(if x == 1 then 1 - 10^(-{digits}) else 1 - 10^(1 - {digits}))\n"
    text += "report r = z\nstop when step >= 1 return no\n"
    above, below = math.log(10) + 1e-10, math.log(10) - 1e-10
    for kind, under in (("strong", ""), ("weak", " under m")):
        assert verdicts(f"{text}claim {kind} pure({above:.14f}){under}\n") == ["proved"]
        assert verdicts(f"{text}claim {kind} pure({below:.14f}){under}\n") != ["proved"]


# ---- noise on points


@pytest.mark.parametrize(("end", "chance"), [("2", 0.2), ("2 - 1e-17", 0.0), ("2 - 10^(-20)", 0.0), ("2 + 1e-17", 0.2)])
def test_ends_of_conditioned_laws_next_to_a_point(end: str, chance: float) -> None:
    """Of z = -2..2 the weights are 1/4, 1/2, 1, 1/2, 1/4: 2.5 together; without 2 there are 2.25."""
    text = f"{COIN}draw z ~ conditioned(geometric(0.5), -2, {end})\n"
    text += "stop when z >= 2 return yes\nstop when step >= 1 return no\n"
    chance = 0.25 / 2.5 if chance else 0.0
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(chance, abs=1e-9)
    found = seqlang.run(text, runs=3000, engine="interpreter")[0].returns["yes"]
    assert abs(found - chance) < 0.03


@pytest.mark.parametrize("life", ["", " once"])
@pytest.mark.parametrize("more", ["", " + 1e-6", " + 1e-4", " + 0.01", " + 1", " - 1e-4"])
@pytest.mark.parametrize("scale", ["10^12", "1", "10^15"])
def test_thresholds_beside_a_multiple_of_noise(scale: str, more: str, life: str) -> None:
    """P(z >= 3) is 1/12, and P(z >= 4) is 1/24."""
    text = f"{COIN}draw z ~ geometric(0.5){life}\nstop when z * {scale} >= 3 * {scale}{more} return yes\n"
    text += "stop when step >= 1 return no\n"
    chance = 1 / 24 if "+" in more else 1 / 12
    try:
        assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(chance, abs=1e-9)
    except SpecError as error:
        assert {d.code for d in error.diagnostics} <= {"E0620", "E0623"}
        assert more or scale == "10^15"
    with_data = text.replace("stop when z", "stop when x == 1 and z")
    never_false(with_data, "claim strong dp(0.1, {})", chance, "")
    never_false(with_data, "claim weak dp(0.1, {})", chance)
    never_false(with_data.replace(">=", "<", 1), "claim weak dp(0.1, {})", 1 - chance)


@pytest.mark.parametrize("engine", ["interpreter", "numpy"])
def test_means_beside_whole_noise_are_compared(engine: Any) -> None:
    """x is 0.1 or 0.3, so the mean is at most 2 with noise up to 1: P(z <= 1) is 5/6."""
    text = "algorithm a\nstream x in {0.1, 0.3}\nmodel m: x ~ {0.1: 0.5, 0.3: 0.3}\nstatistic t = mean(x over steps)\n"
    text += "stop when t <= 2 return yes\nstop when step >= 2 return no\nattach geometric(0.5) to t once\n"
    assert abs(seqlang.run(text, runs=4000, engine=engine)[0].returns["yes"] - 5 / 6) < 0.03
    # of (0, 0, 0), with the chance 1/8, the mean is 0 and ties with the threshold where z is 0
    ties = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ uniform({0, 1})\nstatistic t = mean(x over steps)\n"
    ties += "stop when step == 3 and t <= 0 return yes\nstop when step >= 3 return no\nattach geometric(0.5) to t\n"
    truth = 1 / 8 * 2 / 3 + 7 / 8 * 1 / 3
    assert abs(seqlang.run(ties, runs=4000, engine=engine)[0].returns["yes"] - truth) < 0.03


# ---- alphabets with coarse and fine letters

ALPHABETS = ["{0.1, 0.3000000000000001}", "{0, 0.1, 1e-15}", "{0.1, 1/3, 1/7, 0.123456789012345}"]


@pytest.mark.parametrize("letters", ALPHABETS)
def test_runs_in_fractions_know_the_letters(letters: str) -> None:
    text = f"algorithm a\nstream x in {letters}\nmodel m: x ~ point(0.1)\nmemory w = 0\nupdate w = (w + 0.3) * 0.9\n"
    text += "statistic c = floor(w / 0.1)\nstop when step >= 20 and {0.1: 1, 0.3: 1}.pmf(x) == 1/2 and x == 0.1 "
    text += "and floor(x / 0.1) == 1 and c >= 0 return yes\nstop when step >= 20 return no\n"
    for engine in ENGINES:
        assert seqlang.run(text, runs=2, engine=engine)[0].returns["yes"] == 1.0, engine


@pytest.mark.parametrize("letters", ["1e-14, 123456.789012", "0.0000000001, 1234567.89", "0.00000000000001, 2000000.1"])
def test_sums_of_a_large_letter_beside_a_small_one(letters: str) -> None:
    large = letters.split(", ")[1]
    text = f"algorithm a\nstream x in {{{letters}}}\nmodel m: x ~ point({large})\n"
    text += f"stop when step >= 3 and sum(x over steps) == 3 * {large} return yes\nstop when step >= 3 return no\n"
    assert seqlang.run(text, runs=2)[0].returns["yes"] == 1.0
    assert decided(f"{text}claim probability(yes) >= 0.99 under m\n") != ["refuted"]


@pytest.mark.parametrize("letters", ["1e-9, 1000000", "1e-9, 4000000", "1e-10, 1000000", "1e-11, 100000", "1e-14, 10"])
def test_comparisons_of_kept_numbers_of_very_different_sizes(letters: str) -> None:
    """Of nine pairs of the entries 0, small, large three have a larger sum than the large one."""
    large = letters.split(", ")[1]
    text = f"algorithm a\nstream x in {{0, {letters}}}\nmodel m: x ~ uniform({{0, {letters}}})\n"
    for value in ("max(x over last 2) + min(x over last 2)", "x + previous(x, 0)"):
        program = f"{text}statistic s = {value}\nstop when step >= 2 and s > {large} return yes\n"
        program += "stop when step >= 2 return no\n"
        never_false(program, "claim probability(yes) <= {}", 1 / 3)


# ---- numbers that are infinite, or too large

INFINITE = ["max([1 / x, 3])", "min(1 / (k - x) for k in 1..3)", "argmax([1 / x, 3])", "norm([1 / x, 1])",
            "sort([1 / x, 1])[1]", "max(1 / (k - x) for k in 1..1)"]  # fmt: skip


@pytest.mark.parametrize("value", INFINITE)
def test_lists_with_an_infinite_number_have_no_value_in_a_proof(value: str) -> None:
    text = f"{COIN}report r = clip({value}, 0, 1)\nattach laplace(1) to r\nstop when step >= 1\nclaim strong pure(1)\n"
    assert verdicts(text) == ["unknown"]


@pytest.mark.parametrize("constant", ["10^310", "(10^300 * 10^10)"])
def test_constants_beside_data_that_are_too_large_are_errors(constant: str) -> None:
    for lines in (f"report r = {constant} * x\nattach laplace(1) to r\n", f"stop when {constant} * x > 1 return yes\n"):
        with pytest.raises(SpecError, match="E0312"):
            seqlang.check(f"{COIN}{lines}stop when step >= 1 return no\n")


def test_factors_that_are_too_large_together() -> None:
    text = f"{COIN}report r = x * 1e300 * 1e9\nattach laplace(1) to r\nstop when step >= 1\nclaim strong pure(1)\n"
    assert decided(text) in ([], ["unknown"], ["refuted"])


def test_a_memory_that_is_added_up_over_its_own_values() -> None:
    """w is 3 at the end of the first step, and s is 1 or 2."""
    text = "algorithm a\nstream x in {1, 2}\nmodel m: x ~ uniform({1, 2})\nmemory w = 1\n"
    text += "statistic s = sum(x over steps)\nupdate w = sum(w * k for k in 1..2)\nstop when w / s >= 2 return yes\n"
    text += "stop when step >= 1 return no\n"
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(0.5, abs=1e-9)
    assert verdicts(f"{text}claim probability(yes) >= 0.49 under m\n") == ["proved"]


def test_numbers_that_cancel_are_0_beside_a_small_noise() -> None:
    text = (
        f"{COIN}draw n ~ laplace((x + 1) * 1e-17)\nstop when sqrt(2) * x * sqrt(3) - sqrt(6) * x + n > 0 return yes\n"
    )
    text += "stop when step >= 3 return no\nclaim probability(yes) >= 0.1 under m\n"
    assert decided(text) != ["refuted"]


# ---- roundings that a bound forgets

ROOT, LARGEST = "memory w = sqrt(2)\nupdate w = w * 0.9\n", "max(sqrt(x) over steps)"
KEPT = "previous(sqrt(x + 1), sqrt(2))"
FORGOTTEN = [
    (ROOT, "(w * 1e-170) ^ 2 * 1e300 * 1e40 > 0.5", 1.0),
    (ROOT, "dot([w * 1e-170, 0], [w * 1e-170, 0]) * 1e300 * 1e40 > 0.5", 1.0),
    (ROOT, "norm([w * 1e-170, w * 1e-170]) * 1e170 > 0.5", 1.0),
    (ROOT, "(w * 1e-170) * (w * 1e-170) * 1e300 * 1e40 > 0.5", 1.0),
    (f"statistic s = {LARGEST}\n", "s * exp(-500) * exp(-500) * exp(500) * exp(500) > 0.5", 1.0),
    (f"statistic s = {LARGEST}\n", "(s * 1e-170) * (s * 1e-170) * 1e300 * 1e40 > 1.5", 0.875),
    (f"statistic w = {KEPT}\n", "(4000003 % w) > (4000003 % (w / 1.1 * 1.1))", 0.0),
    ("statistic s = sum(x over steps)\n", "sum(((k * 0.1 + 1e16) - 1e16) * s for k in 1..3) > 0.5 * s", 1.0),
    ("statistic s = sum(x over steps)\n", "floor(10 * sum(((k * 0.1 + 1e16) - 1e16) * s for k in 1..3)) == 6 * s", 1.0),
    (f"statistic s = {LARGEST}\n", "max([s * ((sqrt(k) + 1e15) - 1e15) for k in 1..3]) > s * sqrt(3) * 1.005", 0.0),
    (f"statistic s = {LARGEST}\n", "sum(((k * 0.1 + 1000) - 1000) * s for k in 1..3) > 0.6 * s", 0.0),
    ("", "norm([step + 25 * 0.5^26 for k in 1..2000]) < (step + 25 * 0.5^26) * sqrt(2000) * 0.9999999999999965", 0.0),
    ("statistic n = sum(x - 1 over steps)\n",
     "geometric(0.99999 - n / 100000).pmf(4000000) > 2.1237629507971234095e-23", 0.0),
    ("statistic s = sum(x over steps)\n", "(0.5 ^ (100 * s)) ^ 2 * 2 ^ (100 * s) * 2 ^ (100 * s) > 0.5", 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("statistics", "condition", "truth"), FORGOTTEN)
def test_no_rounding_is_forgotten(statistics: str, condition: str, truth: float) -> None:
    """Of x in {1, 2}; the condition is asked in step 3."""
    text = (
        f"algorithm a\nstream x in {{1, 2}}\nmodel m: x ~ uniform({{1, 2}})\n{statistics}"
        f"stop when step >= 3 and {condition} return yes\nstop when step >= 3 return no\n"
    )
    for bound in (0.05, 0.8, 0.95):
        wrong = "refuted" if truth >= bound else "proved"
        assert wrong not in decided(f"{text}claim probability(yes) >= {bound} under m\n"), bound
    if truth == 0.875:
        assert "proved" not in decided(f"{text}claim weak pure(0.01) under m\nclaim strong pure(0.01)\n")
    for engine in ENGINES:
        try:
            ran = seqlang.run(text, runs=800, engine=engine)[0].returns["yes"]
        except SpecError as error:
            assert {d.code for d in error.diagnostics} <= {"E0620", "E0622"}
        else:
            assert abs(ran - truth) < 0.06, engine


@pytest.mark.parametrize(
    ("weights", "chance"),
    [
        ("{1: (s * 1e-170) ^ 2 * 1e300 * 1e40, 0: 1}", 0.6458333333),
        ("bernoulli(min(0.5, (s * 1e-170) * (s * 1e-170) * 1e300 * 1e40 / 10))", 0.1875),
    ],
)
def test_weights_next_to_0_decide_nothing(weights: str, chance: float) -> None:
    """s is 1 with chance 1/8, else sqrt(2)."""
    text = (
        f"algorithm a\nstream x in {{1, 2}}\nmodel m: x ~ uniform({{1, 2}})\nstatistic s = {LARGEST}\n"
        f"draw z ~ {weights}\nstop when step >= 3 and z == 1 return yes\nstop when step >= 3 return no\n"
    )
    never_false(text, "claim probability(yes) <= {}", chance)
    try:
        assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(chance)
    except SpecError as error:
        assert {d.code for d in error.diagnostics} <= {"E0620", "E0623"}


DENSITIES = [
    ("1, 5.75", "staircase(1, 2.5, 0.3).pdf(x) > 0.02", 0.5),
    ("1, 39", "normal(0, 1).pdf(x) ^ 0.25 * 1e100 > 1", 1.0),
    ("1, 38.55", "log(normal(0, 1).pdf(x)) < -743.85", 0.5),
    ("1, -52.5625", "gumbel(8.2).cdf(x) > 9.528628220048746332691497980672083195896e-265", 1.0),
]
"""(values of x, a condition in step 1, its chance): by mpmath with 80 digits. 5.75 is (2 + 0.3) * 2.5."""


@pytest.mark.parametrize(("letters", "condition", "truth"), DENSITIES)
def test_densities_next_to_a_jump_or_to_0(letters: str, condition: str, truth: float) -> None:
    text = (
        f"algorithm a\nstream x in {{{letters}}}\nmodel m: x ~ uniform({{{letters}}})\n"
        f"stop when {condition} return yes\nstop when step >= 1 return no\n"
    )
    for bound in (0.05, 0.45, 0.55, 0.95):
        wrong = "refuted" if truth >= bound else "proved"
        assert wrong not in decided(f"{text}claim probability(yes) >= {bound} under m\n"), bound
    for engine in ENGINES:
        try:
            ran = seqlang.run(text, runs=800, engine=engine)[0].returns["yes"]
        except SpecError as error:
            assert {d.code for d in error.diagnostics} <= {"E0419", "E0620", "E0622"}
        else:
            assert abs(ran - truth) < 0.1, engine
