"""Rational functions over opaque atoms, in factored form.

Atoms are numbered: names, primes under roots, logarithms, exponentials, max, min and so on, and polynomials of them. A
`Ratio` is a coefficient times a product of atoms to rational exponents. Products are immediate; sums take out what all
terms share, expand the rest and make of it a new polynomial atom, divided by the known ones where nothing remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import NamedTuple

from seqlang.arithmetic.ratios import polynomial
from seqlang.arithmetic.ratios.factoring import prime_factors
from seqlang.arithmetic.ratios.polynomial import UNIT, Coefficient, Exponent, Monomial, Polynomial, TooLarge, tidy
from seqlang.arithmetic.roots import power_is_small
from seqlang.record import record

MAX_EXPANDED_POWER = 12
"""Whole powers of a sum up to this are multiplied out."""
MAX_DIVISORS = 16
"""Known polynomials by which a new one is divided, to find common factors."""
MAX_WORK = 6000  # terms written in one ring: an answer that takes longer than some 50 ms is not worth it


class NoForm(Exception):
    """The formula has no value, or not this kind of form."""


class Ratio(NamedTuple):
    """coefficient * product of atom ^ exponent; 0 has the empty product."""

    coefficient: Coefficient
    monomial: Monomial


@record
class Atom:
    """`kind` is symbol, prime, polynomial or a function's name; `arguments` its name, number or ratios."""

    kind: str
    arguments: tuple[object, ...]


ZERO = Ratio(0, UNIT)
ONE = Ratio(1, UNIT)


class Ring:
    """The atoms met so far."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.polynomials: dict[int, Polynomial] = {}
        self.primes: dict[int, int] = {}
        self.work = 0
        self._numbers: dict[object, int] = {}

    def atom(self, kind: str, *arguments: object, key: object = None) -> int:
        """The number of this atom; `key` identifies it if the order of the arguments does not matter."""
        identity = (kind, arguments if key is None else key)
        found = self._numbers.get(identity)
        if found is None:
            found = self._numbers[identity] = len(self.atoms)
            self.atoms.append(Atom(kind, arguments))
            if kind == "prime" and isinstance(arguments[0], int):
                self.primes[found] = arguments[0]
        return found

    def single(self, kind: str, *arguments: object, key: object = None) -> Ratio:
        """The ratio that is one atom."""
        return Ratio(1, ((self.atom(kind, *arguments, key=key), 1),))

    def ratio(self, coefficient: Coefficient, exponents: Mapping[int, Exponent] | Monomial) -> Ratio:
        """The product; whole powers of primes go into the coefficient."""
        parts = dict(exponents)
        if self.primes:
            for atom in [atom for atom in parts if atom in self.primes]:
                whole = floor(parts[atom])
                if whole:
                    coefficient *= self._number_power(self.primes[atom], whole)
                    parts[atom] -= whole
        return Ratio(tidy(coefficient), polynomial.monomial(parts)) if coefficient else ZERO

    @staticmethod
    def _number_power(value: Coefficient, exponent: int) -> Coefficient:
        if value == 0 and exponent < 0:
            raise NoForm
        if not power_is_small(Fraction(value), exponent):
            raise TooLarge
        return tidy(Fraction(value) ** exponent) if exponent < 0 else value**exponent

    def multiply(self, ratios: Iterable[Ratio]) -> Ratio:
        """The product of ratios, with whole powers of primes in its coefficient. Raises TooLarge where its digits are
        too many."""
        coefficient: Coefficient = 1
        exponents: dict[int, Exponent] = {}
        for ratio in ratios:
            coefficient *= ratio.coefficient
            for atom, exponent in ratio.monomial:
                exponents[atom] = exponents.get(atom, 0) + exponent
        return self.ratio(coefficient, exponents)

    def whole_power(self, ratio: Ratio, exponent: int) -> Ratio:
        """The ratio to a whole power. Raises NoForm for 0 to a negative power, TooLarge where the digits are too
        many."""
        if exponent == 1:
            return ratio
        coefficient = self._number_power(ratio.coefficient, exponent)
        return self.ratio(coefficient, polynomial.raised(ratio.monomial, exponent))

    def cancelled(self, ratio: Ratio) -> Ratio:
        """Polynomials above divided by those below, where nothing remains: (c^2 - 1)/(c - 1)."""
        below = [atom for atom, e in ratio.monomial if e < 0 and atom in self.polynomials]
        above = [atom for atom, e in ratio.monomial if e >= 1 and atom in self.polynomials] if below else []
        for top in above:
            for bottom in below:
                reduced = polynomial.quotient(self.polynomials[top], self.polynomials[bottom])
                if reduced is not None:
                    part = self.multiply((self.from_polynomial(reduced), self.ratio(1, {bottom: 1, top: -1})))
                    return self.cancelled(self.multiply((ratio, part)))
                reduced = polynomial.quotient(self.polynomials[bottom], self.polynomials[top])
                if reduced is not None:
                    part = self.multiply((self.from_polynomial(reduced), self.ratio(1, {top: 1, bottom: -1})))
                    return self.cancelled(self.multiply((ratio, self.whole_power(part, -1))))
        return ratio

    def divide(self, a: Ratio, b: Ratio) -> Ratio:
        """a / b. Raises NoForm if b is 0."""
        return self.multiply((a, self.whole_power(b, -1)))

    def positive_number_power(self, value: Coefficient, exponent: Exponent) -> Ratio:
        """value ^ exponent, with the roots of primes as atoms."""
        if exponent.denominator == 1:
            return Ratio(self._number_power(value, exponent.numerator), UNIT)
        exponents: dict[int, Exponent] = {}
        for prime, count in prime_factors(Fraction(value)):
            exponents[self.atom("prime", prime)] = count * exponent
        return self.ratio(1, exponents)

    def add(self, ratios: Sequence[Ratio], divide: bool = True) -> Ratio:
        """The sum; without `divide` no known divisors of it are looked for."""
        terms = [ratio for ratio in ratios if ratio.coefficient]
        if len(terms) < 2:
            return terms[0] if terms else ZERO
        if all(not ratio.monomial for ratio in terms):
            return Ratio(tidy(sum(ratio.coefficient for ratio in terms)), UNIT)
        shared = polynomial.common(ratio.monomial for ratio in terms)
        inverse = polynomial.raised(shared, -1)
        total: Polynomial = {}
        for ratio in terms:
            polynomial.add_into(total, self.expanded(polynomial.times(ratio.monomial, inverse)), ratio.coefficient)
        self.work += len(total)
        if self.work > MAX_WORK:
            raise TooLarge
        return self.multiply((Ratio(1, shared), self.from_polynomial(total, divide)))

    def expanded(self, monomial: Monomial) -> Polynomial:
        """The product with whole positive powers of polynomial atoms multiplied out."""
        if not any(atom in self.polynomials and exponent >= 1 for atom, exponent in monomial):
            return {monomial: 1}
        kept: dict[int, Exponent] = {}
        result: Polynomial = {UNIT: 1}
        for atom, exponent in monomial:
            inner = self.polynomials.get(atom)
            if inner is None or exponent < 1:
                kept[atom] = exponent
                continue
            whole = floor(exponent)
            if whole > MAX_EXPANDED_POWER:
                raise TooLarge
            kept[atom] = exponent - whole
            for _ in range(whole):
                result = self._settled(polynomial.multiplied(result, inner))
        shift = polynomial.monomial(kept)
        product: Polynomial = {}
        polynomial.add_into(product, result, 1, shift)
        return self._settled(product)

    def _settled(self, poly: Polynomial) -> Polynomial:
        """Roots that met and became whole powers are resolved: sqrt(2)*sqrt(2), sqrt(1 + x)*sqrt(1 + x)."""
        loose = [
            mono
            for mono in poly
            if any(e >= 1 and (atom in self.primes or atom in self.polynomials) for atom, e in mono)
        ]
        for mono in loose:
            coefficient = poly.pop(mono)
            ratio = self.ratio(coefficient, mono)
            polynomial.add_into(poly, self.expanded(ratio.monomial), ratio.coefficient)
        return poly

    def terms(self, ratio: Ratio) -> Polynomial:
        """The ratio as a sum of products; polynomials remain in denominators and under roots."""
        result: Polynomial = {}
        polynomial.add_into(result, self.expanded(ratio.monomial), ratio.coefficient)
        return result

    def from_polynomial(self, poly: Polynomial, divide: bool = True) -> Ratio:
        """A polynomial as a product: content, shared monomial, known divisors, and what is left as an atom."""
        if len(poly) <= 1:
            return next((self.ratio(c, m) for m, c in poly.items()), ZERO)
        shared = polynomial.common(poly)
        scale = polynomial.content(poly.values())
        inverse = polynomial.raised(shared, -1)
        primitive: Polynomial = {}
        polynomial.add_into(primitive, poly, Fraction(1) / scale, inverse)
        exponents: dict[int, Exponent] = {}
        found = self._find(primitive)
        if found is None:
            for atom, divisor in list(self.polynomials.items())[:MAX_DIVISORS] if divide else ():
                while len(primitive) > 1:
                    reduced = polynomial.quotient(primitive, divisor)
                    if reduced is None:
                        break
                    exponents[atom] = exponents.get(atom, 0) + 1
                    primitive = reduced
            if exponents:
                rest = self.from_polynomial(primitive, divide)
                return self.multiply((Ratio(scale, shared), self.ratio(1, exponents), rest))
            found = self._new(primitive)
        atom, sign = found
        return self.multiply((Ratio(scale * sign, shared), Ratio(1, ((atom, 1),))))

    def _find(self, poly: Polynomial) -> tuple[int, int] | None:
        for sign in (1, -1):
            atom = self._numbers.get(("polynomial", frozenset((m, sign * c) for m, c in poly.items())))
            if atom is not None:
                return atom, sign
        return None

    def _new(self, poly: Polynomial) -> tuple[int, int]:
        """Which of poly and -poly becomes the atom decides how it will be printed: a positive term comes first."""
        sign = 1 if next(iter(poly.values())) > 0 or sum(1 if c > 0 else -1 for c in poly.values()) >= 0 else -1
        kept = {m: sign * c for m, c in poly.items()}
        atom = self.atom("polynomial", key=frozenset(kept.items()))
        self.polynomials[atom] = kept
        return atom, sign
