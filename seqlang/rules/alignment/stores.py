"""Noisy values that are kept: `statistic x = if step == 1 then g else previous(x, 0)`, or the largest noisy entry.

A stored value is made of noisy readings g_t of one statistic in the steps t of a public schedule, or in which a public
condition holds: the latest of them, the largest, the smallest, their mean or their sum. Whatever is stored first is
read in no step before that, so what `previous` starts from is never read.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import number
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Expression,
    Local,
    MemoryValue,
    Noised,
    Number,
    Reported,
    StepNumber,
)
from seqlang.model.junctions import conjuncts
from seqlang.model.program import AllSteps, Cell, Define, Previous, Program, Update
from seqlang.record import record
from seqlang.rules.reading.guards import most_steps_with, steps_where
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.steps import comparisons
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values

Kind = Literal["latest", "max", "min", "mean", "sum"]


@record
class Store:
    """`expression` as comparisons read it; `sample`: the noisy reading; `when` it is stored. `steps`: those in which it
    is, None where a report decides that; `count`: how many these are (at most), in the parameters where that is
    known."""

    expression: Expression
    kind: Kind
    sample: Noised
    when: Expression
    steps: tuple[int, ...] | None
    count: Expression


def store_of(program: Program, expression: Expression, signs: Signs) -> Store | None:
    """The stored value that the expression reads; None if it is none of these forms."""
    found = _form(program, expression)
    if found is None:
        return None
    kind, sample, when = found
    if when is None:
        return None
    steps = steps_where(program, when, signs)
    if steps is None:
        most = exact_value(most_steps_with(program, when, 0, signs), signs.values) if _is_of_reports(when) else None
        return None if most is None else Store(expression, kind, sample, when, None, Number(most))
    if not steps:
        return None
    count = _count(program, when, steps, signs)
    return Store(expression, kind if len(steps) > 1 else "latest", sample, when, steps, count)


def _is_of_reports(when: Expression) -> bool:
    """It names reports that are made in this step, and nothing else."""
    return all(isinstance(part, Reported) for part in conjuncts(when))


def is_stored_before(program: Program, store: Store, guard: Expression | None, first: int) -> bool:
    """Something is stored by the time at which this guard holds, `first` at the earliest: it is a step after the first
    of the schedule; or memory has another value than at the start, and its update has what is stored as a condition."""
    if store.steps is not None:
        return first >= store.steps[0]
    updates = {s.memory: s for s in program.body if isinstance(s, Update)}
    initial = {memory.name: memory.initial for memory in program.memories}
    for part in conjuncts(guard):
        match part:
            case Apply("==", (MemoryValue(name), value) | (value, MemoryValue(name))) if name in updates:
                needed = frozenset(conjuncts(updates[name].when))
                if _differ(program, value, initial[name]) and needed >= frozenset(conjuncts(store.when)):
                    return True
            case _:
                pass
    return False


def _differ(program: Program, a: Expression, b: Expression) -> bool:
    """Two constants, also as floats."""
    formulas = formula_of(program, a), formula_of(program, b)
    known = [None if f is None else exact_value(f, parameter_values(program)) for f in formulas]
    return known[0] is not None and known[1] is not None and float(known[0]) != float(known[1])


def _count(program: Program, when: Expression, steps: tuple[int, ...], signs: Signs) -> Expression:
    """The bound k of `step <= k` where all steps up to it are meant; else a number."""
    size = number(len(steps))
    for left, _, right in comparisons(when, "and") if len(steps) > 1 else ():
        bound = formula_of(program, right) if isinstance(left, StepNumber) else None
        if bound is not None and signs.equal(bound, size):
            return right
    return Number(Fraction(len(steps)))


def _form(program: Program, expression: Expression) -> tuple[Kind, Noised, Expression | None] | None:
    """How the value is made, of what, and the condition under which it is stored."""
    match expression:
        case CellValue(name, ()):
            return _folded(program.cell(name))
        case Local(name):
            define = next((s for s in program.body if isinstance(s, Define) and s.name == name), None)
            match None if define is None else define.expression:
                case Choice(when, Noised() as sample, CellValue(cell, ())) if _is_previous(program.cell(cell), name):
                    return "latest", sample, when
                case (Local() | CellValue()) as inner:
                    return _form(program, inner)
    return None


def _folded(cell: Cell) -> tuple[Kind, Noised, Expression | None] | None:
    match cell:
        case Cell(operator=("max" | "min" | "mean" | "sum") as kind, body=Noised() as sample, keep=AllSteps()):
            return None if cell.binders else (kind, sample, cell.where)
    return None


def _is_previous(cell: Cell, name: str) -> bool:
    """It holds the value that this statistic had one step ago."""
    return isinstance(cell.keep, Previous) and cell.body == Local(name) and cell.where is None and not cell.binders
