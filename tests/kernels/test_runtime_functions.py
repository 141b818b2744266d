"""Densities, distribution functions and quantiles of the run-time, run as plain Python, against scipy and mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from seqlang.backends.kernels.runtime import vectors, weights
from seqlang.laws import numbers
from seqlang.laws.families import (
    bernoulli,
    binomial,
    discrete_gaussian,
    exponential,
    gaussian,
    geometric,
    gumbel,
    laplace,
    logistic,
    normal,
    poisson,
    staircase,
    uniform,
)
from seqlang.operators.riemann_zeta import riemann_zeta

PLACES = [-700.0, -30.0, -3.25, -1.0, -1e-3, 0.0, 1e-3, 0.4, 1.0, 2.5, 17.0, 300.0]
CHANCES = [1e-300, 1e-20, 1e-3, 0.074, 0.0751, 0.3, 0.5, 0.7, 0.9249, 0.926, 0.999, 1 - 1e-12]

CONTINUOUS: list[tuple[str, Any, tuple[float, ...], Any]] = [
    ("laplace", laplace, (2.5,), stats.laplace(scale=2.5)),
    ("logistic", logistic, (2.5,), stats.logistic(scale=2.5)),
    ("exponential", exponential, (0.75,), stats.expon(scale=0.75)),
    ("gumbel", gumbel, (3.0,), stats.gumbel_r(scale=3.0)),
    ("normal", normal, (-1.5, 4.0), stats.norm(-1.5, 4.0)),
    ("gaussian", gaussian, (0.3,), stats.norm(0, 0.3)),
    ("uniform", uniform, (-1.0, 2.5), stats.uniform(-1, 3.5)),
]


@pytest.mark.parametrize(("family", "module", "arguments", "exact"), CONTINUOUS)
def test_continuous(family: str, module: Any, arguments: tuple[float, ...], exact: Any) -> None:
    assert module.valid(*arguments)
    for x in PLACES:
        assert module.density(x, *arguments) == pytest.approx(exact.pdf(x), rel=1e-12, abs=1e-300), x
        assert module.cdf(x, *arguments) == pytest.approx(exact.cdf(x), rel=1e-12, abs=1e-300), x
    for p in CHANCES:
        assert module.quantile(p, *arguments) == pytest.approx(exact.ppf(p), rel=1e-9, abs=1e-15)
    ends = exact.support()
    assert (module.quantile(0.0, *arguments), exact.cdf(-math.inf)) == (ends[0], 0)
    assert module.quantile(1.0, *arguments) == ends[1]
    for x in (-math.inf, math.inf):
        assert module.cdf(x, *arguments) == (x > 0)


DISCRETE: list[tuple[str, Any, tuple[float, ...], Any]] = [
    ("bernoulli", bernoulli, (0.3,), stats.bernoulli(0.3)),
    ("bernoulli", bernoulli, (1 + 1e-13,), stats.bernoulli(1.0)),
    ("binomial", binomial, (12.0, 0.3), stats.binom(12, 0.3)),
    ("binomial", binomial, (1000.0, 0.004), stats.binom(1000, 0.004)),
    ("binomial", binomial, (7.0, 0.0), stats.binom(7, 0.0)),
    ("binomial", binomial, (7.0, 1.0), stats.binom(7, 1.0)),
    ("binomial", binomial, (0.0, 0.4), stats.binom(0, 0.4)),
    ("poisson", poisson, (0.0,), stats.poisson(0.0)),
    ("poisson", poisson, (0.02,), stats.poisson(0.02)),
    ("poisson", poisson, (14.5,), stats.poisson(14.5)),
    ("poisson", poisson, (300.0,), stats.poisson(300.0)),
    ("geometric", geometric, (math.exp(-0.4),), stats.dlaplace(0.4)),
]


@pytest.mark.parametrize(("family", "module", "arguments", "exact"), DISCRETE)
def test_discrete(family: str, module: Any, arguments: tuple[float, ...], exact: Any) -> None:
    pmf, cdf = module.density, module.cdf
    for x in (-7, -1, 0, 1, 2, 3, 7, 11, 12, 13, 40, 260, 300, 350, 999, 1000):
        assert pmf(float(x), *arguments) == pytest.approx(exact.pmf(x), rel=1e-11, abs=1e-300), x
        assert cdf(float(x), *arguments) == pytest.approx(exact.cdf(x), rel=1e-11, abs=1e-300), x
        assert pmf(x + 0.5, *arguments) == 0
        assert cdf(x + 0.5, *arguments) == cdf(float(x), *arguments)


@pytest.mark.parametrize(("n", "p", "k"), [(10**6, 0.3, 301_000), (10**15, 0.25, 250_000_010_000_000), (4000, 0.5, 9)])
def test_binomial_of_many(n: int, p: float, k: int) -> None:
    with mpmath.workdps(60):
        ways = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
        exact = mpmath.exp(ways + k * mpmath.log(mpmath.mpf(p)) + (n - k) * mpmath.log(1 - mpmath.mpf(p)))
    assert binomial.density(float(k), float(n), p) == pytest.approx(float(exact), rel=1e-10, abs=0)


@pytest.mark.parametrize(("mean", "k"), [(1e6, 1_002_000), (1e12, 1_000_000_500_000), (2000.0, 1)])
def test_poisson_of_many(mean: float, k: int) -> None:
    with mpmath.workdps(60):
        exact = mpmath.exp(k * mpmath.log(mpmath.mpf(mean)) - mpmath.mpf(mean) - mpmath.loggamma(k + 1))
    assert poisson.density(float(k), mean) == pytest.approx(float(exact), rel=1e-10, abs=0)


def test_cdf_of_many() -> None:
    assert binomial.cdf(301_000.0, 1e6, 0.3) == pytest.approx(stats.binom(10**6, 0.3).cdf(301_000), rel=1e-11)
    assert binomial.cdf(297_000.0, 1e6, 0.3) == pytest.approx(stats.binom(10**6, 0.3).cdf(297_000), rel=1e-9)
    assert poisson.cdf(999_000.0, 1e6) == pytest.approx(stats.poisson(1e6).cdf(999_000), rel=1e-9)


@pytest.mark.parametrize("sd", [0.1, 0.7, 1.9, 2.1, 25.0])
def test_discrete_gaussian(sd: float) -> None:
    reach = range(-math.ceil(40 * sd) - 3, math.ceil(40 * sd) + 4)
    with mpmath.workdps(30):
        masses = {k: mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * mpmath.mpf(sd) ** 2)) for k in reach}
        total = mpmath.fsum(masses.values())
        for k in (-30, -4, -1, 0, 1, 2, 7, 60):
            mass, below = masses.get(k, 0) / total, mpmath.fsum(m for j, m in masses.items() if j <= k) / total
            assert discrete_gaussian.density(k, sd) == pytest.approx(float(mass), rel=1e-12, abs=1e-300)
            assert discrete_gaussian.cdf(k, sd) == pytest.approx(float(below), rel=1e-12, abs=1e-300)
    assert discrete_gaussian.density(0.5, sd) == 0
    assert discrete_gaussian.cdf(math.inf, sd) == 1
    assert discrete_gaussian.cdf(-math.inf, sd) == 0


@pytest.mark.parametrize(("eps", "width", "gamma"), [(1.0, 2.0, 0.3), (0.2, 0.5, 0.0), (3.0, 1.0, 1.0)])
def test_staircase(eps: float, width: float, gamma: float) -> None:
    def density(x: float) -> float:
        return staircase.density(x, eps, width, gamma)

    # one whole stair and the mass of all: a geometric series
    inner = density(0.25 * gamma * width) * gamma + density((gamma + 0.5 * (1 - gamma)) * width) * (1 - gamma)
    assert 2 * width * inner / (1 - math.exp(-eps)) == pytest.approx(1, rel=1e-13)
    for x in (0.01, 0.7, 1.3, 5.1):
        assert density(x + width) == pytest.approx(math.exp(-eps) * density(x), rel=1e-12)
        assert density(-x) == density(x)
        h = 1e-6
        rise = staircase.cdf(h - x, eps, width, gamma) - staircase.cdf(-h - x, eps, width, gamma)
        assert rise / (2 * h) == pytest.approx(density(x), rel=1e-8)
        below = staircase.cdf(-x, eps, width, gamma)
        assert below == pytest.approx(1 - staircase.cdf(x, eps, width, gamma), abs=1e-15)
    assert [staircase.cdf(x, eps, width, gamma) for x in (-math.inf, 0.0, math.inf)] == [0, 0.5, 1]


def test_geometric_ends() -> None:
    assert [geometric.density(x, 0.0) for x in (-1.0, 0.0, 1.0)] == [0, 1, 0]
    assert [geometric.cdf(x, 0.0) for x in (-1.0, 0.0, 1.0)] == [0, 1, 1]
    assert geometric.cdf(math.inf, 0.5) == 1
    assert geometric.cdf(-math.inf, 0.5) == 0


def test_normal_without_deviation() -> None:
    assert normal.valid(2.0, 0.0)
    assert [normal.cdf(x, 2.0, 0.0) for x in (1.9, 2.0)] == [0, 1]
    assert math.isnan(normal.density(2.0, 2.0, 0.0))
    assert normal.quantile(0.3, 2.0, 0.0) == 2.0


@pytest.mark.parametrize("p", [5e-324, 1e-200, 1e-15, 2e-5, 0.0749, 0.0751, 0.2, 0.499, 0.5, 0.6, 0.95, 1 - 2.0**-53])
def test_normal_quantile(p: float) -> None:
    """The exact quantile z solves P(Z <= z) = p, and its error is that of p over the density."""
    z = numbers.quantile_standard_normal(p)
    with mpmath.workdps(40):
        exact_p = mpmath.erfc(-mpmath.mpf(z) / mpmath.sqrt(2)) / 2
        error = (exact_p - mpmath.mpf(p)) / mpmath.npdf(mpmath.mpf(z))
    assert abs(float(error)) <= 1e-15 * max(abs(z), 1e-3)


@pytest.mark.parametrize("x", [1 + 1e-9, 1.001, 1.5, 2.0, 3.7, 10.0, 33.3, 60.0, 60.1, 1000.0])
def test_zeta(x: float) -> None:
    assert riemann_zeta(x) == pytest.approx(float(mpmath.zeta(mpmath.mpf(x))), rel=2e-15)


def test_zeta_ends() -> None:
    assert riemann_zeta(1.0) == math.inf
    assert math.isnan(riemann_zeta(0.5))
    assert math.isnan(riemann_zeta(math.nan))


def test_densities_of_vectors() -> None:
    x = np.array([0.3, -0.4])
    assert vectors.pdf_l2_laplace(x, 2.0) == pytest.approx(math.exp(-0.25) / (2 * math.pi * 4), rel=1e-14)
    assert vectors.pdf_l2_laplace(x[:1], 2.0) == pytest.approx(laplace.density(0.3, 2.0), rel=1e-14)
    assert vectors.pdf_uniform_ball(x, 0.6) == pytest.approx(1 / (math.pi * 0.36), rel=1e-14)
    assert vectors.pdf_uniform_ball(x, 0.49) == 0
    ones = np.ones(400)  # gamma(400) is no float
    with mpmath.workdps(40):
        sphere = 2 * mpmath.pi**200 / mpmath.gamma(200)
        exact = mpmath.exp(-20 / mpmath.mpf(0.05)) / (sphere * mpmath.gamma(400) * mpmath.mpf(0.05) ** 400)
    assert vectors.pdf_l2_laplace(ones, 0.05) == pytest.approx(float(exact), rel=1e-11, abs=0)


INVALID: list[tuple[Callable[..., bool], tuple[float, ...]]] = [
    (laplace.valid, (0.0,)),
    (laplace.valid, (math.inf,)),
    (exponential.valid, (-1.0,)),
    (gumbel.valid, (math.nan,)),
    (normal.valid, (0.0, -1.0)),
    (normal.valid, (math.inf, 1.0)),
    (gaussian.valid, (math.nan,)),
    (uniform.valid, (1.0, 1.0)),
    (uniform.valid, (-math.inf, 1.0)),
    (staircase.valid, (1.0, 1.0, 1.5)),
    (staircase.valid, (0.0, 1.0, 0.5)),
    (geometric.valid, (1.0,)),
    (discrete_gaussian.valid, (0.0,)),
    (bernoulli.valid, (1.1,)),
    (binomial.valid, (2.5, 0.5)),
    (binomial.valid, (-1.0, 0.5)),
    (binomial.valid, (3.0, 1.5)),
    (poisson.valid, (-1.0,)),
    (poisson.valid, (math.inf,)),
    (vectors.valid_l2_laplace, (0.0,)),
    (vectors.valid_uniform_ball, (0.0,)),
]


@pytest.mark.parametrize(("valid", "arguments"), INVALID)
def test_invalid(valid: Callable[..., bool], arguments: tuple[float, ...]) -> None:
    assert not valid(*arguments)


@pytest.mark.parametrize("table", [[], [0.0, 0.0], [1.0, -1.0, 2.0], [math.inf, 1.0], [1.0, math.nan]])
def test_weights_of_no_law(table: list[float]) -> None:
    assert math.isnan(weights.total_weight(np.array(table)))
    assert weights.sample_weights(np.zeros(4, np.uint64), np.array(table)) == -1
