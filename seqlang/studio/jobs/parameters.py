"""The parameters of a program as a page offers them: how far a slider goes, and on which scale."""

from __future__ import annotations

import math
from typing import Any

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import EvaluationError
from seqlang.model.domain import Finite, Integers, Interval
from seqlang.model.expression import Expression
from seqlang.model.program import Parameter, Program

DECADES = 100.0
"""How many times more or less than its value an unbounded positive parameter may be on its slider."""
INWARD = 0.005
"""Of the slider's length: so far inside of an end that is not in the domain it ends."""
SPAN = 10.0
"""An unbounded parameter of either sign goes so many times its size, or its size plus one, both ways."""


def parameters_of(program: Program) -> list[dict[str, Any]]:
    """`name`, `value`, `low`, `high` of the slider, `whole`, `log` (whether its scale is logarithmic), `choices` (of a
    listed domain, else none)."""
    compiler = Compiler(program)
    return [_one(parameter, compiler) for parameter in program.parameters]


def _one(parameter: Parameter, compiler: Compiler) -> dict[str, Any]:
    value, domain = float(parameter.default), parameter.domain
    low = high = None
    whole, choices = isinstance(domain, Integers), []
    if isinstance(domain, Interval | Integers):
        low, high = _end(domain.low, compiler), _end(domain.high, compiler)
    elif isinstance(domain, Finite):
        choices = sorted(x for x in (_end(v, compiler) for v in domain.values) if x is not None)
    least, most, log = _range(value, low, high)
    if isinstance(domain, Interval):
        inward = (most - least) * INWARD
        least += inward if domain.low_open and least == low else 0
        most -= inward if domain.high_open and most == high else 0
    if whole:
        least, most, log = math.floor(least), max(math.ceil(most), math.floor(least) + 1), False
    return {
        "name": parameter.name, "value": float(parameter.value), "default": value, "low": least, "high": most,
        "whole": whole, "log": log, "choices": choices,
    }  # fmt: skip


def _range(value: float, low: float | None, high: float | None) -> tuple[float, float, bool]:
    """Where both ends are known, and lie within two decades, the scale is even."""
    if low is not None and low >= 0 and value > 0:
        if high is not None and high <= value * DECADES and (low == 0 or high / low < DECADES):
            return low, high, False
        return max(low, value / DECADES), min(math.inf if high is None else high, value * DECADES), True
    reach = SPAN * abs(value) or SPAN
    return (value - reach if low is None else low), (value + reach if high is None else high), False


def _end(end: Expression | None, compiler: Compiler) -> float | None:
    if end is None:
        return None
    try:
        found = float(compiler.constant(end))
    except (EvaluationError, TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None
