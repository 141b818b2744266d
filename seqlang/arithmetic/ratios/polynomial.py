"""Polynomials over numbered atoms, with rational coefficients and rational exponents.

A monomial is a sorted tuple of (atom, exponent) without zero exponents, () is 1. A polynomial maps monomials to
coefficients, none of them 0. Exponents and coefficients are ints where they are whole, because ints are faster.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

Exponent = int | Fraction
Coefficient = int | Fraction
Monomial = tuple[tuple[int, Exponent], ...]
Polynomial = dict[Monomial, Coefficient]

UNIT: Monomial = ()
MAX_TERMS = 150
"""Terms of an expanded polynomial; with more, TooLarge is raised."""


class TooLarge(Exception):
    """The expanded form would be too long to be of use."""


def tidy(value: Exponent) -> Exponent:
    """A whole number as an int, which is faster to compare and to hash than a Fraction."""
    return value if type(value) is int else value.numerator if value.denominator == 1 else value


def times(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials: exponents of the same atom add up."""
    if not a:
        return b
    if not b:
        return a
    exponents = dict(a)
    for atom, exponent in b:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return monomial(exponents)


def monomial(exponents: dict[int, Exponent]) -> Monomial:
    """The monomial with these exponents: sorted by atom, without atoms of exponent 0."""
    return tuple(sorted([(atom, tidy(exponent)) for atom, exponent in exponents.items() if exponent]))


def raised(a: Monomial, exponent: Exponent) -> Monomial:
    """The monomial to a power: every exponent times `exponent`."""
    return tuple((atom, tidy(e * exponent)) for atom, e in a) if exponent else UNIT


def common(monomials: Iterable[Monomial]) -> Monomial:
    """Each atom with its smallest exponent: what can be taken out of all."""
    parts = [dict(m) for m in monomials]
    if not all(parts):
        parts = [{atom: e for atom, e in part.items() if e < 0} for part in parts]
    atoms = {atom for part in parts for atom in part}
    return monomial({atom: min(part.get(atom, 0) for part in parts) for atom in atoms})


def add_into(target: Polynomial, source: Polynomial, factor: Coefficient = 1, shift: Monomial = UNIT) -> None:
    """target += factor * shift * source."""
    for mono, coefficient in source.items():
        key = times(mono, shift) if shift else mono
        added = coefficient if factor == 1 else tidy(coefficient * factor)
        old = target.get(key)
        if old is None:
            target[key] = added
        elif old + added:
            target[key] = old + added
        else:
            del target[key]


def multiplied(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product of two polynomials. Raises TooLarge where it would have more than MAX_TERMS terms."""
    if len(a) * len(b) > 4 * MAX_TERMS:
        raise TooLarge
    result: Polynomial = {}
    for mono, coefficient in a.items():
        add_into(result, b, coefficient, mono)
    if len(result) > MAX_TERMS:
        raise TooLarge
    return result


def content(coefficients: Iterable[Coefficient]) -> Coefficient:
    """The positive rational of which all the coefficients are whole multiples without common divisor."""
    top, bottom = 0, 1
    for value in coefficients:
        top = gcd(top, value.numerator)
        bottom = bottom * value.denominator // gcd(bottom, value.denominator)
    return Fraction(top or 1, bottom) if bottom != 1 else top or 1


def quotient(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """a / b if it leaves no remainder; both without negative exponents."""
    atoms = sorted({atom for mono in (*a, *b) for atom, _ in mono})
    if not {atom for mono in b for atom, _ in mono} <= {atom for mono in a for atom, _ in mono}:
        return None

    def order(mono: Monomial) -> list[Exponent]:
        exponents = dict(mono)
        return [exponents.get(atom, 0) for atom in atoms]

    lead = max(b, key=order)
    rest = dict(a)
    result: Polynomial = {}
    for _ in range(MAX_TERMS):
        if not rest:
            return result
        top = max(rest, key=order)
        step = times(top, raised(lead, -1))
        if any(exponent < 0 for _, exponent in step):
            return None
        factor = tidy(Fraction(rest[top]) / b[lead])
        result[step] = factor
        add_into(rest, b, -factor, step)
    return None
