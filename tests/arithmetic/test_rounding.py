"""Directed rounding, judged by exact fractions and by mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import several

from seqlang.arithmetic import rounding

mpmath.mp.dps = 60
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
PAIRS = {
    "add": lambda x, y: x + y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
}


@pytest.mark.parametrize("name", sorted(PAIRS))
@settings(max_examples=several(100, 200), deadline=None)
@given(FLOATS, FLOATS)
def test_arithmetic_errs_to_its_side(name: str, x: float, y: float) -> None:
    above, below = getattr(rounding, f"{name}_up")(x, y), getattr(rounding, f"{name}_down")(x, y)
    if name == "divide" and y == 0:
        assert (below, above) == (-math.inf, math.inf)
        return
    true = PAIRS[name](Fraction(x), Fraction(y))
    assert below <= true <= above
    assert above <= math.nextafter(math.nextafter(below, math.inf), math.inf)


@settings(max_examples=several(50, 100), deadline=None)
@given(st.lists(FLOATS, max_size=6))
def test_sums(values: list[float]) -> None:
    true = sum(map(Fraction, values), Fraction(0))
    assert true <= rounding.sum_up(values)


@settings(max_examples=several(50, 100), deadline=None)
@given(st.fractions())
def test_fractions(value: Fraction) -> None:
    low, high = rounding.fraction_down(value), rounding.fraction_up(value)
    assert low <= value <= high and high <= math.nextafter(low, math.inf)
    assert low == high or Fraction(low) < value


FUNCTIONS: dict[str, tuple[Callable[[mpmath.mpf], mpmath.mpf], st.SearchStrategy[float]]] = {
    "exp": (mpmath.exp, st.floats(-800, 800)),
    "expm1": (mpmath.expm1, st.floats(-50, 800)),
    "log": (mpmath.log, st.floats(5e-324, 1e308)),
    "log1p": (mpmath.log1p, st.floats(-1 + 1e-16, 1e308, exclude_min=True)),
    "sqrt": (mpmath.sqrt, st.floats(0, 1e308)),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@settings(max_examples=several(75, 150), deadline=None)
@given(st.data())
def test_functions_err_to_their_side(name: str, data: st.DataObject) -> None:
    true_function, arguments = FUNCTIONS[name]
    x = data.draw(arguments)
    true = true_function(mpmath.mpf(x))
    low, high = getattr(rounding, f"{name}_down")(x), getattr(rounding, f"{name}_up")(x)
    assert low <= true <= high
    assert high == math.inf or high - low <= max(16 * math.ulp(float(true)), 1e-320)


@settings(max_examples=several(75, 150), deadline=None)
@given(st.floats(1e-30, 1e30), st.floats(-9, 9))
def test_powers(x: float, y: float) -> None:
    true = mpmath.power(mpmath.mpf(x), mpmath.mpf(y))
    assert rounding.power_down(x, y) <= true <= rounding.power_up(x, y)


def test_edges() -> None:
    inf, nan = math.inf, math.nan
    assert rounding.add_up(inf, -inf) == inf and rounding.add_down(inf, -inf) == -inf
    assert rounding.add_up(1e308, 1e308) == inf and rounding.add_down(1e308, 1e308) == rounding.LARGEST
    assert rounding.multiply_up(0.0, inf) == inf and rounding.multiply_up(5e-324, -0.5) == 0.0
    assert rounding.up(nan) == inf and rounding.down(nan) == -inf
    assert rounding.exp_up(1e9) == inf and rounding.exp_down(-1e9) == 0.0 < rounding.exp_up(-1e9)
    assert rounding.log_up(0.0) == -inf and rounding.log_up(-1.0) == inf and rounding.log_down(-1.0) == -inf
    assert rounding.up(1.0, 2) == 1 + 2 * math.ulp(1.0)
    assert rounding.multiply_up(3.0, 7.0) == 21.0 and rounding.add_up(0.5, 0.25) == 0.75
