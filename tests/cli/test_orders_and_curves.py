"""Renyi orders that are asked for, and the picture of what every rule proves."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from checked import checked

import seqlang
from seqlang.analyses.privacy_curves import DELTAS, privacy_curves
from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError

RELEASE = """\
algorithm one_number "one Gaussian release"

dataset x in [0, 1] size 5

statistic total = sum(x)
stop return total
attach gaussian(2) to total
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    file = tmp_path / "one.seq"
    file.write_text(RELEASE, encoding="utf-8")
    return str(file)


def strong(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main(["check", *arguments, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)["strong"]
    return found


def test_bounds_at_the_orders_asked_for(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = strong(capsys, spec, "--order", "3,3/2,alpha")
    numbers, (formula,) = found["rdp"][:2], found["rdp"][2:]
    assert [row["order"] for row in numbers] == [1.5, 3.0]
    assert [row["upper"] for row in numbers] == pytest.approx([1.5 / 8, 3 / 8], rel=1e-12)  # order/(2 sigma^2)
    assert (formula["order"], formula["upper"], formula["symbolic"]) == ("alpha", None, "alpha/8")
    usual = strong(capsys, spec)
    assert [row["order"] for row in usual["rdp"]] == [2.0, 4.0, 8.0, 16.0, 32.0]
    assert found["dp"] == usual["dp"]


def test_the_formula_alone(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", spec, "--order", "alpha"]) == 0
    report = capsys.readouterr().out
    assert "rdp by order" not in report
    assert "rdp(alpha)  alpha/8" in report


def test_the_same_from_python(spec: str) -> None:
    result = seqlang.check(spec, orders=(1.5, "alpha"))
    assert [row["order"] for row in result.to_dict()["strong"]["rdp"]] == [1.5, "alpha"]
    with pytest.raises(SpecError, match="must lie between"):
        seqlang.check(spec, orders=(1,))


@pytest.mark.parametrize(
    ("orders", "said"),
    [("1", "must lie between"), ("x", "neither a number nor alpha"), ("2,,3", "neither a number"), ("1e9", "must lie")],
)
def test_what_is_no_order(spec: str, capsys: pytest.CaptureFixture[str], orders: str, said: str) -> None:
    assert main(["check", spec, "--order", orders]) == 2
    heard = capsys.readouterr().err
    assert said in heard
    assert "--order 1.5,3,alpha" in heard


def test_curves_of_a_gaussian_release(spec: str) -> None:
    """The best line is order/8, and (epsilon, delta) solves Balle & Wang 2018, Theorem 8, with mu = 1/2."""
    curves = privacy_curves(seqlang.load(spec).loaded.program, None, None)
    assert curves.pure == math.inf
    assert all(epsilon == pytest.approx(order / 8, rel=1e-12) for order, epsilon in curves.best_at_orders)
    assert len(curves.best_at_orders) > 20
    assert [delta for delta, _ in curves.best_at_deltas] == sorted(float(d) for d in DELTAS)
    for delta, epsilon in curves.best_at_deltas:
        first, second = mpmath.mpf(1) / 4 - 2 * epsilon, -mpmath.mpf(1) / 4 - 2 * epsilon
        truth = mpmath.ncdf(first) - mpmath.exp(epsilon) * mpmath.ncdf(second)
        assert truth <= delta
        assert epsilon == 0 or truth >= 0.999 * delta
    assert len(curves.at_deltas) >= 3
    assert all(e >= dict(curves.best_at_deltas)[d] for line in curves.at_deltas.values() for d, e in line)


def test_what_a_witness_forces() -> None:
    result = checked("dwork2014/laplace")
    curves = privacy_curves(result.program, None, result.witness)
    proved = dict(curves.best_at_deltas)
    assert curves.witnessed
    assert all(epsilon <= proved[delta] for delta, epsilon in curves.witnessed)
    assert curves.pure == pytest.approx(float(Fraction(1)))


def test_the_picture(spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "curve.svg"
    assert main(["check", spec, "--plot", str(picture)]) == 0
    assert picture.stat().st_size > 10_000
    assert main(["check", spec, spec, "--plot", str(picture)]) == 2
    assert "does not go with several files" in capsys.readouterr().err
    assert main(["check", spec, "--plot", "curve.xyz"]) == 2
    assert "formats are" in capsys.readouterr().err
