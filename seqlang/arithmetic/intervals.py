"""Interval operations over any kind of ends.

An interval (low, high) holds every value that its formula can have where it is defined. The last clause is used: a
divisor is not 0, the argument of a logarithm or of a fractional power is not negative.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from seqlang.arithmetic.ends import End, Ends

Interval = tuple[Any, Any]
HUGE = 10**60
"""Ends beyond this are not rounded to whole numbers: the digits of 10^(10^9) would fill the memory."""


def everything(ends: Ends) -> Interval:
    """The interval of all numbers: what is returned where nothing is known."""
    return -ends.infinity, ends.infinity


def is_infinite(ends: Ends, x: End) -> bool:
    """Whether an end is one of the two infinities."""
    return bool(x == ends.infinity or x == -ends.infinity)


def whole(ends: Ends, a: Interval, up: bool) -> Interval:
    """floor, or with `up` ceil. Where the ends are huge 1 is added instead: their digits would fill the memory."""
    low, high = a
    if not -HUGE < low <= high < HUGE:
        one = ends.exact(Fraction(1))
        return add(ends, a, (ends.zero, one[1]) if up else (ends.negate(one[1]), ends.zero))
    rounded = [(end.__ceil__() if up else end.__floor__()) for end in (ends.fraction(low), ends.fraction(high))]
    return ends.exact(Fraction(rounded[0]))[0], ends.exact(Fraction(rounded[1]))[1]


def add(ends: Ends, a: Interval, b: Interval) -> Interval:
    """An interval that holds x + y for all x in a and y in b."""
    infinity = ends.infinity
    low = -infinity if -infinity in (a[0], b[0]) else infinity if infinity in (a[0], b[0]) else ends.add(a[0], b[0])[0]
    high = infinity if infinity in (a[1], b[1]) else -infinity if -infinity in (a[1], b[1]) else ends.add(a[1], b[1])[1]
    return low, high


def multiply(ends: Ends, a: Interval, b: Interval) -> Interval:
    """An interval that holds x * y for all x in a and y in b. An infinite end stands for finite values without limit,
    so its product with 0 is 0."""
    zero = ends.zero
    if a[0] >= zero and b[0] >= zero:
        return _times(ends, a[0], b[0])[0], _times(ends, a[1], b[1])[1]
    corners = [_times(ends, x, y) for x in a for y in b]
    return min(low for low, _ in corners), max(high for _, high in corners)


def _times(ends: Ends, x: End, y: End) -> tuple[End, End]:
    # 0 * infinity is 0: an infinite end stands for finite values without limit
    return (ends.zero, ends.zero) if x == 0 or y == 0 else ends.multiply(x, y)


def reciprocal(ends: Ends, a: Interval) -> Interval:
    """An interval that holds 1 / x for all x in a other than 0; everything, where a has 0 inside."""
    low, high = a
    if low < 0 < high or (low == 0 and high == 0):
        return everything(ends)
    one = ends.exact(Fraction(1))[0]
    over_low = (ends.infinity,) * 2 if low == 0 else _over(ends, one, low)
    over_high = (-ends.infinity,) * 2 if high == 0 else _over(ends, one, high)
    return over_high[0], over_low[1]


def _over(ends: Ends, one: End, x: End) -> tuple[End, End]:
    return (ends.zero, ends.zero) if is_infinite(ends, x) else ends.divide(one, x)


def exp(ends: Ends, a: Interval) -> Interval:
    """An interval that holds exp(x) for all x in a."""
    return ends.exp(a[0])[0], ends.exp(a[1])[1]


def log(ends: Ends, a: Interval) -> Interval:
    """An interval that holds log(x) for all positive x in a; everything, where there are none."""
    if a[1] <= 0:
        return everything(ends)
    return -ends.infinity if a[0] <= 0 else ends.log(a[0])[0], ends.log(a[1])[1]


def absolute(ends: Ends, a: Interval) -> Interval:
    """An interval that holds |x| for all x in a."""
    if a[0] >= 0:
        return a
    low, high = ends.negate(a[1]), ends.negate(a[0])
    return (low, high) if a[1] <= 0 else (ends.zero, max(high, a[1]))


def whole_power(ends: Ends, a: Interval, exponent: int) -> Interval:
    """a ^ exponent for a whole exponent."""
    if exponent < 0:
        return reciprocal(ends, whole_power(ends, a, -exponent))
    if exponent % 2 == 0:
        a = absolute(ends, a)
    return _odd_power(ends, a[0], exponent)[0], _odd_power(ends, a[1], exponent)[1]


def _odd_power(ends: Ends, x: End, exponent: int) -> tuple[End, End]:
    y = ends.exact(Fraction(exponent))
    if x < 0:
        low, high = _corner(ends, ends.negate(x), y)
        return ends.negate(high), ends.negate(low)
    return _corner(ends, x, y)


def power(ends: Ends, a: Interval, exponent: Interval) -> Interval:
    """a ^ exponent for a >= 0: monotone in each argument, so the extremes lie in the corners."""
    if a[1] < 0:
        return everything(ends)
    low = max(a[0], ends.zero)
    corners = [_corner(ends, x, (y, y)) for x in (low, a[1]) for y in exponent]
    return min(c[0] for c in corners), max(c[1] for c in corners)


def _corner(ends: Ends, x: End, y: Interval) -> tuple[End, End]:
    """x ^ y for x >= 0 and all y of a narrow interval, with the limits at 0 and infinity."""
    if y[0] != y[1]:
        first, second = _corner(ends, x, (y[0], y[0])), _corner(ends, x, (y[1], y[1]))
        return min(first[0], second[0]), max(first[1], second[1])
    exponent = y[0]
    one = ends.exact(Fraction(1))
    if exponent == 0 or x == 1:
        return one
    if is_infinite(ends, exponent) or x in (0, ends.infinity):
        large = (x > 1) == (exponent > 0)
        return (ends.infinity, ends.infinity) if large else (ends.zero, ends.zero)
    return ends.power(x, exponent)
