"""The operators and functions of the language on values: those of numbers from the catalogue, those of vectors here.

`and`, `or` and the comparison chain's laziness live in `compiled.py`; here everything is already evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add, mul
from typing import Any

from seqlang.backends.interpret.values import (
    EvaluationError,
    Value,
    as_index,
    describe,
    each,
    is_flat,
    is_vector,
    numbers_in,
    pairwise,
    shape_of,
)
from seqlang.operators.catalogue import in_group, numerics
from seqlang.source import Span


def _equal(a: Value, b: Value) -> bool:
    return bool(tuple(a) == tuple(b)) if is_vector(a) and is_vector(b) else bool(a == b)


def _norm(v: Value) -> float:
    return math.hypot(*numbers_in(v))


def _dot(a: Value, b: Value) -> Value:
    if shape_of(a) != shape_of(b):
        raise EvaluationError(f"dot needs vectors of one length, these have {shape_of(a)} and {shape_of(b)}")
    if is_vector(a) and is_flat(a):  # the common case: gradients of thousands of records
        return _summed(map(mul, a, b))
    return _summed(x * y for x, y in zip(numbers_in(a), numbers_in(b), strict=True))


def _summed(products: Iterable[Any]) -> Any:
    """Their sum: exact without floats, else rounded once; no number where an infinite one meets its opposite, which
    `fsum` refuses."""
    values = list(products)
    try:
        return math.fsum(values) if any(isinstance(x, float) for x in values) else sum(values)
    except ValueError:
        return math.nan


def _clip(v: Value, low: Value, high: Value) -> Value:
    return pairwise(min, pairwise(max, v, low), high)


def _project(v: Value, radius: Value) -> Value:
    """The nearest point of the l2 ball: Euclidean projection. A negative radius turns round what has a direction."""
    size = _norm(v)
    return v if size <= radius or size == 0 else each(lambda x: x * (radius / size), v)


EXTREMES: dict[str, Callable[..., Value]] = {"max": max, "min": min}


def _fold(operator: str, arguments: tuple[Value, ...]) -> Value:
    """Over a vector's elements, or several numbers; vectors beside each other are met coordinate by coordinate."""
    if len(arguments) > 1 and any(is_vector(a) for a in arguments):
        return reduce(lambda a, b: pairwise(EXTREMES[operator], a, b), arguments)
    values = tuple(arguments[0]) if len(arguments) == 1 and is_vector(arguments[0]) else arguments
    return folded(operator, values, range(1, len(values) + 1))


def folded(operator: str, values: tuple[Value, ...], elements: Sequence[Value]) -> Value:
    """The fold of the values; `argmax` and `argmin` give the element that belongs to the first of the best."""
    match operator:
        case "sum":
            return total(values)
        case "count":
            return sum(1 for v in values if v)
    if not values:
        raise EvaluationError(f"there is no {operator} of nothing")
    match operator:
        case "mean":
            return each(lambda x: x / len(values), total(values))
        case "max" | "min":
            return EXTREMES[operator](values)
        case _:
            return elements[values.index(EXTREMES[operator[3:]](values))]


def total(elements: tuple[Value, ...]) -> Value:
    """Sum from left to right: whole numbers stay exact, vectors are added coordinate by coordinate."""
    result: Value = 0
    if elements and is_vector(elements[0]):  # all of them are, or none
        if is_flat(elements[0]) and len(set(map(len, elements))) == 1:
            return tuple(reduce(add, column, 0) for column in zip(*elements, strict=True))
        for element in elements:
            result = pairwise(PAIR["+"], result, element)
        return result
    for element in elements:
        mixed = isinstance(element, tuple | range) or isinstance(
            result, tuple
        )  # bounds of errors hold 0 beside vectors
        result = pairwise(PAIR["+"], result, element) if mixed else result + element
    return result


OTHER: dict[str, Callable[..., Value]] = {
    "==": _equal,
    "!=": lambda a, b: not _equal(a, b),
    "not": lambda a: not a,
    "norm": _norm,
    "dot": _dot,
    "clip": _clip,
    "project": _project,
    "clip_norm": _project,
    "zeros": lambda d: (0.0,) * as_index(d),
    "sort": lambda v: tuple(sorted(v)),
    "length": len,
    **{name: (lambda *a, name=name: _fold(name, a)) for name in in_group("fold")},
    "..": lambda low, high: range(as_index(low), as_index(high) + 1),
}
"""What is no function of numbers one by one."""

SCALAR = {name: numeric.scalar for name, numeric in numerics(1).items()}
"""Functions of one number; on a vector they act on every coordinate."""
PAIR = {name: numeric.scalar for name, numeric in numerics(2).items() if name not in OTHER}
"""Operators on two numbers; a vector is met coordinate by coordinate."""


def apply(operator: str, arguments: tuple[Value, ...], span: Span) -> Value:
    """The value of `operator` on the arguments. Raises EvaluationError where there is none (0/0, the root of -1)."""
    try:
        if operator in PAIR:
            result = pairwise(PAIR[operator], arguments[0], arguments[1], span)
        elif operator in SCALAR:
            result = each(SCALAR[operator], arguments[0])
        else:
            result = OTHER[operator](*arguments)
    except EvaluationError as error:
        if error.diagnostics[0].primary is not None:
            raise
        raise EvaluationError(error.diagnostics[0].message, span) from None
    except (OverflowError, MemoryError):
        raise EvaluationError(f"`{operator}` is too large here", span) from None
    if type(result) is float:
        if result != result:
            raise _no_number(operator, arguments, span)
    elif type(result) is tuple and any(x != x for x in numbers_in(result)):
        raise _no_number(operator, arguments, span)
    return result


def _no_number(operator: str, arguments: tuple[Value, ...], span: Span) -> EvaluationError:
    shown = ", ".join(describe(a) for a in arguments)
    name = "-" if operator == "negate" else operator
    return EvaluationError(f"`{name}` of {shown} is not a number", span)
