"""RDP curves against the Renyi divergence itself, by sums and quadrature."""

import math

import mpmath
import pytest
from formulas_of_orders import at_order

from seqlang.accounting import group, renyi
from seqlang.arithmetic.formula import Named

ORDERS = [1.01, 1.5, 2.0, 3.7, 8.0, 64.0]


@mpmath.workdps(30)
def divergence(pairs: list[tuple[mpmath.mpf, mpmath.mpf]], order: float) -> mpmath.mpf:
    a = mpmath.mpf(order)
    return mpmath.log(mpmath.fsum(p**a * q ** (1 - a) for p, q in pairs)) / (a - 1)


def close_above(found: float, exact: mpmath.mpf, relative: float = 1e-10) -> bool:
    return exact <= found <= exact * (1 + relative) + mpmath.mpf(1e-13)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("scale", [0.3, 1.0, 20.0])
@mpmath.workdps(20)
def test_laplace(order: float, scale: float) -> None:
    a, b = mpmath.mpf(order), mpmath.mpf(scale)

    def integrand(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(-(a * abs(x) + (1 - a) * abs(x - 1)) / b) / (2 * b)

    exact = mpmath.log(mpmath.quad(integrand, [-80 * b, -8 * b, -b, 0, 0.5, 1, 1 + b, 1 + 8 * b, 1 + 80 * b])) / (a - 1)
    assert close_above(renyi.laplace(scale, order), exact, 1e-8)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", [1e-5, 0.1, 1.0, 5.0])
def test_pure_is_randomised_response(order: float, epsilon: float) -> None:
    with mpmath.workdps(30):
        p = mpmath.exp(mpmath.mpf(epsilon)) / (1 + mpmath.exp(mpmath.mpf(epsilon)))
        exact = divergence([(p, 1 - p), (1 - p, p)], order)
    found = renyi.pure(epsilon, order)
    assert exact <= found <= min(epsilon, order * epsilon**2 / 2) * (1 + 1e-12)
    assert found <= exact * (1 + mpmath.mpf(1e-9)) + 1e-12


def test_simple_curves() -> None:
    assert renyi.gaussian(30.0, 2.0, 2.0) == pytest.approx(4 / 900)
    assert 0.9985 * 3 * 0.01 / 8 <= renyi.bounded_range(0.1, 3.0) <= 3 * 0.01 / 8
    assert renyi.bounded_range(9.0, 64.0) <= 9.0
    assert renyi.pure(0.0, 2.0) == 0.0
    assert renyi.pure(math.inf, 2.0) == math.inf


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="order"):
        renyi.gaussian(1.0, 1.0)
    with pytest.raises(ValueError, match="order"):
        renyi.pure(1.0, math.nan)
    with pytest.raises(ValueError, match="scale"):
        renyi.laplace(-20.0, 2.0)
    with pytest.raises(ValueError, match="sigma"):
        renyi.gaussian(0.0, 2.0)


def test_groups() -> None:
    epsilon, delta = group.approximate(0.3, 1e-6, 3)
    assert epsilon == pytest.approx(0.9)
    assert delta == pytest.approx(1e-6 * (1 + math.exp(0.3) + math.exp(0.6)))
    assert group.approximate(0.0, 1e-6, 4)[1] == pytest.approx(4e-6)
    assert group.approximate(2.0, 0.0, 4) == (8.0, 0.0)
    # Gaussian: the true curve for groups of k is k^2 that of one
    curve = lambda a: a / 2  # noqa: E731
    assert at_order(group.renyi(curve, 1), 2.0) == pytest.approx(1.0)
    for size in (2, 3, 5):
        assert at_order(group.renyi(curve, size), 2.0) >= renyi.gaussian(1.0, 2.0, float(size))
    assert at_order(group.renyi(curve, 2), 2.0) == pytest.approx(1.5 * 2.0 + 1.5)


def test_groups_of_randomised_response_chains() -> None:
    """Three laws in a row, each pair neighbours: the group bound covers the two ends."""
    laws = [[0.5 * math.exp(-0.3 * i), 1 - 0.5 * math.exp(-0.3 * i)] for i in range(3)]

    def d(i: int, j: int, a: float) -> float:
        return float(divergence([(mpmath.mpf(p), mpmath.mpf(q)) for p, q in zip(laws[i], laws[j], strict=True)], a))

    def curve(a: float) -> float:
        return max(d(0, 1, a), d(1, 0, a), d(1, 2, a), d(2, 1, a))

    for a in (1.5, 2.0, 6.0):
        whole = group.renyi(lambda at: Named("chain", (at,), lambda order: curve(order[1])), 2)
        assert at_order(whole, a) >= max(d(0, 2, a), d(2, 0, a))


@pytest.mark.parametrize(("epsilon", "order"), [(1.0, 2.0), (0.1, 1.5), (3.0, 8.0), (0.01, 40.0), (6.0, 1.01)])
def test_bounded_range_is_the_worst_of_its_two_point_laws(epsilon: float, order: float) -> None:
    """Over the place t of the range; p is what makes the neighbour's law a law."""
    worst = 0.0
    for i in range(1, 20_000):
        t = epsilon * i / 20_000
        p = (math.exp(epsilon) - math.exp(t)) / math.expm1(epsilon)
        integral = p * math.exp((order - 1) * t) + (1 - p) * math.exp((order - 1) * (t - epsilon))
        worst = max(worst, math.log(integral) / (order - 1))
    found = renyi.bounded_range(epsilon, order)
    assert worst * (1 - 1e-12) <= found <= worst * (1 + 1e-6) + 1e-12


def test_published_bounded_range() -> None:
    assert renyi.bounded_range(1.0, 2.0) == pytest.approx(0.240229, abs=5e-7)
    assert renyi.bounded_range(0.0, 3.0) == 0.0
    assert renyi.bounded_range(1000.0, 3.0) <= 1000.0
    for order in (1.1, 2.0, 30.0):
        assert renyi.bounded_range(0.5, order) <= min(order * 0.25 / 8, renyi.pure(0.5, order))
