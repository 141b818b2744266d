"""Formulas over the order, read at a float."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import ORDER, Formula, enclose


def at_order(formula: Formula, order: float) -> float:
    """The value at the order, rounded up."""
    return enclose(formula, {ORDER.name: Fraction(order)}).high
