"""Vectors whose coordinates are functions of one entry: a histogram, a cumulative count, several sums at once.

One changed entry moves few coordinates, or all of them in a way that hangs together, so the norms of the whole vector
are less than coordinate by coordinate. Three bounds, the least counts: by enumeration of the entry's values; of
coordinates `f(entry) == k` at most one is not 0; coordinate by coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations as pairs_of

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, number, root
from seqlang.model.expression import Apply, Bound, Choice, Expression, Field, Quantified
from seqlang.model.expression import Sequence as Listed
from seqlang.model.junctions import conjuncts
from seqlang.record import record
from seqlang.rules.sensitivity.facts.ends import greatest, size_of
from seqlang.rules.sensitivity.facts.evaluate import Assignment, evaluate
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.finite import combinations, values_of, variables
from seqlang.rules.sensitivity.facts.numbers import NOUGHT, ONE, UNIT, ZERO
from seqlang.rules.sensitivity.facts.shapes import is_number
from seqlang.rules.sensitivity.facts.value import Value
from seqlang.rules.sensitivity.functions.piecewise_constant import representatives
from seqlang.rules.sensitivity.functions.slopes import contains, slopes
from seqlang.rules.sensitivity.motion.entry import Entry, Norms, larger
from seqlang.rules.sensitivity.motion.spreads import (
    Weighted,
    moving_terms,
    spread,
    too_far,
    vector_spread,
    weighted_sum,
)
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude, width
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in

MOST_EVALUATIONS = 1500
MOST_ROWS = 150
UNKNOWN = Norms(None, None, None)


@record
class Coordinate:
    """sum of coefficient * function of the entry, with the bound variable at its value."""

    parts: Weighted
    given: Assignment


@record
class Coordinates:
    """`variable`: what the coordinates differ in, if they share their parts and its values are distinct."""

    each: tuple[Coordinate, ...]
    variable: Bound | None


def coordinates_of(entry: Entry, expression: Expression, *, whole: bool = False) -> Coordinates | None:
    """The coordinates of a list of numbers; only what moves, or all of it if `whole`."""
    facts = entry.facts

    def parts_of(item: Expression) -> Weighted:
        return ((item, ONE),) if whole else moving_terms(entry, ((item, ONE),))

    match expression:
        case Quantified("list", body, variable, domain, None) if is_number(facts, body):
            elements = evaluate(facts, domain)
            if not isinstance(elements, tuple) or not elements or entry.moves(domain):
                return None
            parts = parts_of(body)
            name = Bound(variable)
            distinct = isinstance(domain, Apply) and domain.operator == ".."
            distinct = distinct or (isinstance(domain, Listed) and domain.kind == "set")
            return Coordinates(tuple(Coordinate(parts, {name: v}) for v in elements), name if distinct else None)
        case Listed("list", items) if items and all(is_number(facts, item) for item in items):
            return Coordinates(tuple(Coordinate(parts_of(item), {}) for item in items), None)
    return None


def norms_of(entry: Entry, coordinates: Coordinates) -> Norms:
    """How far the vector moves with one entry that is changed (where entries are added or removed: is there or not)."""
    parts = [part for c in coordinates.each for part, _ in c.parts]
    if not all(entry.is_local(part) for part in parts):
        return UNKNOWN
    found = (_by_table(entry, coordinates), _one_at_a_time(entry, coordinates), _one_by_one(entry, coordinates))
    best = UNKNOWN
    for norms in found:
        best = best if norms is None else lesser(entry.facts, best, norms)
    return best


def vector_norms(entry: Entry, expression: Expression) -> Norms:
    """How far a vector function of one entry can move, by whatever says most. An entry that is added or removed takes
    with it also what is the same for all entries."""
    coordinates = coordinates_of(entry, expression, whole=entry.near.resized)
    if coordinates is None:
        return vector_spread(entry, expression)
    joint = norms_of(entry, coordinates)
    return joint if entry.near.resized else lesser(entry.facts, joint, vector_spread(entry, expression))


def lesser(facts: Facts, a: Norms, b: Norms) -> Norms:
    """Both are bounds: the smaller one of each norm, the first where that is not known."""

    def least(x: Formula | None, y: Formula | None) -> Formula | None:
        if x is None or y is None:
            return y if x is None else x
        return y if facts.compare(y, x) == "less" else x

    return Norms(least(a.l1, b.l1), least(a.l2, b.l2), least(a.linf, b.linf), least(a.apart, b.apart))


def _one_by_one(entry: Entry, coordinates: Coordinates) -> Norms | None:
    radii: dict[Weighted, Formula | None] = {}
    for coordinate in coordinates.each:
        if coordinate.parts not in radii:
            radii[coordinate.parts] = _radius(entry, coordinate.parts)
    moved = [radii[coordinate.parts] for coordinate in coordinates.each]
    known = tuple(radius for radius in moved if radius is not None)
    if len(known) < len(moved):
        return None
    if len(radii) == 1:
        size = number(len(known))
        return Norms(size * known[0], root(size) * known[0], known[0])
    squares = sum((radius * radius for radius in known), start=ZERO)
    return Norms(sum(known, start=ZERO), root(squares), greatest(entry.facts, known))


def _radius(entry: Entry, parts: Weighted) -> Formula | None:
    if not entry.near.resized:
        return spread(entry, parts)
    total: Formula = ZERO
    for part, coefficient in parts:
        bound = norm_bound(entry.facts, part)
        if bound is None:
            return None
        total = total + size_of(entry.facts, coefficient) * bound
    return total


# ---- f(entry) == k: at most one coordinate is not 0


def _one_at_a_time(entry: Entry, coordinates: Coordinates) -> Norms | None:
    facts, variable = entry.facts, coordinates.variable
    shared = coordinates.each[0].parts
    if variable is None or len(shared) != 1:
        return None
    ((part, coefficient),) = shared
    test, weight = weighted_test(part)
    if test is None or not any(_picks_one(facts, conjunct, variable) for conjunct in conjuncts(test)):
        return None
    values = range_in(facts, weight)
    top, gap, scale = magnitude(facts, values), width(facts, values), size_of(facts, coefficient)
    if top is None or gap is None:
        return None
    if entry.near.resized:
        return Norms(top, top, top, top).times(scale)
    # two coordinates move by at most `top` each, or one by at most the width
    two = 2 * top
    return Norms(two, greatest(facts, (root(number(2)) * top, gap)), greatest(facts, (top, gap)), two).times(scale)


def weighted_test(part: Expression) -> tuple[Expression | None, Expression]:
    """The test and the weight of a part that is the weight where the test holds, and else 0."""
    match part:
        case Choice(test, weight, other) if other == NOUGHT:
            return test, weight
        case Apply("and" | "=="):
            return part, UNIT
    return None, UNIT


def _picks_one(facts: Facts, test: Expression, variable: Bound) -> bool:
    """An equation with k strictly monotone on one side and not on the other: it holds for one k at most."""
    if not isinstance(test, Apply) or test.operator != "==":
        return False
    a, b = test.arguments
    if contains(a, variable) == contains(b, variable):
        return False
    slope = slopes(facts, a if contains(a, variable) else b, variable)
    return slope is not None and (facts.sign(slope[0]) == 1 or facts.sign(slope[1]) == -1)


# ---- by enumeration


Row = tuple[Formula, ...]


def _by_table(entry: Entry, coordinates: Coordinates) -> Norms | None:
    """The exact norms, where the entry has finitely many values as far as the coordinates can tell."""
    facts = entry.facts
    leaves: dict[Expression, None] = {}
    for coordinate in coordinates.each:
        for part, _ in coordinate.parts:
            found = variables(facts, part)
            if found is None:
                return None
            leaves.update(dict.fromkeys(leaf for leaf in found if leaf not in coordinate.given))
    columns: dict[Expression, tuple[Value, ...]] = {}
    listed = True
    for leaf in (leaf for leaf in leaves if entry.moves(leaf)):
        values = values_of(facts, leaf)
        if values is None and isinstance(leaf, Field):
            functions = [(part, c.given) for c in coordinates.each for part, _ in c.parts]
            values, listed = representatives(facts, leaf, functions), False
        if not values:
            return None
        columns[leaf] = values
    others = combinations(facts, tuple(leaf for leaf in leaves if not entry.moves(leaf)))
    entries = _product(columns)
    if others is None or entries is None or len(entries) * len(others) * len(coordinates.each) > MOST_EVALUATIONS:
        return None
    tables = [_rows(facts, coordinates, entries, other) for other in others]
    norms = [
        _of_rows(entry, rows, entries if listed and entry.near.of is not None else None) if rows is not None else None
        for rows in tables
    ]
    known = [one for one in norms if one is not None]
    return larger(facts, known) if known and len(known) == len(norms) else None


def _product(columns: dict[Expression, tuple[Value, ...]]) -> list[dict[Expression, Value]] | None:
    rows: list[dict[Expression, Value]] = [{}]
    for leaf, values in columns.items():
        if len(rows) * len(values) > MOST_EVALUATIONS:
            return None
        rows = [{**row, leaf: value} for row in rows for value in values]
    return rows


def _rows(
    facts: Facts, coordinates: Coordinates, entries: list[dict[Expression, Value]], other: Assignment
) -> list[Row] | None:
    rows: list[Row] = []
    for one in entries:
        row: list[Formula] = []
        for coordinate in coordinates.each:
            value = weighted_sum(facts, coordinate.parts, {**one, **other, **coordinate.given})
            if value is None:
                return None
            row.append(value)
        rows.append(tuple(row))
    return rows


def _of_rows(entry: Entry, rows: list[Row], entries: list[dict[Expression, Value]] | None) -> Norms | None:
    """`entries`: what the rows belong to, where not all pairs of them are neighbours."""
    facts = entry.facts
    exact = {row: _fractions(facts, row) for row in rows}
    if len(exact) > MOST_ROWS or any(found is None for found in exact.values()):
        return None
    fractions = {row: found for row, found in exact.items() if found is not None}
    if entry.near.resized:
        moves = [(row, fractions[row]) for row in fractions]
    elif entries is None:
        moves = [_difference(a, b, fractions) for a, b in pairs_of(fractions, 2)]
    else:
        numbered = list(zip(rows, entries, strict=True))
        moves = [
            _difference(a, b, fractions)
            for (a, x), (b, y) in pairs_of(numbered, 2)
            if a != b and not too_far(entry, x, y)
        ]
    return _worst(facts, moves)


def _difference(a: Row, b: Row, fractions: dict[Row, tuple[Fraction, ...]]) -> tuple[Row, tuple[Fraction, ...]]:
    x, y = fractions[a], fractions[b]
    moved = tuple(v - u for u, v in zip(x, y, strict=True))
    return tuple(d - c if step else ZERO for c, d, step in zip(a, b, moved, strict=True)), moved


def _worst(facts: Facts, moves: Sequence[tuple[Row, tuple[Fraction, ...]]]) -> Norms:
    """The norms of the move that is largest in each of them."""
    if not moves:
        return Norms(ZERO, ZERO, ZERO, ZERO)
    by_l1 = max(moves, key=lambda move: sum(map(abs, move[1])))[0]
    by_l2 = max(moves, key=lambda move: sum(d * d for d in move[1]))[0]
    by_linf, largest = max(moves, key=lambda move: max(map(abs, move[1])))
    by_apart, spread_out = max(moves, key=lambda move: max(move[1]) - min(move[1]))
    top = max(range(len(largest)), key=lambda i: abs(largest[i]))
    first = max(range(len(spread_out)), key=lambda i: spread_out[i])
    last = min(range(len(spread_out)), key=lambda i: spread_out[i])
    return Norms(
        sum((size_of(facts, d) for d in by_l1), start=ZERO),
        root(sum((d * d for d in by_l2), start=ZERO)),
        size_of(facts, by_linf[top]),
        by_apart[first] - by_apart[last],
    )


def _fractions(facts: Facts, row: Row) -> tuple[Fraction, ...] | None:
    found = tuple(exact_value(value, facts.values) for value in row)
    known = tuple(value for value in found if value is not None)
    return known if len(known) == len(found) else None
