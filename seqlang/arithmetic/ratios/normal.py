"""From formulas to ratios: the form in which equal formulas become the same and things cancel.

Logarithms are split into those of factors, exponentials into those of terms, roots of numbers into roots of primes;
what is known to be positive leaves abs, max, min and roots. With values given, names become numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import cast

from seqlang.arithmetic import intervals
from seqlang.arithmetic.enclosure import Bounds
from seqlang.arithmetic.nodes import Call, Formula, Number, Power, Product, Sum, Symbol
from seqlang.arithmetic.ratios import polynomial
from seqlang.arithmetic.ratios.factoring import prime_factors
from seqlang.arithmetic.ratios.polynomial import UNIT, Coefficient, Exponent, Monomial, tidy
from seqlang.arithmetic.ratios.ring import ONE, ZERO, NoForm, Ratio, Ring
from seqlang.arithmetic.ratios.signs import Signs

MAX_COMPARED = 12  # arguments of a max that are compared pairwise


class Normal:
    """Reads formulas into one ring."""

    def __init__(self, bounds: Mapping[str, Bounds], values: Mapping[str, Fraction]) -> None:
        self.ring = Ring()
        self.signs = Signs(self.ring, bounds)
        self.bounds, self.values = bounds, values
        self._read: dict[Formula, Ratio] = {}

    def read(self, formula: Formula) -> Ratio:
        """Raises NoForm for what has no finite value, TooLarge if the form would be long."""
        found = self._read.get(formula)
        if found is None:
            found = self._read[formula] = self._ratio(formula)
        return found

    def _ratio(self, formula: Formula) -> Ratio:
        match formula:
            case Number(value):
                return Ratio(tidy(value), UNIT)
            case Symbol(name):
                return Ratio(tidy(self.values[name]), UNIT) if name in self.values else self.ring.single("symbol", name)
            case Sum(terms):
                return self.ring.add([self.read(term) for term in terms])
            case Product(factors):
                return self.ring.cancelled(self.ring.multiply([self.read(factor) for factor in factors]))
            case Power(base, exponent):
                return self.power(self.read(base), self.read(exponent))
            case Call(name, arguments):
                return self._call(name, [self.read(argument) for argument in arguments])
            case _:
                raise NoForm

    def _call(self, name: str, arguments: Sequence[Ratio]) -> Ratio:
        match name:
            case "max" | "min":
                return self.extreme(name, arguments)
            case "abs":
                return self.absolute(arguments[0])
            case "log":
                return self.logarithm(arguments[0])
            case "log2":
                two = self.logarithm(Ratio(2, UNIT))
                return self.ring.divide(self.logarithm(arguments[0]), two)
            case "exp":
                return self.exponential(arguments[0])
            case "floor" | "ceil":
                return self._whole(name, arguments[0])
            case _:
                return self.ring.single(name, arguments[0])

    def split(self, ratio: Ratio) -> tuple[Coefficient, list[tuple[int, Exponent, int]], Ratio]:
        """A ratio known to be >= 0 as |coefficient| * product of parts * rest. Parts are (atom, exponent, sign):
        sign * atom is never negative. The rest holds the atoms of unknown sign, and the sign that makes it >= 0."""
        sign = 1 if ratio.coefficient >= 0 else -1
        parts: list[tuple[int, Exponent, int]] = []
        unknown: list[tuple[int, Exponent]] = []
        for atom, exponent in ratio.monomial:
            known = 1 if exponent.denominator != 1 else self.signs.of_atom(atom)
            if not known and exponent.numerator % 2 == 0:
                inner = self.absolute(Ratio(1, ((atom, 1),)))
                (atom, _), known = inner.monomial[0], 1
            if known:
                parts.append((atom, exponent, known))
                sign *= known if exponent.numerator % 2 or exponent.denominator != 1 else 1
            else:
                unknown.append((atom, exponent))
        if unknown:  # where a part is 0 the whole is, whatever the sign of the others: such a part stays with them
            for atom, exponent, known in (part for part in parts if self._may_vanish(part[0])):
                unknown.append((atom, exponent))
                sign *= known if exponent.numerator % 2 else 1  # it takes its own sign along
            parts = [part for part in parts if not self._may_vanish(part[0])]
        if len(unknown) == 1:
            # the whole is >= 0, so this one has the sign that the others leave
            parts.append((*unknown.pop(), sign))
            sign = 1
        return magnitude(ratio), parts, Ratio(sign, tuple(unknown))

    def _may_vanish(self, atom: int) -> bool:
        known = self.ring.atoms[atom]
        if known.kind in ("exp", "prime"):
            return False
        bounds = self.bounds.get(str(known.arguments[0])) if known.kind == "symbol" else None
        if bounds is not None and ((bounds.low == 0 and bounds.low_open) or (bounds.high == 0 and bounds.high_open)):
            return False
        low, high = self.signs.ranges.of_atom(atom)
        return bool(low <= 0 <= high)

    def power(self, base: Ratio, exponent: Ratio) -> Ratio:
        if not exponent.monomial:
            return self._numeric_power(base, exponent.coefficient)
        if base in (ZERO, ONE):
            if base == ZERO:
                raise NoForm
            return ONE
        if self.signs.of(base) == 1 and not any(self._may_vanish(atom) for atom, _ in base.monomial):
            return self.ring.multiply(
                self._numeric_power(base, coefficient)
                if not mono
                else self._raised(self.ring.single("power", base, Ratio(1, mono)), coefficient)
                for mono, coefficient in self.ring.terms(exponent).items()
            )
        return self.ring.single("power", base, exponent)

    def _raised(self, ratio: Ratio, exponent: Exponent) -> Ratio:
        return self.ring.ratio(1, polynomial.raised(ratio.monomial, exponent))

    def _numeric_power(self, base: Ratio, exponent: Exponent) -> Ratio:
        if exponent.denominator == 1:
            return self.ring.whole_power(base, exponent.numerator)
        if base.coefficient == 0:
            if exponent < 0:
                raise NoForm
            return ZERO
        coefficient, parts, rest = self.split(base)
        if not rest.monomial and rest.coefficient < 0:
            raise NoForm
        result = [self.ring.positive_number_power(coefficient, exponent)]
        for atom, inner, sign in parts:
            if sign == 1:
                result.append(self.ring.ratio(1, ((atom, tidy(inner * exponent)),)))
            elif (inner * exponent).denominator == 1:
                result.append(self.ring.whole_power(Ratio(-1, ((atom, 1),)), int(inner * exponent)))
            else:
                negated = self.ring.single("abs", Ratio(1, ((atom, 1),)))
                result.append(self._raised(negated, inner * exponent))
        if rest.monomial:
            whole = floor(exponent)
            root = self.ring.single("power", rest, Ratio(exponent - whole, UNIT))
            result += [root, self.ring.whole_power(rest, whole)]
        return self.ring.multiply(result)

    def logarithm(self, ratio: Ratio) -> Ratio:
        """Of a product: the sum of the logarithms, as far as the signs are known."""
        if ratio.coefficient == 0:
            raise NoForm
        coefficient, parts, rest = self.split(ratio)
        if not rest.monomial and rest.coefficient < 0:
            raise NoForm
        terms = [
            Ratio(count, self.ring.single("log", Ratio(prime, UNIT)).monomial)
            for prime, count in prime_factors(Fraction(coefficient))
        ]
        for atom, exponent, sign in parts:
            known = self.ring.atoms[atom]
            if known.kind == "exp":
                (inner,) = known.arguments
            elif known.kind == "power" and self.signs.of(cast(Ratio, known.arguments[0])) == 1:
                base, power = known.arguments
                assert isinstance(base, Ratio) and isinstance(power, Ratio)
                inner = self.ring.multiply((self.logarithm(base), power))
            elif known.kind == "prime":
                inner = self.ring.single("log", Ratio(self.ring.primes[atom], UNIT))
            else:
                inner = self.ring.single("log", Ratio(sign, ((atom, 1),)))
            assert isinstance(inner, Ratio)
            terms.append(self.ring.multiply((inner, Ratio(exponent, UNIT))))
        if rest.monomial:
            terms.append(self.ring.single("log", rest))
        return self.ring.add(terms)

    def exponential(self, ratio: Ratio) -> Ratio:
        """Of a sum: the product of the exponentials; exp(3 x) is the cube of exp(x); exp(q log x) is x^q."""
        result = []
        for mono, coefficient in self.ring.terms(ratio).items():
            if len(mono) == 1 and mono[0][1] == 1 and self.ring.atoms[mono[0][0]].kind == "log":
                (inner,) = self.ring.atoms[mono[0][0]].arguments
                assert isinstance(inner, Ratio)
                result.append(self._numeric_power(inner, coefficient))
            else:
                result.append(self._raised(self.ring.single("exp", Ratio(1, mono)), coefficient))
        return self.ring.multiply(result)

    def absolute(self, ratio: Ratio) -> Ratio:
        """Factors of known sign leave the bars."""
        if not ratio.monomial:
            return Ratio(magnitude(ratio), UNIT)
        outside: list[Ratio] = [Ratio(magnitude(ratio), UNIT)]
        for atom, exponent in ratio.monomial:
            sign = self.signs.of_power(atom, exponent)
            if sign:
                outside.append(Ratio(sign, ((atom, exponent),)))
            else:
                outside.append(self._raised(self.ring.single("abs", Ratio(1, ((atom, 1),))), exponent))
        return self.ring.multiply(outside)

    def _whole(self, name: str, ratio: Ratio) -> Ratio:
        if not ratio.monomial:
            value = ratio.coefficient
            return Ratio(value.__floor__() if name == "floor" else value.__ceil__(), UNIT)
        for ranges in self.signs.exact_ranges(ratio):
            low, high = intervals.whole(ranges.ends, ranges.of_ratio(ratio), name == "ceil")
            if low == high and not intervals.is_infinite(ranges.ends, low) and -intervals.HUGE < low < intervals.HUGE:
                return Ratio(int(low), UNIT)
        return self.ring.single(name, ratio)

    def extreme(self, name: str, arguments: Sequence[Ratio]) -> Ratio:
        """Positive common factors leave; arguments that another one never loses to are dropped."""
        kept = list(dict.fromkeys(arguments))
        if len(kept) == 1:
            return kept[0]
        kept = self._undominated(name, kept)
        if len(kept) == 1:
            return kept[0]
        shared = self._shared(kept)
        inverse = self.ring.whole_power(shared, -1)
        kept = [self.ring.multiply((argument, inverse)) for argument in kept]
        return self.ring.multiply((shared, self.ring.single(name, *kept, key=frozenset(kept))))

    def _shared(self, ratios: Sequence[Ratio]) -> Ratio:
        """The largest common factor that is certainly positive."""
        if any(ratio.coefficient == 0 for ratio in ratios):
            return ONE
        scale = polynomial.content(ratio.coefficient for ratio in ratios)
        atoms: Monomial = polynomial.common(ratio.monomial for ratio in ratios)
        positive = tuple((atom, exponent) for atom, exponent in atoms if self.signs.of_power(atom, exponent) == 1)
        return Ratio(scale, positive)

    def _undominated(self, name: str, arguments: list[Ratio]) -> list[Ratio]:
        if len(arguments) > MAX_COMPARED:
            return arguments
        kept: list[Ratio] = []
        for argument in arguments:
            if any(self._beats(name, other, argument) for other in kept):
                continue
            kept = [other for other in kept if not self._beats(name, argument, other)]
            kept.append(argument)
        return kept

    def _beats(self, name: str, a: Ratio, b: Ratio) -> bool:
        return self.signs.at_least(a, b) if name == "max" else self.signs.at_least(b, a)


def magnitude(ratio: Ratio) -> Coefficient:
    """The absolute value of the numeric factor of a ratio."""
    return -ratio.coefficient if ratio.coefficient < 0 else ratio.coefficient
