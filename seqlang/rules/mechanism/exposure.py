"""How often something private is shown, and how many of these showings one changed entry can touch."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula
from seqlang.model.expression import (
    Apply,
    CellValue,
    Drawn,
    Expression,
    Field,
    MemoryValue,
    Noised,
    Number,
    ParameterValue,
    Reported,
    StepNumber,
    walk,
)
from seqlang.model.program import (
    Cell,
    ChooseGate,
    LastSteps,
    Level,
    OpaqueGate,
    Program,
    PublicGate,
    ReleaseGate,
    SinceReport,
    Within,
)
from seqlang.rules.alignment.layout import required_reports
from seqlang.rules.alignment.limits import decisions_of, horizon_of, least
from seqlang.rules.alignment.reach import reached, reached_cells
from seqlang.rules.alignment.signs import Signs
from seqlang.rules.sensitivity.formulas import formula_of
from seqlang.rules.sensitivity.shift import Shift


def showings(program: Program, gate: ReleaseGate | ChooseGate | OpaqueGate, signs: Signs) -> Formula:
    """The most steps of a run in which the gate shows something; INFINITY if nothing bounds them.

    Once, if it is what a stop returns (its condition is seen in every step, by the run going on), or shows where a
    public stop ends the run at the latest.
    """
    returned = gate.statement.startswith("stop ") and gate.name != gate.statement
    if returned or _holds_once(program, gate.guard):
        return ONE
    needed = frozenset(required_reports(gate.guard))
    return decisions_of(program, needed, signs) if needed else horizon_of(program, signs)


def _holds_once(program: Program, guard: Expression | None) -> bool:
    """Is the guard also the condition of a stop, so that a run ends where it first holds? Of guards that read the step
    and constants only: memory and cells may have another value where the stop stands."""
    if guard is None or not all(isinstance(e, Apply | StepNumber | ParameterValue | Number) for e in walk(guard)):
        return False
    return any(
        isinstance(g, PublicGate) and g.name.startswith("stop ") and g.expression == guard for g in program.gates
    )


def touched(
    program: Program, gate: ReleaseGate | ChooseGate, values: Iterable[Expression], shift: Shift, signs: Signs
) -> Formula:
    """The most showings in which the values differ between neighbours in one entry (or under `every`: at all).

    A quantity that moves in one step only is touched once. One that is a function of sums (counts, ..) since R, shown
    only when R is made, is touched once: the entry lies in one segment, and a segment is shown in its last step only.
    One that reads the last m steps is touched at most m times. Anything else may differ whenever it is shown.
    """
    shown = showings(program, gate, signs)
    if shift.kind == "none" or shift.radius == ZERO:
        return ZERO
    if isinstance(program.adjacency, Within) and program.adjacency.extent == "every":
        return shown
    if shift.kind == "single step":
        return least([ONE, shown], signs)
    if any(isinstance(e, Field) and program.input(e.name).kind == "dataset" for e in reached(program, values)):
        return shown
    private = tuple(c for c in reached_cells(program, values) if c.level != Level.PUBLIC)
    needed = required_reports(gate.guard)
    if private and _all_since(program, private, needed):
        return least([ONE, shown], signs)
    if private and all(isinstance(c.keep, LastSteps) and not _nested(program, c) for c in private):
        lengths = [_length(program, c) for c in private]
        return least([shown, *(length for length in lengths if len(lengths) == 1)], signs)
    return shown


def never_changes(program: Program, values: Iterable[Expression]) -> bool:
    """The value is the same in every step: records and constants only."""
    for expression in reached(program, values):
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
    """The cell's body reads the past itself, so that an entry may reach beyond the kept steps."""
    parts = (cell.body,) if cell.where is None else (cell.body, cell.where)
    return any(c.level != Level.PUBLIC for c in reached_cells(program, parts))


def _length(program: Program, cell: Cell) -> Formula:
    assert isinstance(cell.keep, LastSteps)
    return formula_of(program, cell.keep.count) or INFINITY
