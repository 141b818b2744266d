"""What a condition says when it holds, and when it does not: for values that are reported only under it."""

from __future__ import annotations

from seqlang.model import expression as m


def known_if(condition: m.Expression) -> frozenset[m.Expression]:
    """Everything that is known where the condition holds."""
    if isinstance(condition, m.Apply) and condition.operator == "and":
        return frozenset().union(*(known_if(a) for a in condition.arguments)) | {condition}
    return frozenset({condition})


def known_unless(condition: m.Expression) -> frozenset[m.Expression]:
    """Everything that is known where the condition does not hold."""
    if isinstance(condition, m.Apply) and condition.operator == "not":
        return known_if(condition.arguments[0])
    if isinstance(condition, m.Apply) and condition.operator == "or":
        return frozenset().union(*(known_unless(a) for a in condition.arguments)) | {m.Apply("not", (condition,))}
    return frozenset({m.Apply("not", (condition,))})
