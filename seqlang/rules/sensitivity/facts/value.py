"""Values of expressions, as they are worked out exactly: numbers as formulas over the parameters, truth values, labels,
and tuples for lists and sets."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, number
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO

Value = Formula | bool | str | tuple[Any, ...]
LISTED = 4096
"""Sets with more elements than this are not listed element by element."""


def as_number(value: Value | None) -> Formula | None:
    """The value as a finite number; truth values count as 1 and 0."""
    if isinstance(value, bool):
        return ONE if value else ZERO
    return value if isinstance(value, Formula) and not value.is_infinite else None


def whole(facts: Definitions, value: Value | None) -> int | None:
    """The whole number that a formula is at the parameter values."""
    if not isinstance(value, Formula) or value.is_infinite:
        return None
    exact = exact_value(value, facts.values)
    return exact.numerator if exact is not None and exact.denominator == 1 else None


def integers(facts: Definitions, low: Value | None, high: Value | None) -> tuple[Value, ...] | None:
    """The whole numbers low..high, if both ends are known and there are not too many."""
    first, last = whole(facts, low), whole(facts, high)
    if first is None or last is None or last - first >= LISTED:
        return None
    return _whole_numbers(first, last)


@lru_cache(maxsize=64)
def _whole_numbers(first: int, last: int) -> tuple[Value, ...]:
    return tuple(number(i) for i in range(first, last + 1))


def all_known(values: Iterable[Value | None]) -> tuple[Value, ...] | None:
    """The values, if every one of them is known."""
    collected: list[Value] = []
    for value in values:
        if value is None:
            return None
        collected.append(value)
    return tuple(collected)


def element_at(facts: Definitions, base: Value | None, at: Value | None) -> Value | None:
    """The element of a list at a position, if the list has that position."""
    position = whole(facts, at)
    if not isinstance(base, tuple) or position is None or not 1 <= position <= len(base):
        return None
    element: Value = base[position - 1]
    return element


def distinct(facts: Definitions, values: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """The elements of a set, each once."""
    kept: list[Value] = []
    for value in values:
        seen = [equal(facts, value, other) for other in kept]
        if None in seen:
            return None
        if not any(seen):
            kept.append(value)
    return tuple(kept)


def equal(facts: Definitions, a: Value, b: Value) -> bool | None:
    """Whether two values are the same; None if that cannot be decided."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return False
        parts = [equal(facts, x, y) for x, y in zip(a, b, strict=True)]
        return False if False in parts else None if None in parts else True
    if isinstance(a, Formula) and isinstance(b, Formula):
        relation = facts.compare(a, b)
        return None if relation is None else relation == "equal"
    return a == b if type(a) is type(b) else None


def extreme_position(facts: Definitions, operator: str, values: tuple[Value, ...]) -> int | None:
    """Where the first largest (`argmax`) or smallest of the values stands, from 0."""
    best: int | None = None
    for i, value in enumerate(values):
        if best is None:
            best = i
            continue
        current = values[best]
        if not isinstance(value, Formula) or not isinstance(current, Formula):
            return None
        relation = facts.compare(value, current)
        if relation is None:
            return None
        if relation == ("greater" if operator == "argmax" else "less"):
            best = i
    return best
