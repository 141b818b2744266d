"""Constant parts of an expression that have no value: division by zero, the logarithm of zero. A `clip` whose limits
are constants in the wrong order has one, and is told as if it had none: nobody means it."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model import expression as m
from seqlang.model.binding import free_variables
from seqlang.model.constants import CHANGING, Undefined, Values, evaluate, is_constant, number
from seqlang.source import Span

_LEAVES = (m.Number, m.Truth, m.Label, m.ParameterValue, m.StepNumber, m.Records, m.Bound)


def parts_without_value(expression: m.Expression, values: Values, span: Span) -> Iterator[tuple[Undefined, Span]]:
    """Every largest constant part without a value, and where it stands: at its own place, or at that of the nearest
    part around it that has one, or at `span`. Branches of an `if` are left out, as they may never be looked at."""
    found: list[tuple[Undefined, Span]] = []
    if _constant_below(expression, values, span, found):
        _evaluate(expression, values, span, found)
    yield from found


def _constant_below(e: m.Expression, values: Values, span: Span, found: list[tuple[Undefined, Span]]) -> bool:
    """Is all of it constant? If not, its largest constant parts are evaluated on the way."""
    if isinstance(e, _LEAVES):
        return not isinstance(e, m.StepNumber | m.Bound)
    if isinstance(e, m.Quantified | m.Density) and is_constant(e) and not free_variables(e):
        return True
    inner = e.span if isinstance(e, m.Apply) and e.span.end else span
    if _is_turned(e, values):
        found.append((Undefined("the limits of clip are in the wrong order"), inner))
    parts = list(m.children(e))
    constant = [_constant_below(part, values, inner, found) for part in parts]
    changes = type(e) in CHANGING or isinstance(e, m.Quantified | m.WeightsOf | m.Law | m.Weights)
    if all(constant) and not changes:
        return True
    if not isinstance(e, m.Choice):
        for part, fixed in zip(parts, constant, strict=True):
            if fixed:
                _evaluate(part, values, inner, found)
    return False


def _is_turned(e: m.Expression, values: Values) -> bool:
    match e:
        case m.Apply("clip", (_, low, high)):
            ends = number(low, values), number(high, values)
            return ends[0] is not None and ends[1] is not None and ends[0] > ends[1]
    return False


def _evaluate(e: m.Expression, values: Values, span: Span, found: list[tuple[Undefined, Span]]) -> None:
    value = None if isinstance(e, _LEAVES) else evaluate(e, values)
    if isinstance(value, Undefined):
        found.append((value, e.span if isinstance(e, m.Apply) and e.span.end else span))
