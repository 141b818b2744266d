"""Expressions near a jump in places that a generator does not reach: laws, claims, data sets, chains of memories."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from one_value.verdicts import verdicts

import seqlang
from seqlang import SpecError

ENGINES: tuple[Any, ...] = ("interpreter", "numpy", "compiled")
COIN = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.3)\n"
END = "stop when step >= 1 return no\n"


def solved(text: str) -> float:
    return seqlang.solve(text)[0].returns["yes"]


# ---- constants within the laws of noises, draws and data


@pytest.mark.parametrize(
    ("law", "stop", "chance"),
    [
        ("binomial(ceil(0.07 * 100), 1)", "z == 7", 1.0),
        ("uniform(1..ceil(0.07 * 100))", "z >= 7", 1 / 7),
        ("{0: (if 0.1 * 3 > 0.3 then 1 else 0), 1: 1}", "z == 1", 1.0),
        ("{k: (if k > 0.3 then 1 else 0) for k in {3 * 0.1, 0.4}}", "z == 0.4", 1.0),
        ("uniform({3 * 0.1, 0.3, 0.4})", "z == 0.4", 1 / 2),
        ("geometric(if sqrt(2) * sqrt(2) == 2 then 0.5 else 0.9)", "z >= 3", 1 / 12),
    ],
)
def test_laws_of_draws(law: str, stop: str, chance: float) -> None:
    assert solved(f"{COIN}draw z ~ {law}\nstop when {stop} return yes\n{END}") == pytest.approx(chance, abs=1e-9)


@pytest.mark.parametrize(
    ("domain", "law", "stop"), [("real", "normal(ceil(0.07 * 100), 1)", "x >= 7"),
                                ("[0, 10]", "uniform(0, ceil(0.07 * 100))", "x >= 3.5")],
)  # fmt: skip
def test_laws_of_data(domain: str, law: str, stop: str) -> None:
    text = f"algorithm a\nstream x in {domain}\nmodel m: x ~ {law}\nstop when {stop} return yes\n{END}"
    assert solved(text) == pytest.approx(0.5, abs=1e-9)
    assert verdicts(f"{text}claim probability(yes) >= 0.55 under m\n") == ["refuted"]


def test_the_scale_of_a_noise() -> None:
    """floor(0.29 * 100) is 29, and doubles say 28."""
    text = f"{COIN}report r = x\nattach laplace(floor(0.29 * 100) / 29) to r\nstop when step >= 1\n"
    assert verdicts(f"{text}claim strong pure(1)\n") == ["proved"]


# ---- the step in claims


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("step * 0.1 > 0.7", False), ("step * 0.1 == 0.7", True), ("step * 0.1 <= 0.7", True),
        ("ceil(step * 0.07 * 100) == 49", True), ("step * 0.07 * 100 <= 49", True),
        ("sqrt(step) * sqrt(step) > 7", False), ("step ^ 0.5 * step ^ 0.5 > 7", False),
    ],
)  # fmt: skip
def test_conditions_on_the_step(condition: str, holds: bool) -> None:
    """Every run stops in step 7."""
    text = f"{COIN}stop when step >= 7 return no\nclaim probability({condition}) >= 0.99 under m\n"
    assert verdicts(text) == ["proved" if holds else "refuted"]


# ---- all records of a data set


@pytest.mark.parametrize(
    "condition",
    [
        "sum(x) == 0.3", "sum(x) <= 0.3", "mean(x) == 0.1", "ceil(sum(x) * 10) == 3", "argmax([0.3, sum(x)]) == 1",
        "max(3 * x) == 0.3", "dot(x, [1, 1, 1]) == 0.3", "sum(sort(x)) == 0.3", "sum(k for k in x) == 0.3",
        "count(3 * k == 0.3 for k in x) == 3", "sum([3 * k for k in x]) == 0.9",
    ],
)  # fmt: skip
def test_data_sets(condition: str) -> None:
    text = (
        f"algorithm a\ndataset x in {{0.1}} size 3\nmodel m: x ~ uniform({{0.1}})\nstop when {condition} return yes\n"
    )
    for engine in ENGINES:
        assert seqlang.run(f"{text}stop return no\n", runs=5, engine=engine)[0].returns["yes"] == 1.0, engine


def test_a_sum_of_records_refutes_nothing() -> None:
    """The sum of three numbers up to 0.1 is never above 0.3: the choice does not depend on the data."""
    text = "algorithm a\ndataset x in {0, 0.1} size 3\ndraw z ~ {1: if sum(x) > 0.3 then 1 else 2, 2: 2}\n"
    assert verdicts(f"{text}stop return z\nclaim strong pure(0.0001)\n") != ["refuted"]


# ---- numbers that are kept


CHAIN = COIN + "".join(f"memory {name} = 1\n" for name in "abcdef") + "update a = a / 512\n"
CHAIN += "".join(f"update {name} = {before} / 512\n" for before, name in zip("abcde", "bcdef", strict=True))
CHAIN += f"stop when 1 + f > 1 return yes\n{END}"
"""f is 2^-54 in the first step: 1 + f is 1 in doubles."""
POINTS = f"{COIN}memory w = 1\nupdate w = w * 0.9\nstop when uniform({{0.1, 0.729}}).pmf(w) >= 0.4 return yes\n"
POINTS += "stop when step >= 4 return no\n"
"""w is 0.729 in the third step, and another number in doubles."""


@pytest.mark.parametrize("text", [CHAIN, POINTS])
def test_digits_that_doubles_do_not_hold(text: str) -> None:
    """An engine that cannot tell it says so; the program says yes."""
    for engine in ("auto", *ENGINES):
        try:
            assert seqlang.run(text, runs=5, engine=engine)[0].returns["yes"] == 1.0, engine
        except SpecError as why:
            assert engine in ("numpy", "compiled") and "exact arithmetic has to tell them apart" in str(why)
    with pytest.raises(SpecError, match="exact arithmetic has to tell them apart"):
        solved(text)
    assert verdicts(f"{text}claim probability(yes) <= 0.01 under m\n") == ["unknown"]


def test_errors_that_go_round() -> None:
    """Twenty memories, each made of the one before: in 200 steps 4,000 roundings, and the last number is far from a
    bound that counts 200. Exactly it is 2100 + 3980 c > 2100.0000000008."""
    c, last = "0.000000000000157 * sqrt(2)", 19
    lines = [f"memory m{i} = 0" for i in range(last + 1)]
    before = [last, *range(last)]
    lines += [f"update m{i} = if step == 1 then 2100 else m{before[i]} + {c}" for i in range(last + 1)]
    lines += [f"stop when step >= 200 and m{last} > 2100.0000000008 return yes", "stop when step >= 200 return no"]
    for engine in ENGINES:
        try:
            assert seqlang.run(COIN + "\n".join(lines), runs=5, engine=engine)[0].returns["yes"] == 1.0, engine
        except SpecError as why:
            assert "not decided" in str(why)


def test_vectors_are_guarded_as_numbers_are() -> None:
    """A vector that is kept and is no multiple of a fraction. No comparison here is close, so doubles tell the step."""
    text = f"{COIN}memory v = [0.1, 0.2]\nstop when v[1] >= 0.9 return yes\nstop when sum(v) >= 9.5 return no\n"
    text += "stop when step >= 30 return no\nupdate v = 0.9 * v + 0.1 * [step, 2] + [sqrt(2), sqrt(3)] * 0.001\n"
    step, first = 1, 0.1
    while first < 0.9:
        first = 0.9 * first + 0.1 * step + 0.001 * math.sqrt(2)
        step += 1
    for engine in ENGINES:
        found = seqlang.run(text, runs=5, engine=engine)[0].to_dict()
        assert found["returns"]["yes"]["probability"] == 1.0 and found["steps"]["mean"] == step, engine


def test_a_large_binomial_law_takes_a_moment() -> None:
    text = f"{COIN}stop when binomial(9000, 0.123).cdf(1100) > 0.4 return yes\n{END}"
    assert seqlang.run(text, runs=5, engine="interpreter")[0].returns["yes"] == 1.0


# ---- laws of draws and of data, at the data


@pytest.mark.parametrize(
    ("data", "law"),
    [
        ("stream x in {0.1, 0.2}", "{k * sum(x over steps) / sum(x over steps): 1 for k in {0.1, 0.7}}"),
        ("dataset x in {0.1, 0.2} size 3", "{0.3 * sum(x) / sum(x): 1, 0.3: 1}"),
        ("stream x in {0.1, 0.2}", "{x: 1, 0.3 - x: 1}"),
        ("stream x in {0.1, 0.7}", "{(x + 0.1) - x: 1, 0.1: 1}"),
    ],
)
def test_what_a_draw_shows_does_not_depend_on_the_data(data: str, law: str) -> None:
    end = "stop when step >= 3 return z\n" if "over" in law else "stop return z\n"
    assert verdicts(f"algorithm a\n{data}\ndraw z ~ {law}\n{end}claim strong pure(0.1)\n") != ["refuted"]


@pytest.mark.parametrize(
    ("law", "stop", "chance"),
    [
        ("convolve(point(0.1), point(0.2))", "z > 0.3", 0.0),
        ("convolve(uniform({0.1, 0.2}), uniform({0.1, 0.2}))", "z == 0.3", 0.5),
        ("{1: 0.3 - 0.1 * step * 3, 2: 1}", "z == 2", 1.0),
    ],
)
def test_draws_in_runs(law: str, stop: str, chance: float) -> None:
    """Within five standard errors of 2,000 runs."""
    text = f"{COIN}draw z ~ {law}\nstop when {stop} return yes\n{END}"
    assert solved(text) == pytest.approx(chance, abs=1e-9)
    for engine in ENGINES:
        found = seqlang.run(text, runs=2000, engine=engine)[0].returns["yes"]
        assert found == pytest.approx(chance, abs=5 * (chance * (1 - chance) / 2000) ** 0.5), engine


@pytest.mark.parametrize("law", ["{x + 0.1: 1}", "point(x + 0.1)"])
def test_data_that_follows_from_data(law: str) -> None:
    text = "algorithm a\nstream x in {0.1, 0.2}, y in {0.2, 0.3}\n"
    text += f"model m: x ~ uniform({{0.1, 0.2}}), y ~ {law}\nstop when y > 0.3 return yes\n{END}"
    for engine in ENGINES:
        assert seqlang.run(text, runs=100, engine=engine)[0].returns["yes"] == 0.0, engine


# ---- numbers next to each other

TINY = [
    ("x * 0.0000000006", "q > 0", "{0: 1, 1: 1}"),
    ("x * (1 - 6e-10)", "q >= 0", "geometric(0.5)"),
    ("x", "q > 1000000000 - 0.5", "{0: 1, 1000000000: 1}"),
    ("x * 1e-13", "q > 0", "geometric(0.5)"),
]
"""(statistic, condition, noise) for x in {0, 1}: numbers that doubles tell apart, and that were taken for equal."""


@pytest.mark.parametrize(("statistic", "condition", "noise"), TINY)
def test_a_number_next_to_a_point_of_a_noise_is_not_that_point(statistic: str, condition: str, noise: str) -> None:
    """Of the strong claim and the weak one, which mean the same for one step, none contradicts the other."""
    text = f"{COIN}statistic q = {statistic}\nstop when {condition} return yes\nstop return no\nattach {noise} to q\n"
    found = verdicts(f"{text}claim strong pure(0.1)\nclaim weak pure(0.1) under m\n")
    assert set(found) not in ({"proved", "refuted"},)


@pytest.mark.parametrize("noise", ["geometric(0.5)", "{0: 1, 1: 1}"])
def test_no_law_of_numbers_that_are_not_told_apart(noise: str) -> None:
    text = f"{COIN}statistic q = x * 1e-13\nstop when q > 0 return yes\nstop return no\nattach {noise} to q\n"
    with pytest.raises(SpecError, match="agree in the first digits"):
        solved(text)
    assert verdicts(f"{text}claim weak pure(0.1) under m\n") == ["unknown"]


@pytest.mark.parametrize(
    "text",
    [
        f"{COIN}draw z ~ {{1: 1, 1 + 1e-13: 1}}\nstop when z > 1 return yes\n{END}",
        f"{COIN}draw z ~ {{1000000000000: 1, 1000000000000.5: 1}}\nstop when z > 1000000000000 return yes\n{END}",
        "algorithm a\nstream x in {1, 1.0000000000001}\nmodel m: x ~ uniform({1, 1.0000000000001})\n"
        "stop when step == 4 and sum(x over steps) > 4 return yes\nstop when step >= 4 return no\n",
    ],
)
def test_values_that_are_next_to_each_other_are_not_one(text: str) -> None:
    with pytest.raises(SpecError, match="next to each other"):
        solved(text)


# ---- the step against a number that is nearly whole

NEARLY_WHOLE = [
    ("step >= 985 * sqrt(2)", 1394),
    ("step * 0.1 >= 98.5 * sqrt(2)", 1394),
    ("2 * step >= 1970 * sqrt(2)", 1394),
    ("step + 1 >= 985 * sqrt(2) + 1", 1394),
    ("step >= 1393 / sqrt(2)", 985),
    ("step >= log(20.0855369)", 3),
    ("log(20.0855369) <= step", 3),
    ("step > 3 - 1e-20", 3),
    ("not step <= 3 - 1e-20", 3),
    ("step ^ 2 > 9 - 1e-20", 3),
    ("step / 3 > 1 - 1e-20", 3),
    ("step > 3 + 1e-20", 4),
    ("step >= log(20.0855370)", 4),
]
"""The step in which it first holds: 985 sqrt(2) = 1393.00036, log(20.0855369) = 3 - 1.2e-9."""


@pytest.mark.parametrize(("condition", "first"), NEARLY_WHOLE)
def test_steps_and_numbers_that_are_nearly_whole(condition: str, first: int) -> None:
    text = f"{COIN}stop when {condition} return yes\nstop when step >= {first + 100} return no\n"
    (law,) = seqlang.solve(text)
    assert law.returns["yes"] == pytest.approx(1, abs=1e-9)
    assert law.expected_steps == pytest.approx(first)
    assert verdicts(f"{text}claim probability(yes) >= 0.99 under m\n") == ["proved"]
    for engine in ENGINES:
        try:
            assert set(seqlang.run(text, runs=3, seed=1, engine=engine)[0].samples.steps) == {first}
        except SpecError as error:
            assert "E0622" in str(error)


# ---- sums and means next to a threshold, which runs decide


@pytest.mark.parametrize(
    ("letters", "statistic", "condition"),
    [
        ("{0, 1}", "sum(x * log(2) over steps)", "s >= log(8.00000000000000001)"),
        ("{0.5, 0.3, 0.69999999999999}", "mean(x over steps) * 2", "s > 0.99999999999998 and s < 1"),
        ("{0.2, 0.33333333333333331}", "sum(x over steps)", "3 * s == 3"),
    ],
)
def test_numbers_that_are_kept_are_not_taken_for_a_threshold(letters: str, statistic: str, condition: str) -> None:
    text = (
        f"algorithm a\nstream x in {letters}\nmodel m: x ~ uniform({letters})\nstatistic s = {statistic}\n"
        f"stop when step >= 3 and {condition} return yes\nstop when step >= 3 return no\n"
        "claim probability(yes) >= 0.1 under m\n"
    )
    assert verdicts(text)[0] != "proved"


@pytest.mark.parametrize("noise", ["geometric(0.5)", "binomial(2, 0.5)"])
@pytest.mark.parametrize("gap", ["1e-14", "1e-13", "1e-12"])
def test_a_threshold_beside_a_point_of_a_draw(noise: str, gap: str) -> None:
    text = f"{COIN}draw z ~ {noise}\nstop when z >= 1 + {gap} return yes\nstop return no\n"
    assert verdicts(f"{text}claim probability(yes) >= 0.26 under m\n")[0] != "proved"


def test_a_mean_in_fractions_is_a_position() -> None:
    """The memory gets too large for doubles, so that the interpreter computes in fractions."""
    text = (
        f"{COIN}memory w = 1\nstatistic s = mean(ceil(0.1 * 20) over steps)\n"
        "stop when floor(x) >= floor(x) * 0.3 + floor(x) * 0.7 return [0, floor(w), [s, s, x][1]][s]\n"
        "stop when step >= 4 return 7\nupdate w = w * 10\n"
    )
    assert seqlang.run(text, runs=4, seed=1, engine="interpreter")[0].returns == {"1": 1.0}


def test_what_is_not_decided_within_a_decision_is_not_dropped() -> None:
    """`s == s + sqrt(2) - sqrt(2)` is true, and doubles say that it is not."""
    text = (
        "algorithm a\nstream x in {0.06, 0.07}\nmodel m: x ~ uniform({0.06, 0.07})\nmemory w = 0.1\n"
        "statistic s = mean((0.07 * w) % 0.07 over steps)\nstop when step >= 4 return "
        "argmax([if s == s + sqrt(2) - sqrt(2) then step else 0, clip_norm([3 * s, 4 * s, 0], 2)[1], 1])\n"
        "update w = w + 1\n"
    )
    try:
        assert seqlang.solve(text)[0].returns == {"1": pytest.approx(1)}
    except SpecError as error:
        assert "not decided" in str(error)
    assert seqlang.run(text, runs=4, seed=1, engine="interpreter")[0].returns == {"1": 1.0}


# ---- numbers that doubles do not tell from a point of a noise


BESIDE_POINTS = [
    ("{0, 1e-20}", "statistic q = x\n", "q > 1", "attach {0: 1, 1: 1} to q\n", "1/4"),
    ("{1, 1.001}", "statistic q = x\n", "q > 2.99999999999999998", "attach geometric(0.5) to q\n", "1/6"),
    ("{1, 1.001}", "statistic q = x\n", "q >= 1.001000000009", "attach geometric(0.5) to q\n", "1/3"),
    ("{0, 1}", "draw z ~ geometric(exp(-1))\n", "log(1 + x) + z > -0.000000000005", "", "0.7310585786300049"),
    ("{0, 1}", "draw z ~ poisson(1)\n", "z >= 1.00000000000000000001", "", "0.26424111765711533"),
    ("{0, 1}", "draw z ~ {1: 1, 1.000000000000005: 1}\n", "z > 1.000000000000002", "", "1/2"),
    ("{0, 1}", "draw z ~ convolve({0: 1, 1: 1}, {0: 1, 1.000000000000001: 1})\n", "z > 1", "", "1/2"),
]
"""(letters, statement, condition, noise, chance of the condition)"""


@pytest.mark.parametrize(("letters", "statement", "condition", "noise", "chance"), BESIDE_POINTS)
def test_what_looks_like_a_point_of_a_noise(
    letters: str, statement: str, condition: str, noise: str, chance: str
) -> None:
    """Nothing is said, or what is true."""
    truth = float(Fraction(chance))
    text = (
        f"algorithm a\nstream x in {letters}\nmodel m: x ~ uniform({letters})\n{statement}"
        f"stop when {condition} return yes\nstop return no\n{noise}"
    )
    low, high = verdicts(
        f"{text}claim probability(yes) <= {truth - 0.001} under m\nclaim probability(yes) >= {truth + 0.001} under m\n"
    )
    assert "proved" not in (low, high)
    try:
        assert solved(text) == pytest.approx(truth, abs=1e-9)
    except SpecError as error:
        assert "E0623" in str(error)


def test_equal_laws_are_not_told_apart() -> None:
    """Both entries need a noise of at least 2, so that nothing is lost."""
    text = (
        "algorithm a\nstream x in {1, 1.001}\nmodel m: x ~ uniform({1, 1.001})\nstatistic q = x\n"
        "stop when q > 2.99999999999999998 return yes\nstop return no\nattach geometric(0.5) to q\n"
    )
    assert "refuted" not in verdicts(f"{text}claim strong pure(1e-7)\nclaim weak pure(1e-7) under m\n")


LARGEST_OF_STEPS = [
    ("max((x * log(2) + step * 0.0001) over steps)", "s >= log(2) + 0.00025", 0.875),
    ("max((x * log(2) - step * 0.0001) over steps)", "s >= log(2) - 0.00035", 0.875),
    ("min((x * log(2) - step * 0.0001) over steps)", "s <= 0 - 0.00025", 0.875),
    ("max((x * sqrt(2) + step ^ 2 * 0.0001) over steps)", "s >= sqrt(2) + 0.0002", 0.9375),
]


@pytest.mark.parametrize(("statistic", "condition", "chance"), LARGEST_OF_STEPS)
def test_the_largest_of_numbers_that_rise_from_step_to_step(statistic: str, condition: str, chance: float) -> None:
    text = (
        f"algorithm a\nstream x in {{0, 1}}\nmodel m: x ~ bernoulli(0.5)\nstatistic s = {statistic}\n"
        f"stop when step >= 5 and {condition} return yes\nstop when step >= 5 return no\n"
    )
    assert solved(text) == pytest.approx(chance, abs=1e-9)


@pytest.mark.parametrize(
    ("statistic", "condition", "chance"),
    [
        ("mean(x over last 2)", "s == 0.50000000000000000001", 0.0),
        ("mean(x where step != 2 over steps)", "s >= 0.50000000000000000001", 0.25),
    ],
)
def test_a_mean_next_to_a_constant(statistic: str, condition: str, chance: float) -> None:
    text = (
        f"algorithm a\nstream x in {{0, 1}}\nmodel m: x ~ bernoulli(0.5)\nstatistic s = {statistic}\n"
        f"stop when step >= 3 and {condition} return yes\nstop when step >= 3 return no\n"
    )
    try:
        assert solved(text) == pytest.approx(chance, abs=1e-9)
    except SpecError as error:
        assert "E0623" in str(error)


@pytest.mark.parametrize(
    ("law", "chances"),
    [
        ("conditioned({0: 1, 1: 1, 2: 1}, 1.0000000000000001, 2)", {2.0: 1.0}),
        ("conditioned({0.1: 1, 0.3: 1, 0.7: 1}, 0.1, 0.3)", {0.1: 0.5, 0.3: 0.5}),
        ("conditioned({0.1: 1, 0.3: 1, 0.7: 1}, 0.1, 0.29999999999999999)", {0.1: 1.0}),
        ("conditioned(uniform({0.3, 0.7}), 0.3, 0.7)", {0.3: 0.5, 0.7: 0.5}),
        ("conditioned(uniform({0.1, 0.3}), 0.1, 0.29999999999999999)", {0.1: 1.0}),
        ("conditioned(point(0.3), 0.3, 1)", {0.3: 1.0}),
        ("conditioned(poisson(1), 1.0000000000000000001, 3)", {2.0: 0.75, 3.0: 0.25}),
        ("conditioned(geometric(0.5), 0.99999999999999999, 2)", {1.0: 2 / 3, 2.0: 1 / 3}),
    ],
)
def test_the_ends_of_a_condition_are_exact(law: str, chances: dict[float, float]) -> None:
    text = f"{COIN}draw z ~ {law}\nstop when step >= 1 return z\n"
    assert {float(k): p for k, p in seqlang.solve(text)[0].returns.items()} == pytest.approx(chances)
    for engine in ENGINES:
        assert {float(k) for k in seqlang.run(text, runs=200, seed=1, engine=engine)[0].returns} == set(chances)


# ---- claims about functions of what is returned


@pytest.mark.parametrize(
    ("quantity", "value"),
    [
        ("probability((if yes then 0.1 else 1) + 0.2 == 0.3)", 0.5),
        ("probability((if yes then sqrt(2) else 1) ^ 2 == 2)", 0.5),
        ("probability((if yes then 0.3 else 1) % 0.1 == 0)", 1.0),
        ("probability(max(if yes then 0.1 else 0, 0) * 3 == 0.3)", 0.5),
        ("expected(ceil((if yes then 0.07 else 0) * 100))", 3.5),
        ("expected((if yes then 1e16 else 0) + 1 - (if yes then 1e16 else 0))", 1.0),
    ],
)
def test_claims_about_functions_of_what_is_returned(quantity: str, value: float) -> None:
    text = f"{COIN.replace('0.3', '0.5')}stop when x == 1 return yes\nstop return no\n"
    claims = f"claim {quantity} <= {value - 0.01} under m\nclaim {quantity} >= {value - 0.01} under m\n"
    assert verdicts(text + claims) == ["refuted", "proved"]


# ---- sides of comparisons that are no numbers, or of which floats know too little


SUM, MEAN = "s = sum(sqrt(x) over steps)", "s = mean(x over steps)"
OPEN = [
    (f"statistic {MEAN}\n", "log(normal(0, 1).pdf(100 * s) / normal(1, 1).pdf(100 * s)) < -150", 0.5),
    (f"statistic {SUM}\n", "exp(1000 * s) < exp(1001 * s)", 1.0),
    (f"statistic {SUM}\n", "exp(1000 * s) * exp(-1000 * s) * s > 1.2", 0.5),
    (f"statistic {MEAN}\n", "s + exp(1000 * s) - exp(1000 * s - 1) * exp(1) > 0.5", 1.0),
    (f"statistic {SUM}\nstatistic r = 1e12 - s\nattach laplace(0.0001) to r\n",
     "r > 999999999999.000033333333333333", 0.179132828),
    ("statistic r = exp((normal(0, 1).cdf(8 + x) - normal(0, 1).cdf(8)) * 1e14)\nattach laplace(0.001) to r\n",
     "r > 1.064", 0.582096345),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "condition", "chance"), OPEN)
def test_what_is_no_number_decides_nothing(lines: str, condition: str, chance: float) -> None:
    text = f"{COIN.replace('{0, 1}', '{1, 2}').replace('bernoulli(0.3)', 'uniform({1, 2})')}{lines}"
    text += f"stop when {condition} return yes\nstop return no\n"
    try:
        assert solved(text) == pytest.approx(chance, abs=1e-6)
    except SpecError as error:
        assert {d.code for d in error.diagnostics} <= {"E0620", "E0623"}
    claims = f"claim probability(yes) <= {chance - 0.01} under m\nclaim probability(yes) >= {chance - 0.01} under m\n"
    assert verdicts(text + claims) in (["refuted", "proved"], ["unknown", "unknown"])


NEXT_TO_0 = "sqrt(2) * sqrt(x) * 100 - sqrt(2 * x) * 100"
"""It is 0, and doubles say up to 3e-14 for some x."""


@pytest.mark.parametrize("scales", [-2000, -1100, -900, -1, 0, 1, 900, 1100, 2000])
def test_errors_beside_a_small_noise_count_only_near_its_threshold(scales: int) -> None:
    text = f"{COIN.replace('{0, 1}', '{2, 3}').replace('bernoulli(0.3)', 'uniform({2, 3})')}"
    text += f"statistic s = {NEXT_TO_0} + {scales} * 1e-14\nattach laplace(1e-14) to s\n"
    text += "stop when s > 0 return yes\nstop return no\n"
    chance = math.exp(-abs(scales)) / 2 if scales < 0 else 1 - math.exp(-abs(scales)) / 2
    try:
        assert solved(text) == pytest.approx(chance, abs=1e-9)
    except SpecError as error:
        assert abs(scales) <= 1024 and {d.code for d in error.diagnostics} <= {"E0620", "E0623"}


def test_the_first_value_of_each_element_is_one_constant() -> None:
    with pytest.raises(SpecError, match="E0213"):
        seqlang.check(f"{COIN}report r = max(previous(x, k) for k in 1..2)\n{END}")


# ---- how long a window is

ONES = COIN.replace("0.3", "1")


@pytest.mark.parametrize("length", ["k * 0.3 / 0.1", "k * 0.6 / 0.2", "sqrt(3 * k) ^ 2", "log(1000 * k) / log(10)"])
def test_windows_of_three_steps(length: str) -> None:
    """All entries are 1; doubles say that the length is less than 3."""
    for steps, chance in ((3, 1.0), (4, 0.0)):
        text = f"{ONES}stop when max(sum(x over last {length}) for k in 1..1) >= {steps} return yes\n"
        text += "stop when step >= 5 return no\n"
        assert solved(text) == pytest.approx(chance, abs=1e-9)
        assert verdicts(f"{text}claim probability(yes) >= 0.5 under m\n") == ["proved" if chance else "refuted"]
        for engine in ENGINES:
            assert seqlang.run(text, runs=3, engine=engine)[0].returns["yes"] == chance, engine


def test_windows_whose_length_changes() -> None:
    """0.1 + 0.2 is three tenths."""
    text = f"{ONES}memory w = 0.3\nstop when sum(x over last w / 0.1) >= 3 return yes\n"
    text += "stop when step >= 5 return no\nupdate w = 0.1 + 0.2\n"
    assert seqlang.run(text, runs=3, engine="interpreter")[0].returns["yes"] == 1.0
