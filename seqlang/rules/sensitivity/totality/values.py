"""Whether every step of a program has values for all data, statement by statement: a step that fails on one of two
neighbours tells them apart, whatever is shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import assert_never

from seqlang.model.expression import CellValue, Drawn, Expression, Noised, walk
from seqlang.model.gate_source import report_of
from seqlang.model.program import (
    Cell,
    Define,
    Draw,
    LastSteps,
    Noise,
    Previous,
    Program,
    ReleaseGate,
    Report,
    Statement,
    Stop,
    Update,
)
from seqlang.operators.groups import COUNTS, EXTREMES, OF_ELEMENTS, SUMS
from seqlang.record import record, replace
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.linear import flips
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program
from seqlang.rules.sensitivity.facts.shapes import shape_of
from seqlang.rules.sensitivity.ranges.lengths import adds_up
from seqlang.rules.sensitivity.ranges.ranges import range_in
from seqlang.rules.sensitivity.totality.known_value import FINITE, Known, Place, joined
from seqlang.rules.sensitivity.totality.totality import known


@record
class Values:
    """`troubles`: for each statement of the body, which operation may have no value, and the remedy; "" if none.
    `noises`: the same for the laws of noises, which may list the records."""

    place: Place
    troubles: tuple[str, ...]
    noises: tuple[str, ...]


def obstacle(program: Program) -> str | None:
    """Why a step may fail on one of two neighbours only, the first reason; None if it cannot."""
    found = values_of_body(program)
    return next((trouble for trouble in (*found.troubles, *found.noises) if trouble), None)


def trouble_beside(program: Program, evaluated: Collection[int]) -> str:
    """Which operation may have no value in some step, for whatever values of data, coins and public inputs, in the
    statements of the body that are not among those; "" if none."""
    place = replace(values_of_body(program).place, always=False)
    others = (s for i, s in enumerate(program.body) if i not in evaluated)
    return next((trouble for s in others if (trouble := _statement(place, s).trouble)), "")


def lack_of_value(program: Program, expression: Expression) -> str:
    """The same for one expression, with the cells and draws that it reads; "" if it has a value for all data."""
    facts, found = facts_of(program), values_of_body(program)
    expanded = facts.inlined(expression)
    own = known(found.place, expanded).trouble
    if own or not any((*found.troubles, *found.noises)):
        return own
    read = {leaf.name for leaf in facts.leaves(expanded) if isinstance(leaf, CellValue | Drawn)}
    stated = (*zip(program.body, found.troubles, strict=True), *zip(program.noises, found.noises, strict=True))
    return next((t for s, t in stated if t and isinstance(s, Cell | Draw | Noise) and s.name in read), "")


@remembered_of_program
def values_of_body(program: Program) -> Values:
    """What every statement of the body lacks, if it may have no value."""
    facts = facts_of(program)
    place = Place(facts, shown=_released_in_every_step(facts))
    while (more := _infinite(place)) - place.infinite:
        place = replace(place, infinite=place.infinite | more)
    return Values(
        place,
        tuple(_statement(place, statement).trouble for statement in program.body),
        tuple(_of(place, noise.law).trouble for noise in program.noises),
    )


def _released_in_every_step(facts: Facts) -> frozenset[Noised]:
    """The noisy values that unconditional reports show, or show a function of, above which no stop stands: their
    release gates pay for the values themselves. What is computed of such a value in a step, and whether that fails, is
    a function of what is paid for in that step."""
    program, found = facts.program, set[Noised]()
    gates = [(report_of(g.source), facts.expand(g.value), {t.noise for t in g.terms})
             for g in program.gates if isinstance(g, ReleaseGate)]  # fmt: skip
    for statement in program.body:
        match statement:
            case Stop():
                break
            case Report(name=name, when=None, value=value) if value is not None:
                found.update(
                    node
                    for node in walk(facts.inlined(value))
                    if isinstance(node, Noised) and not flips(facts, node)
                    and (name, facts.expand(node.base), {t.noise for t in node.terms}) in gates
                )  # fmt: skip
            case _:
                pass
    return frozenset(found)


def _infinite(place: Place) -> frozenset[str]:
    """The cells, draws, reports and memories that may hold an infinite number if those known so far do."""
    program = place.facts.program
    found = {s.name for s in program.body if isinstance(s, Cell) and _holds_infinite(place, s)}
    drawn = [(s.name, s.law) for s in (*program.body, *program.noises) if isinstance(s, Draw | Noise)]
    found |= {name for name, law in drawn if _of(place, law).infinite}
    found |= {s.name for s in program.body if isinstance(s, Report) and _shown(place, s).infinite}
    for memory in program.memories:
        updates = [s.value for s in program.body if isinstance(s, Update) and s.memory == memory.name]
        if any(_of(place, value).infinite for value in (memory.initial, *updates)):
            found.add(memory.name)
    return frozenset(found)


def _holds_infinite(place: Place, cell: Cell) -> bool:
    if cell.operator in COUNTS:
        return False
    if cell.operator in EXTREMES and _may_be_of_no_step(place.facts, cell):
        return True
    starts = (cell.keep.initial,) if isinstance(cell.keep, Previous) else ()
    return any(_of(place, part).infinite for part in (cell.body, *starts))


def _may_be_of_no_step(facts: Facts, cell: Cell) -> bool:
    if cell.where is not None:
        return True
    low = range_in(facts, facts.expand(cell.keep.count)).low if isinstance(cell.keep, LastSteps) else None
    return isinstance(cell.keep, LastSteps) and (low is None or facts.sign(low) != 1)


def _of(place: Place, expression: Expression | None) -> Known:
    return FINITE if expression is None else known(place, place.facts.inlined(expression))


def _statement(place: Place, statement: Statement) -> Known:
    match statement:
        case Define(expression=expression) | Draw(law=expression):
            return _of(place, expression)
        case Cell():
            return _cell(place, statement)
        case Report(when=when, value=value) | Stop(when=when, result=value) | Update(when=when, value=value):
            return joined([_of(place, when), _of(_where(place, when), value)])
        case _:
            assert_never(statement)


def _shown(place: Place, report: Report) -> Known:
    return _of(_where(place, report.when), report.value)


def _where(place: Place, when: Expression | None) -> Place:
    """Where the condition holds: what is shown when, is shown on both sides, so that the value is computed on both."""
    return place if when is None else replace(place, assumed=((place.facts.inlined(when), True),))


def _cell(place: Place, cell: Cell) -> Known:
    facts = place.facts
    starts = (cell.keep.initial,) if isinstance(cell.keep, Previous) else ()
    if isinstance(cell.keep, LastSteps):
        starts = (cell.keep.count,)
    where = _of(place, cell.where)
    body = known(
        place if cell.where is None else place.below(facts.inlined(cell.where), True), facts.inlined(cell.body)
    )  # fmt: skip
    each, parts = shape_of(facts, facts.expand(cell.body)), (cell.body, cell.where)
    if cell.operator in OF_ELEMENTS and not adds_up(facts, each, parts, place.always):
        body = Known(trouble=body.trouble or f"`{cell.operator}` over steps may meet lists of different lengths")
    if body.infinite and cell.operator in SUMS:
        body = Known(trouble=body.trouble or f"`{cell.operator}` over steps may meet an infinite number: clip it")
    return joined([*(_of(place, part) for part in starts), where, body])
