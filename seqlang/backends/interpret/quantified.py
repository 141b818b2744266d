"""OP(body for variable in domain where condition)."""

from __future__ import annotations

from seqlang.backends.interpret.operators import folded
from seqlang.backends.interpret.state import Run, State
from seqlang.backends.interpret.values import BallSet, EvaluationError, Members, Value
from seqlang.source import Span


def fold(
    m: State,
    operator: str,
    domain: Value,
    variable: int,
    body: Run,
    where: Run | None,
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
    match operator:
        case "list":
            return tuple(values)
        case "set":
            return Members(values)
    try:
        return folded(operator, tuple(values), elements)
    except EvaluationError as problem:
        raise EvaluationError(problem.diagnostics[0].message, span) from None
