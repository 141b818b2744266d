"""Figures of the literature and of measurements with other tools, as they are printed."""

from __future__ import annotations

import math

import pytest

from seqlang.accounting import concentrated, conversion, gaussian, group, renyi


def test_the_laplace_curve() -> None:
    """Scale 1, sensitivity 1, order 2. Mironov 2017, Proposition 6."""
    assert renyi.laplace(1.0, 2.0) == pytest.approx(0.6191236300, abs=5e-11)


def test_one_gaussian_two_ways() -> None:
    """mu = 1, delta = 1e-5: exact; by RDP and Canonne et al."""
    assert gaussian.epsilon(1e-5, 1.0) == pytest.approx(4.377178, abs=5e-7)
    assert 4.728388 - 2e-6 < conversion.optimised(lambda a: renyi.gaussian(1.0, a), 1e-5)[0] <= 4.728388


def test_a_group_of_four() -> None:
    """eps = 0.5: delta grows by (e^2 - 1)/(e^0.5 - 1) = 9.848692169, not by 4 e^1.5 = 17.93."""
    epsilon, delta = group.approximate(0.5, 1e-9, 4)
    assert epsilon == pytest.approx(2.0, rel=1e-12)
    assert delta / 1e-9 == pytest.approx(9.848692169, abs=1e-9)
    assert 4 * math.exp(1.5) == pytest.approx(17.93, abs=5e-3)


def test_a_thousand_gaussians() -> None:
    """sigma = 30, delta = 1e-6: exact, by RDP, and what the noise would have to be for epsilon 1 by RDP."""
    assert gaussian.epsilon(1e-6, 30.0, 1.0, 1000) == pytest.approx(5.1890366408, abs=1e-9)
    by_curves = conversion.optimised(lambda a: 1000 * renyi.gaussian(30.0, a), 1e-6)[0]
    assert 5.5427 < by_curves <= 5.54292
    rho = 1000 / (2 * 143.279**2)
    assert conversion.optimised(lambda a: concentrated.renyi(rho, a), 1e-6)[0] == pytest.approx(1.0, abs=2e-4)


def test_exponential_mechanisms_have_a_range() -> None:
    """100 of them with eps = 0.1 at delta = 1e-6: 2.419 by eps^2 / 8, a little less exactly; 4.7746 as merely pure."""
    by_range = conversion.optimised(lambda a: 100 * renyi.bounded_range(0.1, a), 1e-6)[0]
    assert conversion.optimised(lambda a: concentrated.renyi(100 * 0.01 / 8, a), 1e-6)[0] == pytest.approx(
        2.419, abs=5e-4
    )
    assert 2.39 < by_range < 2.419


def test_the_textbook_noise_is_for_small_epsilon_only() -> None:
    """sqrt(2 ln(1.25/delta))/eps. At eps = 10, delta = 1e-5 it would be 0.48: the exact noise is larger there."""
    textbook = math.sqrt(2 * math.log(1.25e5)) / 10
    assert gaussian.delta(10.0, textbook) > 1e-5
