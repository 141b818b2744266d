"""The table of ways to compose, beside the theorems written out."""

from __future__ import annotations

import mpmath
import pytest
from checked import checked

import seqlang
from seqlang.analyses.compositions import compositions


def worst_case(epsilon: mpmath.mpf, k: int, delta: mpmath.mpf) -> mpmath.mpf:
    """The epsilon of k-fold randomised response at delta, by bisection over its hockey-stick divergence."""
    p = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))

    def lost(at: mpmath.mpf) -> mpmath.mpf:
        return mpmath.fsum(
            mpmath.binomial(k, i) * max(0, p ** (k - i) * (1 - p) ** i - mpmath.exp(at) * p**i * (1 - p) ** (k - i))
            for i in range(k + 1)
        )

    low, high = mpmath.mpf(0), k * epsilon
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if lost(middle) <= delta else (middle, high)
    return high


def test_every_way_of_composing_laplace_showings() -> None:
    """100 showings of one number, each with Laplace noise of 20 times its shift, at delta 1e-6."""
    k, e, delta = 100, mpmath.mpf(1) / 20, mpmath.mpf(1) / 10**6
    result = seqlang.check(seqlang.load("@suite/laplace_parallel", eps=0.05, copies=100))
    found = {c.way: c for c in compositions(result.program, result.bounds, numerical=True)}
    values = {way: c.epsilon for way, c in found.items()}
    slack = mpmath.sqrt(2 * k * mpmath.log(1 / delta)) * e
    assert values["basic"] == pytest.approx(float(k * e + mpmath.log(1 - delta * (1 + mpmath.exp(-k * e)))), rel=1e-9)
    assert values["advanced"] == pytest.approx(float(slack + k * e * mpmath.expm1(e)), rel=1e-12)
    assert values["tanh form"] == pytest.approx(float(slack + k * e * mpmath.tanh(e / 2)), rel=1e-12)
    assert values["optimal"] == pytest.approx(float(worst_case(e, k, delta)), rel=1e-6)
    orders = (mpmath.mpf(2) + i for i in range(200))
    renyi = min(k * laplace_curve(e, a) + mpmath.log(1 - 1 / a) - mpmath.log(a * delta) / (a - 1) for a in orders)
    assert values["RDP"] == pytest.approx(float(renyi), rel=1e-3)
    assert values["numerical"] <= min(values["optimal"], values["RDP"])
    assert values["numerical"] > 0.9 * values["RDP"]
    assert values["zCDP"] >= values["RDP"]
    assert [c.way for c in found.values() if c.used] == ["optimal"]
    report = str(result)
    assert "Composition: epsilon at delta 1e-06" in report
    assert "Dwork & Roth 2014, Theorem 3.20" in report
    rows = result.to_dict()["strong"]["composition"]
    assert [row["way"] for row in rows if row["used"]] == ["optimal"]


def laplace_curve(t: mpmath.mpf, order: mpmath.mpf) -> mpmath.mpf:
    """Mironov 2017, Proposition 6."""
    high = order / (2 * order - 1) * mpmath.exp((order - 1) * t)
    return mpmath.log(high + (order - 1) / (2 * order - 1) * mpmath.exp(-order * t)) / (order - 1)


def test_one_showing_is_not_composed() -> None:
    result = checked("dwork2014/laplace")
    assert compositions(result.program, result.bounds) == ()
    assert "Composition" not in str(result)


def test_a_hidden_choice_is_named() -> None:
    result = checked("bittner2020/flmb")
    assert "post-processing: selected counts as shown" in str(result)
