"""The operators and functions of the language on values; one Python function for each of `expression.OPERATORS`.

`and`, `or` and the comparison chain's laziness live in `compiled.py`; here everything is already evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import mul

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
from seqlang.backends.interpret.zeta import zeta
from seqlang.source import Span

INFINITY = math.inf
EXACT_BITS = 1024  # whole powers above this size are rounded to a float: nobody waits for 9^9^9


def _divide(a: Value, b: Value) -> float:
    try:
        return float(a / b)
    except ZeroDivisionError:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(INFINITY, a) * math.copysign(1.0, b)
    except OverflowError:
        return INFINITY if (a > 0) == (b > 0) else -INFINITY


def _remainder(a: Value, b: Value) -> Value:
    """The remainder with the sign of the divisor, so that `step % m` counts 0..m-1."""
    return a % b if b != 0 and abs(a) != INFINITY else math.nan


def _power(a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int) and b >= 0 and a.bit_length() * b <= EXACT_BITS:
        return a**b
    try:
        return math.pow(a, b)
    except OverflowError:
        odd = b == int(b) and int(b) % 2 == 1
        return -INFINITY if a < 0 and odd else INFINITY
    except ValueError:
        return INFINITY if a == 0 else math.nan  # 0 to a negative power, or a root of a negative number


def _log(a: Value) -> float:
    if a > 0:
        return math.log(a)
    return -INFINITY if a == 0 else math.nan


def _log2(a: Value) -> float:
    if a > 0:
        return math.log2(a)
    return -INFINITY if a == 0 else math.nan


def _exp(a: Value) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return INFINITY


def _sqrt(a: Value) -> float:
    return math.sqrt(a) if a >= 0 else math.nan


def _floor(a: Value) -> Value:
    return math.floor(a) if math.isfinite(a) else a


def _ceil(a: Value) -> Value:
    return math.ceil(a) if math.isfinite(a) else a


SCALAR: dict[str, Callable[[Value], Value]] = {
    "negate": lambda a: -a,
    "log": _log,
    "log2": _log2,
    "exp": _exp,
    "sqrt": _sqrt,
    "abs": abs,
    "floor": _floor,
    "ceil": _ceil,
    "zeta": zeta,
}
"""Functions of one number; on a vector they act on every coordinate."""

PAIR: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": _remainder,
    "^": _power,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
}
"""Operators on two numbers; a vector is met coordinate by coordinate."""


def _equal(a: Value, b: Value) -> bool:
    return bool(tuple(a) == tuple(b)) if is_vector(a) and is_vector(b) else bool(a == b)


def _norm(v: Value) -> float:
    return math.hypot(*numbers_in(v))


def _dot(a: Value, b: Value) -> float:
    if shape_of(a) != shape_of(b):
        raise EvaluationError(f"dot needs vectors of one length, these have {shape_of(a)} and {shape_of(b)}")
    if is_vector(a) and is_flat(a):  # the common case: gradients of thousands of records
        return math.fsum(map(mul, a, b))
    return math.fsum(x * y for x, y in zip(numbers_in(a), numbers_in(b), strict=True))


def _clip(v: Value, low: Value, high: Value) -> Value:
    return pairwise(min, pairwise(max, v, low), high)


def _project(v: Value, radius: Value) -> Value:
    """The nearest point of the l2 ball: Euclidean projection."""
    size = _norm(v)
    return v if size <= radius else each(lambda x: x * (radius / size), v)


def _elements(arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """The numbers that a fold runs over: a vector's elements, or the arguments themselves."""
    return tuple(arguments[0]) if len(arguments) == 1 and is_vector(arguments[0]) else arguments


def _extreme(choose: Callable[..., Value], arguments: tuple[Value, ...]) -> Value:
    elements = _elements(arguments)
    if not elements:
        raise EvaluationError("there is no largest or smallest element of an empty list")
    if len(arguments) > 1 and any(is_vector(a) for a in arguments):
        result = arguments[0]
        for other in arguments[1:]:
            result = pairwise(choose, result, other)
        return result
    return choose(elements)


def total(elements: tuple[Value, ...]) -> Value:
    """Sum from left to right: whole numbers stay exact, vectors are added coordinate by coordinate."""
    result: Value = 0
    if elements and is_vector(elements[0]):  # all of them are, or none
        for element in elements:
            result = pairwise(PAIR["+"], result, element)
        return result
    for element in elements:
        result = result + element
    return result


def _sum(*arguments: Value) -> Value:
    return total(_elements(arguments))


def _mean(*arguments: Value) -> Value:
    elements = _elements(arguments)
    if not elements:
        raise EvaluationError("there is no mean of an empty list")
    return each(lambda x: x / len(elements), total(elements))


def _count(*arguments: Value) -> int:
    return sum(1 for x in _elements(arguments) if x)


def _position(best: Callable[..., Value], v: Value) -> int:
    if not len(v):
        raise EvaluationError("there is no largest or smallest element of an empty list")
    items = tuple(v)
    return items.index(best(items)) + 1


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
    "length": len,
    "max": lambda *a: _extreme(max, a),
    "min": lambda *a: _extreme(min, a),
    "sum": _sum,
    "mean": _mean,
    "count": _count,
    "argmax": lambda v: _position(max, v),
    "argmin": lambda v: _position(min, v),
    "..": lambda low, high: range(as_index(low), as_index(high) + 1),
}


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
