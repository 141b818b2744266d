"""Weak privacy where a model draws public fields: what they tell of the entry counts. The numbers are worked out by
hand in the tests; random programs are in `tests/properties/test_random_drawn_inputs.py`."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

import pytest
from amounts import approximate_bound, renyi_bound

from seqlang import driver
from seqlang.analyses.instances import instances
from seqlang.analyses.prove import DEFAULT_DELTA
from seqlang.analyses.weak.summary import least
from seqlang.analyses.weak.verdict import decide
from seqlang.arithmetic.formula import number
from seqlang.proof.derivation import ConcentratedBound, Derivation, Judgement, PureBound
from seqlang.report.document.plain_text import render_plain
from seqlang.results.check import CheckResult
from seqlang.rules.claims import falls_short
from seqlang.source import Source

STOPPED = """algorithm a
stream x in {0, 1}
public y in {0, 1}
model m: x ~ bernoulli(1/2), y ~ bernoulli(1/4 + x / 2)
stop when y == 1 return a
stop when step >= 2 return b
"""
"""Given x = 1, y is 1 with chance 3/4, given x = 0 with 1/4: delta(e) = 3/4 - e/4 at position 1, the loss is log 3."""
SHOWN = """algorithm a
stream x in {0, 1}
public y in {0, 1}
model m: x ~ bernoulli(1/2), y ~ bernoulli(x)
report r = y
stop when step >= 2
"""
UNUSED = SHOWN.replace("report r = y", "report r = 1")


def _checked(text: str, *claims: str) -> CheckResult:
    return driver.check(driver.load(Source("<test>", text + "".join(f"claim {c}\n" for c in claims))))


def _verdicts(text: str, *claims: str) -> list[str]:
    return [v.verdict for v in _checked(text, *claims).verdicts]


def test_a_stop_by_a_public_field_that_reads_the_entry() -> None:
    delta, loss = 0.75 - exp(0.1) / 4, log(3)
    below, above = 1 - 1e-6, 1 + 1e-6
    assert _verdicts(
        STOPPED,
        "weak dp(0.1, 0.01) under m",
        f"weak dp(0.1, {delta * below:.12f}) under m",
        f"weak dp(0.1, {delta * above:.12f}) under m",
        f"weak pure({loss * below:.12f}) under m",
        f"weak pure({loss * above:.12f}) under m",
        "strong pure(0)",
    ) == ["refuted", "refuted", "proved", "refuted", "proved", "proved"]


def test_a_public_field_that_copies_the_entry_and_is_reported() -> None:
    claims = ("pure(0)", "pure(20)", "dp(0, 0.1)", "dp(5, 0.999)", "rdp(2, 0)", "zcdp(0)")
    assert set(_verdicts(SHOWN, *(f"weak {c} under m" for c in claims))) == {"refuted"}


def test_what_only_the_public_fields_tell_is_neither_proved_nor_refuted() -> None:
    """The transcript alone says nothing; with the public fields, which everybody may know, it says all."""
    assert _verdicts(UNUSED, "weak pure(0) under m", "weak dp(0, 0.9) under m") == ["unknown", "unknown"]
    found = least(driver.load(Source("<test>", UNUSED)).program, "m", DEFAULT_DELTA)
    assert (found.pure.lower, found.pure.bound) == (0.0, float("inf"))


def test_independent_public_fields_leave_the_strong_bound() -> None:
    text = STOPPED.replace("1/4 + x / 2", "1/4")
    assert _verdicts(text, "weak pure(0) under m", "weak dp(0, 0.1) under m") == ["proved", "proved"]


def test_a_private_field_that_reads_a_public_one() -> None:
    """To know the entry is to know the public field: whether it is given by hand or by chance, nothing is said."""
    text = STOPPED.replace("x ~ bernoulli(1/2), y ~ bernoulli(1/4 + x / 2)", "y ~ bernoulli(1/2), x ~ bernoulli(y)")
    (verdict,) = _checked(text, "weak pure(0) under m").verdicts
    assert verdict.verdict == "unknown"
    assert "the private field `x` reads the public field `y`" in verdict.because


def test_by_way_of_another_public_field() -> None:
    text = STOPPED.replace("public y in {0, 1}", "public z in {0, 1}\npublic y in {0, 1}")
    text = text.replace("y ~ bernoulli(1/4 + x / 2)", "z ~ bernoulli(x), y ~ bernoulli(1/4 + z / 2)")
    delta = 0.75 - exp(0.1) / 4
    assert _verdicts(text, f"weak dp(0.1, {delta * (1 - 1e-6):.12f}) under m") == ["refuted"]
    assert "proved" not in _verdicts(text, "weak pure(2) under m")  # z tells the entry


def test_a_law_that_changes_from_step_to_step() -> None:
    """At step 1, y is a fair coin; at step 2 it copies the entry. The run gets there with chance 1/2."""
    text = STOPPED.replace("1/4 + x / 2", "if step == 1 then 1/2 else x")
    text = text.replace("step >= 2 return b", "step >= 3 return b")
    half = "weak dp(0, {}) under m"
    assert _verdicts(text, half.format("0.499999"), half.format("0.500001")) == ["refuted", "proved"]


def test_fractions_are_the_values_that_laws_read() -> None:
    text = """algorithm a
stream x in {1/3, 2/3}
public y in {0, 1}
model m: x ~ {1/3: 1, 2/3: 1}, y ~ bernoulli(if x == 1/3 then 0.9 else 0.1)
stop when y == 1
stop when step >= 2
"""
    assert _verdicts(text, "weak pure(2.19) under m", "weak pure(2.1973) under m") == ["refuted", "proved"]  # log 9


def test_an_entry_without_a_law_is_said_to_have_none() -> None:
    text = STOPPED.replace("x in {0, 1}", "x in {0, 1, 2}").replace("1/4 + x / 2", "x")
    (verdict,) = _checked(text, "weak pure(1) under m").verdicts
    assert verdict.verdict == "unknown"
    assert "`y` has no law given the entry x = 2" in verdict.because


ECHOED = """algorithm a
stream x in 0..9
memory last = 0
model echo: x ~ point(last)
model apart: x ~ uniform(0..9)
draw z ~ uniform(0..9)
report r = z
update last = r
stop when step >= 2 and x == z return same
stop when step >= 2 return other
"""


@pytest.mark.parametrize(
    "bound",
    [
        lambda gates: PureBound(gates, number(0)),
        lambda gates: approximate_bound(gates, 0.0, 0.1, None),
        lambda gates: renyi_bound(gates, 2.0, 0.0, None),
        lambda gates: ConcentratedBound(gates, number(0), None),
    ],
)
def test_no_strong_bound_speaks_of_entries_that_answer_to_what_was_shown(
    bound: Callable[[tuple[str, ...]], Judgement],
) -> None:
    """The model sets an entry to what was reported before: one entry tells of another one."""
    notions = ("pure(0)", "dp(0, 0.2)", "rdp(2, 0)", "zcdp(0)")
    claims = "".join(f"claim weak {notion} under {model}\n" for model in ("echo", "apart") for notion in notions)
    program = driver.load(Source("<test>", ECHOED + claims)).program
    derivation = Derivation(bound(tuple(gate.name for gate in program.gates)), "test/rule")
    short = [falls_short(program, claim, derivation) for claim in program.claims]
    assert all(why is not None and "reads memory" in why for why in short[:4])
    assert any(why is None for why in short[4:])


def test_the_report_says_that_strong_privacy_leaves_the_field_out() -> None:
    told = render_plain(_checked(STOPPED).document(), 100)
    assert "the law of the public field `y` reads the private entry (`x`)" in told
    assert "reads the private entry" not in render_plain(_checked(STOPPED.replace("+ x / 2", "")).document(), 100)


def test_the_view_of_streams_says_that_neighbours_share_the_field() -> None:
    program = driver.load(Source("<test>", STOPPED)).program
    assert any("reads the private entry" in note for note in instances(program, "m", count=1).notes)


@pytest.mark.parametrize(
    ("noise", "enclosed"),
    [("{0: 1, 1: 2, 2: 1}", True), ("geometric(exp(-1))", True), ("gaussian(1)", False)],
)
def test_decisions_say_whether_they_rest_on_an_estimate(noise: str, enclosed: bool) -> None:
    """Two sums of kept Gaussian noise and fresh noise are integrated; laws that list their values are summed."""
    text = f"""algorithm a
stream x in {{0, 1}}
model m: x ~ bernoulli(1/2)
statistic total = sum(x over steps)
draw z ~ {noise} once
draw w ~ {noise}
stop when total + z + w >= 2
stop when step >= 3 return late
claim weak dp(0, 0.45) under m
claim weak pure(0.001) under m
"""
    program = driver.load(Source("<test>", text)).program
    found = [decide(program, claim) for claim in program.claims]
    assert [d.verdict for d in found] == ["proved", "refuted"]
    assert [d.enclosed for d in found] == [enclosed, enclosed]
    assert all(("an estimate decides" in d.because) is not enclosed for d in found)
    verdicts = driver.check(driver.load(Source("<test>", text))).verdicts
    assert [v.verdict for v in verdicts] == (["proved", "refuted"] if enclosed else ["computed", "computed"])
    assert [v.holds for v in verdicts] == ([None, None] if enclosed else [True, False])
    for v, d in zip(verdicts, found, strict=True):
        assert v.value is None if enclosed else (v.value.low <= v.value.value <= v.value.high and d.measured)
