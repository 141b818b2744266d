"""Data with a density of which a program reads nothing but a step function, such as floor(16 * clip(x, 0, 1)).

`stepped(program, model, needed)` is the program with the law of such a field replaced by a table: one value for each
step, with the chance of all values on it. What the program does has the same law, as it cannot tell the values on one
step apart. Step functions are found where they are plain to see: `floor` or `ceil` of the field, of constants, and of
functions that never fall or never rise, and do neither after rounding; so they are followed by bisection of doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.step.dependencies import Needed
from seqlang.backends.solve.step.entries import model_named
from seqlang.model import expression as ir
from seqlang.model.program import Model, Program
from seqlang.operators.groups import ROUNDINGS
from seqlang.record import replace

STEPS = ROUNDINGS
RARE = 1e-18
"""A probability. What lies further out is counted to the outermost step."""
MOST = 20_000
"""Steps of one field."""


def stepped(program: Program, model: str, needed: Needed) -> Program:
    """The same program where no law is replaced."""
    found = model_named(program, model)
    fields = {i.name for i in program.inputs if i.kind != "public"} & needed.fields
    laws = tuple((name, _table(program, needed, name, law) if name in fields else law) for name, law in found.laws)
    if laws == found.laws:
        return program
    changed: Model = replace(found, laws=laws)
    return replace(program, models=tuple(changed if m is found else m for m in program.models))


def _table(program: Program, needed: Needed, field: str, law: ir.Expression) -> ir.Expression:
    """The law on one value for each step; the law itself where it has no density, or is read otherwise."""
    if not isinstance(law, ir.Law) or any(isinstance(e, READ) for e in ir.walk(law)):
        return law
    readings = [r for _, e in needed.readings for r in _readings(e, field)]
    if any(not _is_step_function(r, field) for r in readings):
        return law
    compiler = Compiler(program)
    made = compiler.constant(law)
    if made.discrete or made.joint:
        return law
    codes = [compiler.compile(r) for r in dict.fromkeys(readings)]
    state = PartialState(step_number=1, memory={})

    def level(x: float) -> tuple[Any, ...]:
        state.fields = {field: x}
        return tuple(code.run(state) for code in codes)

    try:
        pairs = tuple(_steps(made, level))
    except (EvaluationError, OverflowError):
        return law
    return law if len(pairs) > MOST else ir.Weights(pairs)


READ = (ir.Field, ir.StepNumber, ir.MemoryValue, ir.Reported, ir.Local)


def _readings(e: ir.Expression, field: str) -> Iterator[ir.Expression]:
    """The outermost step functions, where they read the field, and the field itself where it is read otherwise."""
    if isinstance(e, ir.Apply) and e.operator in STEPS:
        if any(part == ir.Field(field) for part in ir.walk(e)):
            yield e
    elif e == ir.Field(field):
        yield e
    else:
        for part in ir.children(e):
            yield from _readings(part, field)


def _is_step_function(e: ir.Expression, field: str) -> bool:
    return isinstance(e, ir.Apply) and e.operator in STEPS and _is_monotone(e, field)


def _is_monotone(e: ir.Expression, field: str) -> bool:
    """Whether it is a monotone function of the field alone, and each operation on the way too."""
    if e == ir.Field(field):
        return True
    match e:
        case ir.Apply("+" | "-" | "*" | "negate" | "min" | "max" | "floor" | "ceil", arguments):
            reads = [part for part in arguments if not _is_constant(part)]
        case ir.Apply("clip" | "/", (first, *others)) if all(map(_is_constant, others)):
            reads = [first]
        case _:
            return False
    return len(reads) == 1 and _is_monotone(reads[0], field)


def _is_constant(e: ir.Expression) -> bool:
    return all(isinstance(part, ir.Number | ir.ParameterValue | ir.Apply) for part in ir.walk(e))


def _steps(law: LawValue, level: Callable[[float], tuple[Any, ...]]) -> Iterator[tuple[ir.Expression, ir.Expression]]:
    """One value of each step, and its chance."""
    low, high = _ends(law)
    below = 0.0
    for last, after in _jumps(level, low, high):
        upto = float(law.cdf(last))
        yield _number(last), _number(max(0.0, upto - below))
        below, low = upto, after
    yield _number(low), _number(max(0.0, 1.0 - below))


def _number(value: float) -> ir.Number:
    return ir.Number(Fraction(value))


def _ends(law: LawValue) -> tuple[float, float]:
    """Numbers with next to nothing below and above them."""
    centre, width = float(law.centre()), 1.0
    while law.cdf(centre - width) > RARE or law.cdf(centre + width) < 1.0:
        width *= 2
    return centre - width, centre + width


def _jumps(level: Callable[[float], tuple[Any, ...]], low: float, high: float) -> Iterator[tuple[float, float]]:
    """(the last number before, the first number after) every jump, in order."""
    waiting = [(low, level(low), high, level(high))]
    while waiting:
        a, at_a, b, at_b = waiting.pop()
        if at_a == at_b:
            continue
        middle = a + (b - a) / 2
        if not a < middle < b:
            yield a, b
            continue
        at = level(middle)
        waiting += [(middle, at, b, at_b), (a, at_a, middle, at)]
