"""Light form, printing, equality."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import pytest

from seqlang.arithmetic.formula import (
    INFINITY,
    MINUS_INFINITY,
    UNDEFINED,
    Formula,
    Number,
    absolute,
    exponential,
    function,
    logarithm,
    maximum,
    minimum,
    number,
    power,
    root,
    symbol,
    to_sympy,
)

D, lz, lw, A, c, eps, p0, p1, x = map(symbol, ["D", "lz", "lw", "A", "c", "eps", "p0", "p1", "x"])


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (D / lz + 2 * D / lw, "D/lz + 2*D/lw"),
        (maximum(D / lz, D / lw), "max(D/lz, D/lw)"),
        (2 * A, "2*A"),
        (D / lz + (c - 1) * D / lw, "D/lz + (c - 1)*D/lw"),
        (
            maximum(c * D / lz, D / lw + (c - 1) * minimum(D / lw, D / lz)),
            "max(c*D/lz, D/lw + (c - 1)*min(D/lw, D/lz))",
        ),
        (Fraction(3, 4) * eps, "3/4*eps"),
        (eps / 2, "eps/2"),
        (absolute(logarithm(p1 * (1 - p0) / (p0 * (1 - p1)))), "abs(log(p1*(1 - p0)/(p0*(1 - p1))))"),
        (-D + c, "c - D"),
        (-(D + c), "-D - c"),
        (-D / lz, "-D/lz"),
        (3 * D / (4 * lz), "3*D/(4*lz)"),
        (D / (lz * lw), "D/(lz*lw)"),
        (D / (lz + lw), "D/(lz + lw)"),
        (1 / D, "1/D"),
        (root(2 * D), "sqrt(2*D)"),
        (1 / root(D), "1/sqrt(D)"),
        (D ** Fraction(-8, 5), "1/D^(8/5)"),
        ((D + 1) ** 2, "(D + 1)^2"),
        (2**x, "2^x"),
        (power(-1 * D, x), "(-D)^x"),
        (exponential(-eps) ** -1, "exp(eps)"),
        (Fraction(929, 10000) * D, "0.0929*D"),
        (D + Fraction(1, 100000), "D + 1e-5"),
        (D - Fraction(1, 2), "D - 1/2"),
        (D * (x - 1) * -2, "-2*D*(x - 1)"),
        (INFINITY, "inf"),
        (MINUS_INFINITY, "-inf"),
    ],
)
def test_text(formula: Formula, expected: str) -> None:
    assert str(formula) == expected


def test_order_does_not_matter_for_equality() -> None:
    assert D + c == c + D and hash(D + c) == hash(c + D)
    assert D * c == c * D and maximum(D, c) == maximum(c, D)
    assert D - c != c - D and D / c != c / D and maximum(D, c) != minimum(D, c)
    assert number(2) == 2 and D - D == 0 and number(2) != D


def test_light_form() -> None:
    assert D + D == 2 * D
    assert D / D == 1
    assert (D * c) ** 2 / D == D * c**2
    assert root(x) ** 2 == x
    assert root(x**2) != x
    assert root(Fraction(9, 4)) == Fraction(3, 2)
    assert maximum(1, D, 3) == maximum(D, 3)
    assert minimum(maximum(2, 3), 5) == 3
    assert function("log2", number(Fraction(1, 8))) == -3
    assert function("ceil", number(Fraction(7, 2))) == 4
    assert function("floor", number(Fraction(-7, 2))) == -4
    assert logarithm(exponential(x)) == x and exponential(logarithm(x)) == x


def test_infinity_and_the_undefined() -> None:
    assert INFINITY + D == INFINITY and 2 * INFINITY == INFINITY and -INFINITY == MINUS_INFINITY
    assert 0 * INFINITY == 0 and 1 / INFINITY == 0 and maximum(D, INFINITY) == INFINITY and minimum(D, INFINITY) == D
    assert (INFINITY / eps).is_infinite and (D + INFINITY / eps).is_infinite and not D.is_infinite
    assert INFINITY - INFINITY == UNDEFINED and number(1) / 0 == UNDEFINED and logarithm(number(-1)) == UNDEFINED
    assert root(number(-1)) == UNDEFINED and maximum(D, UNDEFINED) == UNDEFINED and 0 * UNDEFINED == UNDEFINED


def test_values_are_frozen_and_can_be_copied() -> None:
    formula = maximum(D / lz, 2 * D / lw) + logarithm(1 + exponential(eps))
    with pytest.raises(AttributeError):
        formula.terms = ()
    with pytest.raises(AttributeError):
        D.name = "E"
    for other in (copy.copy(formula), copy.deepcopy(formula), pickle.loads(pickle.dumps(formula))):
        assert other == formula and hash(other) == hash(formula) and str(other) == str(formula)


def test_symbols() -> None:
    assert (maximum(D / lz, 2 * D / lw) + logarithm(eps)).symbols() == {"D", "lz", "lw", "eps"}
    assert number(3).symbols() == frozenset()


def test_floats_are_refused() -> None:
    with pytest.raises(TypeError):
        D + 0.5


def test_to_sympy() -> None:
    import sympy

    d, l_ = sympy.Symbol("D", real=True), sympy.Symbol("lz", real=True)
    assert to_sympy(maximum(D / lz, 2 * D) + logarithm(D)) == sympy.Max(d / l_, 2 * d) + sympy.log(d)
    assert to_sympy(Number(Fraction(3, 7))) == sympy.Rational(3, 7)
