"""The ends of intervals, in three kinds of arithmetic: exact rationals, floats, long decimals.

Every operation returns (down, up). Infinite ends are math.inf, for decimals Decimal("Infinity").
Callers never ask for infinity - infinity, 0 * infinity, a division by 0, log(0) or a power of a negative number.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, isinf
from typing import Any, Protocol

from seqlang.arithmetic import rounding
from seqlang.arithmetic.roots import power_is_small

End = Any  # Fraction | float, float, or Decimal: an Ends object works with one of them
Pair = tuple[End, End]


class Ends(Protocol):
    """One kind of arithmetic."""

    zero: End
    infinity: End
    digits: int

    def exact(self, value: Fraction) -> Pair:
        """The two ends next to a rational: equal where the ends can hold it."""
        ...

    def fraction(self, end: End) -> Fraction:
        """An end that is finite, as a rational, without error."""
        return Fraction(end)

    def negate(self, x: End) -> End:
        """-x, without error."""
        return -x

    def add(self, x: End, y: End) -> Pair:
        """x + y, rounded down and up."""
        ...

    def multiply(self, x: End, y: End) -> Pair:
        """x * y, rounded down and up."""
        ...

    def divide(self, x: End, y: End) -> Pair:
        """x / y for y other than 0, rounded down and up."""
        ...

    def exp(self, x: End) -> Pair:
        """exp(x), rounded down and up."""
        ...

    def log(self, x: End) -> Pair:
        """log(x) for positive x, rounded down and up."""
        ...

    def power(self, x: End, y: End) -> Pair:
        """x ^ y for x >= 0, rounded down and up."""
        ...


class Floats(Ends):
    """Double precision, rounded outwards."""

    zero: End = 0.0
    infinity: End = inf
    digits = 16

    def exact(self, value: Fraction) -> Pair:
        return rounding.fraction_down(value), rounding.fraction_up(value)

    def add(self, x: End, y: End) -> Pair:
        return rounding.add_down(x, y), rounding.add_up(x, y)

    def multiply(self, x: End, y: End) -> Pair:
        return rounding.multiply_down(x, y), rounding.multiply_up(x, y)

    def divide(self, x: End, y: End) -> Pair:
        return rounding.divide_down(x, y), rounding.divide_up(x, y)

    def exp(self, x: End) -> Pair:
        return rounding.exp_down(x), rounding.exp_up(x)

    def log(self, x: End) -> Pair:
        return rounding.log_down(x), rounding.log_up(x)

    def power(self, x: End, y: End) -> Pair:
        if y == 0.5:
            return rounding.sqrt_down(x), rounding.sqrt_up(x)
        return rounding.power_down(x, y), rounding.power_up(x, y)


class Rationals(Ends):
    """Exact, except for what is irrational: that comes from the floats. An end is a Fraction or an infinite float."""

    zero: End = Fraction(0)
    infinity: End = inf
    digits = 16

    def exact(self, value: Fraction) -> Pair:
        return value, value

    def add(self, x: End, y: End) -> Pair:
        s = x if type(x) is float else y if type(y) is float else x + y
        return s, s

    def multiply(self, x: End, y: End) -> Pair:
        if type(x) is float or type(y) is float:
            p: End = inf if (x > 0) == (y > 0) else -inf
        else:
            p = x * y
        return p, p

    def divide(self, x: End, y: End) -> Pair:
        if type(y) is float:
            return Fraction(0), Fraction(0)
        q: End = x / y if type(x) is not float else x if y > 0 else -x
        return q, q

    def exp(self, x: End) -> Pair:
        return self._from_floats(rounding.exp_down, rounding.exp_up, x)

    def log(self, x: End) -> Pair:
        return self._from_floats(rounding.log_down, rounding.log_up, x)

    def power(self, x: End, y: End) -> Pair:
        finite = type(x) is not float and type(y) is not float
        if finite and y.denominator == 1 and power_is_small(x, y.numerator) and (x or y >= 0):
            p = x**y.numerator
            return p, p
        x_down, x_up, y_down, y_up = *self._floats(x), *self._floats(y)
        low = min(rounding.power_down(a, b) for a in (x_down, x_up) for b in (y_down, y_up))
        high = max(rounding.power_up(a, b) for a in (x_down, x_up) for b in (y_down, y_up))
        return self._back(low), self._back(high)

    @staticmethod
    def _floats(x: End) -> tuple[float, float]:
        return (x, x) if isinstance(x, float) else (rounding.fraction_down(x), rounding.fraction_up(x))

    @staticmethod
    def _back(x: float) -> End:
        return x if isinf(x) else Fraction(x)

    def _from_floats(self, low: Callable[[float], float], high: Callable[[float], float], x: End) -> Pair:
        below, above = self._floats(x)
        return self._back(low(below)), self._back(high(above))


class Decimals(Ends):
    """Decimals of the given number of digits. The decimal module rounds + - * / as told, exp and ln to the nearest."""

    zero: End = Decimal(0)
    infinity: End = Decimal("Infinity")

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self.floor = Context(prec=digits, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
        self.ceiling = Context(prec=digits, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])

    def exact(self, value: Fraction) -> Pair:
        return self.divide(Decimal(value.numerator), Decimal(value.denominator))

    def negate(self, x: End) -> End:
        return x.copy_negate()  # -x would round to the digits of the thread's own context; so would abs(x)

    def add(self, x: End, y: End) -> Pair:
        return self._sides(self.floor.add(x, y), self.ceiling.add(x, y))

    def multiply(self, x: End, y: End) -> Pair:
        return self._sides(self.floor.multiply(x, y), self.ceiling.multiply(x, y))

    def divide(self, x: End, y: End) -> Pair:
        return self._sides(self.floor.divide(x, y), self.ceiling.divide(x, y))

    def exp(self, x: End) -> Pair:
        if x == 0:
            return Decimal(1), Decimal(1)
        if x.is_infinite():
            return (x, x) if x > 0 else (self.zero, self.zero)
        near = self.floor.exp(x)
        low, high = self._widened(near)
        return max(low, self.zero), high

    def log(self, x: End) -> Pair:
        if x == 1 or x.is_infinite():
            return (self.zero, self.zero) if x == 1 else (x, x)
        return self._widened(self.floor.ln(x))

    def power(self, x: End, y: End) -> Pair:
        if y == 0 or x == 1:
            return Decimal(1), Decimal(1)
        if x == 0:
            return (self.zero, self.zero) if y > 0 else (self.infinity, self.infinity)
        low, high = self.log(x)
        exponents = (*self.multiply(low, y), *self.multiply(high, y))
        return self.exp(min(exponents))[0], self.exp(max(exponents))[1]

    def _widened(self, near: Decimal) -> Pair:
        return self._sides(near.next_minus(self.floor), near.next_plus(self.ceiling))

    def _sides(self, low: Decimal, high: Decimal) -> Pair:
        return -self.infinity if low.is_nan() else low, self.infinity if high.is_nan() else high


FLOATS = Floats()


@lru_cache
def decimals(digits: int) -> Decimals:
    """The one arithmetic of so many digits: what was computed with it is remembered (`zeta.py`)."""
    return Decimals(digits)


RATIONALS = Rationals()
