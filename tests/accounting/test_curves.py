"""Renyi curves as formulas, against integrals and sums that are computed with other means."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from formulas_of_orders import at_order

from seqlang.accounting import curves
from seqlang.accounting.noisy_test import looks, shared, threshold
from seqlang.accounting.subsampled_gaussian import renyi as subsampled
from seqlang.arithmetic.formula import INFINITY, ORDER, Formula, enclose, number

ORDERS = (1.01, 1.5, 2.0, 8.0, 64.0)
SIZES = (1e-3, 0.1, 1.0, 7.0, 600.0)


def randomised_response(epsilon: float, order: float) -> mpmath.mpf:
    e, a = mpmath.mpf(epsilon), mpmath.mpf(order)
    p, q = mpmath.exp(e) / (1 + mpmath.exp(e)), 1 / (1 + mpmath.exp(e))
    return mpmath.log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)


def laplace(moved: float, order: float) -> mpmath.mpf:
    """Part by part: left of both centres, right of both, and between them."""
    t, a = mpmath.mpf(moved), mpmath.mpf(order)
    outside = mpmath.exp((a - 1) * t) / 2 + mpmath.exp(-a * t) / 2
    between = mpmath.exp((a - 1) * t) * (1 - mpmath.exp(-(2 * a - 1) * t)) / (2 * a - 1) / 2
    return mpmath.log(outside + between) / (a - 1)


def exponential_mechanism(epsilon: float, order: float) -> mpmath.mpf:
    """The largest over laws with two outcomes whose losses lie `epsilon` apart, by a search over the upper loss."""
    e, a = mpmath.mpf(epsilon), mpmath.mpf(order)

    def at(top: mpmath.mpf) -> mpmath.mpf:
        up, down = mpmath.exp(top), mpmath.exp(top - e)
        share = (1 - down) / (up - down)  # of the neighbour's mass at the upper outcome
        return share * up**a + (1 - share) * down**a

    low, high = mpmath.mpf(0), e
    for _ in range(400):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        low, high = (one, high) if at(one) < at(two) else (low, two)
    return mpmath.log(at((low + high) / 2)) / (a - 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("formula", "truth"),
    [
        (curves.pure, randomised_response),
        (curves.laplace, laplace),
        (curves.bounded_range, exponential_mechanism),
    ],
)
def test_closed_forms(
    formula: Callable[[Formula], Formula], truth: Callable[[float, float], mpmath.mpf], size: float, order: float
) -> None:
    with mpmath.workdps(60):
        exact = truth(size, order)
    found = at_order(formula(number(Fraction(size))), order)
    assert exact * (1 - mpmath.mpf(10) ** -20) <= found, "rounded up"
    # 1 - e^-x loses what x is small by, in a dozen roundings of 2^-52, and it is divided by the order less one
    assert found <= exact * (1 + 1e-9) + 12 * 2.0**-52 / size / min(1.0, order - 1) + 1e-13


def test_laplace_by_quadrature() -> None:
    with mpmath.workdps(25):
        p = lambda x: mpmath.exp(-abs(x)) / 2  # noqa: E731
        integral = mpmath.quad(lambda x: p(x) ** 3 * p(x - 1) ** -2, [-60, 0, 1, 60])
        assert mpmath.almosteq(laplace(1.0, 3.0), mpmath.log(integral) / 2, 1e-12)


def test_nothing_moved_costs_nothing() -> None:
    for curve in (curves.pure, curves.laplace, curves.gaussian):
        assert at_order(curve(number(0)), 3.0) == 0


def test_named_functions_are_rounded_towards_more() -> None:
    """A deviation, a move or an order between two floats: the value at the worse end."""
    third = number(Fraction(1, 3))
    above, below = math.nextafter(1 / 3, 1), 1 / 3
    assert at_order(curves.threshold(third), 2.0) == threshold.renyi(2.0, above)
    assert at_order(curves.looks(third, 5), 2.0) == looks.renyi(2.0, above, 5)
    assert at_order(curves.subsampled(third, third, False), 2.0) == subsampled(above, below, 2.0)
    surcharge = at_order(curves.any_look(number(1), 10), 2.0)
    assert surcharge == pytest.approx(shared.surcharge(2.0, 1.0, 10), rel=1e-12)
    assert at_order(curves.threshold(number(1), number(1)), 2.0) == pytest.approx(threshold.renyi(2.0, 1.0, 1.0))
    assert at_order(curves.threshold(number(0), third), 2.0) == above


@pytest.mark.parametrize(
    "formula",
    [
        curves.subsampled(number(2), number(1), False),
        curves.subsampled(number(0), number(1), True),
        curves.subsampled(number(1), number(-1), True),
        curves.threshold(number(-1)),
        curves.threshold(number(1), number(-1)),
        curves.threshold(INFINITY),
        curves.looks(number(-1), 3),
        curves.shown("anything", number(1)),
    ],
)
def test_what_has_no_value_is_bounded_by_nothing(formula: Formula) -> None:
    assert at_order(formula, 2.0) == math.inf
    assert enclose(formula, {}).high == math.inf, "without an order"
    assert enclose(formula, {ORDER.name: Fraction(1)}).high == math.inf


def test_names() -> None:
    assert str(curves.looks(number(2), 7)) == "gaussian_looks_rdp(2, 7, <order>)"
    assert curves.threshold(number(1), number(2)) != curves.threshold(number(2), number(1)), (
        "arguments keep their order"
    )
    with pytest.raises(ValueError, match="3 arguments"):
        curves.named("gaussian_looks_rdp", number(1))
    with pytest.raises(KeyError):
        curves.named("exp", number(1))
