"""Interval arithmetic: the range of a sum, a product or a function from the ranges of its arguments.

Nothing here reads an expression. While computing, an infinite formula stands for "no bound".
"""

from __future__ import annotations

from seqlang.arithmetic.formula import INFINITY, MINUS_INFINITY, Formula, Infinite
from seqlang.rules.sensitivity.facts.ends import greatest, least, size_of
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO
from seqlang.rules.sensitivity.facts.real_functions import real_function
from seqlang.rules.sensitivity.facts.value import whole
from seqlang.rules.sensitivity.ranges.function_ranges import values_over
from seqlang.rules.sensitivity.ranges.range import ANYTHING, Range


def of_values(facts: Facts, values: tuple[Formula, ...]) -> Range:
    kept = tuple(dict.fromkeys(values))
    whole_numbers = all(whole(facts, value) is not None for value in kept)
    return Range(least(facts, kept), greatest(facts, kept), whole_numbers, kept)


def _low(r: Range) -> Formula:
    return MINUS_INFINITY if r.low is None else r.low


def _high(r: Range) -> Formula:
    return INFINITY if r.high is None else r.high


def between(low: Formula, high: Formula, integer: bool = False, note: str = "") -> Range:
    return Range(None if low.is_infinite else low, None if high.is_infinite else high, integer, note=note)


def plus(facts: Facts, a: Range, b: Range) -> Range:
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return Range(low, high, a.integer and b.integer, note=a.note or b.note)


def times(facts: Facts, a: Range, b: Range) -> Range:
    ends = [_product(facts, x, y) for x in (_low(a), _high(a)) for y in (_low(b), _high(b))]
    known = tuple(end for end in ends if end is not None)
    note = a.note or b.note
    if len(known) < len(ends):
        return Range(note=note)
    return between(least(facts, known), greatest(facts, known), a.integer and b.integer, note)


def _product(facts: Facts, a: Formula, b: Formula) -> Formula | None:
    if not a.is_infinite and not b.is_infinite:
        return a * b
    signs = [(1 if x == INFINITY else -1) if isinstance(x, Infinite) else facts.sign(x) for x in (a, b)]
    if 0 in signs:
        return ZERO
    if signs[0] is None or signs[1] is None:
        return None
    return INFINITY if signs[0] == signs[1] else MINUS_INFINITY


def hull(facts: Facts, ranges: list[Range]) -> Range:
    low = least(facts, tuple(_low(r) for r in ranges))
    high = greatest(facts, tuple(_high(r) for r in ranges))
    return between(low, high, all(r.integer for r in ranges), next((r.note for r in ranges if r.note), ""))


def magnitude(facts: Facts, r: Range) -> Formula | None:
    """The largest |value|."""
    if r.low is None or r.high is None:
        return None
    return greatest(facts, (size_of(facts, r.low), size_of(facts, r.high)))


def width(facts: Facts, r: Range) -> Formula | None:
    return None if r.low is None or r.high is None else r.high - r.low


def of_function(facts: Facts, operator: str, ranges: list[Range]) -> Range:
    note = next((r.note for r in ranges if r.note), "")
    lows, highs = tuple(_low(r) for r in ranges), tuple(_high(r) for r in ranges)
    integer = all(r.integer for r in ranges)
    match operator:
        case "*":
            return times(facts, ranges[0], ranges[1])
        case "/":
            return times(facts, ranges[0], reciprocal(facts, ranges[1]))
        case "%":
            return _remainder(facts, ranges[1], integer)
        case "^":
            return _power(facts, ranges[0], ranges[1])
        case "max":
            return between(greatest(facts, lows), greatest(facts, highs), integer, note)
        case "min":
            return between(least(facts, lows), least(facts, highs), integer, note)
        case "clip":
            return _clip(facts, ranges)
        case "abs":
            return _absolute(facts, ranges[0])
    real = real_function(operator)
    return Range(note=note) if real is None else values_over(facts, real, ranges[0])


def reciprocal(facts: Facts, r: Range) -> Range:
    low, high = _low(r), _high(r)
    if not low.is_infinite and facts.sign(low) == 1:
        return Range(ZERO if high.is_infinite else ONE / high, ONE / low, note=r.note)
    if not high.is_infinite and facts.sign(high) == -1:
        return Range(ONE / high, ZERO if low.is_infinite else ONE / low, note=r.note)
    return ANYTHING


def _remainder(facts: Facts, divisor: Range, integer: bool) -> Range:
    """x % m has the sign of m and is smaller than it."""
    if divisor.low is None or facts.sign(divisor.low) != 1 or divisor.high is None:
        return ANYTHING
    return Range(ZERO, divisor.high - 1 if integer else divisor.high, integer)


def _power(facts: Facts, base: Range, exponent: Range) -> Range:
    """Constant exponents only; an even whole power of anything, any power of something that is not negative."""
    if exponent.low is None or exponent.low != exponent.high:
        return ANYTHING
    e, sign = exponent.low, facts.sign(exponent.low)
    n = whole(facts, e)
    if n is not None and n > 0 and n % 2 == 0:
        size = _absolute(facts, base)
        low = ZERO if size.low is None else size.low**e
        return Range(low, None if size.high is None else size.high**e, base.integer)
    if n is not None and n > 0:
        ends = [None if end is None else end**e for end in (base.low, base.high)]
        return Range(ends[0], ends[1], base.integer)
    if base.low is None or sign is None:
        return ANYTHING
    if sign == 1 and facts.sign(base.low) in (0, 1):
        return Range(base.low**e, None if base.high is None else base.high**e)
    if sign == -1 and facts.sign(base.low) == 1:
        return Range(ZERO if base.high is None else base.high**e, base.low**e)
    return ANYTHING


def _clip(facts: Facts, ranges: list[Range]) -> Range:
    value, low, high = ranges
    inner_low = least(facts, (greatest(facts, (_low(value), _low(low))), _low(high)))
    inner_high = least(facts, (greatest(facts, (_high(value), _high(low))), _high(high)))
    return between(inner_low, inner_high, all(r.integer for r in ranges))


def _absolute(facts: Facts, r: Range) -> Range:
    if r.low is not None and facts.sign(r.low) in (0, 1):
        return r
    if r.high is not None and facts.sign(r.high) in (0, -1):
        return Range(-r.high, None if r.low is None else -r.low, r.integer, note=r.note)
    size = magnitude(facts, r)
    return Range(ZERO, size, r.integer, note=r.note)
