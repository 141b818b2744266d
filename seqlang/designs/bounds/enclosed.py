"""Chances as pairs of whole numbers, below and above, in units of 2^-BITS: what is certain of a few functions and of
laws on 0, 1, .., n. Quotients and products are rounded down below, and up above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

BITS = 160
ONE = 1 << BITS
Whole = NDArray[Any]
"""Whole numbers of any length."""
Pair = tuple[Whole, Whole]
"""Below and above."""
Ends = tuple[int, int]
"""Of one number, below and above."""
PI = Fraction("3.1415926535897932384626433832795028841971693993751058209749445923")
"""To 64 decimals, from below; the next decimal adds less than 10^-64."""
FAR = 18
"""Deviations beyond which a normal chance is enclosed by 0 and exp(-z^2 / 2), below 2^-BITS."""


def zeros(count: int) -> Pair:
    return np.full(count, 0, dtype=object), np.full(count, 0, dtype=object)


def divided(x: int, y: int) -> int:
    """x / y rounded up, y > 0."""
    return -(-x // y)


def enclosed(value: Fraction) -> Ends:
    """The two whole numbers around it."""
    return (value.numerator << BITS) // value.denominator, divided(value.numerator << BITS, value.denominator)


def times(x: Ends, y: Ends) -> Ends:
    """Of numbers that are not below 0."""
    return (x[0] * y[0]) >> BITS, divided(x[1] * y[1], ONE)


def over(x: Ends, y: Ends) -> Ends:
    """x / y; y is above 0."""
    return (x[0] << BITS) // y[1], divided(x[1] << BITS, y[0])


@cache
def exponential(x: Fraction, bits: int = BITS) -> Ends:
    """exp(-x) for x >= 0, in units of 2^-bits: one over a partial sum of exp(x), and over that with what is left of the
    series, at most twice its next term once the terms fall by half."""
    terms = 2 * math.ceil(x) + bits
    total, term = Fraction(0), Fraction(1)
    for n in range(terms):
        total += term
        term = term * x / (n + 1)
    return math.floor((1 << bits) / (total + 2 * term)), math.ceil((1 << bits) / total)


@cache
def normal_below(z: Fraction) -> Ends:
    """P(Z <= z) of a standard normal Z. P(0 < Z <= z) is the density at z times the sum over n >= 0 of
    z^(2n+1) / (1 * 3 * .. * (2n+1)) (integrate by parts, again and again); once z^2 <= n the terms fall by half."""
    if z < 0:
        low, high = normal_below(-z)
        return ONE - high, ONE - low
    least, most = exponential(min(z, Fraction(FAR)) ** 2 / 2, 3 * BITS)
    if z >= FAR:
        return ONE - divided(most, 1 << 2 * BITS), ONE
    total, term, n = Fraction(0), z, 0
    while n < z * z or term > Fraction(1, ONE):
        total += term
        n += 1
        term = term * z * z / (2 * n + 1)
    root = _root_of_two_pi()
    half = total * least / root[1], (total + 2 * term) * most / root[0]  # in units of 2^(-2 BITS)
    return ONE // 2 + math.floor(half[0]) // ONE, min(ONE, ONE // 2 + divided(math.ceil(half[1]), ONE))


def _root_of_two_pi() -> Ends:
    """The square root of 2 pi."""
    (least, _), (_, most) = enclosed(2 * PI), enclosed(2 * PI + Fraction(2, 10**64))
    return math.isqrt(least << BITS), math.isqrt(most << BITS) + 1


def convolved(first: Pair, second: Pair) -> Pair:
    """The law of a sum of two independent numbers: a product of polynomials, as one product of long numbers whose
    digits are the coefficients."""
    low, high = (_product(x, y) for x, y in zip(first, second, strict=True))
    return low >> BITS, -((-high) >> BITS)


def _product(first: Whole, second: Whole) -> Whole:
    most = int(max(first)) * int(max(second)) * min(len(first), len(second))
    width = most.bit_length() // 8 + 1
    x, y = (
        int.from_bytes(b"".join(int(c).to_bytes(width, "little") for c in law), "little") for law in (first, second)
    )
    count = len(first) + len(second) - 1
    digits = (x * y).to_bytes(width * count + 1, "little")
    found = [int.from_bytes(digits[i * width : (i + 1) * width], "little") for i in range(count)]
    return np.array(found, dtype=object)


def law_of_sum(law: Pair, size: int) -> Pair:
    """The law of the sum of `size` >= 1 independent numbers with this law, by squares."""
    powers, base, rest = [], law, size
    while rest:
        if rest & 1:
            powers.append(base)
        rest >>= 1
        base = convolved(base, base) if rest else base
    return reduce(convolved, powers)


def law_by(values: Sequence[int], law: Pair) -> tuple[NDArray[np.int64], Pair]:
    """The law of a function of what has this law, given by its values: (the values, their chances)."""
    places, which = np.unique(np.asarray(values, dtype=np.int64), return_inverse=True)
    found = zeros(len(places))
    for end in (0, 1):
        np.add.at(found[end], which, law[end])
    return places, found


def outer(first: Pair, second: Pair) -> Pair:
    """The chances of all pairs of two independent numbers, in one row."""
    low, high = (np.multiply.outer(x, y).ravel() for x, y in zip(first, second, strict=True))
    return low >> BITS, -((-high) >> BITS)
