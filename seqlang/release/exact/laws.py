"""Laws as a released program uses them: chances of given values, for scores of what was released, and exact draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from math import comb, factorial
from typing import Any

from seqlang.laws.facts import facts, names
from seqlang.laws.law import law
from seqlang.record import record
from seqlang.release.exact.real import Real, function, power

Number = Any
"""int, Fraction or Real."""
ZERO, ONE = Fraction(0), Fraction(1)


class NotExact(Exception):
    """A part of a program that is not evaluated exactly; the text says which, as the end of a sentence."""


class NoValue(Exception):
    """An expression has no value: a division by 0, an element that is not there. The text says what."""


MOST = 10**6
"""Steps of one computation, elements of a range, bits of a power. What a released value makes longer has no value: a
process that is killed in it would draw that value again."""


def require_short(length: Number, what: str) -> None:
    """Raises NoValue where there are too many."""
    if length > MOST:
        raise NoValue(f"{what} with more than {MOST:,} of them")


Families = tuple[Any, ...]
"""The name of a family, and the `Families` of the laws among its arguments."""


def require_known(method: str, law: Families) -> None:
    """Raises NotExact where the chances ("pmf"), or the distribution function ("cdf"), are not computed here."""
    family, *inner = law
    if method == "cdf":
        if family not in ("normal", "weights"):
            raise NotExact(f"the distribution function of `{family}` is not computed exactly here")
        return
    if family not in _CHANCES:
        raise NotExact(f"chances of `{family}` are not computed exactly here")
    for part in inner:
        require_known(method, part)
    endless = sum(not _is_finite(part) for part in inner)
    if endless > (family == "convolve"):
        raise NotExact(f"chances of `{family}` of laws with infinitely many values are not computed exactly here")


def _is_finite(law: Families) -> bool:
    family, *inner = law
    return family in ("bernoulli", "binomial", "point", "weights") or (
        family in ("sum_of", "convolve") and all(map(_is_finite, inner))
    )


def require_valid(family: str, arguments: tuple[Any, ...]) -> None:
    """Raises NoValue for rational numbers that are no parameters of the law. (Elaboration has looked at constants.)"""
    if family not in names() or any(isinstance(a, Real | ExactLaw) for a in arguments):
        return
    valid, kinds = law(family).scalar.valid, [p.kind for p in facts(family).parameters]
    chances = [value for kind, value in zip(kinds, arguments, strict=False) if kind == "probability"]
    if not valid(*arguments) or not all(0 <= value <= 1 for value in chances):
        raise NoValue(f"the law {family} has no such parameters")


@record
class ExactLaw:
    """A law by its family and arguments: exact numbers, laws, or for `weights` the pairs (value, weight)."""

    family: str
    arguments: tuple[Any, ...]

    def pmf(self, at: Number) -> Number:
        """The chance of a value. Raises NotExact."""
        make = _CHANCES.get(self.family)
        if make is None:
            raise NotExact(f"chances of `{self.family}` are not computed exactly here")
        require_valid(self.family, self.arguments)
        return make(self.arguments, _whole_or_exact(at))

    def cdf(self, at: Number) -> Number:
        """The chance of at most a value. Raises NotExact."""
        require_valid(self.family, self.arguments)
        if self.family == "normal":
            mean, sd = self.arguments
            return function("erfc", (mean - at) / (sd * function("sqrt", 2))) / 2
        if self.family == "weights":
            return _sum(weight for value, weight in normalised(self) if value <= at)
        raise NotExact(f"the distribution function of `{self.family}` is not computed exactly here")


def _whole_or_exact(at: Number) -> Fraction:
    if isinstance(at, Real):
        raise NotExact("the chance of a value that is not rational")
    return Fraction(at)


def _sum(terms: Any) -> Number:
    total: Number = ZERO
    for term in terms:
        total = total + term
    return total


@cache
def _power(base: Any, exponent: int) -> Number:
    return power(base, exponent)


def _powers(base: Number, exponent: int) -> Number:
    if isinstance(base, Real):
        return Real(lambda flint: base.ball(flint) ** exponent)
    return _power(base, exponent)


def _bernoulli(arguments: tuple[Any, ...], at: Fraction) -> Number:
    (p,) = arguments
    return p if at == 1 else 1 - p if at == 0 else ZERO


def _binomial(arguments: tuple[Any, ...], at: Fraction) -> Number:
    n, p = arguments
    if at.denominator != 1 or not 0 <= at <= n:
        return ZERO
    k = int(at)
    require_short(n, "the trials of a binomial law")
    return comb(int(n), k) * _powers(p, k) * _powers(1 - p, int(n) - k)


def _geometric(arguments: tuple[Any, ...], at: Fraction) -> Number:
    (ratio,) = arguments
    if at.denominator != 1:
        return ZERO
    return (1 - ratio) / (1 + ratio) * _powers(ratio, abs(int(at)))


def _discrete_gaussian(arguments: tuple[Any, ...], at: Fraction) -> Number:
    """exp(-k^2 / (2 sigma^2)) over its sum, the theta function of Jacobi, whose terms are summed by the library."""
    (sigma,) = arguments
    if at.denominator != 1:
        return ZERO
    require_short(sigma, "the units of a standard deviation")
    return gauss(sigma, int(at)) / _theta(sigma)


def gauss(sigma: Number, k: int) -> Number:
    """exp(-k^2 / (2 sigma^2))."""
    return function("exp", -Fraction(k * k) / (2 * sigma * sigma))


def _theta(sigma: Number) -> Real:
    """The sum of exp(-k^2 / (2 sigma^2)) over all whole k. Beyond K the terms, both sides together, are at most
    2 t / (1 - r), with t the first that is left out and r the ratio of it to the one before."""

    def ball(flint: Any) -> Any:
        exact = sigma.ball(flint) if isinstance(sigma, Real) else _arb(flint, sigma)
        ratio = (-1 / (2 * exact * exact)).exp()
        total, k = flint.arb(1), 1
        while True:
            term = ratio ** (k * k)
            if term < flint.arb(2) ** (-flint.ctx.prec):
                rest = 2 * term / (1 - ratio ** (2 * k + 1))
                return total + flint.arb(rest.upper() / 2, rest.upper() / 2)
            total += 2 * term
            k += 1

    return Real(ball)


def _arb(flint: Any, value: Number) -> Any:
    exact = Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def _poisson(arguments: tuple[Any, ...], at: Fraction) -> Number:
    (mean,) = arguments
    if at.denominator != 1 or at < 0:
        return ZERO
    require_short(at, "the events of a Poisson law")
    return function("exp", -mean) * (_powers(mean, int(at)) / factorial(int(at)))


def _point(arguments: tuple[Any, ...], at: Fraction) -> Number:
    return ONE if at == arguments[0] else ZERO


def _weights(arguments: tuple[Any, ...], at: Fraction) -> Number:
    return _sum(w for v, w in normalised(ExactLaw("weights", arguments)) if v == at)


def normalised(law: ExactLaw) -> list[tuple[Any, Number]]:
    """Values with their chances; a value may be there several times."""
    whole = _sum(weight for _, weight in law.arguments)
    if not whole > 0 or any(weight < 0 for _, weight in law.arguments):
        raise NoValue("a law whose weights are no chances")
    return [(value, weight / whole) for value, weight in law.arguments]


def _convolve(arguments: tuple[Any, ...], at: Fraction) -> Number:
    """Over the values of the parts that have finitely many; at most one part has more."""
    tables = [finite(law) for law in arguments]
    endless = [law for law, table in zip(arguments, tables, strict=True) if table is None]
    if len(endless) > 1:
        raise NotExact("the sum of two laws with infinitely many values")
    whole = _together([table for table in tables if table is not None])
    if not endless:
        return whole.get(at, ZERO)
    return _sum(chance * endless[0].pmf(at - value) for value, chance in whole.items())


def _together(tables: list[dict[Fraction, Number]]) -> dict[Fraction, Number]:
    whole: dict[Fraction, Number] = {ZERO: ONE}
    for table in tables:
        longer: dict[Fraction, Number] = {}
        for a, p in whole.items():
            for b, q in table.items():
                longer[a + b] = longer.get(a + b, ZERO) + p * q
        whole = longer
    return whole


def _sum_of(arguments: tuple[Any, ...], at: Fraction) -> Number:
    count, law = arguments
    return _table_of_sum(int(count), law).get(at, ZERO)


def _table_of_sum(count: int, law: ExactLaw) -> dict[Fraction, Number]:
    table = finite(law)
    if table is None:
        raise NotExact("the sum of entries with infinitely many values")
    return _together([table] * count)


def finite(law: ExactLaw) -> dict[Fraction, Number] | None:
    """The values of a law with their chances; None where there are infinitely many."""
    match law.family:
        case "bernoulli":
            return {Fraction(k): law.pmf(k) for k in (0, 1)}
        case "binomial":
            return {Fraction(k): law.pmf(k) for k in range(int(law.arguments[0]) + 1)}
        case "point":
            return {Fraction(law.arguments[0]): ONE}
        case "weights":
            found: dict[Fraction, Number] = {}
            for value, weight in normalised(law):
                found[Fraction(value)] = found.get(Fraction(value), ZERO) + weight
            return found
        case "sum_of":
            return _table_of_sum(int(law.arguments[0]), law.arguments[1])
    return None


_CHANCES: Mapping[str, Callable[[tuple[Any, ...], Fraction], Number]] = {
    "bernoulli": _bernoulli,
    "binomial": _binomial,
    "convolve": _convolve,
    "discrete_gaussian": _discrete_gaussian,
    "geometric": _geometric,
    "point": _point,
    "poisson": _poisson,
    "sum_of": _sum_of,
    "weights": _weights,
}
