"""Verdicts: which bound serves which claim."""

from __future__ import annotations

from fractions import Fraction

import pytest

from seqlang import driver
from seqlang.analyses.claims import Verdict
from seqlang.proof.derivation import RenyiBound
from seqlang.source import Source


def _verdict(text: str) -> Verdict:
    return driver.check(driver.load(Source("<text>", f"algorithm a\n{text}"))).verdicts[-1]


@pytest.mark.parametrize(
    ("adjacent", "verdict"),
    [
        ("", "proved"),
        ("adjacent replace 2\n", "proved"),
        ("adjacent one x within 1 / 100\n", "unknown"),
        ("adjacent every x within 1 / 100\n", "unknown"),
    ],
)
def test_a_weak_claim_needs_a_bound_for_any_two_values(adjacent: str, verdict: str) -> None:
    """Weak privacy compares any two values of an entry: a bound for entries that move by 1/100 says nothing of them.
    With x in {0, 1} and Laplace noise of scale 1 the true loss is 1 whatever `adjacent` says."""
    eps = "2" if "replace 2" in adjacent else "1" if not adjacent else "1 / 100"
    found = _verdict(
        f"stream x in {{0, 1}}\n{adjacent}model m: x ~ bernoulli(0.5)\n"
        "statistic s = x\nreport r = s\nstop when step >= 1\n"
        f"attach laplace(1) to r\nclaim weak pure({eps}) under m\n"
    )
    assert found.verdict == verdict, found.because


def test_a_renyi_claim_is_proved_at_its_order_or_above() -> None:
    """1.1 is no double: the bound must be taken at a float that is not below it."""
    found = _verdict(
        "stream x in [0, 1]\nstatistic s = x\nreport r = s\nstop when step >= 1\n"
        "attach gaussian(1) to r\nclaim strong rdp(1.1, 0.56)\n"
    )
    assert found.verdict == "proved"
    assert found.derivation is not None
    assert isinstance(found.derivation.conclusion, RenyiBound)
    assert Fraction(found.derivation.conclusion.order) >= Fraction(11, 10)
