"""compare: certain answers only, and as many of them as the parameters of real specs need."""

from __future__ import annotations

from fractions import Fraction

import pytest
from formula_oracle import formulas, points, value
from hypothesis import HealthCheck, given, settings
from thorough import several

from seqlang.arithmetic.formula import (
    INFINITY,
    MINUS_INFINITY,
    UNDEFINED,
    Formula,
    absolute,
    as_formula,
    at_most,
    compare,
    exponential,
    function,
    logarithm,
    maximum,
    number,
    power,
    root,
    simplify,
    symbol,
)

x, y = symbol("x"), symbol("y")
POINT = {"x": Fraction(2), "y": Fraction(1, 3)}
E_50 = Fraction(271828182845904523536028747135266249775724709369995, 10**50)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (3 * y, 1, "equal"),
        (x / 7, Fraction(2, 7), "equal"),
        (x / 7, Fraction(285714, 10**6), "greater"),
        (logarithm(4), 2 * logarithm(2), "equal"),
        (logarithm(6), logarithm(2) + logarithm(3), "equal"),
        (exponential(Fraction(1, 2)) ** 2, exponential(1), "equal"),
        (root(8), 2 * root(2), "equal"),
        (1 / (root(2) - 1), root(2) + 1, "equal"),
        ((root(1 + root(x)) + 1) ** 2, 2 + root(x) + 2 * root(1 + root(x)), "equal"),
        (maximum(root(2), Fraction(3, 2)), Fraction(3, 2), "equal"),
        (maximum(root(2), logarithm(4)), root(2), "equal"),
        (exponential(3 * logarithm(x)), 8, "equal"),
        (function("log2", 8 * x), 4, "equal"),
        (function("floor", logarithm(8) / logarithm(2)), 3, "equal"),
        (absolute(logarithm(y)), logarithm(3), "equal"),
        (x ** Fraction(1, 3) * x ** Fraction(2, 3), x, "equal"),
        (power(2, x / 3), power(4, Fraction(1, 3)), "equal"),
        (exponential(1), E_50, "greater"),
        (exponential(1), E_50 + Fraction(1, 10**50), "less"),
        (exponential(1) + Fraction(1, 10**120), exponential(1), "greater"),
        (exponential(10**6), exponential(10**6) + 1, "less"),
        (function("zeta", number(2)) * 6, Fraction(22, 7), "greater"),
        (INFINITY, x, "greater"),
        (MINUS_INFINITY, x, "less"),
        (INFINITY, INFINITY, "equal"),
        (INFINITY, UNDEFINED, None),
        (logarithm(-x), 1, None),
        (root(1 - root(2)), root(1 - root(2)), None),
        (1 / (logarithm(4) - 2 * logarithm(2)), 1, None),
        (symbol("nowhere"), 1, None),
        (symbol("nowhere") + x, symbol("nowhere") + 2, "equal"),
    ],
)
def test_known_orders(a: Formula | int | Fraction, b: Formula | int | Fraction, expected: str | None) -> None:
    a, b = as_formula(a), as_formula(b)
    mirrored = {"less": "greater", "greater": "less"}
    assert compare(a, b, POINT) == expected
    assert compare(b, a, POINT) == mirrored.get(expected or "", expected)
    assert at_most(a, b, POINT) == (expected in ("less", "equal"))


@settings(max_examples=several(70, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas(5), formulas(5), points())
def test_never_contradicts_sixty_digits(a: Formula, b: Formula, point: dict[str, Fraction]) -> None:
    first, second = value(a, point), value(b, point)
    if first is None or second is None:
        return
    # 0 and a power of 1e-520 are far apart, though their difference is small: what is near is near relatively.
    far = abs(first - second) > 1e-40 * max(abs(first), abs(second))
    order = compare(a, b, point)
    if far and order is not None:
        assert order == ("less" if first < second else "greater"), (str(a), str(b), point)
    if not far:
        assert order in ("equal", None), (str(a), str(b), point)


@settings(max_examples=several(70, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas(6), points())
def test_sees_that_simplified_is_equal(formula: Formula, point: dict[str, Fraction]) -> None:
    if value(formula, point) is not None:
        assert compare(formula, simplify(formula, {}), point) in ("equal", None)


def test_long_decimals_are_never_cut_to_the_context() -> None:
    # -x and abs(x) of a Decimal round to 28 digits; an enclosure must not
    p = symbol("p")
    for a in (root(logarithm(p) ** 2), absolute(logarithm(p) * 3) / 3, -logarithm(p)):
        assert compare(a, absolute(logarithm(p)), {"p": Fraction(2, 15)}) in ("equal", None)
    tower = exponential(number(10) ** 7)  # beyond the exponents of the default context, too
    assert compare(absolute(1 - tower), tower, {}) == "less"
    assert compare(function("floor", tower), tower + 2, {}) in ("less", None)
