"""An independent reading of formulas: mpmath at 60 digits. None where there is no real value."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

import mpmath
from hypothesis import strategies as st

from seqlang.arithmetic import formula as F

mpmath.mp.dps = 60


def value(formula: F.Formula, values: Mapping[str, Fraction]) -> mpmath.mpf | None:
    try:
        return _value(formula, values)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def _value(formula: F.Formula, values: Mapping[str, Fraction]) -> mpmath.mpf:
    match formula:
        case F.Number(number):
            return mpmath.mpf(number.numerator) / number.denominator
        case F.Symbol(name):
            return _value(F.number(values[name]), values)
        case F.Sum(terms):
            return mpmath.fsum([_value(term, values) for term in terms])
        case F.Product(factors):
            return mpmath.fprod([_value(factor, values) for factor in factors])
        case F.Power(base, exponent):
            return _power(_value(base, values), _value(exponent, values))
        case F.Call(name, arguments):
            return _call(name, [_value(argument, values) for argument in arguments])
        case _:
            raise ValueError


def _power(x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
    if x and abs(x) < mpmath.mpf(10) ** -40:  # zero in truth, perhaps
        raise ValueError
    if not x:
        if y <= 0:
            raise ZeroDivisionError
        return mpmath.mpf(0)
    if abs(y) > 500 or (x < 0 and y != mpmath.floor(y)):
        raise ValueError
    return mpmath.power(x, int(y) if y == mpmath.floor(y) else y)


def _call(name: str, x: list[mpmath.mpf]) -> mpmath.mpf:
    match name:
        case "max":
            return max(x)
        case "min":
            return min(x)
        case "abs":
            return abs(x[0])
        case "exp":
            if abs(x[0]) > 10**4:
                raise OverflowError
            return mpmath.exp(x[0])
        case "log" | "log2":
            if x[0] < mpmath.mpf(10) ** -40:
                raise ValueError
            return mpmath.log(x[0]) / (mpmath.log(2) if name == "log2" else 1)
        case "zeta":
            if x[0] <= 1:
                raise ValueError
            return mpmath.zeta(x[0])
        case "floor" | "ceil":
            near = mpmath.nint(x[0])
            if abs(near - x[0]) < mpmath.mpf(10) ** -30:
                return near
            return mpmath.floor(x[0]) if name == "floor" else mpmath.ceil(x[0])
        case _:
            raise AssertionError(name)


# names by what is known of them
BOUNDS = {
    "D": F.Bounds(Fraction(0), None, low_open=True),
    "eps": F.Bounds(Fraction(0), None, low_open=True),
    "c": F.Bounds(Fraction(1), None),
    "p": F.Bounds(Fraction(0), Fraction(1), True, True),
    "q": F.Bounds(Fraction(1, 4), Fraction(3)),
    "neg": F.Bounds(None, Fraction(-1)),
    "x": F.Bounds(None, None),
}


def extremes(seed: int) -> F.Formula:
    """A max, min, abs or root of rational combinations of the names, where most of the sign proofs happen."""
    dice = random.Random(seed)

    def monomial() -> F.Formula:
        result: F.Formula = F.number(dice.choice([1, 1, 2, 3, Fraction(1, 2)]))
        for _ in range(dice.randint(0, 3)):
            result = result * F.symbol(dice.choice(list(BOUNDS))) ** dice.choice([1, 1, 1, 2, -1])
        return result

    def combination(depth: int) -> F.Formula:
        result = sum((dice.choice([1, 1, -1]) * monomial() for _ in range(dice.randint(1, 3))), F.number(0))
        if depth < 2 and dice.random() < 0.5:
            inner = extreme(depth + 1)
            return dice.choice([result + inner, result * inner, result - inner, inner * monomial() + result])
        return result

    def extreme(depth: int) -> F.Formula:
        inside = [combination(depth) for _ in range(dice.randint(2, 3))]
        shapes = {
            "max": lambda: F.maximum(*inside),
            "min": lambda: F.minimum(*inside),
            "abs": lambda: F.absolute(inside[0]),
            "abs log": lambda: F.absolute(F.logarithm(F.absolute(inside[0]) + dice.choice([0, 1]))),
            "exp": lambda: F.exponential(inside[0]),
            "root": lambda: F.root(inside[0] ** 2 * inside[1]),
        }
        return shapes[dice.choice(["max", "max", *shapes])]()

    return extreme(0)


def points() -> st.SearchStrategy[dict[str, Fraction]]:
    positive = st.fractions(Fraction(1, 20), 20, max_denominator=20)
    return st.fixed_dictionaries(
        {
            "D": positive,
            "eps": positive,
            "c": st.integers(1, 9).map(Fraction),
            "p": st.fractions(Fraction(1, 30), Fraction(29, 30), max_denominator=30),
            "q": st.fractions(Fraction(1, 4), 3, max_denominator=12),
            "neg": positive.map(lambda v: -v - 1),
            "x": st.fractions(-5, 5, max_denominator=12),
        }
    )


def formulas(leaves: int = 8) -> st.SearchStrategy[F.Formula]:
    leaf = st.one_of(
        st.sampled_from(sorted(BOUNDS)).map(F.symbol),
        st.sampled_from([F.number(v) for v in (0, 1, 2, 3, 4, 12, Fraction(1, 2), Fraction(5, 4), -1)]),
    )

    def larger(inner: st.SearchStrategy[F.Formula]) -> st.SearchStrategy[F.Formula]:
        pair = st.tuples(inner, inner)
        exponents = st.sampled_from([Fraction(e) for e in (-2, -1, 2, 3)] + [Fraction(1, 2), Fraction(-1, 2)])
        return st.one_of(
            pair.map(lambda ab: ab[0] + ab[1]),
            pair.map(lambda ab: ab[0] - ab[1]),
            pair.map(lambda ab: ab[0] * ab[1]),
            pair.map(lambda ab: ab[0] / ab[1]),
            pair.map(lambda ab: F.maximum(*ab)),
            pair.map(lambda ab: F.minimum(*ab)),
            pair.map(lambda ab: F.power(*ab)),
            st.tuples(inner, exponents).map(lambda fe: F.power(*fe)),
            st.tuples(st.sampled_from(["log", "exp", "abs", "sqrt", "log", "exp", "floor", "log2"]), inner).map(
                lambda nf: F.function(*nf)
            ),
        )

    return st.recursive(leaf, larger, max_leaves=leaves)
