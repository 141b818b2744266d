"""Constant parts of the step and of the claims that have no value: division by zero, the logarithm of zero."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.elaborate.state import State
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.undefined import parts_without_value
from seqlang.source import Span


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
    for value, place in parts_without_value(expression, state.declared.values, span):
        state.problems.add("E0312", f"this has no value: {value.reason}", place, value.reason)
