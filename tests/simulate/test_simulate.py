"""Simulations: published and exact values, independence of the batch, caps and interrupts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from seqlang.backends.montecarlo.interval import wilson
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.diagnostics import SpecError
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse

WALD = """
algorithm sprt
param p0 in (0, 1) = 0.3
param p1 in (0, 1) = 0.7
stream x in {0, 1}
model null:        x ~ bernoulli(p0)
model alternative: x ~ bernoulli(p1)
statistic llr = sum(log(alternative.pmf(x) / null.pmf(x)) over steps)
stop when llr >= log(19) return reject
stop when llr <= -log(19) return accept
"""
PRIVSPRT = """
algorithm privsprt
param A > 0 = 0.5
param h > 0 = 43
let sigma = 2 * A * sqrt(2 * log(1.25 / 1e-5))
stream x in {0, 1}
model null:        x ~ bernoulli(0.2)
model alternative: x ~ bernoulli(0.7)
let a = h
let b = h
statistic llr = sum(clip(log(alternative.pmf(x) / null.pmf(x)), -A, A) over steps)
stop when llr >= b  return reject
stop when llr <= -a return accept
attach gaussian(sigma)     to a, b once
attach gaussian(2 * sigma) to a, b
"""
WALK = "algorithm walk\nstream x in {0, 1}\nmodel half: x ~ bernoulli(0.5)\n"


def program(text, **values):
    tree, _ = parse(Source("<text>", text))
    found, diagnostics = elaborate(tree, {k: Fraction(str(v)) for k, v in values.items()})
    assert found is not None, diagnostics
    return found


def test_wald_has_its_exact_values():
    """Solved exactly: 9.34730 steps, P(reject | null) = 0.0326350."""
    found = simulate(program(WALD), "null", runs=200_000, seed=3).summary()
    assert abs(found["steps"]["mean"] - 9.34730) < 4 * found["steps"]["se"]
    reject = found["returns"]["reject"]
    assert abs(reject["probability"] - 0.0326350) < 4 * (0.0326350 * 0.967 / 200_000) ** 0.5
    assert reject["ci95"][0] < 0.0326350 < reject["ci95"][1]
    assert found["returns"]["accept"]["probability"] == pytest.approx(1 - reject["probability"])
    assert found["unstopped"] == 0


@pytest.mark.parametrize(
    ("A", "h", "null", "alternative"),
    [
        (0.5, 43, 89.268, 126.623),
        pytest.param(0.2, 16.8, 85.932, 121.611, marks=pytest.mark.long),
        pytest.param(0.7, 63, 95.938, 136.637, marks=pytest.mark.long),
    ],
)
def test_privsprt_has_the_steps_of_table_1(A, h, null, alternative):
    """Zhang, Mei and Cummings 2022, Table 1, eps' = 1; the expected steps are the exact solver's."""
    p = program(PRIVSPRT, A=A, h=h)
    for model, steps in (("null", null), ("alternative", alternative)):
        found = simulate(p, model, runs=20_000, seed=7).summary()["steps"]
        assert abs(found["mean"] - steps) < 4 * found["se"]


BATCHED = {
    "noise and returns": PRIVSPRT,
    "reports, lives and windows": WALK
    + """
statistic recent = sum(x over last 4)
statistic longest = max(sum(x over last k) / k for k in 2..5)
report high when recent >= 3
report level = recent when high
statistic since_high = mean(x since high)
draw pick ~ {k: exp(recent * k) for k in 1..3} each high
stop when count(high over steps) >= 3 return pick
stop when step >= 40
attach laplace(1) to recent each high
attach tree(gaussian(1)) to since_high
attach exponential(0.5) to level
""",
    "vectors and memory": """
algorithm v
stream x in ball(1, 3)
model even: x ~ uniform(ball(1, 3))
memory w = zeros(3)
report g = x - w
update w = project(w + g / step, ball(1, 3))
stop when step >= 12 return w
attach l2_laplace(0.1) to g
""",
    "history": WALK
    + """
let times = history(step, hit)
let level = sum(1 / (step - times[j]) for j in 1..length(times))
report hit when x == 1 and level < 1
stop when step >= 30 return length(times)
attach randomized_response(0.75) to x
""",
}


@pytest.mark.parametrize("name", BATCHED)
def test_a_seed_gives_the_same_numbers_for_any_batch(name):
    p = program(BATCHED[name])
    first = simulate(p, None, runs=16, seed=5, engine="numpy", batch=16)
    for batch in (1, 7, 15):
        other = simulate(p, None, runs=16, seed=5, engine="numpy", batch=batch)
        assert np.array_equal(first.steps, other.steps)
        assert np.array_equal(first.codes, other.codes)
        assert (first.values is None) == (other.values is None)
        if first.values is not None:
            assert np.array_equal(first.values, other.values, equal_nan=True)
        for key in first.statistics:
            assert np.array_equal(first.statistics[key], other.statistics[key], equal_nan=True)
        for key in first.reports:
            assert np.array_equal(first.reports[key], other.reports[key])
    assert not np.array_equal(first.steps, simulate(p, None, runs=16, seed=6).steps) or first.values is not None


def test_more_runs_begin_with_the_same_runs():
    p = program(WALD)
    few, many = simulate(p, "null", runs=10, seed=2), simulate(p, "null", runs=1000, seed=2)
    assert few.steps.tolist() == many.steps[:10].tolist()


def refused(p, model="half", **options):
    with pytest.raises(SpecError) as caught:
        simulate(p, model, runs=10, seed=1, **options)
    return caught.value.diagnostics[0]


def test_what_cannot_stop_needs_a_cap():
    for end in ("", "stop when 2 > 3\n"):
        found = refused(program(WALK + end))
        assert found.code == "E0606" and "--cap" in (found.help or "")
        samples = simulate(program(WALK + end), "half", runs=10, seed=1, cap=4)
        assert samples.unstopped == 10 and set(samples.steps) == {4}
    assert simulate(program(WALK + "stop when step >= 3"), None, runs=10, seed=1).unstopped == 0


@pytest.mark.parametrize("engine", ["numpy", "interpreter"])
def test_capped_runs_are_counted(engine):
    """Geometric: a run is unstopped after 3 steps with probability 1/8."""
    samples = simulate(program(WALK + "stop when x == 1 return one"), None, runs=800, seed=1, cap=3, engine=engine)
    assert abs(samples.unstopped / 800 - 1 / 8) < 5 * (7 / 64 / 800) ** 0.5
    summary = samples.summary()
    assert summary["unstopped"] == samples.unstopped
    assert summary["returns"]["one"]["probability"] == pytest.approx(1 - samples.unstopped / 800)
    row = next(r for r in samples.rows() if not r["stopped"])
    assert row["steps"] == 3 and row["return"] is None


def test_models():
    assert refused(program("algorithm a\nstream x in {0, 1}\nstop"), None).code == "E0607"
    found = refused(program(WALK + "stop"), "hald")
    assert found.code == "E0608" and found.help == "did you mean `half`?"


@pytest.mark.parametrize("engine", ["numpy", "interpreter"])
def test_values_that_are_none_are_errors_and_not_false(engine):
    undefined = program(WALK + "statistic s = mean(x where x == 1 over steps)\nstop when s >= 1")
    assert refused(undefined, engine=engine).code == "E0620"
    guarded = WALK + "statistic n = sum(x over steps)\nstop when n > 0 and mean(x where x == 1 over steps) / 1 >= 1"
    assert simulate(program(guarded), None, runs=10, seed=1, engine=engine).unstopped == 0
    leaves = "algorithm a\nstream x in [0, 1]\nmodel m: x ~ point(step / 2)\nstop when step >= 5"
    tree, _ = parse(Source("<text>", leaves))
    p, _ = elaborate(tree, {})
    if p is not None:
        assert refused(p, None, engine=engine).code == "E0621"


@pytest.mark.parametrize("engine", ["numpy", "interpreter"])
def test_an_interrupt_keeps_what_there_is_and_says_so(engine):
    def interrupt(progress):
        raise KeyboardInterrupt

    p = program(WALK + "stop when step >= 10000000")
    samples = simulate(p, None, runs=3, seed=1, engine=engine, progress=interrupt)
    assert samples.interrupted and samples.unstopped == samples.runs >= 1
    assert samples.summary()["interrupted"] is True


def test_progress_is_told():
    seen = []
    p = program(WALK + "stop when step >= 30000")
    simulate(p, None, runs=2, seed=1, engine="numpy", progress=seen.append)
    assert seen and seen[-1].runs == 2 and seen[-1].steps_done > 0


def test_numeric_results_and_reports():
    p = program(WALK + "report one when x == 1\nstatistic s = sum(x over steps)\nstop when step >= 4 return s")
    summary = simulate(p, None, runs=4000, seed=1).summary()
    assert abs(summary["return_value"]["mean"] - 2) < 5 * summary["return_value"]["se"]
    assert abs(summary["returns"]["2"]["probability"] - 6 / 16) < 5 * (6 / 16 * 10 / 16 / 4000) ** 0.5
    assert summary["reports"]["one"]["mean"] == pytest.approx(summary["return_value"]["mean"])
    assert summary["statistics"]["s"].items() <= summary["return_value"].items()


def test_what_numpy_cannot_do_is_interpreted_and_said():
    text = "algorithm a\ndataset x in {0, 1} size 6\nmodel half: x ~ bernoulli(0.5)\ndraw some ~ sample(records, 0.5)\n"
    p = program(text + "stop return sum(x[i] for i in some)")
    samples = simulate(p, None, runs=400, seed=1)
    assert samples.engine == "interpreter" and samples.why_interpreted
    assert abs(float(samples.values.mean()) - 1.5) < 5 * (6 * 0.25 * 0.75 / 400) ** 0.5
    assert refused(p, "half", engine="numpy").code == "E0622"


def test_wilson_interval():
    """8 of 10: 0.4902 to 0.9433 (Brown, Cai and DasGupta 2001, the formula by hand); and the ends."""
    assert wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert wilson(0, 10)[0] == 0 and wilson(10, 10)[1] == 1
