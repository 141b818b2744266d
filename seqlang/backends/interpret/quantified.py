"""OP(body for variable in domain where condition)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from seqlang.backends.interpret.operators import total
from seqlang.backends.interpret.values import BallSet, EvaluationError, Members, Value, each
from seqlang.source import Span

if TYPE_CHECKING:
    from seqlang.backends.interpret.machine import Machine


def fold(
    m: Machine,
    operator: str,
    domain: Value,
    variable: int,
    body: Callable[[Machine], Value],
    where: Callable[[Machine], Value] | None,
    span: Span,
) -> Value:
    """The value of the quantified expression; `argmax` and `argmin` give the element, the first of equal ones.

    Raises EvaluationError for the mean or an extreme of nothing.
    """
    if isinstance(domain, BallSet):
        raise EvaluationError(f"`{operator}` over all vectors has no value here", span)
    elements, values = [], []
    missing = object()
    outer = m.bound.get(variable, missing)
    try:
        for element in domain:
            m.bound[variable] = element
            if where is None or where(m):
                elements.append(element)
                values.append(body(m))
    finally:
        if outer is missing:
            m.bound.pop(variable, None)
        else:
            m.bound[variable] = outer
    return _folded(operator, elements, values, span)


def _folded(operator: str, elements: list[Value], values: Iterable[Value], span: Span) -> Value:
    values = tuple(values)
    match operator:
        case "list":
            return values
        case "set":
            return Members(values)
        case "sum":
            return total(values)
        case "count":
            return sum(1 for v in values if v)
    if not values:
        raise EvaluationError(f"there is no {operator} of nothing", span)
    match operator:
        case "mean":
            return each(lambda x: x / len(values), total(values))
        case "max":
            return max(values)
        case "min":
            return min(values)
        case "argmax":
            return elements[values.index(max(values))]
        case _:
            return elements[values.index(min(values))]
