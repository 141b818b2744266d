"""The operators and functions of the language on known values.

Tests and `clip` are decided at the program's parameter values, so a result that went through one is right at these
values. Whatever cannot be decided or is not defined gives None.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, enclose, function, maximum, minimum, number, root
from seqlang.model.expression import COMPARISONS
from seqlang.operators.catalogue import OPERATORS, with_result
from seqlang.operators.groups import EQUALITIES, EXTREMES, SIGNS
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.numbers import ZERO
from seqlang.rules.sensitivity.facts.real_functions import real_function, value_at
from seqlang.rules.sensitivity.facts.value import LISTED, Value, all_known, equal, extreme_position, integers, whole

ELEMENTWISE = with_result("number", "fold", "vector") - {"zeros"}


def applied(facts: Definitions, operator: str, operands: tuple[Value, ...]) -> Value | None:
    """The value of an operator or function of these operands; None if it has none, or it cannot be decided."""
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


def _compared(facts: Definitions, operator: str, a: Value, b: Value) -> bool | None:
    if operator in EQUALITIES:
        same = equal(facts, a, b)
        return None if same is None else same == (operator == "==")
    if not isinstance(a, Formula) or not isinstance(b, Formula):
        return None
    relation = facts.compare(a, b)
    if relation is None:
        return None
    return {"less": -1, "equal": 0, "greater": 1}[relation] in SIGNS[operator]


def _coordinatewise(facts: Definitions, operator: str, operands: tuple[Value, ...]) -> Value | None:
    """Arithmetic meets vectors coordinate by coordinate; a number goes with every coordinate."""
    lengths = {len(operand) for operand in operands if isinstance(operand, tuple)}
    if not lengths:
        numbers = [operand for operand in operands if isinstance(operand, Formula)]
        return _scalar(facts, operator, numbers) if len(numbers) == len(operands) else None
    if len(lengths) > 1:
        return None
    rows = [operand if isinstance(operand, tuple) else (operand,) * max(lengths) for operand in operands]
    return all_known(_coordinatewise(facts, operator, column) for column in zip(*rows, strict=True))


def _scalar(facts: Definitions, operator: str, operands: list[Formula]) -> Formula | None:
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
            if not _is_power(facts, a, b):
                return None
            result = a**b
        case "%", [a, b]:
            if facts.sign(b) in (0, None):
                return None
            quotient = function("floor", a / b)
            if not _is_known(facts, quotient):
                return None
            result = a - b * quotient
        case "negate", [a]:
            result = -a
        case "clip", [a, low, high]:
            return _clipped(facts, a, low, high)
        case _, [a]:
            real = real_function(operator)
            found = None if real is None else value_at(facts, real, a)
            return found if found is None or not OPERATORS[operator].jumps or _is_known(facts, found) else None
        case _:
            return None
    return None if result.is_infinite else result


def _is_known(facts: Definitions, whole_part: Formula) -> bool:
    """Whether exact arithmetic decides which whole number it is."""
    ends = enclose(whole_part, facts.values)
    return ends.low == ends.high


def _is_power(facts: Definitions, base: Formula, exponent: Formula) -> bool:
    """Whether base ^ exponent certainly is a number: no root of a negative number, no negative power of 0."""
    signs = facts.sign(base), facts.sign(exponent)
    if signs[0] == 1 or (signs[0] == 0 and signs[1] in (0, 1)):
        return True
    return whole(facts, exponent) is not None and (signs[0] == -1 or signs[1] in (0, 1))


def _clipped(facts: Definitions, value: Formula, low: Formula, high: Formula) -> Formula | None:
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


def _over_elements(facts: Definitions, operator: str, operands: tuple[Value, ...]) -> Value | None:
    if operator in EXTREMES and len(operands) > 1:
        numbers = [operand for operand in operands if isinstance(operand, Formula)]
        if len(numbers) != len(operands):
            return None
        return maximum(*numbers) if operator == "max" else minimum(*numbers)
    match operator:
        case "norm" | "dot" | "project" | "clip_norm":
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
    if operator == "sort":
        return _in_order(facts, elements)
    if not elements:
        return None
    match operator:
        case "mean":
            return sum(elements, start=ZERO) / len(elements)
        case "max":
            return maximum(*elements)
        case "min":
            return minimum(*elements)
    position = extreme_position(facts, operator, vector)
    return None if position is None else number(position + 1)


def _in_order(facts: Definitions, elements: list[Formula]) -> Value | None:
    """The numbers from the smallest to the largest; None where it is not known of two which is smaller."""
    left, found = list(elements), list[Formula]()
    while left:
        position = extreme_position(facts, "argmin", tuple(left))
        if position is None:
            return None
        found.append(left.pop(position))
    return tuple(found)


def _geometry(facts: Definitions, operator: str, operands: tuple[Value, ...]) -> Value | None:
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
    if relation != "greater" or facts.sign(length) == 0:
        return vector
    return _coordinatewise(facts, "*", (vector, radius / length))
