"""Exact numbers as the language reads them."""

from __future__ import annotations

from fractions import Fraction


def decimal(value: Fraction) -> str:
    """The number as the language reads it: an exact decimal where there is one, else a quotient."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = abs(int(value * 10**digits))
    text = str(whole) if not digits else f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"
    return f"-{text}" if value < 0 else text
