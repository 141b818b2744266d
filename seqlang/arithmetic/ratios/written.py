"""From ratios back to formulas, in the shortest of a few shapes: product, sum over one denominator, sum of terms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import cast

from seqlang.arithmetic import functions, nodes
from seqlang.arithmetic.nodes import Formula
from seqlang.arithmetic.ratios import polynomial
from seqlang.arithmetic.ratios.normal import Normal
from seqlang.arithmetic.ratios.polynomial import Coefficient, Monomial, Polynomial, TooLarge
from seqlang.arithmetic.ratios.ring import NoForm, Ratio
from seqlang.arithmetic.text import text

_SHORT_NUMBER = r"(?<![0-9.])[0-9.]{1,7}(?![0-9.])"
MAX_JOINED = 64  # the largest whole exponent inside a joined logarithm


def length(formula: Formula) -> int:
    """Of the text, a short number counted as one letter: log(125000) is no worse than 3*log(50)."""
    return len(re.sub(_SHORT_NUMBER, "1", text(formula)))


class Written:
    """Writes the ratios of one ring as formulas."""

    def __init__(self, normal: Normal) -> None:
        self.normal = normal
        self.ring = normal.ring
        self._ratios: dict[Ratio, Formula] = {}
        self._products: dict[Ratio, Formula] = {}
        self._atoms: dict[int, Formula] = {}

    def ratio(self, ratio: Ratio, candidates: Sequence[Formula] = ()) -> Formula:
        """The shortest of the candidates and of the shapes tried here; earlier ones win ties."""
        found = self._ratios.get(ratio)
        if found is not None and not candidates:
            return found
        tried = [*candidates, *([found] if found is not None else self._shapes(ratio))]
        best = min(tried, key=length)
        self._ratios[ratio] = best
        return best

    def _shapes(self, ratio: Ratio) -> list[Formula]:
        shapes = [self.product(ratio)]
        if any(atom in self.ring.polynomials for atom, _ in ratio.monomial):
            with suppress(TooLarge, NoForm):
                shapes.append(self.sum(self.ring.terms(ratio)))
        extremes = [atom for atom, e in ratio.monomial if e == 1 and self.ring.atoms[atom].kind in ("max", "min")]
        if len(extremes) == 1 and len(ratio.monomial) > 1:
            shapes.append(self._factor_inside(ratio, extremes[0]))
        return shapes

    def product(self, ratio: Ratio) -> Formula:
        """The shortest formula found for a ratio; it is looked for once."""
        found = self._products.get(ratio)
        if found is None:
            found = self._products[ratio] = self._product(ratio)
        return found

    def _product(self, ratio: Ratio) -> Formula:
        coefficient = ratio.coefficient
        factors: list[Formula] = []
        for atom, exponent in ratio.monomial:
            if (
                coefficient < 0
                and exponent.denominator == 1
                and exponent.numerator % 2
                and atom in self.ring.polynomials
            ):
                coefficient = -coefficient
                factors.append(nodes.power(-self.atom(atom), exponent))
            else:
                factors.append(nodes.power(self.atom(atom), exponent))
        return nodes.product([coefficient, *factors])

    def _factor_inside(self, ratio: Ratio, extreme: int) -> Formula:
        """x*max(a, b) as max(x*a, x*b): only for factors that are certainly positive."""
        known = self.ring.atoms[extreme]
        outside = [(atom, e) for atom, e in ratio.monomial if atom != extreme]
        moved = tuple(part for part in outside if self.normal.signs.of_power(*part) == 1)
        stay = tuple(part for part in outside if part not in moved)
        inner = [
            self.product(self.ring.multiply((Ratio(1, moved), argument)))
            for argument in cast(Sequence[Ratio], known.arguments)
        ]
        return nodes.product([self.product(Ratio(ratio.coefficient, stay)), functions.function(known.kind, *inner)])

    def atom(self, atom: int) -> Formula:
        """The formula of an atom; it is made once."""
        found = self._atoms.get(atom)
        if found is None:
            found = self._atoms[atom] = self._atom(atom)
        return found

    def _atom(self, atom: int) -> Formula:
        known = self.ring.atoms[atom]
        match known.kind:
            case "symbol":
                return nodes.symbol(str(known.arguments[0]))
            case "prime":
                return nodes.number(cast(int, known.arguments[0]))
            case "polynomial":
                return self.sum(self.ring.polynomials[atom])
        arguments = [self.ratio(argument) for argument in cast(Sequence[Ratio], known.arguments)]
        return nodes.power(*arguments) if known.kind == "power" else functions.function(known.kind, *arguments)

    def sum(self, poly: Polynomial) -> Formula:
        """Logarithms joined; terms over the same denominator put together."""
        terms: dict[Monomial, list[Ratio]] = {}
        for ratio in self._joined_logarithms(poly):
            below = tuple((atom, e) for atom, e in ratio.monomial if e < 0)
            terms.setdefault(below, []).append(ratio)
        return nodes.total([self._over_one_denominator(group) for group in terms.values()])

    def _over_one_denominator(self, group: list[Ratio]) -> Formula:
        if len(group) == 1:
            return self.product(group[0])
        shared = polynomial.common(ratio.monomial for ratio in group)
        scale = polynomial.content(ratio.coefficient for ratio in group)
        apart = nodes.total([self.product(ratio) for ratio in group])
        if not shared and scale == 1:
            return apart
        inverse = polynomial.raised(shared, -1)
        inside = [Ratio(Fraction(r.coefficient) / scale, polynomial.times(r.monomial, inverse)) for r in group]
        outside = self.product(Ratio(scale, shared))
        together = nodes.product([outside, nodes.total([self.product(ratio) for ratio in inside])])
        return min((together, apart), key=length)

    def _joined_logarithms(self, poly: Polynomial) -> list[Ratio]:
        """Terms with one logarithm and otherwise the same factors: c log a - c log b as c log(a/b)."""
        result: list[Ratio] = []
        groups: dict[Monomial, list[tuple[int, Coefficient]]] = {}
        for mono, coefficient in poly.items():
            logs = [atom for atom, e in mono if e == 1 and self.ring.atoms[atom].kind == "log"]
            if len(logs) == 1:
                rest = tuple(part for part in mono if part[0] != logs[0])
                groups.setdefault(rest, []).append((logs[0], coefficient))
            else:
                result.append(Ratio(coefficient, mono))
        for rest, logs_ in groups.items():
            result += self._joined(rest, logs_)
        return result

    def _joined(self, rest: Monomial, logs: list[tuple[int, Coefficient]]) -> list[Ratio]:
        scale = polynomial.content(coefficient for _, coefficient in logs)
        apart = [Ratio(c, polynomial.times(rest, ((atom, 1),))) for atom, c in logs]
        if len(logs) == 1 and logs[0][1].denominator == 1 and not self._is_number(logs[0][0]):
            return apart
        exponents = [int(Fraction(coefficient) / scale) for _, coefficient in logs]
        if max(map(abs, exponents)) > MAX_JOINED:
            return apart
        if all(exponent < 0 for exponent in exponents):
            scale, exponents = -scale, [-exponent for exponent in exponents]
        try:
            inner = self.ring.multiply(
                self.ring.whole_power(cast(Ratio, self.ring.atoms[atom].arguments[0]), exponent)
                for (atom, _), exponent in zip(logs, exponents, strict=True)
            )
        except (TooLarge, NoForm):
            return apart
        joined = self.ring.atom("log", inner)
        return [Ratio(scale, polynomial.times(rest, ((joined, 1),)))]

    def _is_number(self, log: int) -> bool:
        (inner,) = cast(tuple[Ratio], self.ring.atoms[log].arguments)
        return not inner.monomial
