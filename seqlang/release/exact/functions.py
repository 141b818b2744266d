"""Operators and functions on exact values: int, Fraction, Real, bool, labels, tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from seqlang.operators.catalogue import OPERATORS
from seqlang.release.exact import real
from seqlang.release.exact.laws import NotExact, require_short
from seqlang.release.exact.laws import NoValue as NoValue
from seqlang.release.exact.real import Real

Value = Any
LONGEST = 10**4000
"""What is shown is below it: Python reads and writes numbers of 4300 digits."""


def added(a: Value, b: Value) -> Value:
    return _pairwise(lambda x, y: x + y, a, b)


def subtracted(a: Value, b: Value) -> Value:
    return _pairwise(lambda x, y: x - y, a, b)


def multiplied(a: Value, b: Value) -> Value:
    return _pairwise(lambda x, y: x * y, a, b)


def divided(a: Value, b: Value) -> Value:
    return _pairwise(_divide, a, b)


def _divide(a: Value, b: Value) -> Value:
    if isinstance(a, Real) or isinstance(b, Real):
        if real.sign(b) == 0:
            raise NoValue("a division by 0")
        return a / b
    if b == 0:
        raise NoValue("a division by 0")
    return Fraction(a) / b


def remainder(a: Value, b: Value) -> Value:
    """What is left of a beyond the largest whole multiple of b that is at most a; its sign is that of b."""
    if b == 0:
        raise NoValue("the remainder of a division by 0")
    return _pairwise(lambda x, y: x - y * real.floor(_divide(x, y)), a, b)


def raised(a: Value, b: Value) -> Value:
    if isinstance(a, Real) or isinstance(b, Real):
        whole = not isinstance(b, Real) and Fraction(b).denominator == 1
        return Real(lambda flint: a.ball(flint) ** int(b)) if whole and isinstance(a, Real) else a**b
    if a == 0 and b < 0:
        raise NoValue("a division by 0")
    exact = Fraction(a)
    if exact and Fraction(b).denominator == 1:
        bits = max(exact.numerator.bit_length(), exact.denominator.bit_length()) - 1
        require_short(bits * abs(b), "the bits of a power")
    return real.power(a, b)


def between(low: Value, high: Value) -> range:
    """The whole numbers from the one to the other."""
    first, last = real.ceiling(low), real.floor(high)
    require_short(last - first, "whole numbers")
    return range(first, last + 1)


def zeros(count: Value) -> tuple[int, ...]:
    require_short(count, "zeros")
    return (0,) * int(count)


def position(value: Value) -> int | None:
    """The whole number that it is; None for another number. Raises Undecided."""
    if isinstance(value, Real):
        whole = real.floor(value + Fraction(1, 2))
        return whole if real.sign(value - whole) == 0 else None
    return int(value) if value == int(value) else None


def require_writable(value: Value) -> None:
    """Raises NoValue for a number that is too long to be written in a ledger, and read again."""
    if isinstance(value, int):  # first: most are
        if not -LONGEST < value < LONGEST:
            raise NoValue("a number with more than 4,000 digits is shown")
    elif isinstance(value, tuple | Fraction):
        parts = value if isinstance(value, tuple) else (value.numerator, value.denominator)
        for part in parts:
            require_writable(part)


def _pairwise(f: Callable[[Value, Value], Value], a: Value, b: Value) -> Value:
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            raise NoValue("two vectors of different lengths")
        return tuple(_pairwise(f, x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, tuple):
        return tuple(_pairwise(f, x, b) for x in a)
    if isinstance(b, tuple):
        return tuple(_pairwise(f, a, y) for y in b)
    return f(a, b)


def each(f: Callable[[Value], Value], a: Value) -> Value:
    """Of a number, or of every coordinate."""
    return tuple(each(f, x) for x in a) if isinstance(a, tuple) else f(a)


def clip(x: Value, low: Value, high: Value) -> Value:
    return each(lambda v: min(max(v, low), high), x)


def rounded(x: Value) -> int:
    """The nearest whole number; halves go up."""
    return real.floor(x + Fraction(1, 2))


def _logarithm(x: Value) -> Value:
    if real.sign(x) <= 0:
        raise NoValue("the logarithm of a number that is not positive")
    return 0 if not isinstance(x, Real) and x == 1 else real.function("log", x)


def _binary_logarithm(x: Value) -> Value:
    if isinstance(x, int) and x > 0 and x & (x - 1) == 0:
        return x.bit_length() - 1  # an enclosure of it could not be rounded down
    return _logarithm(x) / real.function("log", 2)


def _exponential(x: Value) -> Value:
    return 1 if not isinstance(x, Real) and x == 0 else real.function("exp", x)


def _root(x: Value) -> Value:
    from math import isqrt

    if isinstance(x, Real):
        return real.function("sqrt", x)
    if x < 0:
        raise NoValue("the square root of a negative number")
    exact = Fraction(x)
    found = Fraction(isqrt(exact.numerator), isqrt(exact.denominator))
    return found if found * found == exact else real.function("sqrt", exact)


def length(v: Value) -> Value:
    """The Euclidean length of a vector."""
    return _root(sum(x * x for x in v))


def shortened(v: Value, radius: Value) -> Value:
    """The vector, shortened to the length `radius` if it is longer."""
    size = length(v)
    return v if size <= radius else tuple(_divide(x * radius, size) for x in v)


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "+": added,
    "-": subtracted,
    "*": multiplied,
    "/": divided,
    "%": remainder,
    "^": lambda a, b: _pairwise(raised, a, b),
    "negate": lambda a: each(lambda x: -x, a),
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "not": lambda a: not a,
    "..": between,
    "abs": lambda a: each(abs, a),
    "floor": lambda a: each(real.floor, a),
    "ceil": lambda a: each(real.ceiling, a),
    "round": lambda a: each(rounded, a),
    "clip": clip,
    "log": lambda a: each(_logarithm, a),
    "log1p": lambda a: each(lambda x: _logarithm(1 + x), a),
    "log2": lambda a: each(_binary_logarithm, a),
    "exp": lambda a: each(_exponential, a),
    "sqrt": lambda a: each(_root, a),
    "dot": lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)),
    "norm": length,
    "project": shortened,
    "clip_norm": shortened,
    "zeta": lambda a: each(lambda x: real.function("zeta", x), a),
    "zeros": zeros,
    "sort": lambda a: tuple(sorted(a)),
    "length": lambda a: len(a),
}
"""All but `and`, `or`, which evaluate what they need, and folds."""
ON_PRIVATE = frozenset(
    name for name, entry in OPERATORS.items()
    if entry.rational and entry.result != "set" and (not entry.partial or entry.group == "fold")
)  # fmt: skip
"""What may be done to private values: it always has a value (a fold of something has one), that of rational numbers is
rational, and how many elements it has tells nothing of them."""


def _different(values: Sequence[Value]) -> Value:
    """Each value once. Reals have no hash: they are compared one by one."""
    found: list[Value] = []
    for value in values:
        if value not in found:
            found.append(value)
    return tuple(found)


def fold(operator: str, values: Sequence[Value], elements: Sequence[Value]) -> Value:
    """Of a list; argmax and argmin give the first of the best elements."""
    match operator:
        case "sum":
            total: Value = 0
            for value in values:
                total = value if isinstance(value, tuple) and total == 0 else added(total, value)
            return total
        case "count":
            return sum(map(bool, values))
        case "list":
            return tuple(values)
        case "set":
            return _different(values)
    if not values:
        raise NoValue(f"the {operator} of nothing")
    match operator:
        case "mean":
            return divided(fold("sum", values, elements), len(values))
        case "max" | "min":
            choose = max if operator == "max" else min
            best = values[0]
            for value in values[1:]:
                best = _pairwise(choose, best, value)
            return best
        case "argmax" | "argmin":
            place = 0
            for i, value in enumerate(values):
                better = value > values[place] if operator == "argmax" else value < values[place]
                place = i if better else place
            return elements[place]
    raise NotExact(f"`{operator}` is not computed exactly here")
