"""Noise for a target: against closed forms, and against the accountant at the value and just beside it."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import seqlang
from seqlang import SpecError
from seqlang.accounting import gaussian
from seqlang.analyses.calibrate import Calibrated, Target, calibrate, target_of
from seqlang.cli.__main__ import main
from seqlang.source import Source
from seqlang.syntax import parse

SUMS = """\
algorithm sums
param sigma > 0 = 30
param T in 1.. = 1000
dataset x in [0, 1] size 50
adjacent add or remove one
report s = sum(x)
stop when step >= T return done
attach gaussian(sigma) to s
"""
LAPLACE = """\
algorithm one
param b > 0 = 1
param unused > 0 = 1
dataset x in [0, 1] size 50
report s = sum(x)
stop when step >= 1 return done
attach laplace(b) to s
"""
SAMPLED = """\
algorithm sgd
param sigma > 0 = 4
param q in (0, 1] = 0.01
dataset x in [-1, 1] size 1000
adjacent add or remove one
draw batch ~ sample(records, q)
report g = sum(x[i] for i in batch)
stop when step >= 100 return done
attach gaussian(sigma) to g
"""


def solved(text: str, name: str, target: str, **settings: Fraction) -> Calibrated | str:
    tree, found = parse(Source("<test>", text))
    assert tree is not None, found
    wanted = target_of(target)
    assert wanted is not None
    return calibrate(tree, name, wanted, settings=settings)


def value(text: str, name: str, target: str, **settings: Fraction) -> Fraction:
    found = solved(text, name, target, **settings)
    assert isinstance(found, Calibrated), found
    assert Fraction(found.size) <= found.target.size
    if found.missed is not None:
        assert (found.missed < found.value) == found.raised
    return found.value


def test_sigma_for_a_thousand_gaussians() -> None:
    found = value(SUMS, "sigma", "dp(1, 1e-6)")
    least = gaussian.sigma(1.0, 1e-6, 1.0, 1000)
    assert least * (1 - 1e-12) <= found <= least * (1 + 1e-8)
    assert f"{float(found):.4f}" == "133.5961"


def test_where_the_search_begins_does_not_matter() -> None:
    found = {value(SUMS, "sigma", "dp(1, 1e-6)", sigma=Fraction(s)) for s in (1, 30, 5000)}
    assert max(found) - min(found) <= Fraction(1, 10**5)


@pytest.mark.parametrize(("target", "exact"), [("zcdp(1/2)", math.sqrt(1000)), ("rdp(8, 2)", math.sqrt(2000))])
def test_other_notions(target: str, exact: float) -> None:
    """T/(2 sigma^2) = 1/2; 8 T/(2 sigma^2) = 2."""
    assert exact <= value(SUMS, "sigma", target) <= exact * (1 + 1e-8)


def test_a_scale_that_is_exact() -> None:
    """One entry moves the sum by 1: scale 4 is 1/4-DP, and nothing less is."""
    assert value(LAPLACE, "b", "pure(1/4)") == pytest.approx(4, rel=1e-8)
    assert value(LAPLACE, "b", "pure(1/4)") >= 4


def test_a_whole_number_that_may_be_large() -> None:
    """The most sums at sigma = 30 with epsilon 1."""
    found = value(SUMS, "T", "dp(1, 1e-6)")
    assert found.denominator == 1
    assert gaussian.epsilon(1e-6, 30.0, 1.0, int(found)) <= 1 < gaussian.epsilon(1e-6, 30.0, 1.0, int(found) + 1)


def test_subsampled_noise_and_rate() -> None:
    """At the solution the other parameter is its own solution."""
    sigma = value(SAMPLED, "sigma", "dp(0.5, 1e-5)")
    rate = value(SAMPLED, "q", "dp(0.5, 1e-5)", sigma=sigma)
    assert rate == pytest.approx(0.01, rel=1e-4)
    assert value(SAMPLED, "sigma", "dp(0.5, 1e-5)", q=Fraction(1, 50)) > sigma


@pytest.mark.parametrize(
    ("name", "target", "reason"),
    [
        ("unused", "pure(1/4)", "does not depend"),
        ("missing", "pure(1)", "no parameter"),
        ("b", "rdp(2, 1000000)", "tried proves|every"),
    ],
)
def test_reasons_against(name: str, target: str, reason: str) -> None:
    found = solved(LAPLACE, name, target)
    if isinstance(found, str):
        assert any(part in found for part in reason.split("|"))
    else:
        assert found.size <= 1_000_000


def test_nothing_pure_of_gaussian_noise() -> None:
    found = solved(SUMS, "sigma", "pure(1)")
    assert isinstance(found, str)
    assert "nothing is proved" in found


def test_an_end_of_the_domain() -> None:
    """q is at most 1, where 100 releases at sigma = 1000 are still private enough."""
    found = solved(SAMPLED, "q", "dp(10, 1e-5)", sigma=Fraction(1000))
    assert isinstance(found, Calibrated)
    assert (found.value, found.missed) == (1, None)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("dp(1, 1e-6)", Target("dp", Fraction(1), delta=Fraction(1, 10**6))),
        (" pure( .5 ) ", Target("pure", Fraction(1, 2))),
        ("rdp(8,1/3)", Target("rdp", Fraction(1, 3), order=Fraction(8))),
        ("zcdp(0.125)", Target("zcdp", Fraction(1, 8))),
    ],
)
def test_targets(text: str, target: Target) -> None:
    assert target_of(text) == target


@pytest.mark.parametrize(
    "text",
    ["", "dp", "dp(1)", "dp(1, 1)", "dp(0, 1e-6)", "dp(-1, 1e-6)", "pure(1, 2)", "rdp(1, 1)", "zcdp(nan)", "pure(1/0)",
     "pure(inf)", "gdp(1)", "dp(1, 1e-6", "pure(1e9999999)"],
)  # fmt: skip
def test_no_targets(text: str) -> None:
    assert target_of(text) is None


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sums.seq"
    file.write_text(SUMS)
    assert main(["check", str(file), "--solve-for", "sigma", "--target", "dp(1, 1e-6)", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["value"].startswith("133.5960")
    assert told["rule"] == "conversion/gaussians_to_approximate"
    assert main(["check", str(file), "--solve-for", "T", "--target", "dp(1, 1e-6)"]) == 0
    assert "T = 50" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--solve-for", "sigma"), "E0601"),
        (("--target", "pure(1)"), "E0601"),
        (("--solve-for", "sigma", "--target", "pure(-1)"), "E0602"),
        (("--solve-for", "sigma", "--target", "pure(1)"), "E0626"),
        (("--solve-for", "nothing", "--target", "zcdp(1)"), "E0626"),
    ],
)
def test_the_command_says_what_is_wrong(
    more: tuple[str, ...], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sums.seq"
    file.write_text(SUMS)
    assert main(["check", str(file), *more]) == 2
    assert code in capsys.readouterr().err


def test_from_python() -> None:
    spec = seqlang.load(LAPLACE, b=7)
    found = seqlang.calibrate(spec, "b", "pure(1/4)")
    assert found.value == pytest.approx(4, rel=1e-8)
    assert found.bound <= 0.25
    assert found.to_dict()["target"] == "pure(0.25)"
    assert str(found).startswith("one  b = 4")
    least = gaussian.sigma(1.0, 1e-6, 1.0, 100)
    assert seqlang.calibrate(seqlang.load(SUMS, T=100), "sigma", "dp(1, 1e-6)").value == pytest.approx(least, rel=1e-8)


@pytest.mark.parametrize(
    ("name", "target", "code"), [("b", "dp(1)", "E0602"), ("c", "pure(1)", "E0626"), ("unused", "pure(1)", "E0626")]
)
def test_from_python_without_a_value(name: str, target: str, code: str) -> None:
    with pytest.raises(SpecError, match=code):
        seqlang.calibrate(LAPLACE, name, target)
