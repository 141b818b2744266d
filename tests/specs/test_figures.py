"""Figures that the library must reproduce, taken from the papers' tables and from derivations by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked import checked
from thorough import spread

import seqlang
from seqlang.analyses.prove import prove, size_of


def _check(name: str, **parameters: float) -> dict[str, Any]:
    found = seqlang.check(seqlang.load(f"@{name}", **parameters)) if parameters else checked(name)
    return found.to_dict()


def _pure(name: str, **parameters: float) -> float:
    """The bound that a check reports, found as a check finds it; the rest of a check (witnesses, exact laws, trials)
    is left out."""
    program = seqlang.load(f"@{name}", **parameters).loaded.program
    found = prove(program, orders=()).pure
    assert found is not None, name
    return size_of(program, found)


SCALES = [(1.0, 1.0), (2.0, 1.0), (1.0, 4.0), (3.7, 0.9), (0.25, 0.75)]


@pytest.mark.parametrize(("lz", "lw"), spread(SCALES, 2))
def test_pure_bounds(lz: float, lw: float) -> None:
    z, w = 1 / lz, 1 / lw
    for name, wanted in (
        ("tight/one_sided", max(z, w)),
        ("tight/two_sided", z + w),
        ("tight/cusum", z + w),
        ("tight/window", z + w),
        ("michel2025/outside_interval", z + 2 * w),
    ):
        assert _pure(name, D=1, lz=lz, lw=lw) == pytest.approx(wanted, rel=1e-12), name
        assert _pure(name, D=3, lz=lz, lw=lw) == pytest.approx(3 * wanted, rel=1e-12), name


@pytest.mark.parametrize(("lz", "lw"), spread(SCALES, 2))
@pytest.mark.parametrize("c", [1, pytest.param(2, marks=pytest.mark.long), 3, pytest.param(7, marks=pytest.mark.long)])
def test_repeated_reports(lz: float, lw: float, c: int) -> None:
    z, w = 1 / lz, 1 / lw
    assert _pure("tight/repeated_kept", lz=lz, lw=lw, c=c) == pytest.approx(max(z + (c - 1) * w, c * w))
    assert _pure("tight/repeated_refreshed", lz=lz, lw=lw, c=c) == pytest.approx(max(c * z, w + (c - 1) * min(w, z)))
    assert _pure("tight/repeated_restarted", lz=lz, lw=lw, c=c) == pytest.approx(max(z, w))


@pytest.mark.parametrize("eps", [0.1, 1.0, 3.0])
def test_bounds_that_are_the_parameter(eps: float) -> None:
    names = ("dwork2014/above_noisy_threshold", "dwork2014/laplace", "dwork2014/exponential",
             "zhang2022/above_threshold", "tight/blocks", "michel2025/dp_sprt")  # fmt: skip
    for name in names:
        assert _pure(name, eps=eps) == pytest.approx(eps, rel=1e-12), name
    assert _pure("zhang2022/sprt_laplace", eps=eps) == pytest.approx(0.75 * eps, rel=1e-12)
    assert _pure("dwork2014/randomized_response", p=0.9) == pytest.approx(math.log(9), rel=1e-12)


@pytest.mark.parametrize("name", ["tight/cusum", "tight/repeated_refreshed"])
def test_a_check_reports_what_is_proved(name: str) -> None:
    assert _check(name, lz=3.7, lw=0.9)["strong"]["pure"]["upper"] == _pure(name, lz=3.7, lw=0.9)


SYMBOLIC = {
    "tight/one_sided": "max(D/lz, D/lw)",
    "tight/two_sided": "D/lz + D/lw",
    "tight/cusum": "D/lz + D/lw",
    "tight/window": "D/lz + D/lw",
    "tight/repeated_kept": "max(D/lz + (c - 1)*D/lw, c*D/lw)",
    "tight/repeated_refreshed": "max(c*D/lz, D/lw + (c - 1)*min(D/lz, D/lw))",
    "tight/repeated_restarted": "max(D/lz, D/lw)",
    "tight/blocks": "eps",
    "michel2025/outside_interval": "D/lz + 2*D/lw",
    "dwork2014/above_noisy_threshold": "eps",
    "zhang2022/sprt_laplace": "3/4*eps",
    "dwork2014/randomized_response": "log(p/(1 - p))",
}


@pytest.mark.parametrize(("name", "formula"), spread(SYMBOLIC.items(), 4))
def test_symbolic_bounds(name: str, formula: str) -> None:
    assert _check(name)["strong"]["pure"]["symbolic"] == formula


@pytest.mark.parametrize(("p0", "p1"), [(0.3, 0.7), (0.05, 0.25), (0.45, 0.55), (0.2, 0.9)])
def test_sensitivity_of_walds_statistic(p0: float, p1: float) -> None:
    (llr,) = _check("wald1945/sprt", p0=p0, p1=p1)["statistics"]
    assert llr["shift"] == "uniform"
    assert llr["sensitivity"]["value"] == pytest.approx(abs(math.log(p1 * (1 - p0) / (p0 * (1 - p1)))), rel=1e-12)
    assert llr["sensitivity"]["symbolic"] == "abs(log(p1*(1 - p0)/(p0*(1 - p1))))"


def test_clipped_and_unclipped_likelihood_ratios() -> None:
    for name in ("zhang2022/privsprt_bernoulli", "zhang2022/privsprt_gaussian"):
        (llr,) = _check(name, A=0.31)["statistics"]
        assert llr["sensitivity"]["symbolic"] == "2*A"
        assert llr["sensitivity"]["value"] == pytest.approx(0.62, rel=1e-12)
    text = seqlang.load("@zhang2022/privsprt_gaussian").text
    bare = text.replace("clip(log(alternative.pdf(x) / null.pdf(x)), -A, A)", "log(alternative.pdf(x) / null.pdf(x))")
    (llr,) = seqlang.check(seqlang.load(bare)).to_dict()["statistics"]
    assert llr["sensitivity"]["value"] == "inf"
    assert "clip" in llr["note"]


def test_walds_test_is_refuted() -> None:
    found = _check("wald1945/sprt")
    assert found["strong"]["pure"]["upper"] == "inf"
    (claim,) = (c for c in found["claims"] if c["kind"] == "strong")
    assert claim["verdict"] == "refuted"
    assert claim["witness"]["q"] == 0


def test_zhu_wang_and_what_is_better() -> None:
    """Two instances, gamma infinite, N = 10^4: values computed from the theorem by hand."""
    strong = _check("zhang2022/privsprt_bernoulli")["strong"]
    printed = {2: 18.5913, 4: 6.48112, 8: 3.31321, 16: 2.59138, 32: 3.32086}
    for order, wanted in printed.items():
        found = [a["upper"] for a in strong["alternatives"] if a["rule"] == "stopping/zhu_wang" and a["order"] == order]
        assert max(found) == pytest.approx(wanted, rel=3e-6)
        (best,) = (r["upper"] for r in strong["rdp"] if r["order"] == order)
        assert best < wanted
    at_8 = [a["upper"] for a in strong["alternatives"] if a["rule"] == "stopping/zhu_wang" and a["order"] == 8]
    assert min(at_8) == pytest.approx(3.0576, rel=2e-5)
    gaussian = _check("zhang2022/privsprt_gaussian")["strong"]
    assert next(r["upper"] for r in gaussian["rdp"] if r["order"] == 2) == pytest.approx(2.48, abs=0.005)
    assert strong["horizon"] == 10000


@pytest.mark.parametrize(
    ("name", "share"),
    [("tight/one_sided", 0.99), ("tight/two_sided", 0.9), ("michel2025/outside_interval", 0.9), ("tight/cusum", 0.9),
     ("tight/window", 0.9), ("dwork2014/above_noisy_threshold", 0.9), ("tight/repeated_kept", 0.9),
     ("tight/repeated_refreshed", 0.9), ("tight/repeated_restarted", 0.9)],
)  # fmt: skip
def test_witnesses_are_deep(name: str, share: float) -> None:
    pure = _check(name)["strong"]["pure"]
    assert share * pure["upper"] <= pure["lower"] <= pure["upper"]


TABLE_1 = [(0.2, 16.8, 85.932, 121.611), (0.5, 43, 89.268, 126.623), (0.7, 63, 95.938, 136.637)]
"""A, thresholds, expected steps under both hypotheses at eps' = 1: exact values by quadrature, not by simulation."""


@pytest.mark.parametrize(
    ("clip", "bar", "null", "alternative"),
    [TABLE_1[0], *(pytest.param(*row, marks=pytest.mark.long) for row in TABLE_1[1:])],
)
def test_table_1_of_privsprt(clip: float, bar: float, null: float, alternative: float) -> None:
    spec = seqlang.load("@zhang2022/privsprt_bernoulli", A=clip, a=bar, b=bar, eps=1)
    for result, wanted in zip(seqlang.run(spec, runs=20_000, seed=11), (null, alternative), strict=True):
        mean = result.to_dict()["steps"]["mean"]
        assert mean == pytest.approx(wanted, rel=0.01)


def test_wald_by_simulation() -> None:
    """Exact: 0.0326350 and 9.34730 (lattice recursion)."""
    (result,) = seqlang.run("@wald1945/sprt", model="null", runs=200_000, seed=5)
    found = result.to_dict()
    assert abs(found["steps"]["mean"] - 9.34730) < 4 * found["steps"]["se"]
    assert abs(found["returns"]["reject"]["probability"] - 0.0326350) < 4 * math.sqrt(0.0326 / 200_000)


def test_real_streams(shared: Path) -> None:
    """A decision, or honestly none."""
    trial = shared / "data" / "stream_indo_rct.csv.gz"
    spec = seqlang.load("@michel2025/dp_sprt", p0=0.09, p1=0.17, eps=3)
    for arm, rows in (("0", 307), ("1", 295)):
        done = seqlang.run_data(spec, trial, columns={"x": "pep"}, where=[f"arm={arm}"]).to_dict()
        assert done["rows"] == rows
        assert done["stopped"] or done["rows_used"] == rows
    done = seqlang.run_data(
        seqlang.load("@zhang2022/privsprt_bernoulli", p0=0.02, p1=0.1, eps=1),
        shared / "data" / "stream_covid_testing_chop2020.csv.gz",
        columns={"x": "positive"},
    ).to_dict()
    assert done["stopped"]
    assert done["return"] in ("accept", "reject")


def test_parameters_of_the_scripts() -> None:
    """Names that scripts set."""
    for name, parameters in {
        "wald1945/sprt": "p0 p1 alpha beta",
        "wang2020/weak_sprt": "p0 p1 alpha beta eps eps_out as_printed",
        "michel2025/dp_sprt": "p0 p1 alpha beta eps",
        "zhang2022/privsprt_bernoulli": "p0 p1 A a b eps",
        "zhang2022/sprt_laplace": "p0 p1 A a b eps",
        "zhang2022/privsprt_gaussian": "gap A a b eps",
        "zhang2022/gen_above_threshold": "D sigma1 sigma2 T N",
        "zhang2022/above_threshold": "eps T",
        "dwork2014/above_noisy_threshold": "eps T",
        "tight/two_sided": "D lz lw",
    }.items():
        assert set(parameters.split()) <= set(seqlang.load(f"@{name}").parameters), name


def test_exact_parameters_are_kept() -> None:
    assert seqlang.load("@tight/one_sided", lz=0.1).loaded.program.parameters[1].value == Fraction(1, 10)
