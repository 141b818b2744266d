"""No refutation rests on how floats are rounded: the language's numbers are real, and decimals are exact."""

from __future__ import annotations

import pytest
from leaking import leaks

from seqlang import driver
from seqlang.analyses.refute import lower_bound
from seqlang.model.program import Program
from seqlang.source import Source


def program(body: str) -> Program:
    return driver.load(Source("ties.seq", f"algorithm ties\n{body}\nstop when step == 3\n")).program


TENTHS = "stream x in {0, 1}\nstatistic s = sum(0.1 * x over steps)\nreport A when step == 3 and "


@pytest.mark.parametrize(
    "test", ["s > 0.3", "not (s <= 0.3)", "floor(s * 10) > 3", "sum(0.1 * x + 0.2 * x over steps) > 0.9"]
)
def test_three_tenths_are_not_more_than_three_tenths(test: str) -> None:
    """A is never reported."""
    assert leaks(program(TENTHS + test)) is None


@pytest.mark.parametrize("test", ["s >= 0.3", "s > 0.2", "s > 0.25"])
def test_what_holds_of_numbers_is_a_witness(test: str) -> None:
    assert leaks(program(TENTHS + test)) is not None


def test_a_statistic_that_floats_alone_move() -> None:
    body = (
        "stream x in {0, 1}\nstatistic t = if 0.1 * x + 0.2 * x > 0.3 then 1 else 0\nstatistic s = sum(t over steps)\n"
    )
    assert lower_bound(program(body + "report A = s\nattach laplace(1) to A")) is None


def test_a_logarithm_that_is_as_close_as_rounding() -> None:
    """log(2) + log(3) is log(6); floats cannot tell."""
    body = "stream x in {2, 3}\nstatistic s = sum(log(x) over steps)\n"
    assert leaks(program(body + "report A when step == 2 and s > log(6) and s < 1.8")) is None


def test_a_condition_that_only_floats_fulfil() -> None:
    """Three times a tenth is not more than three tenths, whoever counts the three."""
    body = "stream x in {0, 1}\nstatistic c = count(x == 1 over steps)\nreport A when step == 3 and "
    assert leaks(program(body + "0.1 * c > 0.3")) is None
    assert leaks(program(body + "0.1 * c > 0.2")) is not None


@pytest.mark.parametrize(
    ("stream", "value"),
    [
        ("{0, 0.3}", "x % 0.1"),  # 0 on both sides; floats say 0.3 % 0.1 = 0.0999..
        ("{0.3, 0.4}", "clip(1 / (x - 0.1 - 0.1 - 0.1), 0, 1)"),  # 1 / 0 is infinite; floats divide by -3e-17
        ("{0, 0.1}", "clip(log(abs(0.3 - x - x - x)), -70, -30) + (if x == 0 then -40 else 0)"),
        (
            "{10, 1000}",
            "floor(log(x) / log(10)) - (if x == 1000 then 3 else 1)",
        ),  # floats round log(1000) / log(10) down
    ],
)
def test_a_value_that_floats_alone_move(stream: str, value: str) -> None:
    assert lower_bound(program(f"stream x in {stream}\nreport A = {value}\nattach laplace(1) to A")) is None


def test_a_quotient_that_moves_is_a_witness() -> None:
    body = "stream x in {0.3, 0.4}\nreport A = clip(1 / (x - 0.1 - 0.1), 0, 9) + x % 0.25\nattach laplace(1) to A"
    assert lower_bound(program(body)) is not None
