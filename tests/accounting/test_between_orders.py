"""rho from Renyi bounds at a few orders: above every curve that obeys them."""

from __future__ import annotations

import math

import pytest

from seqlang.accounting import concentrated, renyi

ORDERS = (1.05, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0)


def line(rho: float) -> list[tuple[float, float]]:
    return [(a, rho * a) for a in ORDERS]


@pytest.mark.parametrize("rho", [1e-6, 0.3, 20.0])
def test_a_line_comes_back(rho: float) -> None:
    found = concentrated.between_orders(line(rho), rho)
    assert rho <= found <= 1.16 * rho


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_it_is_above_a_curve_everywhere(epsilon: float) -> None:
    """The curve of randomised response, at 4,000 orders; from the last one on it is at most epsilon."""
    points = [(a, renyi.pure(epsilon, a)) for a in ORDERS]
    found = concentrated.between_orders(points, epsilon / ORDERS[-1])
    orders = [1 + math.exp(-9 + 0.004 * i) for i in range(4000)]
    assert all(renyi.pure(epsilon, a) <= found * a * (1 + 1e-12) for a in orders)
    assert found <= epsilon * epsilon / 2 * 1.15


def test_what_is_missing_makes_it_infinite_or_is_refused() -> None:
    assert concentrated.between_orders([(2.0, 1.0), (4.0, math.inf)], 0.0) == math.inf
    assert concentrated.between_orders([(2.0, 1.0)], math.inf) == math.inf
    for wrong in ([], [(2.0, 1.0), (2.0, 1.0)], [(4.0, 1.0), (2.0, 1.0)], [(1.0, 1.0)], [(2.0, -1.0)]):
        with pytest.raises(ValueError, match=r"order|epsilon"):
            concentrated.between_orders(wrong, 1.0)
