"""Numbers from Python: those of NumPy are numbers like all others, and what is no number of the right kind is refused
with a diagnostic."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import seqlang
from seqlang import SpecError
from seqlang.driver.given import number, numbers, whole

SPEC = """\
algorithm a
param eps > 0 = 1
param n in 1.. = 3
stream x in {0, 1}
model m: x ~ bernoulli(0.5)
statistic s = sum(x over steps)
report r = s when step >= n
stop when step >= n return done
attach laplace(1 / eps) to s
claim strong pure(eps)
"""


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (2, 2), (0.1, Fraction(1, 10)), (Decimal("0.1"), Fraction(1, 10)), ("1/3", Fraction(1, 3)),
        (Fraction(1, 3), Fraction(1, 3)), (np.float64(0.1), Fraction(1, 10)), (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)), (np.array(0.1), Fraction(1, 10)), (np.int64(7), 7), (np.uint8(200), 200),
        (np.int8(-5), -5), (np.array(3), 3),
        (np.float64(1e-200), Fraction(1, 10**200)), (np.longdouble(0.5), Fraction(1, 2)),
    ],
)  # fmt: skip
def test_numbers_are_exact(value: Any, exact: Any) -> None:
    found = number(value, "eps")
    assert found == exact
    assert type(found.numerator) is int  # of NumPy's, products would overflow
    assert found**40 * 10**400 == exact**40 * 10**400


@pytest.mark.parametrize("value", [
    "x", None, [1], np.array([1.0]), np.array([1.0, 2.0]), np.nan, np.inf, float("inf"), 1j, np.complex128(1), "nan",
    Decimal("nan"), 1e301, 1e-301, 10**400, np.datetime64("2020-01-01"), object(), {}, b"1", "9" * 5000,
])  # fmt: skip
def test_what_is_no_number(value: Any) -> None:
    with pytest.raises(SpecError, match="E0602"):
        number(value, "eps")
    with pytest.raises(SpecError, match="eps"):
        seqlang.load(SPEC, eps=value)


def test_whole_numbers() -> None:
    for value in (5, 5.0, np.int16(5), np.float32(5), np.array(5), "5", Fraction(5)):
        assert whole(value, "runs") == 5
        assert type(whole(value, "runs")) is int
    assert whole(None, "cap") is None
    for value in (0, -1, 2.5, np.float64(0.5), "1/2"):
        with pytest.raises(SpecError, match=r"E0603: runs is .*whole number of at least 1"):
            whole(value, "runs")


def test_lists() -> None:
    assert numbers(np.linspace(0, 1, 5), "eps") == [Fraction(k, 4) for k in range(5)]
    assert numbers(np.arange(3), "eps") == numbers(range(3), "eps") == [0, 1, 2]
    for value in (3, None, np.float64(1)):
        with pytest.raises(SpecError, match="not a list of numbers"):
            numbers(value, "eps")


def test_numpy_changes_no_result() -> None:
    plain, numpy = seqlang.load(SPEC, eps=0.5, n=2), seqlang.load(SPEC, eps=np.float64(0.5), n=np.int64(2))
    assert plain.parameters == numpy.parameters
    assert type(numpy.loaded.program.parameters[1].value.numerator) is int
    one = seqlang.check(plain, delta=1e-5, horizon=3).to_dict()
    other = seqlang.check(numpy, delta=np.float64(1e-5), horizon=np.int32(3)).to_dict()
    assert {**one, "seconds": 0} == {**other, "seconds": 0}
    few, many = (seqlang.run(plain, runs=r, seed=s, cap=c)[0].to_dict()
                 for r, s, c in ((20, 3, 9), (np.int64(20), np.uint32(3), np.float64(9))))  # fmt: skip
    assert few["returns"] == many["returns"] and few["steps"] == many["steps"]
    assert seqlang.solve(plain, tolerance=np.float32(1e-9))[0].expected_steps == pytest.approx(2)


def test_sweeps_over_arrays() -> None:
    table = seqlang.sweep(SPEC, grid={"eps": np.linspace(0.5, 1, 2), "n": np.arange(1, 3)}, simulate=False)
    assert [row.parameters["eps"] for row in table.rows] == [0.5, 0.5, 1, 1]
    cases = [{"eps": np.float32(0.5), "runs": np.int64(10), "seed": np.int8(2)}]
    (row,) = seqlang.sweep(SPEC, cases=cases, workers=np.int64(1)).rows
    assert row.run is not None and row.run["runs"] == 10 and row.run["seed"] == 2


def test_a_step_of_numpy_numbers() -> None:
    session = seqlang.start(SPEC, seed=np.int64(1), eps=np.float64(2))
    assert not session.step(x=np.int64(1)).stopped
    assert not session.step(x=np.float64(0)).stopped
    assert session.step(x=np.array(1)).stopped
    assert session.statistics["s"] == 2


@pytest.mark.parametrize("call", [
    lambda: seqlang.run(SPEC, runs=0), lambda: seqlang.run(SPEC, runs=2.5), lambda: seqlang.run(SPEC, runs="many"),
    lambda: seqlang.run(SPEC, seed=-1), lambda: seqlang.run(SPEC, cap=0), lambda: seqlang.run(SPEC, cap=np.nan),
    lambda: seqlang.run(SPEC, threads=0), lambda: seqlang.run(SPEC, until_ci=0), lambda: seqlang.run(SPEC, until_ci=-1),
    lambda: seqlang.check(SPEC, horizon=0), lambda: seqlang.check(SPEC, horizon=1.5),
    lambda: seqlang.check(SPEC, delta=0), lambda: seqlang.check(SPEC, delta=1), lambda: seqlang.check(SPEC, audit=-1),
    lambda: seqlang.check(SPEC, profile=[-1]), lambda: seqlang.check(SPEC, profile=3),
    lambda: seqlang.calibrate(SPEC, "eps", "pure(1)", horizon=0),
    lambda: seqlang.rare(SPEC, "done", runs=0), lambda: seqlang.rare(SPEC, "done", cap=-3),
    lambda: seqlang.solve(SPEC, tolerance=0), lambda: seqlang.solve(SPEC, tolerance="small"),
    lambda: seqlang.instances(SPEC, count=0), lambda: seqlang.instances(SPEC, seed=0.5),
    lambda: seqlang.sweep(SPEC, grid={"eps": [1]}, runs=0), lambda: seqlang.sweep(SPEC, grid={"eps": 3}),
    lambda: seqlang.sweep(SPEC, grid={"eps": [1]}, workers=0), lambda: seqlang.sweep(SPEC, cases=[{"runs": 0}]),
    lambda: seqlang.sweep(SPEC, cases=["eps"]), lambda: seqlang.sweep(SPEC, grid={"eps": [1]}, cap=0),
    lambda: seqlang.start(SPEC, seed=-1), lambda: seqlang.start(SPEC, seed="x"),
    lambda: seqlang.run_data(SPEC, "x.csv", seed=-1), lambda: seqlang.run_data(SPEC, "x.csv", cap=0),
    lambda: seqlang.train(SPEC, "x.csv", permutations=0), lambda: seqlang.train(SPEC, "x.csv", checkpoints=0),
])  # fmt: skip
def test_refused(call: Callable[[], object]) -> None:
    with pytest.raises(SpecError, match=r"E060[23]"):
        call()
