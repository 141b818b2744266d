"""Chances that floats take for 0: a proof that something is impossible may not rest on them."""

from __future__ import annotations

from math import inf

import pytest

import seqlang

ANSWER = "algorithm a\nstream x in {domain}\n{answer}\nreport r = c\nstop when step >= 1\nclaim strong {claim}\n"
RUN = "algorithm a\n{declared}stream x in {{0, 1}}\nmodel m: x ~ {law}\n{body}\nclaim {claim} under m\n"


@pytest.mark.parametrize(
    ("domain", "answer", "claim"),
    [
        # the loss is what the second column's laws give: log(.5 / 1e-20) = 45.4
        ("{0, 1}", "draw c ~ bernoulli(if x == 1 then 0.99999999999999999999 else 0.5)", "pure(45.5)"),
        ("{0, 1}", "statistic c = x\nattach randomized_response(0.99999999999999999999) to c", "pure(46.1)"),
        ("{0, 1}", "draw c ~ {0: exp(-800 * x), 1: exp(-800 + 800 * x)}", "pure(1600)"),
        pytest.param(
            "{0, 2000}", "draw c ~ {k: exp(-abs(k - x) / 2) for k in 0..2000}", "pure(2000)", marks=pytest.mark.long
        ),
        ("[-1, 1]", "draw c ~ bernoulli(1 / (1 + exp(-800 * x)))", "rdp(2, 800)"),
    ],
)
def test_what_is_proved_is_not_contradicted(domain: str, answer: str, claim: str) -> None:
    report = seqlang.check(ANSWER.format(domain=domain, answer=answer, claim=claim))
    assert report.verdicts[0].verdict == "proved"


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        # losses log(1e200) = 460.5 and 800 + log 2: no rule proves them, and they are no reason to refute
        ("draw c ~ {0: if x == 1 then 1e-200 else 1, 1: 1e200}", "pure(500)"),
        ("draw c ~ {0: exp(-800 * x) + exp(-800 * x), 1: exp(-800 + 800 * x)}", "pure(1700)"),
    ],
)
def test_a_true_claim_is_not_refuted(answer: str, claim: str) -> None:
    report = seqlang.check(ANSWER.format(domain="{0, 1}", answer=answer, claim=claim))
    assert report.verdicts[0].verdict == "unknown"


@pytest.mark.parametrize(
    "answer",
    [
        "draw c ~ bernoulli(if x == 1 then 1 else 0.5)",
        "draw c ~ bernoulli(x / 2)",
        "draw c ~ bernoulli(clip(1 - x, 0, 0.5))",
        "draw c ~ {0: 1 - x, 1: 1}",
        "draw c ~ {0: if x == 1 then 0 else 1, 1: 1}",
        "draw c ~ bernoulli(sum(x over steps) / 10)",
    ],
)
def test_what_is_impossible_still_refutes(answer: str) -> None:
    report = seqlang.check(ANSWER.format(domain="{0, 1}", answer=answer, claim="pure(100)"))
    assert report.verdicts[0].verdict == "refuted"
    assert report.witness is not None and report.witness.loss == inf


TINY = "0.99999999999999999999"


@pytest.mark.parametrize(
    ("declared", "law", "body"),
    [
        ("", f"bernoulli({TINY})", "stop when x == 0"),
        ("", "{0: 1e-200, 1: 1e200}", "stop when x == 0"),
        ("param l = 1000\n", "bernoulli(exp(-l))", "stop when x == 1"),
        ("", "bernoulli(0.5)", "draw z ~ {0: 1e-200, 1: 1e200}\nstop when z == 0"),
        ("", "bernoulli(0.5)", f"draw z ~ bernoulli(if x == 1 then {TINY} else 1)\nstop when z == 0"),
        ("", "bernoulli(0.5)", f"statistic s = x == 2\nattach randomized_response({TINY}) to s\nstop when s"),
    ],
)
@pytest.mark.parametrize("claim", ["probability(stops) >= 1", "probability(stops) <= 0.5"])
def test_runs_that_stop_at_last_are_not_said_to_go_on(declared: str, law: str, body: str, claim: str) -> None:
    """In each step there is the same chance to stop, above 0: the runs stop almost surely."""
    report = seqlang.check(RUN.format(declared=declared, law=law, body=body, claim=claim))
    assert report.verdicts[0].verdict == "unknown"


def test_runs_that_never_stop_still_do_not() -> None:
    report = seqlang.check(RUN.format(declared="", law="bernoulli(0.5)", body="stop when x == 2",
                                      claim="probability(stops) <= 0.5"))  # fmt: skip
    assert report.verdicts[0].verdict == "proved"


@pytest.mark.parametrize("steps", [4, 5, 10, 39])
def test_the_last_steps_are_not_certain_because_little_is_left(steps: int) -> None:
    """P(step <= n) = 1 - 1e-3n for n < 40."""
    body, law = "stop when x == 1\nstop when step >= 40", "bernoulli(0.999)"
    report = seqlang.check(RUN.format(declared="", law=law, body=body, claim=f"probability(step <= {steps}) >= 1"))
    assert report.verdicts[0].verdict in ("unknown", "refuted")


def test_the_last_step_is_certain() -> None:
    body, law = "stop when x == 1\nstop when step >= 40", "bernoulli(0.999)"
    report = seqlang.check(RUN.format(declared="", law=law, body=body, claim="probability(step <= 40) >= 1"))
    assert report.verdicts[0].verdict == "proved"


def test_weak_privacy_takes_no_such_chance_for_0() -> None:
    text = f"""algorithm a
stream x in {{0, 1}}
model m: x ~ bernoulli(0.5)
draw c ~ bernoulli(if x == 1 then {TINY} else 0.5)
stop when c == 1
stop when step >= 2 return b
claim weak pure(45.4) under m
claim weak pure(45) under m
"""
    assert [c.verdict for c in seqlang.check(text).verdicts] == ["proved", "unknown"]


@pytest.mark.parametrize(
    ("law", "body"),
    [
        ("bernoulli(0.5)", "draw z ~ {0: exp(-1000), 1: 1}\nstatistic bad = max(1 - z over steps)"),
        ("bernoulli(0.5)", f"statistic y = 0 * x == 0\nattach randomized_response({TINY}) to y\n"
                           "statistic bad = max(if y then 0 else 1 over steps)"),
    ],
)  # fmt: skip
def test_a_trap_that_is_never_seen_makes_the_mean_infinite(law: str, body: str) -> None:
    """With a chance above 0 the run is trapped in a step in which it does not stop: the expected step is infinite."""
    for claim in ("expected(step) <= 3", "probability(stops) >= 1"):
        text = RUN.format(declared="", law=law, body=body + "\nstop when bad == 0 and x == 1", claim=claim)
        assert seqlang.check(text).verdicts[0].verdict == "unknown"


def test_without_a_trap_the_mean_is_proved() -> None:
    text = RUN.format(declared="", law="bernoulli(0.5)", body="stop when x == 1", claim="expected(step) <= 3")
    assert seqlang.check(text).verdicts[0].verdict == "proved"
