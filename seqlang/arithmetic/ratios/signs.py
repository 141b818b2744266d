"""Signs of ratios, proved for all values of the names within their bounds, wherever the ratio is defined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import comb, inf, lcm
from typing import cast

from seqlang.arithmetic.enclosure import Bounds
from seqlang.arithmetic.ends import RATIONALS, Ends, decimals
from seqlang.arithmetic.intervals import Interval, everything
from seqlang.arithmetic.ratios import polynomial
from seqlang.arithmetic.ratios.guess import PLACES, Guess
from seqlang.arithmetic.ratios.polynomial import Coefficient, Exponent, Polynomial, TooLarge, tidy
from seqlang.arithmetic.ratios.ranges import Ranges
from seqlang.arithmetic.ratios.ring import NoForm, Ratio, Ring

MAX_DEGREE = 8
"""The largest degree, in the name that is replaced, of a polynomial that is rewritten from one of its bounds."""
MAX_CASES = 3  # nested max and min that are resolved by cases
MAX_JUDGED = 40  # terms
MAX_SHIFTED = 4000  # terms written by all the substitutions in one ring
MAX_ATTEMPTS = 16  # of these in one ring
DIGITS = (50, 250)
"""Decimal digits with which a constant is enclosed, in turn, until its sign shows."""


class Signs:
    """Each method answers True or 1, -1 only if that is proved."""

    def __init__(self, ring: Ring, bounds: Mapping[str, Bounds]) -> None:
        def leaf(name: str) -> Interval:
            known = bounds.get(name)
            if known is None:
                return -inf, inf
            low = -inf if known.low is None else Fraction(known.low)
            return low, inf if known.high is None else Fraction(known.high)

        self.ring = ring
        self.ranges = Ranges(ring, RATIONALS, leaf)
        self.precise: list[Ranges] = []
        self.guesses = [Guess(ring, bounds, place) for place in range(PLACES)]
        self._atoms: dict[int, int] = {}
        self._constant: dict[int, bool] = {}
        self._cases = 0
        self._attempts = 0
        self._shifted_terms = 0

    def of(self, ratio: Ratio) -> int:
        """1: never negative, -1: never positive, 0: not known. Zero counts as 1."""
        sign = 1 if ratio.coefficient >= 0 else -1
        for atom, exponent in ratio.monomial:
            sign *= self.of_power(atom, exponent)
            if not sign:
                break
        return sign

    def of_power(self, atom: int, exponent: Exponent) -> int:
        """The sign of atom ^ exponent, in the convention of this class; an even or fractional power is never
        negative."""
        if exponent.denominator != 1 or exponent.numerator % 2 == 0:
            return 1
        return self.of_atom(atom)

    def of_atom(self, atom: int) -> int:
        """The sign of an atom, in the convention of this class; it is worked out once."""
        if atom not in self._atoms:
            self._atoms[atom] = self._of_atom(atom)
        return self._atoms[atom]

    def _of_atom(self, atom: int) -> int:
        poly = self.ring.polynomials.get(atom)
        if poly is not None and not self.is_constant(atom):
            return self._of_polynomial(atom, poly)
        low, high = self.ranges.of_atom(atom)
        if low >= 0 or high <= 0:
            return 1 if low >= 0 else -1
        kind = self.ring.atoms[atom].kind
        if self.is_constant(atom):
            for ranges in self._precise_ranges():
                low, high = ranges.of_atom(atom)
                if low >= 0 or high <= 0:
                    return 1 if low >= 0 else -1
            return 0
        if kind == "log":
            (inner,) = cast(tuple[Ratio], self.ring.atoms[atom].arguments)
            return self.of(self.ring.add((inner, Ratio(-1, polynomial.UNIT))))
        if kind in ("max", "min"):
            signs = [self.of(argument) for argument in cast(tuple[Ratio, ...], self.ring.atoms[atom].arguments)]
            strong, weak = (1, -1) if kind == "max" else (-1, 1)
            return strong if strong in signs else weak if all(sign == weak for sign in signs) else 0
        return 0

    def at_least(self, a: Ratio, b: Ratio) -> bool:
        """a >= b."""
        try:
            return self.of(self.ring.add((a, Ratio(-b.coefficient, b.monomial)), divide=False)) == 1
        except (TooLarge, NoForm):
            return False

    def is_constant(self, atom: int) -> bool:
        """No name occurs in it."""
        if atom not in self._constant:
            known = self.ring.atoms[atom]
            if known.kind == "polynomial":
                inner = {a for mono in self.ring.polynomials[atom] for a, _ in mono}
            elif known.kind in ("symbol", "slack"):
                self._constant[atom] = False
                return False
            else:
                inner = {a for argument in known.arguments if isinstance(argument, Ratio) for a, _ in argument.monomial}
            self._constant[atom] = all(self.is_constant(a) for a in inner)
        return self._constant[atom]

    def exact_ranges(self, ratio: Ratio) -> list[Ranges]:
        """Ways to find the range of the ratio, the cheap one first."""
        constant = all(self.is_constant(atom) for atom, _ in ratio.monomial)
        return [self.ranges, *(self._precise_ranges() if constant else [])]

    def _precise_ranges(self) -> list[Ranges]:
        if not self.precise:
            all_ends = [decimals(digits) for digits in DIGITS]
            self.precise = [Ranges(self.ring, ends, partial(_nothing_known, ends)) for ends in all_ends]
        return self.precise

    def _of_polynomial(self, atom: int, poly: Polynomial) -> int:
        guesses = [guess.polynomial(poly) for guess in self.guesses]
        candidates = [sign for sign in (1, -1) if not any(sign * guess < 0 for guess in guesses)]
        if not candidates or len(poly) > MAX_JUDGED:
            return 0
        low, high = self.ranges.of_atom(atom)
        if low >= 0 or high <= 0:
            return 1 if low >= 0 else -1
        for sign in candidates:
            if self._never_negative({mono: sign * coefficient for mono, coefficient in poly.items()}):
                return sign
        return self._by_cases(poly)

    def _never_negative(self, poly: Polynomial) -> bool:
        """All coefficients are >= 0 after each atom is written by a variable t >= 0: low + t, high - t, or, between two
        ends, (low + high t)/(1 + t) (Bernstein's criterion)."""
        try:
            for atom in sorted({atom for mono in poly for atom, _ in mono}):
                if all(coefficient >= 0 for coefficient in poly.values()) and self._all_positive(poly):
                    return True
                poly = self._shifted(poly, atom)
        except TooLarge:
            return False
        return self._all_positive(poly) and all(coefficient >= 0 for coefficient in poly.values())

    def _all_positive(self, poly: Polynomial) -> bool:
        return all(self.ranges.of_atom(atom)[0] >= 0 for mono in poly for atom, _ in mono if atom >= 0)

    def _shifted(self, poly: Polynomial, atom: int) -> Polynomial:
        """The polynomial in t, numbered -1 - atom, instead of the atom; times a power of 1 + t between two ends."""
        low, high = self.ranges.of_atom(atom)
        if low == 0 and high == inf:
            return poly
        exponents = [dict(mono).get(atom, 0) for mono in poly]
        scale = lcm(*(exponent.denominator for exponent in exponents))
        degree = int(max(exponents) * scale)
        if degree > MAX_DEGREE or min(exponents) < 0:
            raise TooLarge
        if scale > 1:
            # y = atom^(1/scale), y >= 0
            low, high = (
                RATIONALS.power(max(low, RATIONALS.zero), Fraction(1, scale))[0] if low > 0 else Fraction(0),
                inf,
            )
        if low == -inf and high == inf:
            if any(int(e * scale) % 2 for e in exponents):
                raise TooLarge
            low = None
        result: Polynomial = {}
        for (mono, coefficient), exponent in zip(poly.items(), exponents, strict=True):
            rest = tuple(part for part in mono if part[0] != atom)
            for power, factor in enumerate(_expansion(int(exponent * scale), degree, low, high)):
                if factor:
                    key = polynomial.times(rest, ((-1 - atom, power),) if power else ())
                    polynomial.add_into(result, {key: coefficient * factor})
        self._shifted_terms += len(result)
        if len(result) > polynomial.MAX_TERMS or self._shifted_terms > MAX_SHIFTED:
            raise TooLarge
        return result

    def _by_cases(self, poly: Polynomial) -> int:
        """A max is one of its arguments, and none of them is more; likewise min and abs."""
        if self._cases >= MAX_CASES or self._attempts > MAX_ATTEMPTS:
            return 0
        self._cases += 1
        try:
            for atom in sorted({atom for mono in poly for atom, _ in mono}):
                if self.ring.atoms[atom].kind in ("max", "min", "abs"):
                    sign = self._resolved(poly, atom)
                    if sign:
                        return sign
        except (TooLarge, NoForm):
            pass
        finally:
            self._cases -= 1
        return 0

    def _resolved(self, poly: Polynomial, atom: int) -> int:
        known = self.ring.atoms[atom]
        arguments = list(cast(tuple[Ratio, ...], known.arguments))
        if known.kind == "abs":
            arguments.append(Ratio(-arguments[0].coefficient, arguments[0].monomial))
        self._attempts += 1
        slack = -1 if known.kind == "min" else 1
        for place, argument in enumerate(arguments):
            beyond = Ratio(slack, ((self.ring.atom("slack", atom, place), 1),))
            sign = self.of(self._substituted(poly, atom, self.ring.add((argument, beyond))))
            if sign:
                return sign
        cases = [self._substituted(poly, atom, argument) for argument in arguments]
        signs = {self.of(case) for case in cases if case.coefficient}
        return signs.pop() if len(signs) == 1 else 0 if signs else 1

    def _substituted(self, poly: Polynomial, atom: int, value: Ratio) -> Ratio:
        terms: list[Ratio] = []
        for mono, coefficient in poly.items():
            exponent = dict(mono).get(atom, 0)
            rest = Ratio(coefficient, tuple(part for part in mono if part[0] != atom))
            if exponent.denominator != 1 or exponent < 0:
                raise TooLarge
            if value.coefficient == 0 and exponent:
                continue
            terms.append(self.ring.multiply((rest, self.ring.whole_power(value, int(exponent)))) if exponent else rest)
        return self.ring.add(terms, divide=False)


def _nothing_known(ends: Ends, name: str) -> Interval:
    return everything(ends)


def _expansion(exponent: int, degree: int, low: Fraction | None, high: Fraction | float) -> Sequence[Coefficient]:
    """Coefficients in t of x^exponent, times (1 + t)^degree if x has two ends."""
    if low is None or (low == 0 and high == inf):
        return [0] * exponent + [1]
    if high == inf:
        return [tidy(comb(exponent, k) * low ** (exponent - k)) for k in range(exponent + 1)]
    top = Fraction(high)
    if low == -inf:
        return [tidy(comb(exponent, k) * (-1) ** k * top ** (exponent - k)) for k in range(exponent + 1)]
    # (low + high t)^exponent (1 + t)^(degree - exponent)
    first = [comb(exponent, k) * low ** (exponent - k) * top**k for k in range(exponent + 1)]
    second = [comb(degree - exponent, k) for k in range(degree - exponent + 1)]
    product = [Fraction(0)] * (degree + 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            product[i + j] += a * b
    return product
