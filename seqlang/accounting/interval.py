"""Intervals of floats that surely hold the exact result, for formulas written once and read at both ends.

The ends are rounded outwards by `seqlang.arithmetic.rounding`; results that are exact in floats stay exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from seqlang.arithmetic import rounding as r


class Interval:
    """All numbers from `low` to `high`. Operators accept ints and floats, which stand for themselves exactly."""

    __slots__ = ("high", "low")

    def __init__(self, low: float, high: float) -> None:
        if not low <= high:
            raise ValueError(f"not an interval: {low} to {high}")
        self.low = low
        self.high = high

    def __repr__(self) -> str:
        return f"Interval({self.low!r}, {self.high!r})"

    def __add__(self, other: Interval | float) -> Interval:
        o = interval(other)
        return Interval(r.add_down(self.low, o.low), r.add_up(self.high, o.high))

    __radd__ = __add__

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Interval | float) -> Interval:
        return self + -interval(other)

    def __rsub__(self, other: Interval | float) -> Interval:
        return interval(other) + -self

    def __mul__(self, other: Interval | float) -> Interval:
        o = interval(other)
        if self.low >= 0 and o.low >= 0:
            return Interval(_times_down(self.low, o.low), _times_up(self.high, o.high))
        corners = [(a, b) for a in (self.low, self.high) for b in (o.low, o.high)]
        return Interval(min(_times_down(a, b) for a, b in corners), max(_times_up(a, b) for a, b in corners))

    __rmul__ = __mul__

    def __truediv__(self, other: Interval | float) -> Interval:
        o = interval(other)
        if o.low <= 0 <= o.high:
            raise ZeroDivisionError("the divisor may be 0")
        corners = [(a, b) for a in (self.low, self.high) for b in (o.low, o.high)]
        return Interval(min(r.divide_down(a, b) for a, b in corners), max(r.divide_up(a, b) for a, b in corners))

    def __rtruediv__(self, other: Interval | float) -> Interval:
        return interval(other) / self


def interval(value: Interval | float | Fraction) -> Interval:
    """The number itself; a rational or a large int becomes the two floats around it."""
    if isinstance(value, Interval):
        return value
    if isinstance(value, float):
        return Interval(value, value)
    exact = Fraction(value)
    return Interval(r.fraction_down(exact), r.fraction_up(exact))


def _times_up(a: float, b: float) -> float:
    # 0 times an infinite end is 0: the end stands for finite values without limit
    return 0.0 if a == 0 or b == 0 else r.multiply_up(a, b)


def _times_down(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else r.multiply_down(a, b)


def _increasing(
    lower: Callable[[float], float], upper: Callable[[float], float]
) -> Callable[[Interval | float], Interval]:
    def enclosed(x: Interval | float) -> Interval:
        i = interval(x)
        return Interval(lower(i.low), upper(i.high))

    return enclosed


def _tanh_down(x: float) -> float:
    return r.down(math.tanh(x), r.LIBM)


def _tanh_up(x: float) -> float:
    return r.up(math.tanh(x), r.LIBM)


exp = _increasing(r.exp_down, r.exp_up)
expm1 = _increasing(r.expm1_down, r.expm1_up)
log = _increasing(r.log_down, r.log_up)
log1p = _increasing(r.log1p_down, r.log1p_up)
sqrt = _increasing(r.sqrt_down, r.sqrt_up)
tanh = _increasing(_tanh_down, _tanh_up)


def log_sum(terms: list[Interval]) -> Interval:
    """log of the sum of exp(term), without overflow."""
    top = max(t.high for t in terms)
    total = interval(0)
    for t in terms:
        total = total + exp(t - top)
    return log(total) + top
