"""The interpreter with exact rational numbers, so that a tie is a tie: what floats found suspicious is judged by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import Any

from seqlang.analyses.trials.pairs import Pair
from seqlang.backends.interpret.code import Code
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.operators import PAIR, apply
from seqlang.backends.interpret.values import Members, Value, numbers_in, pairwise
from seqlang.model import expression as ir
from seqlang.operators.catalogue import OPERATORS
from seqlang.record import replace
from seqlang.source import NOWHERE, Span

LARGEST_DENOMINATOR = 10**6
DIGITS = 15  # of a decimal that its double tells from all others
INEXACT = frozenset(name for name, entry in OPERATORS.items() if not entry.rational)


class ExactCompiler(Compiler):
    """Constants, quotients, powers and products of vectors stay rational; other functions give floats as ever."""

    def plain(self, value: Fraction) -> Value:
        return whole(value)

    def _apply(self, operator: str, arguments: tuple[ir.Expression, ...], span: Span) -> Code:
        exactly: Callable[..., Value]
        match operator:
            case "/":
                exactly = partial(pairwise, _quotient, span=span)
            case "^":
                exactly = partial(pairwise, _power, span=span)
            case "dot":
                exactly = _dot
            case "zeros":
                exactly = _zeros
            case _:
                return super()._apply(operator, arguments, span)
        parts, reads = self._all(arguments)
        return Code(lambda m: exactly(*[part(m) for part in parts]), reads)


def _dot(u: Value, v: Value) -> Value:
    return sum(x * y for x, y in zip(numbers_in(u), numbers_in(v), strict=True))


def _zeros(length: Value) -> Value:
    return tuple(0 for _ in apply("zeros", (length,), NOWHERE))


def is_exact(reached: Iterator[ir.Expression]) -> bool:
    """True if nothing that is reached makes floats of rational numbers."""
    for node in reached:
        match node:
            case ir.Apply(operator=operator) if operator in INEXACT:
                return False
            case ir.Apply(operator="^", arguments=(_, exponent)) if not isinstance(exponent, ir.Number):
                return False
            case ir.Density() | ir.RealVectors():
                return False
            case _:
                pass
    return True


def whole(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def exact_pair(pair: Pair, positions: bool) -> Pair:
    """The same pair in rational numbers: decimals that were rounded to floats are decimals again. `positions`: whole
    numbers stay integers, as they may be used to find an element of a list."""
    records, entries = (
        tuple(tuple({name: exactly(value, positions) for name, value in row.items()} for row in rows) for rows in both)
        for both in (pair.records, pair.entries)
    )
    return replace(pair, records=records, entries=entries)


def exactly(value: Any, positions: bool) -> Any:
    """A number as a rational, a vector with rational coordinates."""
    match value:
        case Members() | bool():
            return value
        case tuple():
            known: dict[int, Any] = {}  # most records of a witness are the same one
            for v in value:
                if id(v) not in known:
                    known[id(v)] = exactly(v, positions)
            return tuple([known[id(v)] for v in value])
        case float() if isfinite(value):
            return _decimal(value)
        case int() if not positions:
            return Fraction(value)
        case _:
            return value


def _decimal(value: float) -> Fraction:
    """The number that somebody wrote, or a fraction that it was rounded from."""
    if float(f"{value:.{DIGITS}g}") == value:
        return Fraction(f"{value:.{DIGITS}g}")
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return near if float(near) == value else Fraction(repr(value))


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(a, (int, Fraction)) and isinstance(b, (int, Fraction)) and b != 0:
        return whole(Fraction(a) / Fraction(b))
    return PAIR["/"](a, b)


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, Fraction) and isinstance(b, int) and abs(b) <= 64 and a != 0:
        return whole(a**b)
    return PAIR["^"](a, b)
