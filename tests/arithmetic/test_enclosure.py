"""Enclosures hold the true value, are tight, and survive the edges."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import mpmath
import pytest
from formula_oracle import BOUNDS, formulas, points, value
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import several

from seqlang.arithmetic.formula import (
    INFINITY,
    UNDEFINED,
    Bounds,
    Enclosure,
    Formula,
    absolute,
    enclose,
    exponential,
    function,
    logarithm,
    maximum,
    number,
    power,
    range_of,
    root,
    symbol,
)

x, y = symbol("x"), symbol("y")


def holds(low: object, true: mpmath.mpf, high: object) -> bool:
    """Up to the 60 digits of the oracle."""
    slack = abs(true) * mpmath.mpf(10) ** -50 + mpmath.mpf(10) ** -50
    ends = [mpmath.mpf(e.numerator) / e.denominator if isinstance(e, Fraction) else mpmath.mpf(e) for e in (low, high)]
    return bool(ends[0] - slack <= true <= ends[1] + slack)


@settings(max_examples=several(100, 300), deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas(), points())
def test_holds_the_value(formula: Formula, point: dict[str, Fraction]) -> None:
    true = value(formula, point)
    if true is not None:
        found = enclose(formula, point)
        assert holds(found.low, true, found.high), (str(formula), found, true)
        low, high = range_of(formula, BOUNDS)
        assert holds(low, true, high), (str(formula), low, high, true)


def test_rational_values_are_exact() -> None:
    point = {"x": Fraction(1, 3), "y": Fraction(3, 4)}
    assert enclose(3 * x + y, point) == Enclosure(1.75, 1.75)
    third = enclose(x, point)
    assert third.low < third.high == nextafter(third.low, 1)
    assert enclose(maximum(y, x - 1) ** 3, point) == Enclosure(0.75**3, 0.75**3)
    assert enclose(power(4, y * 2), point) == Enclosure(8.0, 8.0)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (exponential(1), mpmath.e),
        (logarithm(2), mpmath.log(2)),
        (root(2), mpmath.sqrt(2)),
        (function("zeta", number(2)), mpmath.pi**2 / 6),
        (function("zeta", number(Fraction(8, 5))), mpmath.zeta(mpmath.mpf(8) / 5)),
        (function("zeta", number(Fraction(101, 100))), mpmath.zeta(mpmath.mpf(101) / 100)),
        (function("zeta", number(30)), mpmath.zeta(30)),
        (function("log2", number(10)), mpmath.log(10, 2)),
        (power(3, Fraction(-7, 3)), mpmath.mpf(3) ** (mpmath.mpf(-7) / 3)),
    ],
)
def test_is_tight(formula: Formula, expected: mpmath.mpf) -> None:
    found = enclose(formula, {})
    assert found.low <= expected <= found.high
    assert found.high - found.low <= 1e-13 * abs(expected)


def test_edges() -> None:
    assert enclose(exponential(1000), {}).high == inf
    assert enclose(exponential(1000), {}).low > 1e308
    tiny = enclose(exponential(-1000), {})
    assert tiny.low == 0 and 0 < tiny.high < 1e-300
    assert enclose(1 / (x - y), {"x": Fraction(1), "y": Fraction(1)}) == Enclosure(-inf, inf)
    assert enclose(1 / (logarithm(8) - 3 * logarithm(2)), {}) == Enclosure(-inf, inf)
    assert enclose(INFINITY, {}) == Enclosure(inf, inf)
    assert enclose(UNDEFINED, {}) == Enclosure(-inf, inf)
    assert enclose(INFINITY / x, {"x": Fraction(2)}) == Enclosure(inf, inf)
    assert enclose(symbol("nowhere"), {}) == Enclosure(-inf, inf)
    assert enclose(logarithm(x - 1), {"x": Fraction(1)}) == Enclosure(-inf, inf)
    assert enclose(exponential(symbol("nowhere")), {}) == Enclosure(0.0, inf)
    assert enclose(number(10) ** 400 / number(10) ** 399, {}) == Enclosure(10.0, 10.0)
    assert enclose(function("floor", logarithm(8)), {}) == Enclosure(2.0, 2.0)
    assert enclose(number(0), {}).low.hex() == "0x0.0p+0"


def test_ranges() -> None:
    known = {"x": Bounds(Fraction(1), None), "y": Bounds(Fraction(0), Fraction(1), True, True)}
    assert range_of(x + y, known) == (1, inf)
    assert range_of(1 - y, known) == (0, 1)
    assert range_of(1 / y, known) == (1, inf)
    assert range_of(logarithm(x), known) == (0, inf)
    assert range_of(absolute(y - 1), known) == (0, 1)
    assert range_of(y**2 - x, known) == (-inf, 0)


@settings(max_examples=60, deadline=None)
@given(st.fractions(Fraction(11, 10), 40, max_denominator=50))
def test_zeta(s: Fraction) -> None:
    found = enclose(function("zeta", x), {"x": s})
    assert holds(found.low, mpmath.zeta(mpmath.mpf(s.numerator) / s.denominator), found.high)
