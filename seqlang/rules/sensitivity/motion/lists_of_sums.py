"""Lists of sums over the same entries move together: the sum of lists, one list an entry."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.model.binding import element_of_cell, free_variables, reads
from seqlang.model.expression import Apply, CellValue, Choice, Expression, Field, Quantified, Records
from seqlang.model.program import Keep, LastSteps
from seqlang.operators.groups import TOTALS
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.remembered import remembered
from seqlang.rules.sensitivity.facts.shapes import nothing_like
from seqlang.rules.sensitivity.motion.coordinates import Coordinate, Coordinates, coordinates_of, norms_of
from seqlang.rules.sensitivity.motion.entry import Entry, Norms
from seqlang.rules.sensitivity.motion.folds import (
    element_of,
    in_every_step,
    in_kept_steps,
    is_one_element,
    moves_window,
)
from seqlang.rules.sensitivity.motion.motion import NONE, STATIC, Motion
from seqlang.rules.sensitivity.motion.neighbours import Neighbours
from seqlang.rules.sensitivity.motion.records import is_index_set, is_static, names_record, one_record, records_in
from seqlang.rules.sensitivity.motion.spreads import Weighted

Source = tuple[str, Expression | Keep]
"""What is summed over: the records of a set, or the steps that a cell keeps."""


def motion_of_sums(entry: Entry, expression: Expression) -> Motion | None:
    """The motion of a list each coordinate of which is made of sums over the same entries; None if it is no such list,
    or nothing more is known of it than coordinate by coordinate."""
    return _motion_of_sums(entry.facts, entry.near, entry.fixed, expression)


@remembered
def _motion_of_sums(
    facts: Facts, near: Neighbours, fixed: frozenset[Expression], expression: Expression
) -> Motion | None:
    entry = Entry(facts, near, fixed)
    coordinates = coordinates_of(entry, expression)
    if coordinates is None:
        return None
    sources: set[Source] = set()
    each: list[Coordinate] = []
    summed: dict[Weighted, Weighted | None] = {}
    for coordinate in coordinates.each:
        if coordinate.parts not in summed:
            summed[coordinate.parts] = _elements(entry, coordinate.parts, sources)
        elements = summed[coordinate.parts]
        if elements is None or len(sources) > 1:
            return None
        each.append(Coordinate(elements, coordinate.given))
    if not sources:
        return NONE
    ((kind, over),) = sources
    own = entry if kind == "records" else entry.from_start
    if kind == "steps" and near.resized:
        return None
    norms = norms_of(own, Coordinates(tuple(each), coordinates.variable))
    if norms.linf is None:
        return None
    if kind == "records":
        count = records_in(entry.facts, over) if near.every else near.entries  # type: ignore[arg-type]
        return None if count is None else _of_records(entry, expression, norms.times(count))
    if near.every:
        return in_every_step(own, over, Motion("arbitrary", norms.linf, norms))  # type: ignore[arg-type]
    return in_kept_steps(own, over, Motion("single step", norms.linf, norms))  # type: ignore[arg-type]


def _of_records(entry: Entry, expression: Expression, norms: Norms) -> Motion:
    radius = norms.linf
    assert radius is not None
    return Motion("uniform" if is_static(entry.facts, expression) else "arbitrary", radius, norms, onset=STATIC)


def _elements(entry: Entry, parts: Weighted, sources: set[Source]) -> Weighted | None:
    """What one entry adds to each part; notes what the parts sum over."""
    found: list[tuple[Expression, Formula]] = []
    for part, coefficient in parts:
        one = element_added(entry, part)
        if one is None:
            return None
        sources.add(one[0])
        found.append((one[1], coefficient))
    return tuple(found)


def element_added(entry: Entry, part: Expression) -> tuple[Source, Expression] | None:
    """What is summed over, and what one entry adds to a sum; None for what is no sum."""
    facts = entry.facts
    match part:
        case CellValue(name, at) if name in facts.cells and facts.cells[name].operator in TOTALS:
            keep = element_of_cell(facts.cells[name], at).keep
            if entry.moves_element(part) or not is_one_element(facts, part):
                return None  # which element is read is private, or changes from step to step
            if moves_window(entry, keep) or (isinstance(keep, LastSteps) and free_variables(keep.count)):
                return None  # the windows differ from side to side, or from coordinate to coordinate
            return ("steps", keep), element_of(part, facts)
        case Apply("sum", (Field(name),)) if name + RECORD in facts.inputs:
            return ("records", Records()), Field(name + RECORD)
        case Quantified("sum" | "count" as operator, body, variable, domain, where) if is_index_set(facts, domain):
            if isinstance(domain, Apply) and not names_record(facts, (body, where), variable):
                return None  # a constant set that has nothing to do with the records
            inside = one_record(entry, body, variable)
            kept = None if where is None else one_record(entry, where, variable)
            if inside is None or (where is not None and kept is None):
                return None
            if facts.resized and any(reads(e, variable) for e in (inside, kept) if e is not None):
                return None  # adding or removing a record changes the numbers of the others
            if operator == "count":
                inside = inside if kept is None else Apply("and", (kept, inside))
            elif kept is not None:
                inside = Choice(kept, inside, nothing_like(facts, inside))
            return ("records", domain), inside
    return None
