"""Linear terms over numbered variables, and formulas made of their signs. All numbers are exact fractions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm


@dataclass(frozen=True, slots=True)
class Linear:
    """constant + the sum of coefficient * variable. `parts`: (variable, coefficient) in increasing order of the
    variables, no coefficient is 0."""

    parts: tuple[tuple[int, Fraction], ...]
    constant: Fraction

    def __add__(self, other: Linear) -> Linear:
        found = dict(self.parts)
        for variable, coefficient in other.parts:
            found[variable] = found.get(variable, Fraction(0)) + coefficient
        return _linear(found, self.constant + other.constant)

    def __sub__(self, other: Linear) -> Linear:
        return self + other.times(Fraction(-1))

    def times(self, factor: Fraction) -> Linear:
        return _linear({v: c * factor for v, c in self.parts}, self.constant * factor)

    @property
    def is_constant(self) -> bool:
        return not self.parts


def _linear(parts: dict[int, Fraction], constant: Fraction) -> Linear:
    return Linear(tuple(sorted((v, c) for v, c in parts.items() if c)), constant)


def number(value: Fraction | int) -> Linear:
    return Linear((), Fraction(value))


def variable(index: int) -> Linear:
    return Linear(((index, Fraction(1)),), Fraction(0))


@dataclass(frozen=True, slots=True)
class Sign:
    """`term` >= 0; if `strict`, `term` > 0."""

    term: Linear
    strict: bool


@dataclass(frozen=True, slots=True)
class Both:
    """All of the parts hold; without parts it is true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of the parts holds; without parts it is false."""

    parts: tuple[Formula, ...]


Formula = Sign | Both | Either
TRUE, FALSE = Both(()), Either(())


def holds_all(parts: Iterable[Formula]) -> Formula:
    """The conjunction, with what is plainly true left out."""
    kept: list[Formula] = []
    for part in map(_settled, parts):
        if part == FALSE:
            return FALSE
        kept.extend(part.parts if isinstance(part, Both) else (part,))
    return kept[0] if len(kept) == 1 else Both(tuple(kept))


def holds_one(parts: Iterable[Formula]) -> Formula:
    """The disjunction, with what is plainly false left out."""
    kept: list[Formula] = []
    for part in map(_settled, parts):
        if part == TRUE:
            return TRUE
        kept.extend(part.parts if isinstance(part, Either) else (part,))
    return kept[0] if len(kept) == 1 else Either(tuple(kept))


def _settled(formula: Formula) -> Formula:
    if isinstance(formula, Sign) and formula.term.is_constant:
        value = formula.term.constant
        return TRUE if value > 0 or (value == 0 and not formula.strict) else FALSE
    return formula


def at_least(left: Linear, right: Linear) -> Formula:
    return _settled(Sign(left - right, False))


def above(left: Linear, right: Linear) -> Formula:
    return _settled(Sign(left - right, True))


def equal(left: Linear, right: Linear) -> Formula:
    return holds_all((at_least(left, right), at_least(right, left)))


def denied(formula: Formula) -> Formula:
    """The negation, pushed to the signs."""
    match formula:
        case Sign(term, strict):
            return _settled(Sign(term.times(Fraction(-1)), not strict))
        case Both(parts):
            return holds_one(map(denied, parts))
        case Either(parts):
            return holds_all(map(denied, parts))


def tightened(formula: Formula, whole: Collection[int]) -> Formula:
    """The same where the variables `whole` take whole values only: a sign of a whole sum begins at a whole number."""
    match formula:
        case Both(parts):
            return holds_all(tightened(part, whole) for part in parts)
        case Either(parts):
            return holds_one(tightened(part, whole) for part in parts)
        case Sign(term, strict) if term.parts and all(v in whole for v, _ in term.parts):
            by = lcm(*(c.denominator for _, c in term.parts))
            step = Fraction(gcd(*(int(c * by) for _, c in term.parts)), by)
            least = -term.constant / step  # of the sum of the whole multiples
            first = floor(least) + 1 if strict else ceil(least)
            return Sign(Linear(term.parts, -first * step), False)
    return formula


def same_truth(left: Formula, right: Formula) -> Formula:
    return holds_one((holds_all((left, right)), holds_all((denied(left), denied(right)))))
