"""Whole numbers as products of primes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.arithmetic.roots import integer_root

LIMIT = 2000  # trial division stops here: what is left over is treated like a prime


def prime_factors(value: Fraction) -> Iterator[tuple[int, int]]:
    """(prime, exponent) of a positive rational; a last factor beyond LIMIT^2 may be composite."""
    yield from _whole(value.numerator, 1)
    yield from _whole(value.denominator, -1)


def _whole(number: int, sign: int) -> Iterator[tuple[int, int]]:
    divisor = 2
    while divisor * divisor <= number and divisor <= LIMIT:
        count = 0
        while number % divisor == 0:
            number //= divisor
            count += 1
        if count:
            yield divisor, sign * count
        divisor += 1 if divisor == 2 else 2
    if number > 1:
        for degree in (5, 3, 2):
            while number > LIMIT and (found := integer_root(number, degree)) is not None:
                number, sign = found, sign * degree
        yield number, sign
