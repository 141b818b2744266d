"""Records with the same values: what is computed of one of them is computed once for all.

Witnesses and trials run a program on datasets of which almost all records are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from seqlang.backends.interpret.values import Value
from seqlang.model import expression as ir
from seqlang.model.program import Program


def columns_of(program: Program, parts: Sequence[ir.Expression], variable: ir.Variable) -> tuple[str, ...]:
    """The fields that the parts read of the record with the variable's number; none where they read its number too, or
    nothing of it."""
    names: dict[str, None] = {}
    waiting = list(parts)
    while waiting:
        match waiting.pop():
            case ir.Index(ir.Field(name), ir.Bound(bound)) if bound == variable:
                if program.input(name).kind != "dataset":
                    return ()
                names[name] = None
            case ir.Bound(bound) if bound == variable:
                return ()
            case part:
                waiting += ir.children(part)
    return tuple(names)


class Alike:
    """Finds equal records; of those that it was asked about last it knows the answer, as they stay for a whole run."""

    def __init__(self) -> None:
        self._known: tuple[tuple[Sequence[Value], ...], Sequence[int]] = ((), ())

    def first(self, columns: tuple[Sequence[Value], ...]) -> Sequence[int]:
        """For each record the place of the first one that equals it. The columns are not changed afterwards."""
        before, places = self._known
        if len(before) == len(columns) and all(a is b for a, b in zip(before, columns, strict=True)):
            return places
        rows: dict[Any, int] = {}
        same: dict[tuple[int, ...], int] = {}  # most are not only equal
        found = []
        listed = list(zip(*columns, strict=True))  # all at once: two that live one after the other may share an id
        for place, row in enumerate(listed):
            one = tuple(map(id, row))
            if one not in same:
                same[one] = rows.setdefault(tuple(map(_key, row)), place)
            found.append(same[one])
        self._known = columns, found
        return found

    def each(self, columns: tuple[Sequence[Value], ...], value: Callable[[int], Value]) -> list[Value]:
        """`value` of each record's number, where it reads these columns of it and no more."""
        places = self.first(columns)
        known = {place: value(place + 1) for place in dict.fromkeys(places)}
        return list(map(known.__getitem__, places))


def _key(value: Value) -> Any:
    """Equal for what no expression can tell apart: 1 is no 1.0, and 0.0 no -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    return value.__class__, value or str(value)
