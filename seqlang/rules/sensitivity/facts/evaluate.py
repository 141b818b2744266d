"""Exact symbolic values: what an expression is worth when its leaves are assigned, as formulas over the parameters.

Tests (`if`, comparisons, `clip`) are decided at the program's parameter values, so a result that went through one is
right at these values. Whatever cannot be decided or is not defined gives None: the caller then knows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, function, maximum, minimum, number, root, symbol
from seqlang.model.expression import (
    COMPARISONS,
    Apply,
    Bound,
    Choice,
    Density,
    Drawn,
    Expression,
    Field,
    Index,
    Label,
    Local,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    Records,
    Sequence,
    Truth,
)
from seqlang.operators.catalogue import with_result
from seqlang.rules.sensitivity.facts.facts import LISTED, ONE, ZERO, Facts
from seqlang.rules.sensitivity.facts.real_functions import real_function, value_at

Value = Formula | bool | str | tuple[Any, ...]
Assignment = Mapping[Expression, Value]
ASSIGNED = (Field, Drawn, Bound, Noised)  # the leaves that an assignment may speak of
NOTHING: Assignment = {}


def evaluate(facts: Facts, expression: Expression, given: Assignment = NOTHING) -> Value | None:
    """The value of a constant expression, or of one whose leaves are all in `given`; None if unknown or undefined."""
    if given and isinstance(expression, ASSIGNED) and expression in given:
        return given[expression]
    match expression:
        case Number(value):
            return number(value)
        case Truth(value):
            return value
        case Label(name):
            return name
        case ParameterValue(name):
            return symbol(name) if name in facts.values else None
        case Local(name):
            define = facts.defines.get(name)
            return None if define is None else evaluate(facts, define.expression, given)
        case Choice(test, yes, no):
            holds = evaluate(facts, test, given)
            return evaluate(facts, yes if holds else no, given) if isinstance(holds, bool) else None
        case Index(base, at):
            return _element(facts, evaluate(facts, base, given), evaluate(facts, at, given))
        case Sequence(kind, items):
            values = _all(evaluate(facts, item, given) for item in items)
            return values if values is None or kind == "list" else _distinct(facts, values)
        case Records():
            size = facts.program.size
            return None if size is None or facts.resized else integers(facts, ONE, evaluate(facts, size, given))
        case Quantified():
            return _quantified(facts, expression, given)
        case Density(method, law, at):
            from seqlang.rules.sensitivity.facts.likelihood import density

            return density(facts, method, law, at, given)
        case Apply(operator, arguments):
            if operator in ("and", "or"):
                return _logic(facts, operator, arguments, given)
            operands = _all(evaluate(facts, argument, given) for argument in arguments)
            return None if operands is None else _applied(facts, operator, operands)
    return None


def evaluate_number(facts: Facts, expression: Expression, given: Assignment = NOTHING) -> Formula | None:
    """The same for a number; truth values count as 1 and 0; None also for what has no finite value."""
    return as_number(evaluate(facts, expression, given))


def as_number(value: Value | None) -> Formula | None:
    if isinstance(value, bool):
        return ONE if value else ZERO
    return value if isinstance(value, Formula) and not value.is_infinite else None


def integers(facts: Facts, low: Value | None, high: Value | None) -> tuple[Value, ...] | None:
    """The whole numbers low..high, if both ends are known and there are not too many."""
    first, last = whole(facts, low), whole(facts, high)
    if first is None or last is None or last - first >= LISTED:
        return None
    return _whole_numbers(first, last)


@lru_cache(maxsize=64)
def _whole_numbers(first: int, last: int) -> tuple[Value, ...]:
    return tuple(number(i) for i in range(first, last + 1))


def whole(facts: Facts, value: Value | None) -> int | None:
    """The whole number that a formula is at the parameter values."""
    if not isinstance(value, Formula) or value.is_infinite:
        return None
    exact = exact_value(value, facts.values)
    return exact.numerator if exact is not None and exact.denominator == 1 else None


def _all(values: Iterator[Value | None]) -> tuple[Value, ...] | None:
    collected: list[Value] = []
    for value in values:
        if value is None:
            return None
        collected.append(value)
    return tuple(collected)


def _element(facts: Facts, base: Value | None, at: Value | None) -> Value | None:
    position = whole(facts, at)
    if not isinstance(base, tuple) or position is None or not 1 <= position <= len(base):
        return None
    element: Value = base[position - 1]
    return element


def _distinct(facts: Facts, values: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """The elements of a set, each once."""
    kept: list[Value] = []
    for value in values:
        seen = [_equal(facts, value, other) for other in kept]
        if None in seen:
            return None
        if not any(seen):
            kept.append(value)
    return tuple(kept)


def _equal(facts: Facts, a: Value, b: Value) -> bool | None:
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return False
        parts = [_equal(facts, x, y) for x, y in zip(a, b, strict=True)]
        return False if False in parts else None if None in parts else True
    if isinstance(a, Formula) and isinstance(b, Formula):
        relation = facts.compare(a, b)
        return None if relation is None else relation == "equal"
    return a == b if type(a) is type(b) else None


def _logic(facts: Facts, operator: str, arguments: tuple[Expression, ...], given: Assignment) -> bool | None:
    """From left to right, the rest is not looked at once it is decided."""
    for argument in arguments:
        value = evaluate(facts, argument, given)
        if not isinstance(value, bool):
            return None
        if value == (operator == "or"):
            return value
    return operator == "and"


def _quantified(facts: Facts, expression: Quantified, given: Assignment) -> Value | None:
    domain = evaluate(facts, expression.domain, given)
    if not isinstance(domain, tuple) or len(domain) > LISTED:
        return None
    collected: list[Value] = []
    kept: list[Value] = []
    for element in domain:
        inner = {**given, Bound(expression.variable): element}
        if expression.where is not None:
            holds = evaluate(facts, expression.where, inner)
            if not isinstance(holds, bool):
                return None
            if not holds:
                continue
        value = evaluate(facts, expression.body, inner)
        if value is None:
            return None
        collected.append(value)
        kept.append(element)
    return _folded(facts, expression.operator, tuple(collected), tuple(kept))


def _folded(facts: Facts, operator: str, values: tuple[Value, ...], elements: tuple[Value, ...]) -> Value | None:
    match operator:
        case "list":
            return values
        case "set":
            return _distinct(facts, values)
        case "argmax" | "argmin":
            position = _position(facts, operator, values)
            return None if position is None else elements[position]
    return _applied(facts, operator, (values,))


def _position(facts: Facts, operator: str, values: tuple[Value, ...]) -> int | None:
    best: int | None = None
    for i, value in enumerate(values):
        if best is None:
            best = i
            continue
        current = values[best]
        if not isinstance(value, Formula) or not isinstance(current, Formula):
            return None
        relation = facts.compare(value, current)
        if relation is None:
            return None
        if relation == ("greater" if operator == "argmax" else "less"):
            best = i
    return best


ELEMENTWISE = with_result("number", "fold", "vector") - {"zeros"}


def _applied(facts: Facts, operator: str, operands: tuple[Value, ...]) -> Value | None:
    if operator == "not":
        return not operands[0] if isinstance(operands[0], bool) else None
    if operator in COMPARISONS:
        return _compared(facts, operator, operands[0], operands[1])
    if operator in ELEMENTWISE:
        return _over_elements(facts, operator, operands)
    if operator == "..":
        return integers(facts, operands[0], operands[1])
    if operator == "zeros":
        size = whole(facts, operands[0])
        return None if size is None or not 0 <= size <= LISTED else (ZERO,) * size
    return _coordinatewise(facts, operator, operands)


def _compared(facts: Facts, operator: str, a: Value, b: Value) -> bool | None:
    if operator in ("==", "!="):
        equal = _equal(facts, a, b)
        return None if equal is None else equal == (operator == "==")
    if not isinstance(a, Formula) or not isinstance(b, Formula):
        return None
    relation = facts.compare(a, b)
    if relation is None:
        return None
    return (
        relation
        in {
            ">=": ("greater", "equal"),
            ">": ("greater",),
            "<=": ("less", "equal"),
            "<": ("less",),
        }[operator]
    )


def _coordinatewise(facts: Facts, operator: str, operands: tuple[Value, ...]) -> Value | None:
    """Arithmetic meets vectors coordinate by coordinate; a number goes with every coordinate."""
    lengths = {len(operand) for operand in operands if isinstance(operand, tuple)}
    if not lengths:
        numbers = [operand for operand in operands if isinstance(operand, Formula)]
        return _scalar(facts, operator, numbers) if len(numbers) == len(operands) else None
    if len(lengths) > 1:
        return None
    rows = [operand if isinstance(operand, tuple) else (operand,) * max(lengths) for operand in operands]
    return _all(_coordinatewise(facts, operator, column) for column in zip(*rows, strict=True))


def _scalar(facts: Facts, operator: str, operands: list[Formula]) -> Formula | None:
    result: Formula
    match operator, operands:
        case "+", [a, b]:
            result = a + b
        case "-", [a, b]:
            result = a - b
        case "*", [a, b]:
            result = a * b
        case "/", [a, b]:
            if facts.sign(b) in (0, None):
                return None
            result = a / b
        case "^", [a, b]:
            result = a**b
        case "%", [a, b]:
            if facts.sign(b) in (0, None):
                return None
            result = a - b * function("floor", a / b)
        case "negate", [a]:
            result = -a
        case "clip", [a, low, high]:
            return _clipped(facts, a, low, high)
        case _, [a]:
            real = real_function(operator)
            return None if real is None else value_at(facts, real, a)
        case _:
            return None
    return None if result.is_infinite else result


def _clipped(facts: Facts, value: Formula, low: Formula, high: Formula) -> Formula | None:
    """The branch that holds at the parameter values: shorter, and easier to compare, than max(min(..))."""
    if not facts.at_most(low, high):
        return None
    if facts.at_most(value, low):
        return low
    if facts.at_most(high, value):
        return high
    if facts.at_most(low, value) and facts.at_most(value, high):
        return value
    return maximum(low, minimum(high, value))


def _over_elements(facts: Facts, operator: str, operands: tuple[Value, ...]) -> Value | None:
    if operator in ("max", "min") and len(operands) > 1:
        numbers = [operand for operand in operands if isinstance(operand, Formula)]
        if len(numbers) != len(operands):
            return None
        return maximum(*numbers) if operator == "max" else minimum(*numbers)
    if operator in ("norm", "dot", "project", "clip_norm"):
        return _geometry(facts, operator, operands)
    (vector,) = operands
    if not isinstance(vector, tuple):
        return None
    if operator == "length":
        return number(len(vector))
    if operator == "count":
        return number(sum(1 for v in vector if v)) if all(isinstance(v, bool) for v in vector) else None
    elements = [v for v in vector if isinstance(v, Formula)]
    if len(elements) != len(vector):
        return None
    if operator == "sum":
        return sum(elements, start=ZERO)
    if not elements:
        return None
    match operator:
        case "mean":
            return sum(elements, start=ZERO) / len(elements)
        case "max":
            return maximum(*elements)
        case "min":
            return minimum(*elements)
    position = _position(facts, operator, vector)
    return None if position is None else number(position + 1)


def _geometry(facts: Facts, operator: str, operands: tuple[Value, ...]) -> Value | None:
    vector = operands[0]
    if not isinstance(vector, tuple):
        return None
    if operator == "dot":
        products = _coordinatewise(facts, "*", (vector, operands[1]))
        return _over_elements(facts, "sum", (products,)) if isinstance(products, tuple) else None
    squares = _coordinatewise(facts, "*", (vector, vector))
    square = _over_elements(facts, "sum", (squares,)) if isinstance(squares, tuple) else None
    if not isinstance(square, Formula):
        return None
    length = root(square)
    if operator == "norm":
        return length
    radius = operands[1]
    if not isinstance(radius, Formula):
        return None
    relation = facts.compare(length, radius)
    if relation is None:
        return None
    return vector if relation != "greater" else _coordinatewise(facts, "*", (vector, radius / length))
