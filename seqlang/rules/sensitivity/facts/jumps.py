"""Tests and roundings of constants that doubles may decide otherwise than exact arithmetic.

exp(log(3)) is 3, and 3.0000000000000004 in doubles: its ceiling is 4 in every run. Constants that are computed from
rational numbers alone are computed as such (`model/constants.py`, `exactly`), a root, logarithm or exponential that is
rational of a rational number too (log2(8), sqrt(4), exp(0)). Anything else may be off by a rounding, and where that
decides a test, a floor, a ceiling or a remainder, nothing is known of it.
"""

from __future__ import annotations

from collections.abc import Callable

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model.expression import COMPARISONS, Apply, Expression, Local, children
from seqlang.operators.catalogue import OPERATORS
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.value import Value

COMPUTED = frozenset(name for name, entry in OPERATORS.items() if not entry.rational)
JUMPS = COMPARISONS | {"floor", "ceil", "%"}
SLACK = 2.0**-20
"""Doubles lose less than this, relatively."""


def is_open(
    facts: Definitions, operator: str, arguments: tuple[Expression, ...], operands: tuple[Value, ...],
    value_of: Callable[[Expression], Value | None],
) -> bool:  # fmt: skip
    """Whether runs may find another value for the operator, which jumps, than exact arithmetic does. `value_of`: the
    exact value of an argument, or of a part of it."""
    if operator not in JUMPS or not any(_is_rounded(facts, argument, value_of) for argument in arguments):
        return False
    numbers = [operand for operand in operands if isinstance(operand, Formula)]
    if len(numbers) < len(operands):
        return True
    if operator in COMPARISONS:
        return _is_near(facts, numbers[0] - numbers[1], numbers[0], whole=False)
    ratio = numbers[0] / numbers[1] if operator == "%" else numbers[0]
    return _is_near(facts, ratio, ratio, whole=True)


def _is_near(facts: Definitions, apart: Formula, size: Formula, whole: bool) -> bool:
    """Whether the number is nearer to 0, or to a `whole` number, than what doubles may lose on one of this size."""
    ends, scale = enclose(apart, facts.values), enclose(size, facts.values)
    room = SLACK * max(1.0, abs(scale.low), abs(scale.high))
    nearest = round(ends.low) if whole and abs(ends.low) < 1 / SLACK else 0
    return not (ends.low - nearest > room or ends.high - nearest < -room)


def _is_rounded(facts: Definitions, e: Expression, value_of: Callable[[Expression], Value | None]) -> bool:
    """Whether doubles compute it with errors that whole numbers do not mend."""
    match e:
        case Local(name) if (define := facts.defines.get(name)) is not None:
            return _is_rounded(facts, define.expression, value_of)
        case Apply("^", (_, exponent)) if not _is_rational(facts, value_of(exponent), whole=True):
            return True
        case Apply(operator) if operator in COMPUTED and not _is_rational(facts, value_of(e), whole=False):
            return True
    return any(_is_rounded(facts, part, value_of) for part in children(e))


def _is_rational(facts: Definitions, value: Value | None, whole: bool) -> bool:
    exact = exact_value(value, facts.values) if isinstance(value, Formula) else None
    return exact is not None and (not whole or exact.denominator == 1)
