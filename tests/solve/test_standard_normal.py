"""The solver's own normal law and Legendre rule against scipy's."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import seqlang
from seqlang.backends.solve.noises import standard_normal
from seqlang.backends.solve.noises.legendre import legendre_rule
from seqlang.laws.numbers import quantile_standard_normal


def test_distribution_function():
    x = np.linspace(-36.0, 9.0, 2001).reshape(3, -1)
    found = standard_normal.cdf(x)
    assert found.shape == x.shape
    assert np.all(np.abs(found / ndtr(x) - 1) <= 1e-15 + 3e-16 * np.minimum(x, 0.0) ** 2)
    assert standard_normal.cdf([-math.inf, math.inf]).tolist() == [0.0, 1.0]


def test_many_values_are_those_of_few(monkeypatch: pytest.MonkeyPatch):
    x = np.linspace(-8.0, 8.0, 101)
    few = standard_normal.cdf(x)
    monkeypatch.setattr(standard_normal, "FEW", 0)
    np.testing.assert_allclose(standard_normal.cdf(x), few, rtol=3e-14)


@pytest.mark.parametrize("p", [0.0, 1e-300, 1e-280, 1e-24, 1e-5, 0.3, 0.5, 0.7, 1 - 1e-12, 1.0])
def test_quantile(p: float):
    assert quantile_standard_normal(p) == pytest.approx(float(ndtri(p)), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("count", [2, 16, 24])
def test_legendre_rule_is_exact_for_polynomials(count: int):
    x, w = legendre_rule(count)
    for degree in range(2 * count):
        exact = 2 / (degree + 1) if degree % 2 == 0 else 0.0
        assert float(w @ x**degree) == pytest.approx(exact, abs=2e-15 * count)


def test_a_law_does_not_depend_on_what_was_solved_before():
    """The choice between the two implementations is counted anew for each law."""
    spec = seqlang.load(
        "algorithm t\nstream x in real\nmodel m: x ~ normal(0.3, 1)\nstatistic s = sum(x over steps)\n"
        "stop when s >= 3 return up\nstop when s <= -3 return down\n"
    )
    places = np.linspace(-36.0, -20.0, 500)
    plain = [0.5 * math.erfc(-x * math.sqrt(0.5)) for x in places]
    standard_normal.cdf(np.zeros(2 * standard_normal.FEW))
    assert standard_normal.cdf(places).tolist() != plain
    seqlang.solve(spec)
    assert standard_normal.cdf(places).tolist() == plain
