"""The ends of ranges: which of some formulas is the least or the greatest at the program's parameter values."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.arithmetic.formula import Formula, absolute, maximum, minimum
from seqlang.rules.sensitivity.facts.definitions import Definitions


def least(facts: Definitions, ends: tuple[Formula, ...]) -> Formula:
    return _extreme(facts, ends, "less")


def greatest(facts: Definitions, ends: tuple[Formula, ...]) -> Formula:
    return _extreme(facts, ends, "greater")


def _extreme(facts: Definitions, ends: tuple[Formula, ...], wanted: str) -> Formula:
    """The one that wins at the parameter values; where that is undecided, max or min of the candidates."""
    best: list[Formula] = []
    for end in ends:
        relations = [facts.compare(end, other) for other in best]
        if any(r == "equal" or (r is not None and r != wanted) for r in relations):
            continue
        best = [other for other, r in zip(best, relations, strict=True) if r is None] + [end]
    if len(best) == 1:
        return best[0]
    return maximum(*best) if wanted == "greater" else minimum(*best)


def size_of(facts: Definitions, formula: Formula) -> Formula:
    """|formula|, without the bars where the sign is known."""
    sign = facts.sign(formula)
    return absolute(formula) if sign is None else -formula if sign == -1 else formula


def greatest_known(facts: Definitions, bounds: Iterable[Formula | None]) -> Formula | None:
    """The greatest of several bounds; None if one of them is not known."""
    listed = list(bounds)
    known = tuple(bound for bound in listed if bound is not None)
    return greatest(facts, known) if len(known) == len(listed) else None


def smaller(facts: Definitions, a: Formula | None, b: Formula | None) -> Formula | None:
    """The smaller of two bounds of one thing; the first where they are equal or the order is not known."""
    if a is None or b is None:
        return b if a is None else a
    return b if facts.compare(a, b) == "greater" else a


def times_known(a: Formula | None, b: Formula | None) -> Formula | None:
    """The product of two bounds; None if one of them is not known."""
    return None if a is None or b is None else a * b


def plus_known(a: Formula | None, b: Formula | None) -> Formula | None:
    """The sum of two bounds; None if one of them is not known."""
    return None if a is None or b is None else a + b
