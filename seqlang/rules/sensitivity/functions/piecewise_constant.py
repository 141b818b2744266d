"""Functions of one real field that take finitely many values because they look at it through comparisons only.

`x <= 3`, `x >= k and x < k + 1`, `floor(x / 10) == k` change at finitely many places. One point at each of these
places and one in each interval between them are as good as all values of the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, number
from seqlang.model.domain import Integers, Interval
from seqlang.model.expression import (
    COMPARISONS,
    Apply,
    Bound,
    Choice,
    Expression,
    Field,
    Quantified,
    Variable,
    children,
)
from seqlang.model.expression import Sequence as Listed
from seqlang.operators.groups import ROUNDINGS
from seqlang.rules.sensitivity.facts.evaluate import Assignment, evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO
from seqlang.rules.sensitivity.facts.value import Value
from seqlang.rules.sensitivity.functions.slopes import contains

MOST_PIECES = 200


def representatives(
    facts: Facts, field: Field, functions: Sequence[tuple[Expression, Assignment]]
) -> tuple[Value, ...] | None:
    """Values of the field such that the functions take, on the whole domain, no other values than on these (all at the
    same point of the field). None: not known to be finitely many. A few may lie outside a domain of whole numbers."""
    source = facts.inputs.get(field.name)
    if source is None or not isinstance(source.domain, Interval | Integers):
        return None
    low = None if source.domain.low is None else _exact(facts, evaluate_number(facts, source.domain.low))
    high = None if source.domain.high is None else _exact(facts, evaluate_number(facts, source.domain.high))
    if (low is None) != (source.domain.low is None) or (high is None) != (source.domain.high is None):
        return None
    search = _Breakpoints(facts, field, low, high)
    if not all(search.is_piecewise(function, given) for function, given in functions):
        return None
    breakpoints = sorted(c for c in search.breakpoints if (low is None or c >= low) and (high is None or c <= high))
    if len(breakpoints) > MOST_PIECES:
        return None
    ends = [low if low is not None else (breakpoints[0] - 1 if breakpoints else Fraction(0))]
    ends += breakpoints
    ends.append(high if high is not None else ends[-1] + 1)
    points = dict.fromkeys(ends)
    points |= dict.fromkeys((a + b) / 2 for a, b in pairwise(ends))
    return tuple(number(point) for point in points)


class _Breakpoints:
    """The places at which functions of the field may change, collected on the way."""

    def __init__(self, facts: Facts, field: Field, low: Fraction | None, high: Fraction | None) -> None:
        self.facts, self.field, self.low, self.high = facts, field, low, high
        self.breakpoints: set[Fraction] = set()

    def is_piecewise(self, expression: Expression, given: Assignment) -> bool:
        """True if it is constant between the breakpoints that were noted."""
        if not contains(expression, self.field):
            return True
        match expression:
            case Apply(operator, (a, b)) if operator in COMPARISONS and self._compared(a, b, given):
                return True
            case Apply("floor" | "ceil", (inner,)):
                return self._rounded(inner, given)
            case Quantified(_, body, variable, domain, where):
                return self._over(body, variable, domain, where, given)
            case Apply() | Choice() | Listed():
                return all(self.is_piecewise(child, given) for child in children(expression))
        return False

    def _over(
        self, body: Expression, variable: Variable, domain: Expression, where: Expression | None, given: Assignment
    ) -> bool:
        elements = evaluate(self.facts, domain, given)
        if not isinstance(elements, tuple) or len(elements) > MOST_PIECES:
            return False
        inner = [{**given, Bound(variable): element} for element in elements]
        parts = (body,) if where is None else (body, where)
        return all(self.is_piecewise(part, each) for part in parts for each in inner)

    def _compared(self, a: Expression, b: Expression, given: Assignment) -> bool:
        """A comparison of functions that are affine in the field, or of a rounded one with a constant."""
        for one, other in ((a, b), (b, a)):
            limit = None if contains(other, self.field) else _exact(self.facts, self._constant(other, given))
            if isinstance(one, Apply) and one.operator in ROUNDINGS and limit is not None:
                lines = [floor(limit) + shift for shift in (-1, 0, 1)]
                return self._crossings(one.arguments[0], [Fraction(line) for line in lines], given)
        left, right = self._affine(a, given), self._affine(b, given)
        if left is None or right is None:
            return False
        return self._note((left[0] - right[0], left[1] - right[1]), Fraction(0))

    def _rounded(self, inner: Expression, given: Assignment) -> bool:
        line = self._affine(inner, given)
        if line is None or self.low is None or self.high is None:
            return False
        slope, start = _exact(self.facts, line[0]), _exact(self.facts, line[1])
        if slope is None or start is None:
            return False
        ends = sorted((slope * self.low + start, slope * self.high + start))
        if ends[1] - ends[0] > MOST_PIECES:
            return False
        return self._crossings(inner, [Fraction(i) for i in range(floor(ends[0]), ceil(ends[1]) + 1)], given)

    def _crossings(self, inner: Expression, lines: list[Fraction], given: Assignment) -> bool:
        affine = self._affine(inner, given)
        return affine is not None and all(self._note(affine, line) for line in lines)

    def _note(self, line: tuple[Formula, Formula], level: Fraction) -> bool:
        """Note where slope * field + start = level; False if that is no known rational number."""
        slope, start = _exact(self.facts, line[0]), _exact(self.facts, line[1])
        if slope is None or start is None:
            return False
        if slope:
            self.breakpoints.add((level - start) / slope)
        return True

    def _affine(self, expression: Expression, given: Assignment) -> tuple[Formula, Formula] | None:
        """(slope, value at 0) of a function that is affine in the field."""
        if expression == self.field:
            return ONE, ZERO
        if not contains(expression, self.field):
            value = self._constant(expression, given)
            return None if value is None else (ZERO, value)
        match expression:
            case Apply("negate", (a,)):
                return self._times(a, -ONE, given)
            case Apply("+" | "-" as operator, (a, b)):
                left, right = self._affine(a, given), self._affine(b, given)
                if left is None or right is None:
                    return None
                turn = ONE if operator == "+" else -ONE
                return left[0] + turn * right[0], left[1] + turn * right[1]
            case Apply("*", (a, b)):
                moving, still = (a, b) if contains(a, self.field) else (b, a)
                return None if contains(still, self.field) else self._times(moving, self._constant(still, given), given)
            case Apply("/", (a, b)) if not contains(b, self.field):
                below = self._constant(b, given)
                known = below is not None and self.facts.sign(below) in (1, -1)
                return self._times(a, ONE / below, given) if known and below is not None else None
        return None

    def _times(self, inner: Expression, factor: Formula | None, given: Assignment) -> tuple[Formula, Formula] | None:
        line = self._affine(inner, given)
        return None if line is None or factor is None else (factor * line[0], factor * line[1])

    def _constant(self, expression: Expression, given: Assignment) -> Formula | None:
        return evaluate_number(self.facts, expression, given)


def _exact(facts: Facts, value: Formula | None) -> Fraction | None:
    return None if value is None else exact_value(value, facts.values)
