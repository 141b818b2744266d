"""Expressions as trees of this test, their text, and their exact value by fractions and mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

mpmath.mp.dps = 80
NEAR = mpmath.mpf(10) ** -60
"""Numbers that are not rational and as near as this are taken to be equal; `Context.near` then says so."""
LARGEST = Fraction(10) ** 60


class NoValue(Exception):
    """Division by zero, a logarithm of zero, a position outside of a list."""


class Infinite(NoValue):
    """Runs take it for an infinite number, as 1 / 0, and go on."""


class TooLong(Exception):
    """A number that this evaluator does not want to write."""


class Unspecified(Exception):
    """A value that the language leaves open."""


@dataclass
class Context:
    """What the names stand for, and whether two numbers came so near that they may be equal or not."""

    names: Mapping[str, Any]
    near: bool = False


@dataclass(frozen=True)
class E:
    """An expression: `kind` is number, truth or vector."""

    kind: str
    text: str
    value: Callable[[Context], Any]
    constant: bool = True

    def __str__(self) -> str:
        return self.text


def is_rational(x: Any) -> bool:
    return isinstance(x, Fraction)


def real(x: Any) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator if is_rational(x) else x


def checked(x: Any) -> Any:
    if is_rational(x):
        if abs(x) > LARGEST or x.denominator > LARGEST:
            raise TooLong
        return x
    if not mpmath.isfinite(x) or abs(x) > mpmath.mpf(10) ** 25 or (x != 0 and abs(x) < mpmath.mpf(10) ** -25):
        raise TooLong  # 80 digits would not tell ties
    return x


def order(c: Context, a: Any, b: Any) -> int:
    if is_rational(a) and is_rational(b):
        return (a > b) - (a < b)
    gap = real(a) - real(b)
    if abs(gap) < NEAR:
        c.near = True
        return 0
    return 1 if gap > 0 else -1


def floor(c: Context, x: Any) -> Fraction:
    if is_rational(x):
        return Fraction(math.floor(x))
    nearest = Fraction(int(mpmath.nint(x)))
    if order(c, x, nearest) == 0:
        return nearest
    return Fraction(int(mpmath.floor(x)))


def arithmetic(op: str, c: Context, a: Any, b: Any) -> Any:
    if op in ("/", "%") and order(c, b, Fraction(0)) == 0:
        raise Infinite if op == "/" and order(c, a, Fraction(0)) != 0 else NoValue
    if op == "^":
        return power(c, a, b)
    exact = is_rational(a) and is_rational(b)
    if not exact:
        a, b = real(a), real(b)
    match op:
        case "+":
            return checked(a + b)
        case "-":
            return checked(a - b)
        case "*":
            return checked(a * b)
        case "/":
            return checked(a / b)
        case "%":
            return checked(a - b * (floor(c, a / b) if exact else real(floor(c, a / b))))
    raise AssertionError(op)


def power(c: Context, a: Any, b: Any) -> Any:
    if is_rational(a) and is_rational(b) and b.denominator == 1:
        if a == 0 and b < 0:
            raise Infinite
        if abs(b) > 60:
            raise TooLong
        return checked(a ** int(b))
    sign = order(c, a, Fraction(0))
    whole = is_rational(b) and b.denominator == 1
    if sign == 0:
        if order(c, b, Fraction(0)) < 0:
            raise Infinite
        return Fraction(0 if order(c, b, Fraction(0)) > 0 else 1)
    if sign < 0 and not whole:
        raise NoValue
    if abs(real(b)) > 60:
        raise TooLong
    return checked(mpmath.power(real(a), real(b)))


def function(name: str, c: Context, x: Any) -> Any:
    match name:
        case "abs":
            return abs(x)
        case "floor":
            return floor(c, x)
        case "ceil":
            return -floor(c, -x)
        case "round":
            return floor(c, x + Fraction(1, 2) if is_rational(x) else x + mpmath.mpf(1) / 2)
        case "exp":
            if abs(real(x)) > 50:
                raise TooLong
            return checked(mpmath.exp(real(x))) if not (is_rational(x) and x == 0) else Fraction(1)
        case "log" | "log2" | "log1p":
            y = x + 1 if name == "log1p" else x
            if order(c, y, Fraction(0)) <= 0:
                raise Infinite if order(c, y, Fraction(0)) == 0 else NoValue
            if is_rational(y) and y == 1:
                return Fraction(0)
            return checked(mpmath.log(real(y)) / (mpmath.log(2) if name == "log2" else 1))
        case "sqrt":
            sign = order(c, x, Fraction(0))
            if sign < 0:
                raise NoValue
            return checked(mpmath.sqrt(real(x))) if sign else Fraction(0)
    raise AssertionError(name)


def length(c: Context, v: tuple[Any, ...]) -> Any:
    square: Any = Fraction(0)
    for x in v:
        square = arithmetic("+", c, square, arithmetic("*", c, x, x))
    return rooted(square)


def rooted(square: Any) -> Any:
    """The root, which is rational where the number is the square of a fraction."""
    if is_rational(square):
        root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        if root * root == square:
            return root
    return mpmath.sqrt(real(square))


def fold(op: str, c: Context, values: tuple[Any, ...]) -> Any:
    if op == "count":
        return Fraction(sum(v is True for v in values))
    if op == "sum":
        total: Any = Fraction(0)
        for v in values:
            total = arithmetic("+", c, total, v)
        return total
    if not values:
        raise NoValue
    if op == "mean":
        return arithmetic("/", c, fold("sum", c, values), Fraction(len(values)))
    sign, place = (1 if op in ("max", "argmax") else -1), 0
    for i, v in enumerate(values):
        if sign * order(c, v, values[place]) > 0:
            place = i
    return Fraction(place + 1) if op.startswith("arg") else values[place]


def distinct(c: Context, values: tuple[Any, ...]) -> tuple[Any, ...]:
    found: list[Any] = []
    for v in values:
        if not any(order(c, v, w) == 0 for w in found):
            found.append(v)
    return tuple(found)


def is_equal(c: Context, a: Any, b: Any) -> bool:
    return order(c, a, b) == 0


COMPARE: Mapping[str, Callable[[int], bool]] = {
    ">=": lambda s: s >= 0, "<=": lambda s: s <= 0, ">": lambda s: s > 0, "<": lambda s: s < 0,
    "==": lambda s: s == 0, "!=": lambda s: s != 0,
}  # fmt: skip
