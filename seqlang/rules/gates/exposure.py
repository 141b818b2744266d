"""How often something private is shown, and how many of these showings one changed entry can touch."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.arithmetic.formula import ONE, ZERO, Formula
from seqlang.model.expression import (
    CellValue,
    Drawn,
    Expression,
    Field,
    MemoryValue,
    Noised,
    Reported,
    StepNumber,
)
from seqlang.model.gate_source import OfResult, OfValue
from seqlang.model.junctions import conjuncts
from seqlang.model.life import EachStep
from seqlang.model.program import (
    ChooseGate,
    Draw,
    Gate,
    OpaqueGate,
    PrivateLaw,
    Program,
    ReleaseGate,
    Report,
    Within,
    expressions_read,
)
from seqlang.rules.reading.ages import Ages, ages_of, joined, stretch
from seqlang.rules.reading.clock import reads_only_the_clock
from seqlang.rules.reading.guards import (
    holds_once,
    most_steps_with,
    most_steps_within,
    required_reports,
    scheduled_steps,
)
from seqlang.rules.reading.limits import decisions_of, horizon_of, least
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.motion.shift import Shift


def showings(program: Program, gate: ReleaseGate | ChooseGate | OpaqueGate, signs: Signs) -> Formula:
    """The most steps of a run in which the gate shows something; INFINITY if nothing bounds them.

    Once, if it is what a stop returns (its condition is seen in every step, by the run going on), or shows where a
    public stop ends the run at the latest. Else as often as the reports that it needs are made, as its guard names the
    step, or as there are steps.
    """
    if is_returned(gate) or (gate.guard is not None and holds_once(program, gate.guard)):
        return ONE
    place = program.place_of(gate.source)
    if place is not None:
        return most_steps_with(program, gate.guard, place, signs)
    needed = frozenset(required_reports(gate.guard))
    by_reports = [decisions_of(program, needed, signs)] if needed else []
    by_clock = scheduled_steps(program, gate.guard, None, signs)
    return least([*by_reports, by_clock, horizon_of(program, signs)], signs)


def is_returned(gate: Gate) -> bool:
    """It is what a stop returns."""
    return isinstance(gate.source, OfResult)


def touched(
    program: Program, gate: ReleaseGate | ChooseGate, values: Iterable[Expression], shift: Shift, signs: Signs
) -> Formula:
    """The most showings in which the values differ between neighbours in one entry (or under `every`: at all).

    A quantity that moves in one step only is touched once. One that is a function of sums (counts, ..) since R, shown
    only when R is made (as R's own value is), is touched once: the entry lies in one segment, and a segment is shown in
    its last step only. One that depends on the last m entries is touched at most as often as m successive steps show
    it: ceil(m / M) times if shown at every M-th step only. Anything else may differ whenever it is shown.
    """
    shown = showings(program, gate, signs)
    if shift.kind == "none" or shift.radius == ZERO:
        return ZERO
    if isinstance(program.adjacency, Within) and program.adjacency.extent == "every":
        return shown
    if shift.kind == "single step":
        return least([ONE, shown], signs)
    if any(isinstance(e, Field) and program.input(e.name).kind == "dataset" for e in expressions_read(program, values)):
        return shown
    ages: Ages | None = None
    for value in values:
        ages = joined(ages, ages_of(program, value, signs), signs)
    if ages is None:
        return shown
    needed = required_reports(gate.guard) or _made_by_the_clock(program, gate.guard)
    match gate.source:
        case OfValue(report, 1):  # an event is another matter: that it did not happen is shown in every step
            own: tuple[str, ...] = (report,)
        case _:
            own = ()
    if ages.since is not None and (ages.since,) in (needed, own):
        return least([ONE, shown], signs)
    length = stretch(ages, signs)
    if _is_kept(program, gate):
        return least([shown, length], signs)
    place = program.place_of(gate.source)
    return least([shown, most_steps_within(program, gate.guard, place, length, signs)], signs)


def _is_kept(program: Program, gate: ReleaseGate | ChooseGate) -> bool:
    """What is shown may have been drawn in an earlier step: the steps that its law has read then ended there, and lie
    closer together than the showings."""
    drawn = isinstance(gate, ChooseGate) and isinstance(gate.law, PrivateLaw)
    return drawn and any(isinstance(s, Draw) and not isinstance(s.life, EachStep) for s in program.body)


def _made_by_the_clock(program: Program, guard: Expression | None) -> tuple[str, ...]:
    """A report whose condition names steps only and is a part of the guard: it is made whenever the guard holds."""
    parts = [part for part in conjuncts(guard) if reads_only_the_clock(part)]
    made = (s for s in program.body if isinstance(s, Report) and s.value is None and s.when in parts)
    return tuple(report.name for report in made)[:1]


def never_changes(program: Program, values: Iterable[Expression]) -> bool:
    """The value is the same in every step: records and constants only."""
    for expression in expressions_read(program, values):
        match expression:
            case Field(name) if program.input(name).kind != "dataset":
                return False
            case CellValue() | MemoryValue() | Reported() | StepNumber() | Drawn() | Noised():
                return False
            case _:
                pass
    return True
