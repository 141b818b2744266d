"""The functions of one number that the catalogue of operators declares, and their exact values."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, function
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.operator import Real
from seqlang.rules.sensitivity.facts.definitions import Definitions


def real_function(operator: str) -> Real | None:
    """What is known of the operator as a function of one number."""
    entry = OPERATORS.get(operator)
    return None if entry is None else entry.analytic


def value_at(facts: Definitions, real: Real, x: Formula) -> Formula | None:
    """f(x), if x certainly is where f is defined and the value is finite."""
    if not is_defined_at(facts, real, x, real.closed):
        return None
    result: Formula = real.formula(function, x)
    return None if result.is_infinite else result


def is_defined_at(facts: Definitions, real: Real, x: Formula | None, closed: bool) -> bool:
    """Whether f certainly has a value at x; `closed`: also at the end of its domain."""
    if x is None or real.above is None:
        return x is not None
    return facts.sign(x - real.above) in ((0, 1) if closed else (1,))
