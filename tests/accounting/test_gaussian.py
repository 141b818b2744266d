"""The Gaussian mechanism against mpmath and published numbers."""

import math

import mpmath
import pytest

from seqlang.accounting import gaussian


@mpmath.workdps(60)
def exact_profile(epsilon: float, mu: float) -> mpmath.mpf:
    e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
    return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)


@pytest.mark.parametrize("mu", [1e-3, 0.05, 0.5, 1.0, 3.0, 12.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.5, 1.0, 7.0, 60.0, 700.0])
@mpmath.workdps(60)
def test_profile_is_rounded_up_and_tight(epsilon: float, mu: float) -> None:
    exact = exact_profile(epsilon, mu)
    found = gaussian.profile(epsilon, mu)
    assert found >= exact
    if exact > mpmath.mpf("1e-300"):
        tail = mpmath.ncdf(mpmath.mpf(mu) / 2 - mpmath.mpf(epsilon) / mpmath.mpf(mu))
        assert found - exact <= 1e-11 * tail


def test_case_a() -> None:
    assert gaussian.epsilon(1e-6, 30.0, 1.0, 1000) == pytest.approx(5.1890366408, abs=1e-9)
    assert gaussian.sigma(1.0, 1e-6, 1.0, 1000) == pytest.approx(133.5961, abs=5e-5)


@pytest.mark.parametrize(("delta", "sigma"), [(1e-6, 1.0), (1e-12, 4.0), (0.2, 0.7), (1e-5, 30.0)])
def test_epsilon_inverts_the_profile(delta: float, sigma: float) -> None:
    e = gaussian.epsilon(delta, sigma)
    assert exact_profile(e, 1 / sigma) <= delta * (1 + mpmath.mpf(10) ** -12)
    assert e == 0 or exact_profile(e * (1 - 1e-9), 1 / sigma) > delta
    s = gaussian.sigma(max(e, 0.1), delta)
    assert exact_profile(max(e, 0.1), 1 / s) <= delta


def test_adjacency_changes_the_answer() -> None:
    """Replacing one record moves a sum of bounded records by twice the bound: 11.72 where add or remove gives 5.19."""
    assert gaussian.epsilon(1e-6, 30.0, 2.0, 1000) == pytest.approx(11.72, abs=5e-3)


def test_the_classical_formula_fails_beyond_epsilon_1() -> None:
    # at epsilon 10 the formula's noise has a delta above the one asked for
    assert exact_profile(10.0, 10.0 / math.sqrt(2 * math.log(1.25 / 1e-5))) > 1e-5


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.nan, math.inf])
def test_bad_sigma(sigma: float) -> None:
    with pytest.raises(ValueError, match="sigma"):
        gaussian.epsilon(1e-6, sigma)


def test_bad_delta_sensitivity_count() -> None:
    for delta in (0.0, 1.0, 2.0, math.nan):
        with pytest.raises(ValueError, match="delta"):
            gaussian.epsilon(delta, 1.0)
    with pytest.raises(ValueError, match="sensitivity"):
        gaussian.epsilon(1e-6, 1.0, 0.0)
    with pytest.raises(ValueError, match="count"):
        gaussian.epsilon(1e-6, 1.0, 1.0, 0)
    with pytest.raises(ValueError, match="epsilon"):
        gaussian.sigma(-1.0, 1e-6)
