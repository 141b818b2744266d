"""The named statistics of a program and how they move between neighbours, for the report."""

from __future__ import annotations

from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Local
from seqlang.model.program import Define, Program
from seqlang.record import record
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.shift import Kind, Shift
from seqlang.rules.sensitivity.motion.shifts import shift_of

WORDS: dict[Kind, str] = {
    "none": "does not move",
    "uniform": "uniform",
    "single step": "single step",
    "window": "window",
    "same sign, not growing": "same sign, not growing",
    "same sign, not shrinking": "same sign, not shrinking",
    "arbitrary": "arbitrary",
    "same direction": "same direction",
    "unbounded": "unbounded",
}


@record
class StatisticShift:
    """One statistic: `symbolic` is its sensitivity over the parameters, `value` the same as a float, rounded up (inf if
    unbounded), `words` what kind of shift it is."""

    name: str
    shift: Shift
    symbolic: str
    value: float
    words: str


def statistics(program: Program) -> tuple[StatisticShift, ...]:
    """All named statistics, in file order."""
    names = (s.name for s in program.body if isinstance(s, Define) and s.kind == "statistic")
    return tuple(_statistic(program, name) for name in names)


def _statistic(program: Program, name: str) -> StatisticShift:
    shift = shift_of(program, Local(name))
    value = enclose(shift.radius, parameter_values(program)).high
    return StatisticShift(name, shift, str(shift.radius), value, WORDS[shift.kind])
