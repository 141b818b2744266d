"""The finite set of values that an expression can take, where it has one: for randomised response."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.domain import Domain, Finite, Integers

_LARGEST = 1000
Listed = tuple[m.Expression, ...]
NumberOf = Callable[[m.Expression], Fraction | None]
"""The value of a constant expression if it is a number, else None."""


def alphabet_of(
    e: m.Expression, parts: Mapping[str, p.Define], fields: Mapping[str, p.Input], number: NumberOf
) -> Listed | None:
    """The values, each once, or None if they are not finitely many (or not plain to see)."""
    listed = _alphabet(e, parts, fields, number)
    return None if listed is None else different(listed, number)


def different(listed: Listed, number: NumberOf) -> Listed:
    """The first of those that are equal, as `1` and a parameter that is 1: who does not tell the truth tells one of
    the other values, and these are no others."""
    found: dict[object, m.Expression] = {}
    for letter in listed:
        value = None if isinstance(letter, m.Label | m.Truth) else number(letter)
        found.setdefault(letter if value is None else value, letter)
    return tuple(found.values())


def _alphabet(
    e: m.Expression, parts: Mapping[str, p.Define], fields: Mapping[str, p.Input], number: NumberOf
) -> Listed | None:
    def of(inner: m.Expression) -> Listed | None:
        return _alphabet(inner, parts, fields, number)

    match e:
        case m.Truth():
            return (m.Truth(True), m.Truth(False))
        case m.Apply(operator=operator) if operator in m.COMPARISONS | m.LOGIC:
            return (m.Truth(True), m.Truth(False))
        case m.Label() | m.Number():
            return (e,)
        case m.Field(name=name) | m.Index(base=m.Field(name=name)):
            return _of_domain(fields[name].domain, number)
        case m.Local(name=name) if name in parts:
            return of(parts[name].expression)
        case m.Noised(base=base):
            return of(base)
        case m.Choice(yes=yes, no=no):
            first, second = of(yes), of(no)
            return None if first is None or second is None else tuple(dict.fromkeys([*first, *second]))
        case m.Quantified(operator="list", body=body):
            return of(body)  # each element is flipped by itself
        case m.Sequence(kind="list", items=items) if items:
            found = [of(item) for item in items]
            listed = [letter for letters in found if letters is not None for letter in letters]
            return None if None in found else tuple(dict.fromkeys(listed))
        case m.Apply(operator="%", arguments=(inner, divisor)) if _is_whole(inner, parts, fields, number):
            size = number(divisor)
            if size is None or size.denominator != 1 or not 1 <= size <= _LARGEST:
                return None
            return tuple(m.Number(Fraction(k)) for k in range(int(size)))
        case _:
            return None


def _is_whole(
    e: m.Expression, parts: Mapping[str, p.Define], fields: Mapping[str, p.Input], number: NumberOf
) -> bool:  # fmt: skip
    """Certainly a whole number: made of whole fields and constants by +, - and *."""
    constant = number(e)
    if constant is not None:
        return constant.denominator == 1
    match e:
        case m.Field(name=name) | m.Index(base=m.Field(name=name)):
            domain = fields[name].domain
            letters = _of_domain(domain, number) if isinstance(domain, Finite) else ()
            listed = [number(letter) for letter in letters or ()]
            return isinstance(domain, Integers) or (
                bool(listed) and all(v is not None and v.denominator == 1 for v in listed)
            )
        case m.Local(name=name) if name in parts:
            return _is_whole(parts[name].expression, parts, fields, number)
        case m.Apply(operator="+" | "-" | "*" | "negate", arguments=arguments):
            return all(_is_whole(argument, parts, fields, number) for argument in arguments)
        case _:
            return False


def _of_domain(domain: Domain, number: NumberOf) -> Listed | None:
    match domain:
        case Finite(values=listed):
            return listed
        case Integers(low=low, high=high) if low is not None and high is not None:
            a, b = number(low), number(high)
            if a is None or b is None or b - a >= _LARGEST:
                return None
            return tuple(m.Number(Fraction(k)) for k in range(int(a), int(b) + 1))
        case _:
            return None
