"""What may have no value for some data is not proved; what has one for all data is."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.analyses.trials import failures, trials
from seqlang.model.program import Program
from seqlang.rules.sensitivity.totality.values import obstacle
from seqlang.source import Source

RECORDS = "adjacent add or remove one\n"


def program(body: str) -> Program:
    return driver.load(Source("values.seq", f"algorithm values\n{body}\nstop\n")).program


def shows(inputs: str, value: str) -> Program:
    return program(f"{inputs}\nreport A = {value}\nattach laplace(1) to A")


PARTIAL = [
    ("dataset x in [0, 1] size 1\n" + RECORDS, "clip(max(x), 0, 1)", "max"),
    ("dataset x in [0, 1] size 1\n" + RECORDS, "if max(x) >= 0.5 then 1 else 0", "max"),
    ("dataset x in [-1, 1] size 3\n" + RECORDS, "abs(x[3])", "position"),
    ("dataset x in [0, 1] size 3\n" + RECORDS, "sum(x[i] for i in 1..3)", "position"),
    ("stream x in [0, 1]", "clip(mean(x where x >= 0.5 over steps), 0, 1)", "mean"),
    ("stream x in {1, 2, 3}", "[0, 1][x]", "position"),
    ("stream x in [-1, 1]", "sqrt(x)", "sqrt"),
    ("stream x in [-1, 1]", "clip(log(x), -1, 1)", "log"),
    ("stream x in {0, 1}", "clip(3 % x, 0, 1)", "%"),
    ("stream x in [0, 1]", "clip(x / x, 0, 1)", "/"),
    ("stream x in [0, 1]", "clip(x / exp(log(x)), 0, 1)", "/"),
    ("stream x in [-1, 1]", "clip(x ^ 0.5, 0, 1)", "^"),
    ("stream x in 0..5\nstatistic h = history(x, A)", "clip(h[step - x], 0, 1)", "position"),
    ("stream x in [-1, 1]\nstatistic unused = sqrt(x)", "x", "sqrt"),
    ("stream x in {0, 1}", "if x == 1 then max(i for i in 1..2 where i > 2) else 0", "max"),
    ("stream x in {0, 1}\ndraw c ~ {k: 1 for k in 1..2 where k > 2 * x}", "clip(c, 0, 1)", "draw"),
    ("stream x in {0, 1}\ndraw c ~ {k: k - 1 for k in 1..2 where k <= 1 or x > 0}", "clip(c, 0, 1)", "draw"),
    ("stream x in {0, 1}\ndraw c ~ point(log(x))", "clip(0 * c, 0, 1)", "*"),
    ("stream x in {0, 1}\ndraw c ~ {log(x): 1, 2: 1}", "clip(0 * c, 0, 1)", "*"),
    ("stream x in {0, 1}", "sum(0 * k for k in [log(x), 2])", "sum"),
    ("stream x in [0, 1]\npublic u in [0, 1]\nreport B = log(u)", "clip(x * B, 0, 1)", "*"),
    ("stream x in [0, 1]\npublic u in [0, 1]", "clip(x * (2 * log(u)), 0, 1)", "*"),
    ("stream x in [0, 1]\nmemory v = 0\nmemory w = 0\nupdate v = 1", "clip(x * (v / w), 0, 1)", "*"),
    ("stream x in [0, 1]\npublic u in [0, 1]\ndraw c ~ {k: 1 for k in [log(u), 2]}", "clip(x * c, 0, 1)", "*"),
    ("stream x in [0, 1]\npublic u in [0, 1]\ndraw c ~ uniform({log(u), 2})", "clip(x * c, 0, 1)", "*"),
    (
        "stream x in [0, 1]",
        "clip(log(poisson(1).pmf([1, 2][2 - x]) / poisson(2).pmf([1, 2][2 - x])), 0, 1)",
        "position",
    ),
    ("stream x in [-1, 1]", "clip(log(normal(1, 1).pdf(sqrt(x)) / normal(0, 1).pdf(sqrt(x))), 0, 1)", "sqrt"),
    ("stream x in [0, 1]", "clip(log(normal(1, 1).pdf(log(x)) / normal(0, 1).pdf(log(x))), 0, 1)", "log"),
    ("dataset x in [0, 1] size 1\n" + RECORDS + "draw c ~ {i: 1 for i in records}", "clip(c, 0, 0)", "draw"),
    ("dataset x in [0, 1] size 1\n" + RECORDS + "draw c ~ uniform(records)", "clip(c, 0, 0)", "uniform"),
    ("dataset x in [0, 1] size 3\n" + RECORDS + "draw c ~ {[1, 2, 3][i]: 1 for i in records}", "0 * c", "position"),
    ("dataset x in [0, 1] size 3\n" + RECORDS + "draw c ~ {i: 3.5 - i for i in records}", "0 * c", "weights"),
    ("stream x in {0, 1}", "clip(mean([log(x), -log(x)]), 0, 1)", "mean"),
    ("stream x in {0, 1}", "clip(mean(if k == 1 then log(x) else -log(x) for k in 1..2), 0, 1)", "mean"),
    ("stream x in {0, 1}", "clip(normal(0, x).pdf(1), 0, 1)", "pdf"),
    ("stream x in {0, 1}", "normal(log(x), 1).cdf(0)", "normal"),
    ("stream x in {0, 1, 2}", "bernoulli(x).pmf(0)", "bernoulli"),
    ("stream x in {0, 1}", "clip(binomial(2, 2 * x).pmf(0), 0, 1)", "binomial"),
    ("stream x in {-1, 1}", "clip(poisson(x).pmf(0), 0, 1)", "poisson"),
    ("stream x in {0, 1}", "clip(geometric(x).pmf(0), 0, 1)", "geometric"),
    ("stream x in {1, 2, 3}", "[2 * k for k in 1..2][x]", "position"),  # 2 * k has a value for k = 3 as well
    ("dataset x in 1..4 size 3", "sum(x[v] for v in x)", "position"),  # values of records are no numbers of records
    ("stream x in {1, 2, 3}", "length([[1, 2][x] for k in 1..2])", "position"),
    ("stream x in {1, 2, 3}", "clip([2, -1, 1][x] ^ (x ^ 0.5), -1, 1)", "^"),  # (-1) ^ sqrt(2)
    ("stream x in {1, 2}", "norm([1, 2] + [k for k in [x, 5] where k > 1])", "+"),
    ("stream x in {1, 2, 3}", "norm([1, 2] - (if x == 1 then [1, 2] else [k for k in 1..x]))", "-"),
    ("stream x in {1, 2}", "if x == 1 then norm(sum([[1, 2], [1]])) else 0", "sum"),
    ("stream x in {1, 2}", "norm(sum([k for k in 1..2 where k >= x] over steps))", "sum"),
    ("stream x in {1, 2}", "norm(sum([j for j in 1..2 where j * k > x] for k in 1..2))", "sum"),
    ("stream x in {1, 2}", "clip(max(previous([k for k in 1..2 where k > x], [1])), 0, 1)", "max"),
    ("dataset x in {0, 1} size 3\n" + RECORDS, "dot(x, [1 for i in records where x[i] > 0])", "dot"),
    ("dataset x in [0, 1] size 2\n" + RECORDS, "clip(max(x[i] for i in records where i != 1), 0, 1)", "max"),
    ("stream x in {0, 1}", "if x == 1 then max(k for k in 1..2 where k != abs(k) * min(step, 1)) else 0", "max"),
    ("stream x in {0, 1}", "if x == 1 then max(k for k in 1..2 where k != k) else 0", "max"),
    (
        "param p = 1\nparam q = 1\nstream x in {0, 1}",
        "if x == 1 then max(k for k in [p, q] where k != step) else 0",
        "max",
    ),
    ("stream x in {0, 1}\ndraw c ~ {k: 1 for k in 1..2 where k != k * x}", "clip(c, 0, 1)", "draw"),
    ("stream x in [0, 1]\npublic u in {0, 1}", "clip(x * max(u where u >= 1 over steps), 0, 1)", "*"),
    ("stream x in [-1, 1]", "clip(argmin((x - v[1]) ^ 2 + v[1] ^ 2 for v in ball(sqrt(x), 2))[1], 0, 1)", "sqrt"),
    ("stream x in [-1, 1]", "clip(argmin((sqrt(x) - v[1]) ^ 2 + v[1] ^ 2 for v in ball(1, 2))[1], 0, 1)", "sqrt"),
    ("stream x in [-1, 1]", "clip(argmin((1 - v[1]) ^ 2 + v[1] ^ 2 for v in ball(x, 2))[1], 0, 1)", "argmin"),
    ("stream x in {0, 1}", "clip(argmin((x - 1 / 2) * v[1] for v in real ^ 1)[1], 0, 1)", "argmin"),
    ("stream x in {0, 1}", "clip(argmin(if v[1] > x / 2 then v[1] else 2 for v in ball(1, 1))[1], 0, 1)", "argmin"),
]


@pytest.mark.parametrize(("inputs", "value", "operation"), PARTIAL)
def test_an_operation_that_may_have_no_value(inputs: str, value: str, operation: str) -> None:
    found = shows(inputs, value)
    assert prove(found).pure is None
    reason = obstacle(found)
    assert reason is not None and operation in reason


@pytest.mark.parametrize(
    "lines",
    [
        ("report A = max(x) >= 1", "attach randomized_response(0.75) to A"),
        ("report A = x[1] >= 1", "attach randomized_response(0.75) to A"),
        ("draw c ~ bernoulli(0.25 + 0.5 * x[1])", "report A = c"),
    ],
)
def test_an_answer_about_what_may_have_no_value(lines: tuple[str, ...]) -> None:
    """Without its only record the run fails: no answer hides that."""
    found = program("\n".join(("dataset x in {0, 1} size 1", RECORDS, *lines)))
    assert prove(found).pure is None
    assert obstacle(found) is not None


TOTAL = [
    ("dataset x in [0, 1] size 2\n" + RECORDS + "draw c ~ uniform(records)", "sum(x) + clip(c, 0, 0)"),
    ("dataset x in [0, 1] size 2\n" + RECORDS + "draw c ~ sample(records, 0.5)", "sum(x[i] for i in c)"),
    ("dataset x in [0, 1] size 3\n" + RECORDS, "clip(x[2], 0, 1)"),  # of 3 records, one may be gone
    ("dataset x in [0, 1] size 3", "max(x)"),
    ("stream x in [0, 1]", "sqrt(x)"),
    ("stream x in [0, 1]\nstatistic l = [x, 1]", "l[argmax(l)]"),
    ("stream x in [0, 1]", "max(k * x for k in 1..2 where k != 1)"),
    ("stream x in [0, 1]", "clip(log(x), -1, 1)"),  # log(0) is -inf, which clip takes
    ("stream x in {0, 1, 2}", "if x == 0 then 0 else 1 / x"),
    ("stream x in [0, 1]", "if x > 0 then clip(1 / x, 0, 5) else 0"),
    ("stream x in [0, 1]", "if x == 0 or 0.5 / x >= 1 then 1 else 0"),
    ("stream x in {1, 2}", "[0, 1][x]"),
    ("stream x in {0, 1}", "clip(bernoulli(x).pmf(0) + poisson(x).pmf(0) + geometric(x / 2).pmf(1), 0, 1)"),
    ("stream x in {1, 2}", "[2 * k for k in 1..2][x]"),
    ("stream x in [0, 1]", "clip(normal(0, 1 + x).pdf(1) + normal(0, x).cdf(1), 0, 1)"),
    ("stream x in {0, 1}\ndraw c ~ {k: exp(x) for k in 1..2 where k != 2 * x}", "x"),
    ("dataset x in {0, 1}, y in {0, 1} size 3\n" + RECORDS, "clip(dot(x, y), 0, 1)"),
    ("stream x in {1, 2}", "norm([1, 2] - [[1, 3], [1, 2]][x])"),
    ("stream x in {1, 2}", "2 ^ x + (-1) ^ x"),
    ("stream x in [0, 1]\npublic u in {0, 1}", "clip(x, 0, max(0.5 where u >= 1 over steps))"),
    ("stream x in [0, 1]\npublic u in {0, 1}", "x / max(1, sum(u over steps))"),
    ("stream x in [0, 1]\nmemory m = 1\nupdate m = m + step", "clip(x / m, 0, 1)"),
]


@pytest.mark.parametrize(("inputs", "value"), TOTAL)
def test_an_operation_that_always_has_one(inputs: str, value: str) -> None:
    found = shows(inputs, value)
    assert obstacle(found) is None
    assert prove(found).pure is not None


def test_a_flip_of_a_record_that_may_be_missing() -> None:
    found = program(
        "dataset x in 0..3 size 2\nadjacent add or remove one\nstatistic s = x[2] >= 1\nreport A = s\n"
        "attach randomized_response(0.75) to s"
    )
    assert prove(found).pure is None


def test_what_is_done_to_a_released_value_is_post_processing() -> None:
    found = program("stream x in [0, 1]\nstatistic s = x\nreport A = sqrt(s)\nattach laplace(1) to s")
    assert obstacle(found) is None


@pytest.mark.parametrize("shown", ["report A = s when step == 5", "stop when step == 5 return s"])
def test_what_is_done_to_a_value_that_is_not_released_in_every_step(shown: str) -> None:
    """The root of s + noise fails in step 1, where nothing has been paid for s."""
    lines = f"stream x in real\nadjacent every x within 1\nstatistic s = x\nstatistic w = sqrt(s)\n{shown}"
    assert obstacle(program(f"{lines}\nattach laplace(1) to s")) is not None


def test_two_memories_that_grow_by_each_other_do_not_prove_each_other() -> None:
    """m begins at 1 and becomes n - 2: that n is positive says nothing of m."""
    body = "stream x in [0, 1]\nmemory m = 1\nmemory n = 1\nupdate m = n - 2\nupdate n = m + 3"
    assert obstacle(shows(body, "clip(x / m, 0, 1)")) is not None


@pytest.mark.parametrize(("inputs", "value", "operation"), [PARTIAL[0], PARTIAL[4], PARTIAL[6], PARTIAL[8]])
def test_a_run_that_fails_on_one_side_is_a_misfit(
    monkeypatch: pytest.MonkeyPatch, inputs: str, value: str, operation: str
) -> None:
    """Whatever the derivation says: here it is made to say that every step has values."""
    monkeypatch.setattr(trials, "obstacle", lambda _: None)
    found = failures(shows(inputs, value))
    assert any(f.quantity == "every step" and "one side fails" in f.why for f in found)
    assert not any(f.quantity == "every step" for f in failures(shows("stream x in [0, 1]", "sqrt(x)")))
