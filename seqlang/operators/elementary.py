"""Functions of one number: logarithms, exponentials, roots, sizes, whole parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from seqlang.operators.operator import Arguments, NoValue, Numeric, Operator, Real, Rounded
from seqlang.operators.riemann_zeta import riemann_zeta

NUMBER: Arguments = (("x", "number"),)
ZERO, ONE = Fraction(0), Fraction(1)
NEAR_MINUS_ONE = "log1p has no bound near -1: clip it, or say how near its argument comes, log1p(max(.., least))"
NEAR_ZERO = "the logarithm has no bound near 0: clip it, or say how near its argument comes, log(max(.., least))"


def _exact_log(a: Fraction) -> Fraction:
    if a <= 0:
        raise NoValue("the logarithm of a number that is not positive")
    return Rounded(math.log(a.numerator) - math.log(a.denominator)) if a != 1 else ZERO


def _exact_log2(a: Fraction) -> Fraction:
    """Exact at powers of two: `floor(log2(n))` must not fall one short."""
    whole = a.numerator.bit_length() - a.denominator.bit_length()
    if a > 0 and a == Fraction(2) ** whole:
        return Fraction(whole)
    return Rounded(_exact_log(a) / _exact_log(Fraction(2)))


def _exact_log1p(a: Fraction) -> Fraction:
    if a <= -1:
        raise NoValue("log1p of a number that is not above -1")
    return Rounded(math.log1p(a)) if 0 < abs(a) < 1 else _exact_log(1 + a)


def _exact_sqrt(a: Fraction) -> Fraction:
    if a < 0:
        raise NoValue("the square root of a negative number")
    exact = Fraction(math.isqrt(a.numerator), math.isqrt(a.denominator))
    return exact if exact * exact == a else Rounded(math.sqrt(a))


def _exact_zeta(s: Fraction) -> Fraction:
    if s <= 1:
        raise NoValue("zeta of a number that is not above 1")
    return Rounded(riemann_zeta(float(s)))


def _logarithm(function: Callable[[Any], float], pole: float) -> Callable[[Any], float]:
    """The logarithm with the values of IEEE: minus infinity at the pole, not a number below."""

    def logarithm(a: Any) -> float:
        if a > pole:
            return function(a)
        return -math.inf if a == pole else math.nan

    return logarithm


def _exp(a: Any) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


FUNCTIONS = (
    Operator(
        "log", "function", "pointwise", "The natural logarithm of x > 0.", NUMBER,
        rational=False, jumps=False, partial=(0,), multiples="unknown", directions=(),
        numeric=Numeric(
            _exact_log, _logarithm(math.log, 0), lambda np: np.log, "math.log({})", costly=True,
            slopes=lambda g, y, x: [g / x], spreads_rounding=True,
        ),
        analytic=Real(
            lambda f, x: f("log", x), 1, above=ZERO, unbounded=NEAR_ZERO,
            slope=Real(lambda f, x: 1 / x, -1, above=ZERO, least=ZERO),
        ),
    ),
    Operator(
        "log1p", "function", "pointwise", "log(1 + x) for x > -1, without loss of digits where x is near 0.", NUMBER,
        rational=False, jumps=False, partial=(0,), multiples="unknown", directions=(),
        numeric=Numeric(
            _exact_log1p, _logarithm(math.log1p, -1), lambda np: np.log1p, "math.log1p({})", costly=True,
            slopes=lambda g, y, x: [g / (1 + x)], spreads_rounding=True,
        ),
        analytic=Real(
            lambda f, x: f("log", 1 + x), 1, above=-ONE, unbounded=NEAR_MINUS_ONE,
            slope=Real(lambda f, x: 1 / (1 + x), -1, above=-ONE, least=ZERO),
        ),
    ),
    Operator(
        "log2", "function", "pointwise", "The logarithm of x > 0 to base 2.", NUMBER,
        rational=False, jumps=False, partial=(0,), multiples="unknown", directions=(),
        numeric=Numeric(
            _exact_log2, _logarithm(math.log2, 0), lambda np: np.log2, "math.log2({})", costly=True,
            slopes=lambda g, y, x: [g / (x * math.log(2))], spreads_rounding=True,
        ),
        analytic=Real(
            lambda f, x: f("log2", x), 1, above=ZERO, unbounded=NEAR_ZERO,
            slope=Real(lambda f, x: 1 / (x * f("log", 2)), -1, above=ZERO, least=ZERO),
        ),
    ),
    Operator(
        "exp", "function", "pointwise", "e to the power x.", NUMBER,
        rational=False, jumps=False, partial=(), multiples="unknown", directions=(),
        numeric=Numeric(
            lambda a: Rounded(math.exp(a)) if a else ONE, _exp, lambda np: np.exp, "math.exp({})", costly=True,
            slopes=lambda g, y, x: [g * y],
        ),
        analytic=Real(
            lambda f, x: f("exp", x), 1, least=ZERO, slope=Real(lambda f, x: f("exp", x), 1, least=ZERO),
        ),
    ),
    Operator(
        "sqrt", "function", "pointwise", "The square root of x >= 0.", NUMBER,
        rational=False, jumps=False, partial=(0,), multiples="unknown", directions=(),
        numeric=Numeric(
            _exact_sqrt, lambda a: math.sqrt(a) if a >= 0 else math.nan, lambda np: np.sqrt, "math.sqrt({})",
            costly=True, slopes=lambda g, y, x: [g / (2 * y)],
        ),
        analytic=Real(
            lambda f, x: f("sqrt", x), 1, above=ZERO, closed=True, least=ZERO,
            slope=Real(lambda f, x: 1 / (2 * f("sqrt", x)), -1, above=ZERO, least=ZERO),
        ),
    ),
    Operator(
        "abs", "function", "pointwise", "The size of x, without its sign.", NUMBER,
        rational=True, jumps=False, partial=(), multiples="chosen", directions=(),
        numeric=Numeric(
            abs, abs, lambda np: np.abs, "abs({})", stays_finite=True,
            slopes=lambda g, y, x: [g * ((x > 0) * 1.0 - (x < 0) * 1.0)],
        ),
        analytic=Real(
            lambda f, x: f("abs", x), least=ZERO, slope=Real(lambda f, x: x / f("abs", x), least=-ONE, most=ONE)
        ),
    ),
    Operator(
        "floor", "function", "pointwise", "The largest whole number that is at most x.", NUMBER,
        rational=True, jumps=True, partial=(), multiples="whole", directions=(),
        numeric=Numeric(
            lambda a: Fraction(math.floor(a)), lambda a: math.floor(a) if math.isfinite(a) else a,
            lambda np: np.floor, "np.floor({})", stays_finite=True, slopes=lambda g, y, x: [0.0 * g],
        ),
        analytic=Real(lambda f, x: f("floor", x), 1, whole=True),
    ),
    Operator(
        "ceil", "function", "pointwise", "The smallest whole number that is at least x.", NUMBER,
        rational=True, jumps=True, partial=(), multiples="whole", directions=(),
        numeric=Numeric(
            lambda a: Fraction(math.ceil(a)), lambda a: math.ceil(a) if math.isfinite(a) else a,
            lambda np: np.ceil, "np.ceil({})", stays_finite=True, slopes=lambda g, y, x: [0.0 * g],
        ),
        analytic=Real(lambda f, x: f("ceil", x), 1, whole=True),
    ),
    Operator(
        "round", "function", "pointwise", "The nearest whole number; halves go up.", NUMBER,
        rational=True, jumps=True, partial=(), multiples="whole", directions=(),
        written=lambda apply, x: apply("floor", apply("+", x, Fraction(1, 2))),
    ),
    Operator(
        "zeta", "function", "pointwise", "Riemann's zeta function: the sum of n ^ -s over n = 1, 2, .., for s > 1.",
        (("s", "number"),),
        rational=False, jumps=False, partial=(0,), multiples="unknown", directions=(),
        numeric=Numeric(
            _exact_zeta, riemann_zeta, lambda np: np.vectorize(riemann_zeta, otypes=[np.float64]), "riemann_zeta({})",
            costly=True,
        ),
        analytic=Real(lambda f, x: f("zeta", x), -1, above=ONE, least=ONE),
    ),
)  # fmt: skip
