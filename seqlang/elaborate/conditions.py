"""What a condition says when it holds, and when it does not: for values that are reported only under it."""

from __future__ import annotations

from seqlang.model import expression as m


def conjuncts(condition: m.Expression) -> frozenset[m.Expression]:
    """Everything that is known where the condition holds."""
    if isinstance(condition, m.Apply) and condition.operator == "and":
        return frozenset().union(*(conjuncts(a) for a in condition.arguments)) | {condition}
    return frozenset({condition})


def denials(condition: m.Expression) -> frozenset[m.Expression]:
    """Everything that is known where the condition does not hold."""
    if isinstance(condition, m.Apply) and condition.operator == "not":
        return conjuncts(condition.arguments[0])
    if isinstance(condition, m.Apply) and condition.operator == "or":
        return frozenset().union(*(denials(a) for a in condition.arguments)) | {m.Apply("not", (condition,))}
    return frozenset({m.Apply("not", (condition,))})
