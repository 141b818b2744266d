"""Constants that are whole, and are not in doubles: what is decided by them is not known, and bounds allow for it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log

import pytest

from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.source import Source

STREAM = 'algorithm a ""\nstream x in {0, 1}\n'


def _pure(body: str) -> float:
    program = driver.load(Source("<test>", STREAM + body)).program
    found = prove(program, delta=Fraction(1, 1000)).pure
    return float("inf") if found is None else size_of(program, found)


@pytest.mark.parametrize(
    ("three", "shown", "truth"),
    [
        # in step 3, which is below 3.0000000000000004; runs were counted by hand
        ("THREE", "(if step >= THREE then x else 3 * x) when step == 3", 3),
        ("THREE", "(if step == THREE then 0 else x) when step == 3", 1),
        ("THREE", "(if step % THREE == 0 then 0 else x) when step == 3", 1),
        ("THREE", "ceil(THREE - 3) * x when step == 3", 1),
        ("THREE", "sum(x for i in 1..ceil(THREE)) when step == 3", 4),
    ],
)
def test_a_value_is_not_decided_by_a_tie(three: str, shown: str, truth: float) -> None:
    assert exp(log(3)) > 3
    assert ceil(exp(log(3))) == 4
    body = f"report r = {shown}\nstop when step >= 3\nattach laplace(1) to r"
    assert _pure(body.replace(three, "exp(log(3))")) >= truth
    assert _pure(body.replace(three, "(3 + 1 / 10)")) >= truth


def test_a_window_is_as_long_as_in_runs() -> None:
    """The last 4 entries, so that one is shown 4 times."""
    body = "report r = sum(x over last LONG)\nstop when step >= 9\nattach laplace(1) to r"
    assert _pure(body.replace("LONG", "ceil(exp(log(3)))")) >= 4
    assert _pure(body.replace("LONG", "3")) == pytest.approx(3)


def test_noise_that_grows_in_the_step_after() -> None:
    body = (
        "draw z ~ laplace(1)\nreport r = x + (if step >= THREE then 10 else 1) * z when step == 3\nstop when step >= 3"
    )
    assert _pure(body.replace("THREE", "exp(log(3))")) >= 1
    assert _pure(body.replace("THREE", "3")) == pytest.approx(1 / 10)


def test_what_doubles_compute_exactly_is_known() -> None:
    """log2(8) = 3, sqrt(9) = 3 and exp(0) = 1 are exact."""
    body = "report r = (if step >= THREE then x else 3 * x) when step == 3\nstop when step >= 3\nattach laplace(1) to r"
    for three in ("log2(8)", "sqrt(9)", "(2 + exp(0))"):
        assert _pure(body.replace("THREE", three)) == pytest.approx(1)


def test_a_short_test_that_runs_a_step_longer() -> None:
    """By hand: a run that stops in step 4 shows one comparison more than one that stops in step 3."""
    body = ("adjacent every x within 1\nparam low = 0\nparam high = 1\nstop when x >= high return top\n"
            "stop when x < low return bottom\nstop when step >= LAST return within\n"
            "attach gaussian(8) to low, high once\nattach gaussian(4) to x")  # fmt: skip
    least = {}
    for last in ("4", "exp(log(3))"):
        program = driver.load(Source("<test>", STREAM + body.replace("LAST", last))).program
        found = prove(program, delta=Fraction(1, 1000)).dp
        least[last] = float("inf") if found is None else size_of(program, found)
    assert least["exp(log(3))"] >= least["4"] > 0
