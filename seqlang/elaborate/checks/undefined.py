"""Constant parts of the step and of the claims that have no value: division by zero, the logarithm of zero."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.elaborate.state import State
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.constants import CHANGING, Undefined, evaluate
from seqlang.source import Span

_LEAVES = (m.Number, m.Truth, m.Label, m.ParameterValue, m.StepNumber, m.Records, m.Bound)


def undefined(state: State, body: Iterable[p.Statement], claims: Iterable[p.Claim]) -> None:
    """Report every largest constant part without a value."""
    for statement in body:
        for expression in p.expressions_in(statement):
            _visit(state, expression, statement.span)
    for noise in state.noise.draws.values():
        _visit(state, noise.law, noise.span)
    for model in state.declared.models.values():
        for _, law in model.laws:
            _visit(state, law, model.span)
    for claim in claims:
        if claim.condition is not None:
            _visit(state, claim.condition, claim.span)


def _visit(state: State, expression: m.Expression, span: Span) -> None:
    if _constant_below(state, expression, span):
        _evaluate(state, expression, span)


def _constant_below(state: State, expression: m.Expression, span: Span) -> bool:
    """Is all of it constant? If not, its largest constant parts are evaluated on the way."""
    if isinstance(expression, _LEAVES):
        return not isinstance(expression, m.StepNumber | m.Bound)
    if type(expression) in CHANGING:
        return False
    inner = expression.span if isinstance(expression, m.Apply) and expression.span.end else span
    parts = list(m.children(expression))
    constant = [_constant_below(state, part, inner) for part in parts]
    if all(constant) and not isinstance(expression, m.Quantified | m.WeightsOf | m.Law | m.Weights):
        return True
    if not isinstance(expression, m.Choice):  # its branches may never be looked at
        for part, fixed in zip(parts, constant, strict=True):
            if fixed:
                _evaluate(state, part, inner)
    return False


def _evaluate(state: State, expression: m.Expression, span: Span) -> None:
    if isinstance(expression, _LEAVES):
        return
    value = evaluate(expression, state.declared.values)
    if isinstance(value, Undefined):
        place = expression.span if isinstance(expression, m.Apply) and expression.span.end else span
        state.problems.add("E0312", f"this has no value: {value.reason}", place, value.reason)
