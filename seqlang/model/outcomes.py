"""Expressions of claims, for the runs that return one value."""

from __future__ import annotations

from seqlang.model import expression as ir


def for_outcome(expression: ir.Expression, outcome: object, stops: bool = True) -> ir.Expression:
    """The expression for runs that return this outcome: each label becomes true or false. Not `stops`: for runs that
    never do."""
    if isinstance(expression, ir.Label):
        return ir.Truth(expression.name == outcome or (stops and expression.name == "stops"))
    if not any(isinstance(e, ir.Label) for e in ir.walk(expression)):
        return expression
    return ir.rebuild(expression, lambda child: for_outcome(child, outcome, stops))
