"""Tests and roundings that doubles decide as exact arithmetic does, because nothing that they read was rounded.

A number p / 2^q with |p| <= 2^17 and q <= 4 is a double, and so is a sum of a few of them, and a product of two such
sums: doubles add, subtract and multiply without rounding where the result is a double. What is divided, or computed by
a function such as exp, is rounded, and a test of it may go either way.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import (
    COMPARISONS,
    LOGIC,
    Apply,
    Bound,
    CellValue,
    Choice,
    Expression,
    Field,
    Index,
    Label,
    Number,
    ParameterValue,
    Quantified,
    Sequence,
    StepNumber,
    Truth,
    children,
    walk,
)
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.evaluate import evaluate
from seqlang.rules.sensitivity.facts.jumps import JUMPS
from seqlang.rules.sensitivity.facts.value import Value

LARGEST, FINEST = 1 << 17, 16
_EXACT = COMPARISONS | LOGIC | {
    "+", "-", "*", "negate", "abs", "min", "max", "clip", "floor", "ceil", "round", "%", "sum", "count", "length",
    "zeros", "sort", "..", "argmax", "argmin",
}  # fmt: skip
_CHOOSING = JUMPS | {"round", "argmax", "argmin"}


def are_small(values: Iterable[Value]) -> bool:
    """Whether all numbers, also those in vectors, are such fractions."""
    return all(
        are_small(value)
        if isinstance(value, tuple)
        else isinstance(value, bool | str) or _is_small(exact_value(value, {}))
        for value in values
    )


def has_open_choice(facts: Definitions, e: Expression, leaves: bool) -> bool:
    """Whether a test, a rounding or a place in a list depends on a number that doubles may round. `leaves`: fields,
    cells and the step are small fractions, computed without rounding."""
    return any(not all(is_computed_exactly(facts, part, leaves) for part in _decisive(node)) for node in walk(e))


def is_computed_exactly(facts: Definitions, e: Expression, leaves: bool, products: int = 1) -> bool:
    """Whether doubles find the very value of the expression; `products` are multiplied inside one another at most."""
    match e:
        case Number() | ParameterValue():
            return _is_known(facts, e)
        case Field() | CellValue() | StepNumber():
            return leaves
        case Bound() | Truth() | Label():
            return True
        case Apply("/", (above, below)):  # by a power of two: below and 1/below are such fractions
            halved = _is_known(facts, Apply("/", (Number(Fraction(1)), below)))
            return halved and all(is_computed_exactly(facts, part, leaves, products) for part in (above, below))
        case Quantified(operator) if operator == "mean":
            return False
        case Apply("*"):
            return products > 0 and all(is_computed_exactly(facts, part, leaves, products - 1) for part in children(e))
        case Apply(operator) if operator not in _EXACT:
            return False
        case Apply() | Choice() | Index() | Sequence() | Quantified():
            return all(is_computed_exactly(facts, part, leaves, products) for part in children(e))
    return False


def _decisive(node: Expression) -> tuple[Expression, ...]:
    """The parts of which the least change may change the value by a jump."""
    match node:
        case Apply(operator, arguments) if operator in _CHOOSING:
            return arguments
        case Index(_, at):
            return (at,)
        case Quantified(operator, body) if operator in ("argmax", "argmin"):
            return (body,)
    return ()


def _is_known(facts: Definitions, e: Expression) -> bool:
    value = evaluate(facts, e)
    return isinstance(value, Formula) and _is_small(exact_value(value, facts.values))


def _is_small(value: Fraction | None) -> bool:
    return value is not None and abs(value.numerator) <= LARGEST and FINEST % value.denominator == 0
