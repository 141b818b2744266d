"""Lists and rows, written out as the numbers that core programs have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any, cast

from seqlang.kernel import core
from seqlang.model import expression as ir

ZERO, ONE = core.Number(Fraction(0)), core.Number(Fraction(1))
MOST_CHOICES = 40
"""Of the values that a return is chosen from, and of what the largest is chosen from."""


class Beyond(Exception):
    """The core program has no such construct; the message names it."""


@dataclass(frozen=True)
class OfEachRow:
    """A list with one value for each row: the value, as it reads the row."""

    body: core.Expression


Value = core.Expression | OfEachRow | tuple[Any, ...]
"""A number or truth value, or a list of values."""


def folded(operator: str, parts: Sequence[core.Expression]) -> core.Expression:
    return reduce(lambda a, b: core.Op(operator, (a, b)), parts)


def multiplied(a: core.Expression, b: core.Expression) -> core.Expression:
    """A product with a total is the total of the products, and one with a choice the choice of the products: the kernel
    knows more of what is linear."""
    for one, other in ((a, b), (b, a)):
        match one:
            case core.Op("total", (body,)) if not isinstance(other, core.Number):
                return core.Op("total", (multiplied(other, body),))
            case core.Choose(test, core.Number() as yes, core.Number() as no) if not isinstance(other, core.Number):
                return core.Choose(test, multiplied(yes, other), multiplied(no, other))
            case core.Number(value) if value in (0, 1):
                return other if value else ZERO
    return core.Op("*", (a, b))


def chosen(test: core.Expression, yes: core.Expression, no: core.Expression) -> core.Expression:
    return yes if test == core.Truth(True) else core.Choose(test, yes, no)


def field_of_row(start: int, length: int | None) -> Value:
    """Of one row."""
    if length is None:
        return core.Read("row", start)
    return tuple(core.Read("row", start + k) for k in range(length))


def of_each_row(value: Value) -> Value:
    if isinstance(value, tuple):
        raise Beyond("rows with vectors")
    assert not isinstance(value, OfEachRow)
    return OfEachRow(value)


def each(value: Value, one: Callable[[core.Expression], core.Expression]) -> Value:
    if isinstance(value, tuple):
        return tuple(each(part, one) for part in value)
    if isinstance(value, OfEachRow):
        return OfEachRow(one(value.body))
    return one(value)


def rebuilt(like: Value, values: Sequence[core.Expression]) -> Value:
    """The values, in lists as in `like`."""
    left = iter(values)
    return each(like, lambda _: next(left))


def paired(a: Value, b: Value, one: Callable[[core.Expression, core.Expression], core.Expression]) -> Value:
    """Element by element; a number goes with each element of a list."""
    match a, b:
        case tuple(), tuple():
            if len(a) != len(b):
                raise Beyond("lists of different lengths")
            return tuple(paired(x, y, one) for x, y in zip(a, b, strict=True))
        case tuple(), _:
            return tuple(paired(x, b, one) for x in a)
        case _, tuple():
            return tuple(paired(a, y, one) for y in b)
        case OfEachRow(x), OfEachRow(y):
            return OfEachRow(one(x, y))
        case OfEachRow(x), _:
            return OfEachRow(one(x, cast(core.Expression, b)))
        case _, OfEachRow(y):
            return OfEachRow(one(a, y))
    return one(cast(core.Expression, a), cast(core.Expression, b))


def reads_rows_only(e: core.Expression) -> bool:
    """Whether it has one value at all places of the body: it reads nothing else that changes within a step."""
    match e:
        case core.Read(kind):
            return kind in ("row", "input", "let")
        case core.Op(_, arguments):
            return all(map(reads_rows_only, arguments))
        case core.Choose(test, yes, no):
            return all(map(reads_rows_only, (test, yes, no)))
    return True


def flat(value: Value) -> list[core.Expression]:
    if isinstance(value, tuple):
        return [item for part in value for item in flat(part)]
    if isinstance(value, OfEachRow):
        raise Beyond("rows that are kept")
    return [value]


def as_shown(value: Value) -> core.Expression:
    return core.Op("list", tuple(flat(value))) if isinstance(value, tuple) else flat(value)[0]


def choices_of(e: core.Expression) -> dict[core.Expression, core.Expression] | None:
    """Constants and words that a value is chosen from, each with the condition under which it is this one; None if it
    is not chosen so. The conditions are asked from the first to the last, and the last one always holds."""
    found: dict[core.Expression, core.Expression] = {}
    while isinstance(e, core.Choose):
        if not isinstance(e.yes, core.Number | core.Tag) or e.yes in found:
            return None
        found[e.yes] = e.test
        e = e.no
    if not isinstance(e, core.Number | core.Tag) or e in found or len(found) >= MOST_CHOICES:
        return None
    found[e] = core.Truth(True)
    return found


def cells_in_order(body: list[core.Statement]) -> Iterator[core.Statement]:
    """With the cells numbered in the order in which they stand in the body."""
    order = {s.index: k for k, s in enumerate(s for s in body if isinstance(s, core.Tick))}

    def put(part: Any) -> Any:
        if isinstance(part, core.Read):
            return replace(part, index=order[part.index]) if part.kind == "cell" else part
        if isinstance(part, tuple):
            return tuple(map(put, part))
        if is_dataclass(part) and not isinstance(part, type):
            return type(part)(*(put(getattr(part, one.name)) for one in fields(part)))
        return part

    for statement in body:
        found = put(statement)
        yield replace(found, index=order[found.index]) if isinstance(found, core.Tick) else found


def is_picked(law: ir.Expression) -> bool:
    """Whether it is a law on a few values with weights."""
    match law:
        case ir.Weights() | ir.WeightsOf() | ir.Law("bernoulli", _) | ir.Law("uniform", (ir.Sequence("set", _),)):
            return True
    return False


def chances(truth: core.Expression) -> tuple[core.Expression, core.Expression]:
    """The chance to tell the truth and the chance not to, up to a common factor."""
    match truth:
        case core.Op("/", (a, core.Op("+", (b, c)))) if a in (b, c):
            return a, c if a == b else b
    return truth, core.Op("-", (ONE, truth))
