"""Boundaries of group-sequential tests against published ones, and against integrals of two normal variables."""

from __future__ import annotations

import math

import pytest
from scipy.stats import multivariate_normal

from seqlang.designs.bounds.spending import classic_bounds, obrien_fleming_type, pocock_type, spending_bounds

LOOKS = (0.5, 0.75, 1.0)


def test_published_boundaries() -> None:
    """Two-sided .05 at information .5, .75, 1: Lan-DeMets spending of O'Brien-Fleming type, and the classic ones."""
    spent = spending_bounds(LOOKS, obrien_fleming_type(0.05))
    assert spent == pytest.approx((2.963, 2.359, 2.014), abs=5e-4)
    assert classic_bounds(LOOKS, 0.05, "obrien_fleming") == pytest.approx((2.863, 2.337, 2.024), abs=5e-4)


@pytest.mark.parametrize(("looks", "pocock", "last"), [(2, 2.178, 1.977), (3, 2.289, 2.004), (5, 2.413, 2.040)])
def test_published_constants_of_equal_looks(looks: int, pocock: float, last: float) -> None:
    """Jennison & Turnbull 2000, tables 2.1 and 2.3: C_P(K, .05) and C_B(K, .05)."""
    times = [k / looks for k in range(1, looks + 1)]
    assert classic_bounds(times, 0.05, "pocock") == pytest.approx([pocock] * looks, abs=6e-4)
    assert classic_bounds(times, 0.05, "obrien_fleming")[-1] == pytest.approx(last, abs=6e-4)


def test_what_is_spent_at_two_looks_by_an_integral_in_the_plane() -> None:
    """P(|Z1| > a or |Z2| > b) from the law of two normal variables with correlation sqrt(t)."""
    for spending in (obrien_fleming_type(0.05), pocock_type(0.05)):
        a, b = spending_bounds((0.4, 1.0), spending)
        rho = math.sqrt(0.4)
        both = multivariate_normal(mean=[0, 0], cov=[[1, rho], [rho, 1]])
        inside = both.cdf([a, b], lower_limit=[-a, -b])
        assert 1 - inside == pytest.approx(0.05, abs=1e-6)
        assert math.erfc(a / math.sqrt(2)) == pytest.approx(spending(0.4), abs=1e-9)


def test_information_must_rise() -> None:
    with pytest.raises(ValueError, match="must rise"):
        spending_bounds((0.5, 0.5, 1.0), pocock_type(0.05))
