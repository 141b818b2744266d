"""Whole numbers that functions make, and that doubles miss: exp(log(3)) is 3 in proofs and in runs."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, inf, log

import pytest

import seqlang
from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.source import Source

STREAM = 'algorithm a ""\nstream x in {0, 1}\n'
THREE = "exp(log(3))"


def _pure(body: str) -> float:
    program = driver.load(Source("<test>", STREAM + body)).program
    found = prove(program, delta=Fraction(1, 1000)).pure
    return inf if found is None else size_of(program, found)


def _shown(body: str, steps: int = 9) -> list[float]:
    """What a run on ones shows, without its noise."""
    session = seqlang.start(STREAM + "\n".join(line for line in body.splitlines() if not line.startswith("attach")))
    shown = []
    while not session.stopped and session.step_number < steps:
        shown += [float(value) for value in session.step(x=1).reports.values()]
    return shown


@pytest.mark.parametrize(
    ("shown", "bound", "value"),
    [
        ("(if step >= THREE then x else 3 * x) when step == 3", 1, 1),
        ("(if step == THREE then 0 else x) when step == 3", 0, 0),
        ("(if step % THREE == 0 then 0 else x) when step == 3", 0, 0),
        ("ceil(THREE - 3) * x when step == 3", 0, 0),
        ("sum(x for i in 1..ceil(THREE)) when step == 3", 3, 3),
        ("sum(x over last ceil(THREE)) when step == 9", 1, 3),
    ],
)
def test_proofs_and_runs_agree(shown: str, bound: float, value: float) -> None:
    """In doubles it is 3.0000000000000004, and each of these is another number."""
    assert exp(log(3)) > 3
    assert ceil(exp(log(3))) == 4
    body = f"report r = {shown}\nstop when step >= 9\nattach laplace(1) to r"
    for three in (THREE, "3"):
        assert _pure(body.replace("THREE", three)) == pytest.approx(bound)
        assert _shown(body.replace("THREE", three)) == [value]


def test_noise_that_grows_in_a_step() -> None:
    body = (
        "draw z ~ laplace(1)\nreport r = x + (if step >= THREE then 10 else 1) * z when step == 3\nstop when step >= 3"
    )
    assert _pure(body.replace("THREE", THREE)) == _pure(body.replace("THREE", "3")) == pytest.approx(1 / 10)


def test_a_test_that_ends_with_its_last_step() -> None:
    body = ("adjacent every x within 1\nparam low = 0\nparam high = 1\nstop when x >= high return top\n"
            "stop when x < low return bottom\nstop when step >= LAST return within\n"
            "attach gaussian(8) to low, high once\nattach gaussian(4) to x")  # fmt: skip
    bounds = []
    for last in ("3", THREE, "4"):
        program = driver.load(Source("<test>", STREAM + body.replace("LAST", last))).program
        found = prove(program, delta=Fraction(1, 1000)).dp
        assert found is not None
        bounds.append(size_of(program, found))
    assert bounds[0] == bounds[1] < bounds[2]
