"""Constants in which something is infinite, as runs compute them: 1 / 0 is infinite, and min(1 / 0, 2) is 2.

In a file such a constant is an error; it comes about where a run puts the numbers of an entry or a step into an
expression.
"""

from __future__ import annotations

import math
from fractions import Fraction

from seqlang.arithmetic.formula import Formula
from seqlang.model.constants import Open, Undefined, Values, exactly
from seqlang.model.exact_numbers import nearest
from seqlang.model.expression import Apply, Choice, Expression
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.groups import EXTREMES

Number = Fraction | float
"""A float is infinite."""


def with_infinities(e: Expression, values: Values) -> Number | bool | Undefined | Open | None:
    """The value of a constant. None where it is not found out."""
    found = exactly(e, values)
    if isinstance(found, Formula):
        return nearest(found)
    if found is None or isinstance(found, Fraction | bool | Open):
        return found
    if not isinstance(found, Undefined):
        return None
    match e:
        case Choice(test, yes, no):
            chosen = with_infinities(test, values)
            return with_infinities(yes if chosen else no, values) if isinstance(chosen, bool) else chosen
        case Apply("and" | "or" as operator, (left, right)):
            first = with_infinities(left, values)
            return with_infinities(right, values) if first is (operator == "and") else first
        case Apply("not", (part,)):
            holds = with_infinities(part, values)
            return not holds if isinstance(holds, bool) else holds
        case Apply(operator, arguments):
            return _applied(operator, arguments, values, found)
    return found


def _applied(
    operator: str, arguments: tuple[Expression, ...], values: Values, otherwise: Undefined
) -> Number | bool | Undefined | Open | None:
    parts: list[Number] = []
    for argument in arguments:
        part = with_infinities(argument, values)
        if isinstance(part, bool) or not isinstance(part, Fraction | float):
            return part
        parts.append(part)
    numeric = OPERATORS[operator].numeric
    if operator in EXTREMES and len(parts) > 1:
        return (max if operator == "max" else min)(parts)
    if operator == "clip":
        value, low, high = parts
        return min(max(value, low), high)
    if numeric is None or len(parts) > 2:
        return None
    found = numeric.scalar(*parts)
    if isinstance(found, bool):
        return found
    try:
        as_float = float(found)
    except OverflowError:  # of a fraction
        return math.inf if found > 0 else -math.inf
    if math.isnan(as_float):
        return otherwise
    return as_float if math.isinf(as_float) else Fraction(found)
