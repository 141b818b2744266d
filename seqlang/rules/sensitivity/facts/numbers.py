"""The numbers that derivations write most, as formulas and as expressions, and how they write an operator."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import number
from seqlang.model.expression import Apply, Expression, Number

ZERO = number(0)
ONE = number(1)
NOUGHT = Number(Fraction(0))  # the same numbers as expressions
UNIT = Number(Fraction(1))
TWO = Number(Fraction(2))


def apply(operator: str, *arguments: Expression) -> Apply:
    """The operator or function of these arguments."""
    return Apply(operator, arguments)
