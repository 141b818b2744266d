"""Conditions taken apart at `and` or `or`."""

from __future__ import annotations

from seqlang.model.expression import Apply, Expression
from seqlang.operators.operator import Connective


def conjuncts(condition: Expression | None) -> tuple[Expression, ...]:
    """The conditions that an `and` joins, those of nested ones too, in order; none for no condition."""
    return () if condition is None else joined_by("and", condition)


def disjuncts(condition: Expression | None) -> tuple[Expression, ...]:
    """The conditions that an `or` joins, likewise."""
    return () if condition is None else joined_by("or", condition)


def joined_by(operator: Connective, condition: Expression) -> tuple[Expression, ...]:
    """The same for `and` or `or`; the condition itself where it is neither."""
    if isinstance(condition, Apply) and condition.operator == operator:
        return tuple(part for argument in condition.arguments for part in joined_by(operator, argument))
    return (condition,)
