"""Numbers that are shown, drawn from, or have noise added: doubles may make two of one number, or one of two."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from one_value.verdicts import verdicts

import seqlang
from seqlang.model.print import names_of

ENGINES: tuple[Any, ...] = ("interpreter", "numpy", "auto")


def of_two(first: str, second: str, rest: str) -> str:
    return f"algorithm a\nstream x in {{{first}, {second}}}\nmodel m: x ~ uniform({{{first}, {second}}})\n{rest}\n"


# ---- what is returned

DIFFERENT = [
    ("1", "2", "exp(-1000 * S)"),
    ("1", "2", "exp(1000 * S)"),
    ("1", "2", "1 / (1 + exp(1000 * S))"),
    ("1", "2", "S * 1e-200 * 1e-200 * 1e200 * 1e200"),
    ("0.1", "0.2", "log(1 + S * 1e-17)"),
    ("0.1", "0.2", "sqrt(1 + S * 1e-17) - 1"),
    ("0.1", "0.2", "(1 + S * 1e-17) - 1"),
    ("0.1", "0.10000001", "((M + 1000000000) - 1000000000) * 1000000"),
    ("0", "1", "1 + S * 1e-13"),
    ("0", "1", "S + 100000000000000000"),
]
"""(x, x, returned) after three steps, S = sum(x) and M = mean(x): the sums 0 to 3 are returned as different numbers."""


@pytest.mark.parametrize(("first", "second", "returned"), DIFFERENT)
def test_different_numbers_are_not_one(first: str, second: str, returned: str) -> None:
    """A return that tells the sum tells of the first entry: no weak claim holds."""
    rest = (
        "statistic S = sum(x over steps)\nstatistic M = mean(x over steps)\n"
        f"stop when step >= 3 return {returned}\nclaim weak pure(0.01) under m"
    )
    assert verdicts(of_two(first, second, rest))[0] in ("refuted", "unknown")


EQUAL = [
    ("{0.1, 0.7}", "mean((3 * x - (if x > 0.5 then 2.1 else 0.3)) over steps)", "abs(s)"),
    ("{-0.1, -0.2, 0.3}", "mean(x over steps)", "abs(s)"),
]


@pytest.mark.parametrize(("domain", "statistic", "returned"), EQUAL)
@pytest.mark.parametrize("engine", ENGINES)
def test_one_number_is_not_two(domain: str, statistic: str, returned: str, engine: str) -> None:
    """Four steps; the laws of the returned numbers are those of fractions."""
    text = (
        f"algorithm a\nstream x in {domain}\nmodel m: x ~ uniform({domain})\nstatistic s = {statistic}\n"
        f"stop when step >= 4 return {returned}\n"
    )
    numbers = [Fraction(part) for part in domain.strip("{}").split(",")]
    moved = (
        (lambda x: 3 * x - (Fraction("2.1") if x > Fraction(1, 2) else Fraction("0.3")))
        if "if" in statistic
        else Fraction
    )
    chances: dict[float, float] = {}
    for entries in product(numbers, repeat=4):
        value = float(abs(sum(map(moved, entries)) / 4))
        chances[value] = chances.get(value, 0.0) + len(numbers) ** -4
    solved = {float(value): chance for value, chance in seqlang.solve(text)[0].returns.items()}
    assert solved == pytest.approx(chances, abs=1e-12)
    ran = seqlang.run(text, runs=400, seed=1, engine=engine)[0].returns
    assert {float(value) for value in ran} <= set(chances)


# ---- what is drawn from

LAWS = [
    ("0.00000001", "0.00000002", "{1: M, 2: (M + 1000000000) - 1000000000}", 0.5),
    ("0.1", "0.2", "{1: 2, 2: 100000000000000000 * abs(M - 0.1 - 0.1 * C / step)}", 0.0),
    ("0.1", "0.2", "{1: 1, 2: exp(100000000000000000 * abs(M - 0.1 - 0.1 * C / step))}", 0.5),
    ("0.1", "0.2", "{1: 3, 2: (S + 10000000000000000000) - 10000000000000000000 - S + 1}", 0.25),
]
"""(x, x, law of z, chance of z = 2), C = count(x > 0.15)."""


@pytest.mark.parametrize(("first", "second", "law", "chance"), LAWS)
def test_draws(first: str, second: str, law: str, chance: float) -> None:
    rest = (
        "statistic S = sum(x over steps)\nstatistic M = mean(x over steps)\nstatistic C = count(x > 0.15 over steps)\n"
        f"draw z ~ {law}\nstop when step >= 2 and z == 2 return two\nstop when step >= 2 return one\n"
        f"claim probability(two) <= {chance + 0.01} under m\nclaim probability(one) >= {1 - chance - 0.01} under m"
    )
    text = of_two(first, second, rest)
    assert seqlang.solve(text)[0].returns["two"] == pytest.approx(chance, abs=1e-9)
    assert verdicts(text) == ["proved", "proved"]
    for engine in ENGINES:
        ran = seqlang.run(text, runs=1000, seed=1, engine=engine)[0].returns
        assert ran.get("two", 0) == pytest.approx(chance, abs=0.08)


def test_a_weight_that_is_0_refutes_nothing() -> None:
    rest = (
        "statistic M = mean(x over steps)\nstatistic C = count(x > 0.15 over steps)\n"
        "draw z ~ {1: abs(M - 0.1 - 0.1 * C / step), 2: 1}\nstop when step >= 3 return z\nclaim strong pure(0.01)"
    )
    assert verdicts(of_two("0.1", "0.2", rest))[0] != "refuted"


def test_weights_of_a_data_set() -> None:
    """The exponents are 2, 5 and 8: the loss is below 3."""
    text = (
        "algorithm a\ndataset x in {0.66666666666667, 0.66666666666668} size 2\n"
        "draw z ~ {k: exp(if k == 1 then (sum(3 * x) - 4) * 100000000000000 else 0) for k in {1, 2}}\n"
        "stop return z\nclaim strong pure(3)\n"
    )
    assert verdicts(text)[0] != "refuted"


# ---- what has noise added


def test_a_statistic_with_noise() -> None:
    """At step 2 q is 0, 1/2 or 1, and a change of one entry moves it by 1/2, fifty times the scale."""
    rest = (
        "statistic q = ((mean(x over steps) + 1000000000) - 1000000000) * 100000000\n"
        "stop when step >= 2 and q >= 0.75 return yes\nstop when step >= 2 return no\nattach laplace(0.01) to q\n"
        "claim weak pure(0.01) under m\nclaim probability(yes) <= 0.01 under m"
    )
    text = of_two("0", "0.00000001", rest)
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(0.25, abs=1e-9)
    weak, operating = verdicts(text)
    assert weak == "refuted"
    assert operating != "proved"


@pytest.mark.parametrize("digits", [3, 7, 10, 14])
@pytest.mark.parametrize(("noise", "bound"), [("geometric(exp(-1 / 3))", "1.1"), ("laplace(3)", "1")])
def test_a_report_with_noise(digits: int, noise: str, bound: str) -> None:
    """(3 x - 2) 10^digits is 1 or 4."""
    first, second = (f"0.{'6' * (digits - 1)}{last}" for last in "78")
    text = (
        f"algorithm a\nstream x in {{{first}, {second}}}\nreport r = (3 * x - 2) * {10**digits}\n"
        f"attach {noise} to r\nstop when step >= 1\nclaim strong pure({bound})\n"
    )
    assert verdicts(text)[0] != "refuted"


@pytest.mark.parametrize("returned", ["s", "2 * s", "s / 3", "3 * (s / 3)"])
@pytest.mark.parametrize("target", ["return", "s"])
def test_geometric_noise_on_what_is_returned(returned: str, target: str) -> None:
    """The values beyond which next to nothing lies are left out of the law: nothing follows from the last of them."""
    if (returned, target) == ("3 * (s / 3)", "s"):
        returned = "s"
    bound = math.log(3) * (2.01 if "2" in returned else 1.01)
    text = of_two(
        "0", "1",
        f"statistic s = sum(x over steps)\nstop when step >= 3 return {returned}\n"
        f"attach geometric(1 / 3) to {target}\nclaim weak pure({bound}) under m",
    )  # fmt: skip
    assert verdicts(text)[0] != "refuted"


# ---- entries that are next to each other, and of many digits


@pytest.mark.parametrize("digits", ["0.325288874281771", "0.3252888742817718"])
@pytest.mark.parametrize("test", ["x == 0.5", "x >= 0.4"])
def test_entries_of_many_digits(digits: str, test: str) -> None:
    text = of_two(digits, "0.5", f"stop when {test} return yes\nstop return no")
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(0.5, abs=1e-12)
    assert seqlang.check(text).to_dict()["algorithm"]


@pytest.mark.parametrize("radius", ["1 - 1e-17", "0.9999999999"])
def test_who_is_no_neighbour_refutes_nothing(radius: str) -> None:
    text = of_two(
        "0", "1",
        f"adjacent one x within {radius}\nstatistic s = sum(x over steps)\nstop when step >= 3 return s\n"
        "attach geometric(exp(-1)) to s\nclaim strong pure(0.5)",
    )  # fmt: skip
    assert verdicts(text) == ["proved"]


def test_a_constant_that_is_not_decided_is_shown_in_its_line() -> None:
    text = of_two(
        "0", "1",
        "let k = if sum_of(3, bernoulli(0.5)).pmf(2) > 0.375 then 1 else 2\nstatistic s = sum(x over steps)\n"
        "stop when step >= 3 return s\nattach geometric(exp(-k)) to s\nclaim strong pure(2)",
    )  # fmt: skip
    with pytest.raises(seqlang.SpecError, match="not decided") as error:
        seqlang.check(text)
    assert error.value.source is not None


# ---- states that are next to each other


def test_bounds_on_a_noise_that_stays() -> None:
    """z < 400 - n and z <= 400 - n are different things to know, and a sum over z has both chances."""
    text = (
        "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstatistic t = step * 1\n"
        "draw z ~ geometric(exp(-1/30)) once\nstop when x == 1 and t >= 400 return a\n"
        "stop when x == 0 and t > 400 return b\nattach z to t\n"
    )
    ratio, a = math.exp(-1 / 30), 0.0
    for z in range(-3000, 3001):
        chance = (1 - ratio) / (1 + ratio) * ratio ** abs(z)
        a += chance * (0.75 if 400 - z >= 1 else 0.5)
    assert seqlang.solve(text)[0].returns["a"] == pytest.approx(a, abs=1e-10)


# ---- numbers that are 0


LOGARITHMS = (
    "statistic a = sum(log(2) * x since r)\nstatistic b = sum(log(3) * x since r)\n"
    "statistic c = sum(log(6) * x since r)\nreport r when step == 1\n"
)
EXPONENTIALS = "statistic a = sum(exp(x / 3) over steps)\nstatistic b = sum(exp(x / 3) * 3 over steps)\n"
ALWAYS_0 = [
    ("{0, 1}", LOGARITHMS, "a + b - c"),
    ("{0, 1, 2}", EXPONENTIALS, "b - 3 * a"),
    ("{0, 1, 2}", EXPONENTIALS, "b - a - a - a"),
]


@pytest.mark.parametrize(("letters", "statistics", "returned"), ALWAYS_0)
def test_a_number_that_is_0_refutes_nothing(letters: str, statistics: str, returned: str) -> None:
    """Doubles make numbers around 1e-16 of it, which differ from stream to stream."""
    text = (
        f"algorithm a\nstream x in {letters}\nmodel m: x ~ uniform({letters})\n{statistics}"
        f"stop when step >= 4 return {returned}\nclaim strong pure(0.1)\nclaim weak pure(0.1) under m\n"
    )
    assert "refuted" not in verdicts(text)


def test_a_sum_of_logarithms_that_is_0_is_shown_as_0() -> None:
    letters, statistics, returned = ALWAYS_0[0]
    text = (
        f"algorithm a\nstream x in {letters}\nmodel m: x ~ uniform({letters})\n{statistics}"
        f"stop when step >= 4 return {returned}\n"
    )
    for engine in ("interpreter", "numpy"):
        assert seqlang.run(text, runs=50, seed=1, engine=engine)[0].returns == {"0": 1.0}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_number_that_is_too_large_is_refused_in_words(engine: str) -> None:
    text = of_two("1", "2", "statistic S = sum(x over steps)\nstop when step >= 3 return exp(1000 * S)")
    with pytest.raises(seqlang.SpecError, match="E0620"):
        seqlang.run(text, runs=5, seed=1, engine=engine)


# ---- what they are called

NAMED = [
    ("1000000 + S", {"1000000": 0.125, "1000001": 0.375, "1000002": 0.375, "1000003": 0.125}),
    ("1 + S / 10 ^ 8", {"1": 0.125, "1.00000001": 0.375, "1.00000002": 0.375, "1.00000003": 0.125}),
    (
        "(1 + S) / 3",
        {"0.333333333333333": 0.125, "0.666666666666667": 0.375, "1": 0.375, "1.33333333333333": 0.125},
    ),
    ("(1 + S) * 10 ^ 17", {"1e+17": 0.125, "2e+17": 0.375, "3e+17": 0.375, "4e+17": 0.125}),
]


@pytest.mark.parametrize(("returned", "named"), NAMED)
def test_different_numbers_have_different_names(returned: str, named: dict[str, float]) -> None:
    rest = f"statistic S = sum(x over steps)\nstop when step >= 3 return {returned}\n"
    text = of_two("0", "1", rest)
    assert seqlang.solve(text)[0].returns == pytest.approx(named)
    for engine in ENGINES:
        assert seqlang.run(text, runs=2000, seed=1, engine=engine)[0].returns == pytest.approx(named, abs=0.05)


def test_numbers_that_agree_in_15_digits_are_named_in_all() -> None:
    assert names_of([1e15 + 0.25, 1e15 + 0.5, 1 / 3]) == {
        1e15 + 0.25: "1000000000000000.2", 1e15 + 0.5: "1000000000000000.5", 1 / 3: "0.333333333333333"
    }  # fmt: skip


def test_the_largest_of_a_list_whose_rounding_is_watched() -> None:
    """The error of the largest element is one number, and no list of them."""
    rest = (
        "memory w = 0\nstatistic s = uniform({0.1, 0.3, 0.7}).pmf(w)\n"
        "stop when step >= 2 return floor(max([1, s]) * 10)\nupdate w = w + 0.1\n"
    )
    text = of_two("0", "1", rest)
    assert seqlang.solve(text)[0].returns == {"10": 1.0}
    for engine in ENGINES:
        assert seqlang.run(text, runs=10, engine=engine)[0].returns == {"10": 1.0}


def test_a_threshold_that_reads_a_list_beside_noise_that_stays() -> None:
    """The chances of stopping in step 5 of 200,000 runs, within five standard errors."""
    text = (
        "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(1/2)\nstatistic marks = history(step, hit)\n"
        "statistic bar = 0.1 + log(1 + sum(sqrt(marks[j]) for j in 1..length(marks)))\nstatistic level = x\n"
        "report hit when level >= bar\nstop when count(hit over steps) >= 2 return two\n"
        "stop when step >= 5 return late\n"
        "attach laplace(1.3) to bar each hit\nattach laplace(2.1) to level\n"
    )
    solved = seqlang.solve(text)[0].returns["two"]
    ran = seqlang.run(text, runs=200_000, seed=1, engine="numpy")[0].returns["two"]
    assert solved == pytest.approx(ran, abs=0.006)


@pytest.mark.parametrize("returned", ["mean(x over steps)", "mean(x over last 2)"])
def test_a_bare_mean_of_decimals_is_returned(returned: str) -> None:
    text = (
        "algorithm a\nstream x in {0, 0.1, 0.2}\nmodel m: x ~ {0: 2, 0.1: 5, 0.2: 3}\n"
        f"stop when step >= 2 return {returned}\n"
    )
    chances = {Fraction(0): Fraction(2, 10), Fraction(1, 10): Fraction(5, 10), Fraction(2, 10): Fraction(3, 10)}
    expected: dict[float, float] = {}
    for a, b in product(chances, repeat=2):
        value = float((a + b) / 2)
        expected[value] = expected.get(value, 0.0) + float(chances[a] * chances[b])
    found = {float(name): chance for name, chance in seqlang.solve(text)[0].returns.items()}
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("root", ["sqrt(V)", "V ^ 0.5", "max(sqrt(V), 0)"])
def test_the_root_of_what_is_0_by_exact_arithmetic(root: str, engine: Any) -> None:
    """For x in {0, 0.1} V is 0, and doubles give -4e-19."""
    text = (
        "algorithm a\nstream x in {0, 0.1}\nmodel m: x ~ {0: 0.2, 0.1: 0.8}\n"
        f"statistic v = {root.replace('V', '(0.0025 - mean((x - 0.05) ^ 2 over last 3))')}\n"
        "stop when v > 0 return above\nstop when step >= 9 return none\n"
    )
    assert seqlang.run(text, model="m", runs=50, seed=1, engine=engine)[0].returns == {"above": 0.0, "none": 1.0}


@pytest.mark.parametrize(("point", "other", "test"), [("sqrt(2)", "1", "x * x == 2"), ("log(3)", "0", "x >= log(3)")])
def test_irrational_values_lie_in_their_domain(point: str, other: str, test: str) -> None:
    text = of_two(point, other, f"stop when {test} return yes\nstop when step >= 2 return no")
    assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(0.75, abs=1e-9)
    ran = seqlang.run(text, runs=400, seed=1, engine="numpy")[0].returns["yes"]
    assert ran == pytest.approx(0.75, abs=0.12)


def test_a_law_that_is_wider_than_a_narrow_domain_leaves_it() -> None:
    text = "algorithm a\nstream x in [0, 1e-13]\nmodel m: x ~ uniform(0, 1e-12)\nstop when step >= 1\n"
    with pytest.raises(seqlang.SpecError, match="leaves its domain"):
        seqlang.solve(text)
