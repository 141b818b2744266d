"""Conversions against published values and against the exact privacy profile of the Gaussian mechanism."""

import math

import pytest

from seqlang.accounting import concentrated, conversion, gaussian, renyi


def of_zcdp(rho: float, delta: float) -> float:
    """Along the line of a zCDP bound."""
    return conversion.optimised(lambda a: concentrated.renyi(rho, a), delta)[0]


def test_reference_cases() -> None:
    a = conversion.optimised(lambda o: 1000 * renyi.gaussian(30.0, o), 1e-6)[0]
    assert a == pytest.approx(5.54276, abs=1e-5)
    assert of_zcdp(1000 / 1800, 1e-6) == pytest.approx(a, abs=1e-9)
    c = conversion.optimised(lambda o: 200 * renyi.laplace(20.0, o), 1e-6)[0]
    assert 3.4660 < c <= 3.466115
    f = conversion.optimised(lambda o: 100 * renyi.bounded_range(0.1, o), 1e-6)[0]
    assert 2.4 < f < 2.419  # 2.419 with rho = eps^2 / 8
    d = conversion.optimised(
        lambda o: 50 * renyi.gaussian(20.0, o) + 50 * renyi.laplace(40.0, o) + 20 * renyi.pure(math.log(1.5), o),
        1e-6,
    )[0]
    assert 8.5965 < d == pytest.approx(8.790, abs=1e-3)


def test_sigma_for_a_target() -> None:
    """1000 Gaussians to (1, 1e-6) by RDP need 143.279."""
    reach = lambda s: conversion.optimised(lambda o: 1000 * renyi.gaussian(s, o), 1e-6)[0]  # noqa: E731
    assert reach(143.30) < 1 < reach(143.26)


@pytest.mark.parametrize("order", [1.001, 1.5, 2.0, 10.0, 500.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 3.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.3])
def test_canonne_is_its_delta_turned_round_and_below_mironov(order: float, epsilon: float, delta: float) -> None:
    e = conversion.canonne(order, epsilon, delta)
    assert e <= epsilon - math.log(delta) / (order - 1) + 1e-12  # Mironov 2017, Proposition 3
    if e > 0:
        assert conversion.delta_at(order, epsilon, e) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("sigma", [0.5, 2.0, 20.0])
@pytest.mark.parametrize("delta", [1e-10, 1e-5, 1e-2])
def test_never_below_the_exact_gaussian(sigma: float, delta: float) -> None:
    exact = gaussian.epsilon(delta, sigma)
    found, _ = conversion.optimised(lambda o: renyi.gaussian(sigma, o), delta)
    assert found >= exact
    assert found <= 1.25 * exact + 0.02
    rho = 1 / (2 * sigma**2)
    assert of_zcdp(rho, delta) <= rho + 2 * math.sqrt(rho * math.log(1 / delta)) + 1e-12


def test_nothing_gives_no_bound() -> None:
    assert conversion.optimised(lambda _: math.inf, 1e-6)[0] == math.inf
    assert of_zcdp(0.0, 1e-6) == 0.0


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="order"):
        conversion.canonne(1.0, 0.1, 1e-6)
    with pytest.raises(ValueError, match="delta"):
        conversion.canonne(2.0, 0.1, 1.0)
    with pytest.raises(ValueError, match="epsilon"):
        conversion.canonne(2.0, math.nan, 1e-6)
