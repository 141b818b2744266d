"""Numbers as the language means them: a fraction, or a formula where the number is not known to be rational.

Decisions (which of two is larger, how large a whole part is) are made by exact arithmetic, by enclosures of the
formulas with more and more digits, and by their normal forms, in which equal numbers cancel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from seqlang.arithmetic.enclosure import enclose_with
from seqlang.arithmetic.ends import FLOATS, decimals
from seqlang.arithmetic.formula import (
    Formula,
    Number,
    absolute,
    as_formula,
    compare,
    enclose,
    function,
    maximum,
    minimum,
    power,
)
from seqlang.arithmetic.formula import total as sum_of
from seqlang.arithmetic.intervals import is_infinite
from seqlang.arithmetic.ratios.signs import DIGITS
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.infix import EXACT_CONSTANT_BITS
from seqlang.operators.operator import NoValue

Exact = Fraction | Formula
LARGEST_GUESS = 1000
"""The denominator up to which a quotient is tried as a fraction: log(8) / log(2) is 3."""
LARGEST_WHOLE = 10**60
"""Whole parts of formulas beyond this are not looked for."""


class Undecided(Exception):
    """The numbers are so close to a jump that the value is not known: `reason` completes "it is not known, because"."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def order(a: Exact, b: Exact) -> int:
    """-1, 0 or 1: a is less than, equal to or greater than b. Raises Undecided."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return (a > b) - (a < b)
    found = compare(as_formula(a), as_formula(b), {})
    if found is None:
        raise Undecided(f"{a} and {b} may be equal")
    return {"less": -1, "equal": 0, "greater": 1}[found]


def floor(x: Exact) -> Fraction:
    """The largest whole number that is at most x. Raises Undecided."""
    if isinstance(x, Fraction):
        return Fraction(math.floor(x))
    for ends in (FLOATS, *map(decimals, DIGITS)):
        low, high = enclose_with(ends, x, {})
        if is_infinite(ends, low) or is_infinite(ends, high) or abs(high) > LARGEST_WHOLE:
            break
        below, above = (math.floor(ends.fraction(end)) for end in (low, high))
        if above - below <= 1:
            return Fraction(above if below < above and order(x, Fraction(above)) >= 0 else below)
    raise Undecided(f"{x} is too large or too uncertain to know its whole part")


def ceiling(x: Exact) -> Fraction:
    """The least whole number that is at least x. Raises Undecided."""
    return -floor(-x)


def whole(x: Exact) -> int | None:
    """The whole number that it is; None for another number. Raises Undecided."""
    if isinstance(x, Fraction):
        return x.numerator if x.denominator == 1 else None
    nearest_whole = floor(plain(x + Fraction(1, 2)))
    return int(nearest_whole) if order(x, nearest_whole) == 0 else None


def quotient(a: Exact, b: Exact) -> Exact:
    """a / b. Raises NoValue, Undecided."""
    if isinstance(a, Fraction) and isinstance(b, Fraction) and b:
        return a / b
    if order(b, Fraction(0)) == 0:
        raise NoValue("division by zero")
    found = plain(as_formula(a) / b)
    guess = Fraction(0) if isinstance(found, Fraction) else Fraction(nearest(found)).limit_denominator(LARGEST_GUESS)
    return guess if guess and abs(nearest(found - guess)) <= 1e-12 and _is_equal(found, guess) else found


def _is_equal(a: Exact, b: Exact) -> bool:
    return compare(as_formula(a), as_formula(b), {}) == "equal"


def remainder(a: Exact, b: Exact) -> Exact:
    """What is left of a beyond the largest whole multiple of b; its sign is that of b. Raises NoValue, Undecided."""
    if isinstance(a, Fraction) and isinstance(b, Fraction) and b:
        return a % b
    if order(b, Fraction(0)) == 0:
        raise NoValue("remainder by zero")
    return plain(as_formula(a) - floor(plain(as_formula(a) / b)) * as_formula(b))


def raised(a: Exact, b: Exact) -> Exact:
    """a ^ b. Raises NoValue, Undecided."""
    if isinstance(a, Fraction) and isinstance(b, Fraction) and b.denominator == 1 and (a or b >= 0):
        bits = max(a.numerator.bit_length(), a.denominator.bit_length())
        if abs(b) * bits <= EXACT_CONSTANT_BITS:
            return a ** int(b)
        raise Undecided(f"{a} ^ {b} is too long a number")
    sign = order(a, Fraction(0))
    whole = isinstance(b, Fraction) and b.denominator == 1
    if sign == 0 and order(b, Fraction(0)) < 0:
        raise NoValue("zero to a negative power")
    if sign < 0 and not whole:
        raise NoValue("a negative number to a power that is not whole")
    return plain(power(as_formula(a), b))


def of_function(name: str, x: Exact) -> Exact:
    """A function of one number that proofs know. Raises NoValue where it has no value, Undecided."""
    known = OPERATORS[name].analytic
    assert known is not None
    if known.above is not None:
        where = order(x, known.above)
        if where < 0 or (where == 0 and not known.closed):
            raise NoValue(f"{name} of a number that is {'below' if known.closed else 'not above'} {known.above}")
    return plain(as_formula(known.formula(function, as_formula(x))))


def total(values: Sequence[Exact]) -> Exact:
    """The sum."""
    fractions = [x for x in values if isinstance(x, Fraction)]
    if len(fractions) == len(values):
        return sum(fractions, Fraction(0))
    return plain(sum_of(values))


def extreme(largest: bool, values: Sequence[Exact]) -> Exact:
    """The largest or the smallest of some numbers."""
    fractions = [x for x in values if isinstance(x, Fraction)]
    if len(fractions) == len(values):
        return max(fractions) if largest else min(fractions)
    try:
        return values[best(largest, values)]
    except Undecided:
        return plain((maximum if largest else minimum)(*values))


def best(largest: bool, values: Sequence[Exact]) -> int:
    """The place, from 0, of the first largest or first smallest number. Raises Undecided."""
    sign, place = 1 if largest else -1, 0
    for i, value in enumerate(values):
        if sign * order(value, values[place]) > 0:
            place = i
    return place


def size(x: Exact) -> Exact:
    """|x|."""
    return abs(x) if isinstance(x, Fraction) else plain(absolute(x))


def length(values: Sequence[Exact]) -> Exact:
    """The l2 norm."""
    return plain(power(sum_of([as_formula(v) * v for v in values]), Fraction(1, 2)))


def plain(x: Formula) -> Exact:
    """The fraction where the formula is one. Raises NoValue where it has no finite value."""
    if isinstance(x, Number):
        return x.value
    if x.is_infinite:
        raise NoValue("it has no finite value")
    return x


def nearest(x: Exact) -> float:
    """The float that is nearest to the number; one beside it, or 0, where 250 digits do not tell. Raises
    OverflowError."""
    if isinstance(x, Fraction):
        return float(x)
    low, high = enclose(x, {}).low, enclose(x, {}).high
    for digits in (30, *DIGITS):
        if low == high:
            break
        low, high = (float(end) for end in enclose_with(decimals(digits), x, {}))
    if not -math.inf < low <= high < math.inf:
        raise OverflowError
    return 0.0 if low <= 0 <= high else low + (high - low) / 2
