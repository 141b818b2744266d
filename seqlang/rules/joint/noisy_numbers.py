"""What gates show with noise of their own, as numbers that are made of what single entries add.

A comparison is a function of the noisy value that it compares: whoever sees the value sees more. A factor of the noise
that changes with the step divides what a difference costs in that step.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from seqlang.arithmetic.formula import (
    ONE,
    Formula,
    function,
    logarithm,
    number,
)
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.expression import (
    CellValue,
    Drawn,
    Expression,
    Field,
    Law,
    MemoryValue,
    Number,
    Reported,
    StepNumber,
    walk,
)
from seqlang.model.margins import margins
from seqlang.model.program import (
    AllSteps,
    CompareGate,
    Gate,
    Keep,
    LastSteps,
    Program,
    ReleaseGate,
    SinceReport,
)
from seqlang.record import record, replace
from seqlang.rules.gates.exposure import touched
from seqlang.rules.gates.noise import noises_of
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.mechanism.release import running_sum
from seqlang.rules.reading.clock import schedule_of
from seqlang.rules.reading.guards import at_step
from seqlang.rules.reading.limits import horizon_of
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.reading.schedule import Schedule
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.whole_numbers import moves_by_whole_numbers
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.formulas import formula_of
from seqlang.rules.sensitivity.facts.numbers import UNIT
from seqlang.rules.sensitivity.facts.shapes import is_vector
from seqlang.rules.sensitivity.facts.value import whole
from seqlang.rules.sensitivity.motion.coordinates import (
    Coordinate,
    coordinates_of,
)
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.lists_of_sums import element_added
from seqlang.rules.sensitivity.motion.records import reads_records
from seqlang.rules.sensitivity.motion.shifts import shift_of
from seqlang.rules.sensitivity.motion.spreads import Weighted, moving_terms

Power = Literal[1, 2]
Held = Keep | Literal["entry", "always", "tree"]
"""Where an entry is felt: in a fold over steps, in its own step, in all steps, in the nodes of a tree."""
MOST_STEPS = 600
"""Of more steps with a showing, or positions of an entry, not each is looked at."""


@record
class Part:
    """What an entry adds to one number of a gate. `place`: of which one. `factors`: what it is multiplied by in each
    step that shows it, to the power of the losses; None: by 1. `unit`: what a difference of 1 costs. `most`: in so many
    steps at most."""

    place: tuple[str, int]
    coordinate: Coordinate
    held: Held
    schedule: Schedule
    unit: Formula
    factors: tuple[tuple[int, Formula], ...] | None
    most: Formula


class NotKnown(Exception):
    """Why the rule says nothing, in a phrase."""


def shown_by(gate: Gate) -> ReleaseGate | None:
    """The gate as one that shows a noisy value, of which it is a function; None if it is no such gate."""
    match gate:
        case ReleaseGate(terms=terms) if terms:
            return gate
        case CompareGate(source=source, guard=guard, test=test, span=span):
            found = tuple(margins(test))
            if len(found) == 1 and found[0].terms:
                return ReleaseGate(source, guard, found[0].value, found[0].terms, None, span)
    return None


def parts_of(entry: Entry, gate: ReleaseGate, power: Power, signs: Signs) -> Iterator[Part]:
    """What an entry adds to the numbers of the gate. Raises NotKnown."""
    program = entry.facts.program
    law, unit, once, scale = _noise(program, gate, power, signs)
    shift = shift_of(program, gate.value, revealed=revealed_choices(program))
    if shift.kind == "none":
        return
    value = entry.facts.expand(gate.value)
    place_of_gate = program.place_of(gate.source)
    schedule = schedule_of(program, gate.guard, place_of_gate)
    if shift.radius.is_infinite:
        _bounded_in_each(program, value, schedule)
    if law == "tree":
        schedule = schedule_of(program, None, place_of_gate)
        steps, added = horizon_of(program, signs), running_sum(program, gate.value)
        if isinstance(added, str) or steps.is_infinite:
            raise NotKnown(added if isinstance(added, str) else "nothing bounds the number of steps")
        levels = function("floor", function("log2", steps)) + ONE
        for place, coordinate in enumerate(_coordinates(entry, entry.facts.expand(added))):
            if not all(entry.is_local(e) for e, _ in coordinate.parts):
                raise NotKnown("tree noise on a sum of things that more than one step remembers")
            yield Part((gate.name, place), coordinate, "tree", schedule, unit, None, levels)
        return
    most = ONE if once else touched(program, gate, (gate.value,), shift, signs)
    if scale is not None or any(isinstance(e, StepNumber) for e in walk(value)) or _reads_mean(entry, value):
        yield from _changing(entry, gate.name, value, scale, schedule, unit, most, power)
        return
    for place, coordinate in enumerate(_coordinates(entry, value)):
        for held, elements in _by_source(entry, coordinate, None).items():
            yield Part((gate.name, place), Coordinate(elements, coordinate.given), held, schedule, unit, None, most)


def _bounded_in_each(program: Program, value: Expression, schedule: Schedule) -> None:
    """What has no bound over all steps, since the step has none, has one in each step that shows it."""
    listed = schedule.listed if schedule.ends and len(schedule.listed) <= MOST_STEPS else ()
    shifts = [shift_of(program, at_step(value, t), first=t, revealed=revealed_choices(program)) for t in listed]
    if not shifts or any(shift.radius.is_infinite for shift in shifts):
        raise NotKnown("it can move without bound")


def _noise(
    program: Program, gate: ReleaseGate, power: Power, signs: Signs
) -> tuple[str, Formula, bool, Expression | None]:
    """ "tree" or "", what a difference of 1 costs, whether one draw serves all steps, and a factor that changes from
    step to step, which is left out of that cost."""
    changing = {t.noise: t.factor for t in gate.terms if formula_of(program, t.factor) is None}
    terms = tuple(replace(t, factor=UNIT) if t.noise in changing else t for t in gate.terms)
    added = noises_of(program, gate, terms, signs)
    for one in () if isinstance(added, str) else added:
        law, tree, scale = one.law, one.law.family == "tree", changing.get(one.name)
        if scale is not None and (tree or one.once):
            continue
        if tree:
            inner = law.arguments[0] if law.arguments else None
            if not isinstance(inner, Law):
                continue
            law = inner
        unit = _unit(program, gate, law, one.factor if scale is None else None, power, signs)
        if unit is not None:
            return "tree" if tree else "", unit, one.once, scale
    raise NotKnown(NOT_MINE)


def _unit(
    program: Program, gate: ReleaseGate, law: Law, factor: Formula | None, power: Power, signs: Signs
) -> Formula | None:
    """What a difference of 1 costs with |factor| times a draw (None: 1 times, for a factor that is counted later)."""
    scale = formula_of(program, law.arguments[0]) if law.arguments else None
    if scale is None or signs.of(scale) != 1:
        return None
    times = ONE if factor is None else factor
    if power == 2:
        return (ONE / (scale * times)) ** 2 / 2 if law.family == "gaussian" else None
    declared = facts_of_law(law.family).translation
    if declared is None or declared.norm != "l1":
        return None
    if declared.kind == "linear":
        return ONE / (scale * times)
    if declared.kind == "whole" and factor == ONE and signs.of(ONE - scale) == 1:
        return -logarithm(scale) if moves_by_whole_numbers(program, gate.value) else None
    return None


def _coordinates(entry: Entry, value: Expression) -> tuple[Coordinate, ...]:
    if not is_vector(entry.facts, value):
        return (Coordinate(moving_terms(entry, ((value, ONE),)), {}),)
    found = coordinates_of(entry, value)
    if found is None:
        raise NotKnown("a list that is not made coordinate by coordinate")
    return found.each


def _by_source(entry: Entry, coordinate: Coordinate, step: int | None) -> dict[Held, Weighted]:
    """What an entry adds to the number, by where it is held; `step`: in which it is shown, if that matters."""
    found: dict[Held, Weighted] = {}
    for part, factor in coordinate.parts:
        element, held, divisor = _element(entry, part, step)
        if not entry.is_local(element):
            raise NotKnown("what a step adds depends on earlier entries")
        found[held] = (*found.get(held, ()), (element, factor / divisor))
    return found


def _element(entry: Entry, part: Expression, step: int | None) -> tuple[Expression, Held, Formula]:
    facts = entry.facts
    if isinstance(part, CellValue) and step is not None and _is_mean(entry, part):
        cell = facts.cells[part.name]
        return facts.expand(cell.body), _window(entry, cell.keep), number(_length(entry, cell.keep, step))
    added = element_added(entry, part)
    if added is not None:
        (kind, over), element = added
        if kind == "steps":
            assert isinstance(over, AllSteps | LastSteps | SinceReport)
            return element, _window(entry, over), ONE
        if any(isinstance(e, VARYING) or _is_public(entry, e) for e in walk(element)):
            raise NotKnown("what a record adds changes with the step")
        return element, "always", ONE
    if entry.is_local(part) and not reads_records(facts, part):
        return part, "entry", ONE
    raise NotKnown("a number that is not made of sums and of this step's entry")


def _window(entry: Entry, keep: Keep) -> Keep:
    """With its length as a number, if that is constant; else the entry counts as felt for ever."""
    if not isinstance(keep, LastSteps):
        return keep
    length = whole(entry.facts, evaluate_number(entry.facts, keep.count))
    return AllSteps() if length is None else LastSteps(Number(Fraction(length)))


VARYING = (MemoryValue, Reported, StepNumber, CellValue, Drawn)


def _is_public(entry: Entry, e: Expression) -> bool:
    return isinstance(e, Field) and e.name in entry.facts.inputs and entry.facts.inputs[e.name].kind == "public"


def _reads_mean(entry: Entry, value: Expression) -> bool:
    return any(isinstance(e, CellValue) and _is_mean(entry, e) for e in walk(value))


def _is_mean(entry: Entry, value: CellValue) -> bool:
    """The mean over all steps, or over the last few."""
    cell = entry.facts.cells.get(value.name)
    if cell is None or cell.operator != "mean" or cell.where is not None or cell.binders:
        return False
    if isinstance(cell.keep, LastSteps):
        return whole(entry.facts, evaluate_number(entry.facts, cell.keep.count)) is not None
    return isinstance(cell.keep, AllSteps)


def _length(entry: Entry, keep: Keep, step: int) -> int:
    """How many entries the mean is of in this step."""
    if isinstance(keep, LastSteps):
        length = whole(entry.facts, evaluate_number(entry.facts, keep.count))
        assert length is not None
        return min(length, step)
    return step


def _changing(
    entry: Entry, gate: str, value: Expression, scale: Expression | None, schedule: Schedule, unit: Formula,
    most: Formula, power: Power,
) -> Iterator[Part]:  # fmt: skip
    """What is shown differs from step to step, or what the noise is multiplied by (`scale`): each step by itself."""
    if not schedule.ends or len(schedule.listed) > MOST_STEPS:
        raise NotKnown("what is shown changes with the step, and nothing bounds the steps")
    found: dict[object, tuple[Part, list[tuple[int, Formula]]]] = {}
    for t in schedule.listed:
        by = ONE if scale is None else _size(entry, evaluate_number(entry.facts, at_step(entry.facts.expand(scale), t)))
        for place, coordinate in enumerate(_coordinates(entry, at_step(value, t))):
            for held, elements in _by_source(entry, coordinate, t).items():
                first = elements[0][1]
                apart = len(elements) > 1 or entry.facts.sign(first) not in (1, -1)
                pieces = elements if apart else ((elements[0][0], ONE),)
                key = (place, pieces, held, tuple(coordinate.given.items()))
                part = Part((gate, place), Coordinate(pieces, coordinate.given), held, schedule, unit, (), most)
                moved = ONE if apart else _size(entry, first)
                found.setdefault(key, (part, []))[1].append((t, (moved / by) ** power))
    for part, factors in found.values():
        yield replace(part, factors=tuple(factors))


def _size(entry: Entry, factor: Formula | None) -> Formula:
    """|factor|, which must be known and not be 0."""
    sign = None if factor is None or factor.is_infinite else entry.facts.sign(factor)
    if factor is None or sign not in (1, -1):
        raise NotKnown("a factor of which the sign is not known, or that is 0")
    return factor if sign == 1 else -factor
