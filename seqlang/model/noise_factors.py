"""Linear forms in the noises: maps from a noise's name to its factor, a public expression."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from seqlang.model import expression as m

ZERO = m.Number(Fraction(0))
ONE = m.Number(Fraction(1))
MINUS_ONE = m.Number(Fraction(-1))


def combine(a: Mapping[str, m.Expression], b: Mapping[str, m.Expression]) -> dict[str, m.Expression]:
    """The sum of two forms; factors that cancel are dropped."""
    result = dict(a)
    for noise, factor in b.items():
        result[noise] = add(result[noise], factor) if noise in result else factor
    return {noise: factor for noise, factor in result.items() if factor != ZERO}


def scale(a: Mapping[str, m.Expression], factor: m.Expression) -> dict[str, m.Expression]:
    """Every factor times one."""
    return {noise: multiply(factor, own) for noise, own in a.items() if factor != ZERO}


def add(a: m.Expression, b: m.Expression) -> m.Expression:
    if isinstance(a, m.Number) and isinstance(b, m.Number):
        return m.Number(a.value + b.value)
    if a == ZERO:
        return b
    if b == ZERO:
        return a
    if isinstance(b, m.Apply) and b.operator == "negate":
        return subtract(a, b.arguments[0])
    return m.Apply("+", (a, b))


def subtract(a: m.Expression, b: m.Expression) -> m.Expression:
    if isinstance(a, m.Number) and isinstance(b, m.Number):
        return m.Number(a.value - b.value)
    if b == ZERO:
        return a
    if a == ZERO:
        return negate(b)
    if isinstance(b, m.Apply) and b.operator == "negate":
        return add(a, b.arguments[0])
    return m.Apply("-", (a, b))


def negate(a: m.Expression) -> m.Expression:
    match a:
        case m.Number(value=value):
            return m.Number(-value)
        case m.Apply(operator="negate", arguments=(inner,)):
            return inner
        case _:
            return m.Apply("negate", (a,))


def divide(a: m.Expression, b: m.Expression) -> m.Expression:
    if isinstance(a, m.Number) and isinstance(b, m.Number) and b.value != 0:
        return m.Number(a.value / b.value)
    return a if b == ONE or a == ZERO else m.Apply("/", (a, b))


def multiply(a: m.Expression, b: m.Expression) -> m.Expression:
    if isinstance(a, m.Number) and isinstance(b, m.Number):
        return m.Number(a.value * b.value)
    for one, other in ((a, b), (b, a)):
        if one == ONE:
            return other
        if one == MINUS_ONE:
            return negate(other)
        if one == ZERO:
            return ZERO
    return m.Apply("*", (a, b))
