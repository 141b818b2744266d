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
from seqlang.model.program import Define, Program, PublicGate, Report
from seqlang.rules.alignment.limits import decisions_of, least, limit_of
from seqlang.rules.alignment.looking import together
from seqlang.rules.alignment.reach import gate_noises
from seqlang.rules.alignment.signs import Signs


def draws_read(program: Program, noise: str, report: str, signs: Signs) -> Formula:
    """How many draws of a noise that is refreshed at this report are read: at the start, and after each report. If only
    the report reads it, and a guard limits that, nobody reads the draw after the last one."""
    most, ended = limit_of(program, frozenset({report}), signs)
    readers = {gate.statement for gate in program.gates if noise in gate_noises(gate)}
    unread = ended or (not most.is_infinite and readers == {f"report {report}"})
    return least([most_made(program, frozenset({report}), signs) + 1, most if unread else most + 1], signs)


def most_made(program: Program, reports: frozenset[str], signs: Signs) -> Formula:
    """The most steps of a run in which one of these reports is made; each `is_made_when_it_fires`."""
    events = {s.name: place for place, s in enumerate(program.body) if isinstance(s, Report) and s.value is None}
    asked = [
        (gate.expression, events[gate.name])
        for gate in program.gates
        if isinstance(gate, PublicGate) and gate.name in reports & events.keys()
    ]
    by_conditions = together(program, asked, signs) if len(asked) == len(reports) else INFINITY
    return least([by_conditions, decisions_of(program, reports, signs)], signs)


def unclear_report(program: Program, reports: Iterable[str]) -> str | None:
    """One of these reports that is made in steps in which it is not true: where false is reported, noises are drawn
    anew and statistics start again too, but what counts how often the report is true leaves it out."""
    return next((name for name in sorted(reports) if not _is_made_when_it_fires(program, name)), None)


def _is_made_when_it_fires(program: Program, name: str) -> bool:
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
            return program.cell(name).operator in ("sum", "mean", "count", "argmax", "argmin")
        case MemoryValue(name):
            return all(_is_number(program, m.initial) for m in program.memories if m.name == name)
        case Reported(name):
            shown = [s.value for s in program.body if isinstance(s, Report) and s.name == name]
            return all(inner is not None and _is_number(program, inner) for inner in shown)
        case _:
            return False
