"""Exact powers and roots of rationals."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

EXACT_POWER_BITS = 4096  # larger exact powers stay symbolic: their digits help nobody


def power_is_small(value: Fraction, exponent: int) -> bool:
    """Whether value ^ exponent has few enough digits to be worked out exactly."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length()) if abs(value) != 1 else 0
    return bits * abs(exponent) <= EXACT_POWER_BITS


def rational_root(value: Fraction, degree: int) -> Fraction | None:
    """The rational number whose `degree`-th power is value, if there is one (value >= 0 for degree > 1)."""
    if degree == 1:
        return value
    top, bottom = integer_root(value.numerator, degree), integer_root(value.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def integer_root(value: int, degree: int) -> int | None:
    """The exact `degree`-th root of value >= 0, if it is whole."""
    if value < 2 or degree == 1:
        return value
    if degree >= value.bit_length():
        return None
    if degree == 2:
        root_ = isqrt(value)
    else:
        low, high = 1, 1 << (value.bit_length() // degree + 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if middle**degree <= value else (low, middle)
        root_ = low
    return root_ if root_**degree == value else None
