"""What an entry with few values contributes, as a public table of whole numbers.

Values such as log-likelihood ratios are no multiples of one number. They are computed by enclosures and rounded to the
grid, the largest downwards and the least upwards, so that a changed entry moves them by no more than before.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import lcm

from seqlang.release.exact import real
from seqlang.release.twin.domains import Counted
from seqlang.release.twin.names import LARGEST_DENOMINATOR, Names
from seqlang.release.twin.written import binary, names_in, number, renamed
from seqlang.source import NOWHERE
from seqlang.syntax import tree
from seqlang.syntax.walk import nodes

LARGEST = 64
"""Entries of a table."""


def table(
    names: Names, fields: Mapping[str, Counted], e: tree.Expression, grid: int
) -> tuple[int, tree.Expression] | None:
    """(n, n times the value by cases of the entries); None for what reads more than listed fields and constants."""
    if any(isinstance(part, tree.OverTime | tree.ForIn) for part in nodes(e)):
        return None
    read = sorted(names_in(e) & names.private)
    listed = [fields[name].listed if name in fields else None for name in read]
    known = [values for values in listed if values is not None]
    if len(known) < len(read) or not 1 <= _size(known) <= LARGEST:
        return None
    places = list(product(*known))
    found = names.values([_at(e, fields, read, place) for place in places])
    if found is None or not all(isinstance(v, int | Fraction | real.Real) for v in found):
        return None
    try:
        n, units = _rounded(found, grid)
    except real.Undecided:
        return None
    return n, _cases(read, sorted(zip(places, units, strict=True)))


def _size(listed: list[tuple[int, ...]]) -> int:
    size = 1
    for values in listed:
        size *= len(values)
    return size


def _at(e: tree.Expression, fields: Mapping[str, Counted], read: list[str], place: tuple[int, ...]) -> tree.Expression:
    given = {
        name: number(Fraction(value, fields[name].scale)) for name, value in zip(read, place, strict=True)
    }  # fmt: skip
    made: tree.Expression = renamed(e, given)
    return made


def _rounded(values: list[int | Fraction | real.Real], grid: int) -> tuple[int, list[int]]:
    """Exactly where all are rational with a common denominator that is not large."""
    exact = [Fraction(v) for v in values if not isinstance(v, real.Real)]
    if len(exact) == len(values) and (n := lcm(*(v.denominator for v in exact))) <= LARGEST_DENOMINATOR:
        return n, [int(v * n) for v in exact]
    least, most = min(real.ceiling(grid * v) for v in values), max(real.floor(grid * v) for v in values)
    return grid, [min(max(real.floor(grid * v + Fraction(1, 2)), least), most) for v in values]


def _cases(read: list[str], rows: list[tuple[tuple[int, ...], int]]) -> tree.Expression:
    """Runs of equal values, as a tree of choices that is as deep as the logarithm of their number."""
    if len({units for _, units in rows}) == 1:
        return number(rows[0][1])
    if len(read) == 1:
        middle = len(rows) // 2
        test = _is(read[0], rows[0][0][0]) if middle == 1 else _below(read[0], rows[middle][0][0])
        return tree.If(test, _cases(read, rows[:middle]), _cases(read, rows[middle:]), NOWHERE)
    first = sorted({place[0] for place, _ in rows})
    inner = [[(place[1:], units) for place, units in rows if place[0] == value] for value in first]
    found = _cases(read[1:], inner[-1])
    for value, part in list(zip(first, inner, strict=True))[-2::-1]:
        found = tree.If(_is(read[0], value), _cases(read[1:], part), found, NOWHERE)
    return found


def _is(name: str, value: int) -> tree.Expression:
    return binary("==", tree.Name(name, NOWHERE), number(value))


def _below(name: str, value: int) -> tree.Expression:
    return binary("<", tree.Name(name, NOWHERE), number(value))
