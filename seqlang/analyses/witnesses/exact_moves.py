"""Whether an entry moves by at most the radius of the adjacency, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from seqlang.arithmetic.formula import Formula
from seqlang.model import exact_numbers as numbers
from seqlang.model.constants import Values, exactly, values_of
from seqlang.model.domain import Finite, Power
from seqlang.model.expression import Expression, Field, Number, Sequence, rebuild
from seqlang.model.program import Norm, Program, Within
from seqlang.operators.operator import NoValue

Row = Mapping[str, Any]


def moves_within(program: Program, adjacency: Within, row: Row, other: Row) -> bool | None:
    """None where the two measures, or the radius, have no exact value that is known.

    A number of a finite domain has the value that the file gives it, another one that of its shortest decimal."""
    values = values_of(program)
    before, after = (exactly(_at(program, values, adjacency.of, each), values) for each in (row, other))
    radius = exactly(adjacency.radius, values)
    one, two = _coordinates(before), _coordinates(after)
    if one is None or two is None or len(one) != len(two) or not isinstance(radius, Fraction | Formula):
        return None
    try:
        size = _size([numbers.total((b, -a)) for a, b in zip(one, two, strict=True)], adjacency.norm)
        return numbers.order(size, radius) <= 0
    except (numbers.Undecided, NoValue):
        return None


def _size(moves: list[numbers.Exact], norm: Norm) -> numbers.Exact:
    match norm:
        case "l1":
            return numbers.total([numbers.size(move) for move in moves])
        case "l2":
            return numbers.length(moves)
        case "linf":
            return numbers.extreme(True, [numbers.size(move) for move in moves])


def _coordinates(value: object) -> list[numbers.Exact] | None:
    parts = value if isinstance(value, tuple) else (value,)
    found = [part for part in parts if isinstance(part, Fraction | Formula)]
    return found if parts and len(found) == len(parts) else None


def _at(program: Program, values: Values, e: Expression, row: Row) -> Expression:
    """The expression with the entry's numbers in place of its fields."""
    if isinstance(e, Field) and e.name in row:
        domain = next(i.domain for i in program.inputs if i.name == e.name)
        each = domain.of if isinstance(domain, Power) else domain
        return _constant(row[e.name], each.values if isinstance(each, Finite) else (), values)
    return rebuild(e, lambda part: _at(program, values, part, row))


def _constant(value: Any, listed: tuple[Expression, ...], values: Values) -> Expression:
    if isinstance(value, tuple):
        return Sequence("list", tuple(_constant(each, listed, values) for each in value))
    for letter in listed:
        known = exactly(letter, values)
        if isinstance(known, Fraction | Formula) and numbers.nearest(known) == value:
            return letter
    return Number(Fraction(repr(float(value))))
