"""Ranges of atoms and ratios, in any kind of ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

from seqlang.arithmetic import intervals
from seqlang.arithmetic.ends import Ends
from seqlang.arithmetic.functions import PRIMITIVES
from seqlang.arithmetic.intervals import Interval
from seqlang.arithmetic.ratios.polynomial import Exponent, Monomial, Polynomial
from seqlang.arithmetic.ratios.ring import Ratio, Ring


class Ranges:
    """`leaf` gives the range of a name."""

    def __init__(self, ring: Ring, ends: Ends, leaf: Callable[[str], Interval]) -> None:
        self.ring, self.ends, self.leaf = ring, ends, leaf
        self._known: dict[int, Interval] = {}

    def of_ratio(self, ratio: Ratio) -> Interval:
        """An interval that holds the ratio wherever it is defined, given the ranges of the names."""
        return intervals.multiply(
            self.ends, self.of_monomial(ratio.monomial), self.ends.exact(Fraction(ratio.coefficient))
        )

    def of_monomial(self, monomial: Monomial) -> Interval:
        """An interval that holds the product of powers of atoms."""
        result = self.ends.exact(Fraction(1))
        for atom, exponent in monomial:
            result = intervals.multiply(self.ends, result, self._power(self.of_atom(atom), exponent))
        return result

    def _power(self, base: Interval, exponent: Exponent) -> Interval:
        if isinstance(exponent, int):
            return base if exponent == 1 else intervals.whole_power(self.ends, base, exponent)
        return intervals.power(self.ends, base, self.ends.exact(Fraction(exponent)))

    def of_polynomial(self, polynomial: Polynomial) -> Interval:
        """An interval that holds the polynomial: the sum of the intervals of its terms."""
        result = self.ends.exact(Fraction(0))
        for monomial, coefficient in polynomial.items():
            result = intervals.add(self.ends, result, self.of_ratio(Ratio(coefficient, monomial)))
        return result

    def of_atom(self, atom: int) -> Interval:
        """An interval that holds an atom; it is worked out once."""
        if atom not in self._known:
            self._known[atom] = self._of_atom(atom)
        return self._known[atom]

    def _of_atom(self, atom: int) -> Interval:
        ends, (kind, arguments) = self.ends, (self.ring.atoms[atom].kind, self.ring.atoms[atom].arguments)
        match kind:
            case "symbol":
                return self.leaf(str(arguments[0]))
            case "prime":
                return ends.exact(Fraction(cast(int, arguments[0])))
            case "polynomial":
                return self.of_polynomial(self.ring.polynomials[atom])
            case "slack":
                return ends.zero, ends.infinity
        spans = [self.of_ratio(argument) for argument in cast(Sequence[Ratio], arguments)]
        match kind:
            case "max":
                return max(span[0] for span in spans), max(span[1] for span in spans)
            case "min":
                return min(span[0] for span in spans), min(span[1] for span in spans)
            case "power":
                if spans[1][0] != spans[1][1] and spans[0][0] < 0:
                    return intervals.everything(ends)
                return intervals.power(ends, spans[0], spans[1])
            case _:
                return PRIMITIVES[kind].enclose(ends, spans[0])
