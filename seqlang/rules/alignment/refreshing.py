"""How often the reports are made at which noises are drawn anew and statistics start again."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.model.expression import (
    COMPARISONS,
    LOGIC,
    Apply,
    CellValue,
    Choice,
    Expression,
    Field,
    Local,
    MemoryValue,
    Noised,
    Number,
    ParameterValue,
    Reported,
    StepNumber,
)
from seqlang.model.gate_source import OfEvent, OfValue, report_of
from seqlang.model.program import CompareGate, Define, Program, PublicGate, Report
from seqlang.operators.groups import EXTREMES, FOLDS
from seqlang.rules.reading.guards import most_steps_with_any
from seqlang.rules.reading.limits import decisions_of, least, limit_of
from seqlang.rules.reading.read_sets import gate_noises
from seqlang.rules.reading.signs import Signs


def draws_read(program: Program, noise: str, report: str, signs: Signs) -> Formula:
    """How many draws of a noise that is refreshed at this report are read: at the start, and after each report. If only
    the report reads it, and a guard limits that, nobody reads the draw after the last one."""
    most, ended = limit_of(program, frozenset({report}), signs)
    readers = {report_of(gate.source) for gate in program.gates if noise in gate_noises(gate)}
    unread = ended or (not most.is_infinite and readers == {report})
    return least([most_made(program, frozenset({report}), signs) + 1, most if unread else most + 1], signs)


def most_made(program: Program, reports: frozenset[str], signs: Signs) -> Formula:
    """The most steps of a run in which one of these reports is made; each `is_made_when_it_fires`."""
    asked = [
        (gate.expression, place)
        for gate in program.gates
        if isinstance(gate, PublicGate) and isinstance(gate.source, OfEvent) and gate.source.report in reports
        if (place := program.place_of(gate.source)) is not None
    ]
    by_conditions = most_steps_with_any(program, asked, signs) if len(asked) == len(reports) else INFINITY
    return least([by_conditions, decisions_of(program, reports, signs)], signs)


def unclear_report(program: Program, reports: Iterable[str]) -> str | None:
    """One of these reports that is made in steps that are not counted as its own: noises are drawn anew and statistics
    start again wherever it is made, but what counts how often it fires leaves out the steps in which a truth value is
    false, and those in which a comparison that decides between two values is."""
    return next((name for name in sorted(reports) if not _is_made_when_it_fires(program, name)), None)


def _is_made_when_it_fires(program: Program, name: str) -> bool:
    if any(
        isinstance(g, CompareGate) and isinstance(g.source, OfValue) and g.source.report == name for g in program.gates
    ):
        return False
    made = (s for s in program.body if isinstance(s, Report) and s.name == name and s.value is not None)
    return all(s.when is not None and s.value is not None and _is_number(program, s.value) for s in made)


def _is_number(program: Program, value: Expression) -> bool:
    """The value is certainly a number, and no truth value."""
    match value:
        case Number() | StepNumber() | ParameterValue() | Field():
            return True
        case Apply(operator, _):
            return operator not in COMPARISONS | LOGIC
        case Noised(_, base, _):
            return _is_number(program, base)
        case Choice(_, yes, no):
            return _is_number(program, yes) and _is_number(program, no)
        case Local(name):
            return all(
                _is_number(program, s.expression) for s in program.body if isinstance(s, Define) and s.name == name
            )
        case CellValue(name):
            return program.cell(name).operator in FOLDS - EXTREMES
        case MemoryValue(name):
            return all(_is_number(program, m.initial) for m in program.memories if m.name == name)
        case Reported(name):
            shown = [s.value for s in program.body if isinstance(s, Report) and s.name == name]
            return all(inner is not None and _is_number(program, inner) for inner in shown)
        case _:
            return False
