"""OP(body for variable in domain where condition)."""

from __future__ import annotations

from collections.abc import Sequence

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
    alike: Sequence[int] | None = None,
) -> Value:
    """The value of the quantified expression; `argmax` and `argmin` give the element, the first of equal ones. `alike`:
    for each element the place of one before it for which all is the same, or its own.

    Raises EvaluationError for the mean or an extreme of nothing.
    """
    if isinstance(domain, BallSet):
        raise EvaluationError(f"`{operator}` over all vectors has no value here", span)
    missing = object()
    outer = m.bound.get(variable, missing)
    try:
        if alike is None:
            elements, values = _each(m, domain, variable, body, where)
        else:
            elements, values = _once(m, domain, variable, body, where, alike)
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


def _each(m: State, domain: Value, variable: int, body: Run, where: Run | None) -> tuple[list[Value], list[Value]]:
    """The elements that count, and their values."""
    elements: list[Value] = []
    values: list[Value] = []
    for element in domain:
        m.bound[variable] = element
        if where is None or where(m):
            elements.append(element)
            values.append(body(m))
    return elements, values


def _once(
    m: State, domain: Value, variable: int, body: Run, where: Run | None, alike: Sequence[int]
) -> tuple[list[Value], list[Value]]:
    """The same, where equal elements are evaluated once."""
    known: dict[int, tuple[Value, ...]] = {}
    elements: list[Value] = []
    values: list[Value] = []
    for element, place in zip(domain, alike, strict=True):
        if place not in known:
            m.bound[variable] = element
            known[place] = (body(m),) if where is None or where(m) else ()
        if known[place]:
            elements.append(element)
            values += known[place]
    return elements, values
