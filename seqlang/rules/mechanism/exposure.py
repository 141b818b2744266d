"""How often something private is shown, and how many of these showings one changed entry can touch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula, function
from seqlang.model.expression import (
    Apply,
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
    Cell,
    ChooseGate,
    Draw,
    Gate,
    LastSteps,
    Level,
    OpaqueGate,
    PrivateLaw,
    Program,
    ReleaseGate,
    Report,
    SinceReport,
    Within,
    expressions_in,
    expressions_read,
)
from seqlang.rules.reading.budgets import guarded_showings
from seqlang.rules.reading.guards import holds_once, reads_only_the_clock, required_reports
from seqlang.rules.reading.limits import decisions_of, horizon_of, least
from seqlang.rules.reading.read_sets import cells_read
from seqlang.rules.reading.rounding import decided
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.translation import is_whole
from seqlang.rules.sensitivity.facts.formulas import formula_of
from seqlang.rules.sensitivity.motion.shift import Shift


def showings(program: Program, gate: ReleaseGate | ChooseGate | OpaqueGate, signs: Signs) -> Formula:
    """The most steps of a run in which the gate shows something; INFINITY if nothing bounds them.

    Once, if it is what a stop returns (its condition is seen in every step, by the run going on), or shows where a
    public stop ends the run at the latest. Else as often as the reports that it needs are made, as its guard names the
    step, or as there are steps.
    """
    if is_returned(gate) or (gate.guard is not None and holds_once(program, gate.guard)):
        return ONE
    needed = frozenset(required_reports(gate.guard))
    by_reports = [decisions_of(program, needed, signs)] if needed else []
    by_memory = guarded_showings(program, gate, signs)
    by_clock = _by_the_clock(program, gate.guard, signs)
    return least([*by_reports, *by_memory, *by_clock, horizon_of(program, signs)], signs)


def is_returned(gate: Gate) -> bool:
    """It is what a stop returns."""
    return isinstance(gate.source, OfResult)


def _by_the_clock(program: Program, guard: Expression | None, signs: Signs) -> Iterator[Formula]:
    """In how many steps of a run a guard can hold that names the steps: `step == 7`, `step % 10 == 0`."""
    for part in conjuncts(guard):
        match part:
            case Apply("==", (StepNumber(), at)) | Apply("==", (at, StepNumber())):
                if formula_of(program, at) is not None:
                    yield ONE
            case Apply("==", (Apply("%", _), at)) if (period := _period(program, part, signs)) is not None:
                steps = horizon_of(program, signs)
                if not steps.is_infinite:
                    # one step in each stretch of that length; a multiple of it is the last step of its stretch
                    zero = signs.equal(formula_of(program, at) or ONE, ZERO)
                    yield function("floor" if zero else "ceil", steps / period)
            case _:
                pass


def _period(program: Program, condition: Expression, signs: Signs) -> Formula | None:
    """M for `step % M == constant`: it holds at most once in any M steps in a row."""
    match condition:
        case Apply("==", (Apply("%", (StepNumber(), every)) as rest, at)) if formula_of(program, at) is not None:
            if not decided(program, rest, at, signs):
                return None
            length = formula_of(program, every)
            return length if length is not None and is_whole(length, signs) and signs.of(length) == 1 else None
    return None


def touched(
    program: Program, gate: ReleaseGate | ChooseGate, values: Iterable[Expression], shift: Shift, signs: Signs
) -> Formula:
    """The most showings in which the values differ between neighbours in one entry (or under `every`: at all).

    A quantity that moves in one step only is touched once. One that is a function of sums (counts, ..) since R, shown
    only when R is made (as R's own value is), is touched once: the entry lies in one segment, and a segment is shown in
    its last step only. One that reads the last m steps is touched at most m times, and ceil(m / M) times if shown at
    every M-th step only. Anything else may differ whenever it is shown.
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
    private = tuple(c for c in cells_read(program, values) if c.level != Level.PUBLIC)
    needed = required_reports(gate.guard) or _made_by_the_clock(program, gate.guard)
    match gate.source:
        case OfValue(report, 1):  # an event is another matter: that it did not happen is shown in every step
            own: tuple[str, ...] = (report,)
        case _:
            own = ()
    if private and any(_all_since(program, private, made) for made in (needed, own)):
        return least([ONE, shown], signs)
    if len(private) == 1 and isinstance(private[0].keep, LastSteps) and not _nested(program, private[0]):
        length = _length(program, private[0])
        periods = () if _is_kept(program, gate) else [_period(program, part, signs) for part in conjuncts(gate.guard)]
        rounds = (function("ceil", length / p) for p in periods if p is not None and not length.is_infinite)
        return least([shown, length, *rounds], signs)
    return shown


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


def _all_since(program: Program, cells: tuple[Cell, ...], needed: tuple[str, ...]) -> bool:
    return len(needed) == 1 and all(
        isinstance(cell.keep, SinceReport) and cell.keep.report == needed[0] and not _nested(program, cell)
        for cell in cells
    )


def _nested(program: Program, cell: Cell) -> bool:
    """What decides the cell's value reads the past itself, so that an entry may reach beyond the kept steps."""
    return any(c.level != Level.PUBLIC for c in cells_read(program, expressions_in(cell)))


def _length(program: Program, cell: Cell) -> Formula:
    assert isinstance(cell.keep, LastSteps)
    return formula_of(program, cell.keep.count) or INFINITY
