"""The machine on programs whose runs can be followed by hand."""

from __future__ import annotations

import math
import statistics

import pytest
from hand_programs import (
    STEP,
    X,
    apply,
    bernoulli_models,
    cell,
    law,
    number,
    privsprt,
    program,
    statistic,
    wald,
)

from seqlang.backends.interpret.inputs.drawn import InputSampler
from seqlang.backends.interpret.machine import Machine, Outcome
from seqlang.backends.interpret.randomness import NoNoise, SeededRandomness
from seqlang.backends.interpret.values import EvaluationError
from seqlang.model import expression as ir
from seqlang.model import program as pr
from seqlang.model.domain import REAL, Ball, Interval
from seqlang.model.life import EachReport, EachStep, Once

REAL_X = (("x", REAL, "stream"),)
K, OWN = ir.Variable(1, "k"), ir.Variable(2, "k")


def feed(machine, xs, read):
    """The value of `read` after each step on the entries xs."""
    out = []
    for x in xs:
        machine.step({"x": x})
        out.append(machine.value(read))
    return out


def run_cell(c, xs, *body, **options):
    p = program(*body, c, statistic("s", ir.CellValue(c.name)), inputs=REAL_X, **options)
    return feed(Machine(p, NoNoise()), xs, ir.Local("s"))


def test_sums_means_and_extremes_over_steps():
    assert run_cell(cell("c", "sum", X), [1, 2, 5]) == [1, 3, 8]
    assert run_cell(cell("c", "mean", X), [1, 2, 6]) == [1, 1.5, 3]
    assert run_cell(cell("c", "max", X), [1, 3, 2]) == [1, 3, 3]
    assert run_cell(cell("c", "min", X), [4, 3, 7]) == [4, 3, 3]
    assert run_cell(cell("c", "argmax", X), [1, 3, 3]) == [1, 2, 2]
    assert run_cell(cell("c", "count", apply(">", X, 2)), [1, 3, 3]) == [0, 1, 2]


def test_where_filters_and_the_mean_of_nothing_waits_to_be_read():
    c = cell("c", "mean", X, where=apply(">", X, 2))
    p = program(c, inputs=REAL_X)
    m = Machine(p, NoNoise())
    m.step({"x": 1})
    with pytest.raises(EvaluationError, match="of nothing"):
        m.value(ir.CellValue("c"))
    m.step({"x": 4})
    assert m.value(ir.CellValue("c")) == 4


def test_last_m_steps():
    assert run_cell(cell("c", "sum", X, pr.LastSteps(number(2))), [1, 2, 5, 7]) == [1, 3, 7, 12]
    assert run_cell(cell("c", "max", X, pr.LastSteps(number(2))), [5, 2, 1, 0]) == [5, 5, 2, 1]


def test_since_a_report_starts_after_it():
    body = [cell("c", "sum", X, pr.SinceReport("r")), pr.Report("r", apply(">=", ir.CellValue("c"), 3), None)]
    m = Machine(program(*body, inputs=REAL_X), NoNoise())
    assert feed(m, [1, 1, 1, 1, 2, 5], ir.CellValue("c")) == [1, 2, 3, 1, 3, 5]


def test_since_a_report_that_stands_above_sees_the_same_segment():
    """The cell stands below R and still does not restart in the step of the report itself."""
    c = cell("c", "count", ir.Truth(True), pr.SinceReport("r"))
    m = Machine(program(pr.Report("r", apply("==", apply("%", STEP, 3), 0), None), c, inputs=REAL_X), NoNoise())
    assert feed(m, [0] * 7, ir.CellValue("c")) == [1, 2, 3, 1, 2, 3, 1]


def test_previous_and_history_see_earlier_steps_only():
    g = apply("max", 0, apply("+", ir.CellValue("p"), apply("-", X, 1)))
    body = [
        statistic("g", g),
        cell("p", "last", ir.Local("g"), pr.Previous(number(0))),
        statistic("h", ir.CellValue("k")),
        pr.Report("r", apply(">=", X, 2), None),
        cell("k", "list", STEP, pr.AtReports("r")),
    ]
    m = Machine(program(*body, inputs=REAL_X), NoNoise())
    seen = []
    for x in [2, 0, 3, 3, 0]:
        m.step({"x": x})
        seen.append((m.locals["g"], m.locals["h"]))
    assert seen == [(1, ()), (0, (1,)), (2, (1,)), (4, (1, 3)), (3, (1, 3, 4))]


def test_cell_with_binders_holds_one_value_each():
    ks = apply("..", 1, 3)
    c = cell("c", "sum", X, pr.LastSteps(ir.Bound(OWN)), binders=((OWN, ks),))
    read = ir.Quantified("list", ir.CellValue("c", (ir.Bound(K),)), K, ks)
    m = Machine(program(c, inputs=REAL_X), NoNoise())
    assert feed(m, [1, 2, 4, 8], read) == [(1, 1, 1), (2, 3, 3), (4, 6, 7), (8, 12, 14)]


def test_memory_is_old_above_its_update_and_new_below():
    body = [
        statistic("old", ir.MemoryValue("w")),
        pr.Update("w", apply("+", ir.MemoryValue("w"), 2), apply("==", apply("%", STEP, 2), 0)),
        statistic("new", ir.MemoryValue("w")),
    ]
    m = Machine(program(*body, inputs=REAL_X, memories=(("w", 1),)), NoNoise())
    seen = []
    for _ in range(4):
        m.step({"x": 0})
        seen.append((m.locals["old"], m.locals["new"]))
    assert seen == [(1, 1), (1, 3), (3, 3), (3, 5)]


class Counting:
    """Every value asked for is the number of the request."""

    def __init__(self):
        self.asked = []

    def noise(self, noise, life, law, shape):
        self.asked.append((noise.name, life, shape))
        return float(len(self.asked)) if not shape else (float(len(self.asked)),) * shape[0]

    def draw(self, draw, life, law):
        self.asked.append((draw.name, life, law.name))
        return law.support()[0]

    def entry(self, field, step, law):
        return law.centre()


@pytest.mark.parametrize(("life", "lives"), [(Once(), [0]), (EachStep(), [1, 2, 3, 4]), (EachReport("r"), [0, 1, 2])])
def test_lives_of_a_noise(life, lives):
    """Two readings in one life share the draw; `each r` draws anew in the step after a report."""
    noisy = ir.Noised("x", X, (ir.Term("z", number(1)),))
    body = [
        statistic("first", noisy),
        statistic("second", noisy),
        pr.Report("r", apply("==", apply("%", STEP, 2), 1), None),
    ]
    p = program(*body, inputs=REAL_X, noises=(pr.Noise("z", law("laplace", 1), life, "x"),))
    randomness = Counting()
    m = Machine(p, randomness)
    for _ in range(4):
        m.step({"x": 0})
        assert m.locals["first"] == m.locals["second"]
    assert randomness.asked == [("z", i, ()) for i in lives]


def test_a_vector_gets_one_noise_a_coordinate_and_a_shared_draw_has_factors():
    base = ir.Sequence("list", (number(10), number(20)))
    p = program(
        statistic("v", ir.Noised("v", base, (ir.Term("z", number(-2)),))),
        noises=(pr.Noise("z", law("laplace", 1), EachStep(), "v"),),
    )
    randomness = Counting()
    m = Machine(p, randomness)
    m.step({"x": 0})
    assert m.locals["v"] == (8.0, 18.0)
    assert randomness.asked == [("z", 1, (2,))]


def test_tree_noise_sums_the_nodes_of_the_prefix():
    """Step 6 = 110 in binary is covered by 1..4 and 5..6; a node keeps its noise."""
    p = program(
        statistic("v", ir.Noised("v", number(0), (ir.Term("z", number(1)),))),
        noises=(pr.Noise("z", law("tree", law("laplace", 1)), EachStep(), "v"),),
    )
    randomness = Counting()
    totals = feed(Machine(p, randomness), [0] * 8, ir.Local("v"))
    # One new node a step, numbered by its step; the cover of n is found by clearing the lowest bit again and again.
    assert totals == [1, 2, 2 + 3, 4, 4 + 5, 4 + 6, 4 + 6 + 7, 8]
    assert len(randomness.asked) == len({life for _, life, _ in randomness.asked}) == 8


def test_randomised_response_flips_values_labels_and_truths():
    flip = pr.Noise("z", law("randomized_response", 0.75), EachStep(), "x")
    term = (ir.Term("z", number(1)),)
    p = program(
        statistic("bit", ir.Noised("x", X, term)),
        pr.Stop(1, apply("==", STEP, 4000), ir.Noised("return", ir.Label("a"), (ir.Term("y", number(1)),))),
        noises=(flip, pr.Noise("y", law("randomized_response", 0), Once(), "return")),
        labels=("a", "b", "c"),
    )
    m = Machine(p, SeededRandomness(1))
    bits = feed(m, [0] * 4000, ir.Local("bit"))
    assert set(bits) == {0, 1}
    assert abs(statistics.mean(bits) - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 4000)
    assert m.result in ("b", "c")
    quiet = Machine(p, NoNoise())
    assert feed(quiet, [0, 1, 1], ir.Local("bit")) == [0, 1, 1]


def test_a_draw_from_a_private_law():
    weights = ir.WeightsOf(ir.Bound(K), apply("exp", apply("*", ir.Bound(K), X)), K, apply("..", 1, 2))
    p = program(pr.Draw("z", weights, EachStep(), pr.Level.HIDDEN), statistic("s", ir.Drawn("z")), inputs=REAL_X)
    picks = feed(Machine(p, SeededRandomness(3)), [2.0] * 3000, ir.Local("s"))
    chance = 1 / (1 + math.exp(-2))  # weight e^4 against e^2
    assert abs(statistics.mean(picks) - 1 - chance) < 5 * math.sqrt(chance * (1 - chance) / 3000)


def test_reports_and_results():
    p = program(
        pr.Report("event", apply(">", X, 1), None),
        pr.Report("value", ir.Reported("event"), apply("*", X, 10)),
        pr.Stop(1, apply(">", X, 2), X),
        statistic("below", X),
        inputs=REAL_X,
    )
    m = Machine(p, NoNoise())
    assert m.step({"x": 1}) == ((), False, None)
    assert m.step({"x": 2}) == ((("event", True), ("value", 20)), False, None)
    assert m.step({"x": 3}) == ((("event", True), ("value", 30)), True, 3)
    assert m.statistics() == {"below": 2}
    with pytest.raises(ValueError, match="stopped"):
        m.step({"x": 1})


def test_an_observer_dictates_the_transcript_and_sees_the_state():
    """The refuter's use: margins are read at the gate, and what happens is what the transcript says."""
    p = program(
        cell("c", "sum", X),
        pr.Report("r", apply(">=", ir.CellValue("c"), 2), None),
        cell("n", "count", ir.Reported("r")),
        pr.Stop(1, apply(">=", ir.CellValue("n"), 2), ir.Label("done")),
        inputs=REAL_X,
    )
    margins = []

    def observe(machine, statement, happened):
        if isinstance(statement, pr.Report):
            margins.append((machine.step_number, machine.value(apply("-", ir.CellValue("c"), 2)), happened.fired))
            return Outcome(machine.step_number in (1, 3))
        return happened

    m = Machine(p, NoNoise(), observe)
    outcomes = [m.step({"x": 1}) for _ in range(3)]
    assert margins == [(1, -1, False), (2, 0, True), (3, 1, True)]
    assert [o.reports for o in outcomes] == [(("r", True),), (), (("r", True),)]
    assert outcomes[-1].stopped and outcomes[-1].result == "done"


def test_errors_name_the_step():
    p = program(statistic("s", apply("/", X, X)), inputs=REAL_X)
    m = Machine(p, NoNoise())
    m.step({"x": 1})
    with pytest.raises(EvaluationError) as caught:
        m.step({"x": 0})
    assert "not a number" in caught.value.diagnostics[0].message
    assert caught.value.diagnostics[0].notes == ("in step 2",)


def test_a_dot_product_of_opposite_infinite_numbers_is_no_number():
    """[log 0, log 0] . [x, -x]: -inf and inf are added."""
    low = apply("log", apply("-", X, X))
    vectors = (ir.Sequence("list", (low, low)), ir.Sequence("list", (X, apply("negate", X))))
    m = Machine(program(statistic("s", apply("dot", *vectors)), inputs=REAL_X), NoNoise())
    with pytest.raises(EvaluationError, match=r"`dot` of .* is not a number"):
        m.step({"x": 1})


def test_models_read_earlier_fields_and_stay_in_the_domain():
    inputs = (("x", Interval(number(0), number(1)), "stream"), ("y", REAL, "public"))
    laws = (("x", law("uniform", 0, 1)), ("y", law("point", apply("+", X, STEP))))
    p = program(inputs=inputs, models=(("m", laws), ("bad", (("x", law("point", 2)),))))
    entry = InputSampler(p, p.models[0]).entry(SeededRandomness(1), 5, {})
    assert 0 <= entry["x"] <= 1 and entry["y"] == entry["x"] + 5
    with pytest.raises(EvaluationError, match=r"drew x = 2, which is not in \[0, 1\]"):
        InputSampler(p, p.models[1]).entry(SeededRandomness(1), 1, {})


def test_datasets_and_argmin_over_vectors():
    """Ridge regression by argmin against its normal equations: v = sum(x y) / (sum x^2 + n c)."""
    domain = Ball(number(10), number(1))
    i, v = ir.Bound(K), ir.Bound(OWN)
    x = ir.Index(ir.Index(X, i), number(1))
    error = apply("-", apply("*", ir.Index(v, number(1)), x), ir.Index(ir.Field("y"), i))
    loss = ir.Quantified("mean", apply("*", error, error), K, ir.Records())
    objective = apply("+", loss, apply("*", number(0.5), apply("dot", v, v)))
    p = program(
        statistic("w", ir.Quantified("argmin", objective, OWN, ir.RealVectors(number(1)))),
        pr.Stop(1, None, ir.Local("w")),
        inputs=(("x", domain, "dataset"), ("y", REAL, "dataset")),
        size=3,
        models=(("m", (("y", law("normal", 0, 1)), ("x", law("uniform", ir.RealVectors(number(1), number(10)))))),),
    )
    m = Machine(p, NoNoise())
    m.load({"x": [(1.0,), (2.0,), (4.0,)], "y": [1.0, 0.0, 2.0]})
    outcome = m.step({})
    assert outcome.stopped
    assert outcome.result[0] == pytest.approx(9 / (21 + 3 * 0.5), abs=1e-7)
    records = InputSampler(p, p.models[0]).dataset(SeededRandomness(4))
    assert len(records["x"]) == len(records["y"]) == 3


def mean_steps(p, model, runs, seed):
    sampler = InputSampler(p, model)
    steps, rejected = [], 0
    for run in range(runs):
        randomness = SeededRandomness(seed, run)
        m = Machine(p, randomness)
        n = 0
        while not m.stopped:
            n += 1
            m.step(sampler.entry(randomness, n, m.memory))
        steps.append(n)
        rejected += m.result == "reject"
    return steps, rejected / runs


def test_wald_sprt_has_its_exact_expected_steps():
    """9.34730 steps and P(reject | null) = 0.0326350: solved exactly, apart from this code."""
    p = wald()
    steps, rejected = mean_steps(p, p.models[0], 1000, 1)
    assert abs(statistics.mean(steps) - 9.34730) < 4 * statistics.stdev(steps) / math.sqrt(1000)
    assert abs(rejected - 0.0326350) < 4 * math.sqrt(0.0326350 / 1000)


def test_privsprt_agrees_with_table_1():
    """Zhang, Mei and Cummings 2022, Table 1, A = 0.5, eps' = 1: the exact solver gives 89.268 steps under the null."""
    p = privsprt()
    steps, _ = mean_steps(p, p.models[0], 300, 2)
    assert abs(statistics.mean(steps) - 89.268) < 4 * statistics.stdev(steps) / math.sqrt(300)


def test_seeds_and_runs_have_their_own_streams():
    p = privsprt()
    again = [mean_steps(p, p.models[0], 3, 7)[0] for _ in range(2)]
    assert again[0] == again[1] != mean_steps(p, p.models[0], 3, 8)[0]
    assert bernoulli_models()
