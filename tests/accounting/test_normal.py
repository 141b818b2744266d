"""The normal law against mpmath with 500 digits: enclosed everywhere, tight, also deep in the tails."""

import mpmath
import pytest

from seqlang.accounting import normal

POINTS = [
    -300.0,
    -40.0,
    -30.0,
    -29.99,
    -8.3,
    -1.0,
    -1e-9,
    0.0,
    0.3,
    2.5,
    8.0,
    20.0,
    29.999,
    30.0,
    30.001,
    37.4,
    38.6,
    60.0,
    1e4,
]


@mpmath.workdps(500)
def exact_tail(x: float) -> mpmath.mpf:
    return mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) / 2


@pytest.mark.parametrize("x", POINTS)
@mpmath.workdps(500)
def test_tail_is_enclosed(x: float) -> None:
    exact = exact_tail(x)
    assert normal.sf_down(x) <= exact <= normal.sf_up(x)
    if exact > mpmath.mpf("1e-300"):
        assert normal.sf_up(x) / normal.sf_down(x) - 1 < 2e-12


@pytest.mark.parametrize("x", POINTS)
@mpmath.workdps(500)
def test_log_tail_is_enclosed(x: float) -> None:
    exact = mpmath.log(exact_tail(x))
    low, high = normal.log_sf_down(x), normal.log_sf_up(x)
    assert low <= exact <= high
    assert high - low <= 1e-12 * max(1, abs(exact))
    value, error = normal.log_tail(x)
    assert abs(value - exact) <= error
    if abs(x) < 100:
        hazard = mpmath.npdf(x) / exact_tail(x)
        assert abs(normal.hazard(x, value) - hazard) <= 1e-11 * hazard + mpmath.mpf("1e-300")
