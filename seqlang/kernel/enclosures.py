"""Exact values of constants, or fractions between which they lie: exp, log, sqrt and whole powers.

Each series below is cut where the rest is bounded; all arithmetic is of fractions, rounded outwards to 2^-PLACES.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from seqlang.kernel.core import Choose, Expression, Number, Op
from seqlang.kernel.refused import Refused

PLACES = 160
"""Bits after the point that are kept."""
LARGEST_POWER = 4096
LARGEST_EXPONENT = 10_000


@dataclass(frozen=True, slots=True)
class Interval:
    low: Fraction
    high: Fraction


@lru_cache(maxsize=4096)
def closed_value(expression: Expression) -> Interval:
    """Of an expression without inputs, cells, draws and steps. Raises Refused if it has no value, or none is known."""
    match expression:
        case Number(value):
            return Interval(value, value)
        case Op("log", (Op("exp", (inner,)),)):
            return closed_value(inner)
        case Op(name, arguments):
            return _apply(name, [closed_value(a) for a in arguments])
        case Choose(Op("==" | "!=" | "<" | "<=" | ">" | ">=" as name, (left, right)), yes, no):
            return closed_value(yes if _compared(name, closed_value(left), closed_value(right)) else no)
    raise Refused("a constant that the kernel does not know")


def _compared(name: str, a: Interval, b: Interval) -> bool:
    if name in ("==", "!="):
        apart = a.high < b.low or a.low > b.high
        if not apart and not a.low == a.high == b.low == b.high:
            raise Refused("two constants too close to be compared")
        return apart == (name == "!=")
    if name in (">", ">="):
        name, a, b = ("<" if name == ">" else "<="), b, a
    if a.high < b.low or (name == "<=" and a.high <= b.low):
        return True
    if a.low > b.high or (name == "<" and a.low >= b.high):
        return False
    raise Refused("two constants too close to be compared")


def _apply(name: str, values: list[Interval]) -> Interval:
    match name, values:
        case "+", [a, b]:
            return Interval(a.low + b.low, a.high + b.high)
        case "-", [a, b]:
            return Interval(a.low - b.high, a.high - b.low)
        case "negate", [a]:
            return Interval(-a.high, -a.low)
        case "*", [a, b]:
            ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return _rounded(min(ends), max(ends))
        case "/", [a, b] if b.low > 0 or b.high < 0:
            ends = [x / y for x in (a.low, a.high) for y in (b.low, b.high)]
            return _rounded(min(ends), max(ends))
        case "abs", [a]:
            low = Fraction(0) if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
            return Interval(low, max(abs(a.low), abs(a.high)))
        case "max", [_, *_]:
            return Interval(max(v.low for v in values), max(v.high for v in values))
        case "min", [_, *_]:
            return Interval(min(v.low for v in values), min(v.high for v in values))
        case "clip", [a, low, high] if low.high <= high.low:
            return _apply("min", [_apply("max", [a, low]), high])
        case "^", [a, b] if b.low == b.high and b.low.denominator == 1 and abs(b.low) <= LARGEST_POWER:
            return _power(a, int(b.low))
        case "sqrt", [a] if a.low >= 0:
            return Interval(_root(a.low)[0], _root(a.high)[1])
        case "exp", [a] if abs(a.low) <= LARGEST_EXPONENT and abs(a.high) <= LARGEST_EXPONENT:
            return Interval(_exp(a.low)[0], _exp(a.high)[1])
        case "log", [a] if a.low > 0:
            return Interval(_log(a.low)[0], _log(a.high)[1])
    raise Refused(f"a constant `{name}` that the kernel does not know")


def _rounded(low: Fraction, high: Fraction) -> Interval:
    """Outwards, to `PLACES` bits, unless it is one number."""
    return Interval(low, high) if low == high else Interval(_down(low), _up(high))


def _down(value: Fraction) -> Fraction:
    return Fraction((value.numerator << PLACES) // value.denominator, 1 << PLACES)


def _up(value: Fraction) -> Fraction:
    return -_down(-value)


def _power(a: Interval, exponent: int) -> Interval:
    if exponent < 0:
        if a.low <= 0 <= a.high:
            raise Refused("a negative power of a constant that may be 0")
        return _apply("/", [Interval(Fraction(1), Fraction(1)), _power(a, -exponent)])
    ends = [a.low**exponent, a.high**exponent]
    low = Fraction(0) if exponent % 2 == 0 and exponent > 0 and a.low <= 0 <= a.high else min(ends)
    return _rounded(low, max(ends))


def _root(value: Fraction) -> tuple[Fraction, Fraction]:
    """The same number twice where the root is a fraction."""
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom), Fraction(top, bottom)
    scaled = isqrt((value.numerator << 2 * PLACES) // value.denominator)
    return Fraction(scaled, 1 << PLACES), Fraction(scaled + 1, 1 << PLACES)


def _exp(value: Fraction) -> tuple[Fraction, Fraction]:
    """exp(x) = exp(x / 2^k)^(2^k) with |x| / 2^k <= 1/2; the series' rest is at most twice its first term left out."""
    if value == 0:
        return Fraction(1), Fraction(1)
    if value < 0:
        low, high = _exp(-value)
        return _down(1 / high), _up(1 / low)
    halvings = (2 * value.numerator // value.denominator + 1).bit_length()
    small, places = value / (1 << halvings), PLACES + 2 * halvings + 32
    low = high = low_term = high_term = Fraction(1)
    k = 0
    while high_term > Fraction(1, 1 << places):
        k += 1
        low_term = _cut(low_term * small / k, places + 32, up=False)
        high_term = _cut(high_term * small / k, places + 32, up=True)
        low, high = low + low_term, high + high_term
    high += 2 * high_term
    for _ in range(halvings):
        low, high = _cut(low * low, places, up=False), _cut(high * high, places, up=True)
    return _down(low), _up(high)


def _cut(value: Fraction, places: int, up: bool) -> Fraction:
    scaled = value.numerator << places
    return Fraction(-((-scaled) // value.denominator) if up else scaled // value.denominator, 1 << places)


def _log(value: Fraction) -> tuple[Fraction, Fraction]:
    """log(x) = k log 2 + log(m) with 2/3 <= m <= 4/3, and log(m) = 2 artanh((m - 1) / (m + 1))."""
    if value == 1:
        return Fraction(0), Fraction(0)
    k = value.numerator.bit_length() - value.denominator.bit_length()
    m = value / Fraction(2) ** k
    if m > Fraction(4, 3):
        k, m = k + 1, m / 2
    elif m < Fraction(2, 3):
        k, m = k - 1, m * 2
    low, high = _twice_artanh((m - 1) / (m + 1))
    two = _twice_artanh(Fraction(1, 3))
    first, second = (two[0], two[1]) if k >= 0 else (two[1], two[0])
    return _down(low + k * first), _up(high + k * second)


def _twice_artanh(t: Fraction) -> tuple[Fraction, Fraction]:
    """2 (t + t^3 / 3 + t^5 / 5 + ..) for |t| <= 1/3: the rest is at most 9/8 of the first term left out."""
    if t < 0:
        low, high = _twice_artanh(-t)
        return -high, -low
    places = PLACES + 32
    square, low, high, k = t * t, Fraction(0), Fraction(0), 1
    low_power, high_power = _cut(t, places, up=False), _cut(t, places, up=True)
    while high_power > Fraction(1, 1 << (PLACES + 16)):
        low += _cut(low_power / k, places, up=False)
        high += _cut(high_power / k, places, up=True)
        low_power, high_power = _cut(low_power * square, places, up=False), _cut(high_power * square, places, up=True)
        k += 2
    return 2 * low, 2 * (high + 2 * high_power)
