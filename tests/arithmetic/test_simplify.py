"""simplify: the shapes people expect, and the same value everywhere within the bounds."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from formula_oracle import BOUNDS, extremes, formulas, points, value
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from thorough import several

from seqlang.arithmetic.formula import (
    INFINITY,
    Bounds,
    Formula,
    absolute,
    enclose,
    exponential,
    function,
    logarithm,
    maximum,
    minimum,
    number,
    root,
    simplify,
    symbol,
)

D, lz, lw, A, B, c, eps, p0, p1, x, y = map(symbol, ["D", "lz", "lw", "A", "B", "c", "eps", "p0", "p1", "x", "y"])
POSITIVE = Bounds(Fraction(0), None, low_open=True)
UNIT = Bounds(Fraction(0), Fraction(1), True, True)
KNOWN = {
    **dict.fromkeys(("D", "lz", "lw", "A", "B", "eps"), POSITIVE),
    "c": Bounds(Fraction(1)),
    "p0": UNIT,
    "p1": UNIT,
}
LLR = logarithm(p1 * (1 - p0) / (p0 * (1 - p1)))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (1 / (2 / eps) + 2 * (1 / (4 / eps)), "eps"),
        (2 * A / (4 * A / eps) + 2 * A / (8 * A / eps), "3/4*eps"),
        (logarithm(exponential(x)), "x"),
        (-logarithm(exponential(-eps)), "eps"),
        (exponential(logarithm(x)), "x"),
        (logarithm(x) - logarithm(y), "log(x/y)"),
        (absolute(logarithm(1 + eps)), "log(1 + eps)"),
        (absolute(logarithm(p0)), "-log(p0)"),
        (absolute(p0 - 1), "1 - p0"),
        (maximum(D / lz, 2 * D / lz), "2*D/lz"),
        (maximum(D / lz, D / lw), "max(D/lz, D/lw)"),
        (maximum(D / lz, D / lw, D / lz + D / lw), "D/lz + D/lw"),
        (maximum(2 * A / eps, 2 * B / eps), "2*max(A, B)/eps"),
        (maximum(c * D / lz, D / lw + (c - 1) * minimum(D / lw, D / lz)), None),
        # c/lw is at least 1/lw + (c-1) min(1/lw, 1/lz)
        (maximum(c * D / lw, D / lw + (c - 1) * minimum(D / lw, D / lz)), "c*D/lw"),
        (maximum(p0, 1, p0**2), "1"),
        (minimum(p0, 2 * p0, p0 + eps), "p0"),
        (maximum(-p0, p0), "p0"),
        (minimum(D, D), "D"),
        (root(x) ** 2, "x"),
        (root(D**2), "D"),
        (root(x**2), "abs(x)"),
        (D / lz + (c - 1) * D / lw, None),
        (D / lz + 2 * D / lw, None),
        (absolute(LLR), "abs(log(p1*(1 - p0)/(p0*(1 - p1))))"),
        ((c**2 - 1) / (c - 1), "c + 1"),
        ((2 * D + 2 * c) / (D + c), "2"),
        # randomised response that tells the truth with probability 1/(1 + exp(-eps)) costs eps
        (logarithm((1 / (1 + exponential(-eps))) / (1 - 1 / (1 + exponential(-eps)))), "eps"),
        (logarithm(1 + exponential(eps)) - logarithm(1 + exponential(-eps)), "eps"),
        (function("floor", function("log2", number(1000))) + 1, "10"),
        (root(2 * logarithm(125000)), None),
        (exponential(eps) * exponential(-eps), "1"),
        (INFINITY + D, "inf"),
        (minimum(D, INFINITY), "D"),
        (2 / (1 / eps + 1 / eps), "eps"),
        (logarithm(12) - 2 * logarithm(2) - logarithm(3), "0"),
        (root(8) - 2 * root(2), "0"),
        (function("ceil", p0 * Fraction(1, 2) + Fraction(1, 4)), "1"),
    ],
)
def test_expected_shape(formula: Formula, expected: str | None) -> None:
    assert str(simplify(formula, KNOWN)) == (str(formula) if expected is None else expected)


def test_unknown_signs_are_respected() -> None:
    assert str(simplify(absolute(x), {})) == "abs(x)"
    assert simplify(maximum(x, 2 * x), {}) == maximum(x, 2 * x)
    assert simplify(logarithm(x**2), {}) != 2 * logarithm(x)
    assert simplify(maximum(D * x, D * y), {}) == maximum(D * x, D * y)


@settings(max_examples=several(66, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas(), points())
def test_keeps_the_value(formula: Formula, point: dict[str, Fraction]) -> None:
    before = value(formula, point)
    if before is None:
        return
    simple = simplify(formula, BOUNDS)
    after = value(simple, point)
    assert after is not None, (str(formula), str(simple))
    assert abs(after - before) <= 1e-25 * (1 + abs(before)), (str(formula), str(simple), point)


@settings(max_examples=several(40, 120), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), points())
def test_keeps_the_value_of_extremes(seed: int, point: dict[str, Fraction]) -> None:
    formula = extremes(seed)
    before = value(formula, point)
    if before is not None:
        simple = simplify(formula, BOUNDS)
        after = value(simple, point)
        assert after is not None and abs(after - before) <= 1e-25 * (1 + abs(before)), (str(formula), str(simple))


def letters(formula: Formula) -> int:
    """Length of the text, where a number of up to seven digits counts like a name of one letter."""
    return len(re.sub(r"(?<![0-9.])[0-9.]{1,7}(?![0-9.])", "1", str(formula)))


@settings(max_examples=several(33, 100), deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas(5))
@example(root(symbol("D") * symbol("c")))
def test_is_stable_and_not_longer(formula: Formula) -> None:
    simple = simplify(formula, BOUNDS)
    assert letters(simple) <= letters(formula)
    assert simple.symbols() <= formula.symbols()


NOT_POSITIVE, NOT_NEGATIVE = Bounds(Fraction(-3), Fraction(0)), Bounds(Fraction(0))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (logarithm(-(D + x) * x), math.log(1.5)),  # x is negative, and D + x may be too
        (root(-(D + x) * x), math.sqrt(1.5)),
        ((y**2) ** absolute(x), 0.0),  # y^x has no value at y = 0
    ],
)
def test_factors_that_may_vanish(formula: Formula, expected: float) -> None:
    shortest = simplify(formula, {"x": NOT_POSITIVE, "D": NOT_NEGATIVE, "y": NOT_NEGATIVE})
    around = enclose(shortest, {"x": Fraction(-1), "D": Fraction(5, 2), "y": Fraction(0)})
    assert around.low - 1e-12 <= expected <= around.high + 1e-12
    assert around.high - around.low < 1e-9
