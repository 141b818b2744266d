"""Numbers that well-known tools got wrong, each computed right or refused here."""

import math

import pytest

from seqlang.accounting import conversion, gaussian, homogeneous, renyi
from seqlang.accounting.noisy_test import zhu_wang
from seqlang.arithmetic.formula import number


def test_1_the_count_of_randomised_response_is_not_dropped() -> None:
    """20 uses with truth 0.6 at delta 1e-6: 8.082, not the 0.4055 of one use."""
    assert homogeneous.optimal(math.log(1.5), 20, 1e-6) == pytest.approx(8.082, abs=5e-4)
    rdp = conversion.optimised(lambda a: 20 * renyi.pure(math.log(1.5), a), 1e-6)[0]
    assert 8.0815 < rdp < 20 * math.log(1.5)


def test_2_replacement_doubles_the_sensitivity() -> None:
    assert gaussian.epsilon(1e-6, 30.0, 2.0, 1000) == pytest.approx(11.72, abs=5e-3)
    assert conversion.optimised(lambda a: 1000 * renyi.gaussian(30.0, a, 2.0), 1e-6)[0] > 11.72


def test_3_no_epsilon_is_negative_or_below_the_truth() -> None:
    assert conversion.canonne(1000.0, 0.0, 0.5) == 0.0
    assert gaussian.epsilon(0.9, 1.0) == 0.0
    assert conversion.optimised(lambda a: 1000 * renyi.gaussian(30.0, a), 1e-6)[0] >= 5.1890366408


def test_4_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="reports"):
        zhu_wang.within_horizon(number(1), number(1), horizon=5, reports=6)
    with pytest.raises(ValueError, match="sigma"):
        gaussian.epsilon(1e-6, -1.0)
    with pytest.raises(ValueError, match="scale"):
        renyi.laplace(-20.0, 2.0)
    with pytest.raises(ValueError, match="delta"):
        gaussian.epsilon(2.0, 1.0)


def test_7_a_scale_is_paid_for_once_per_noise() -> None:
    """Threshold Lap(2/eps) and query Lap(4/eps), sensitivity 1: eps/2 + 2 eps/4 = eps in the general class, not 2
    eps."""
    at = 1e6  # RDP at a large order is the pure loss
    total = renyi.laplace(2.0, at) + renyi.laplace(4.0, at, 2.0)
    assert total == pytest.approx(1.0, abs=1e-4)
