"""Whether a number is so far above 0 for all data that floats, too, compute it as one above 0."""

from __future__ import annotations

from seqlang.analyses.faint import ends_of
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of

LEAST, LARGEST = 1e-9, 1e9
"""Ends of the numbers that are far from 0: beyond them, products may leave the range of floats."""


def is_far_from_zero(program: Program, e: ir.Expression) -> bool:
    """Whether it lies in [LEAST, LARGEST] for all data, and floats compute it to a small relative error."""
    facts = facts_of(program)
    expanded = facts.expand(e)
    return _is_within(facts, expanded) and _keeps_digits(facts, expanded)


def _is_within(facts: Facts, e: ir.Expression) -> bool:
    low, high = ends_of(facts, e)
    return low >= LEAST and high <= LARGEST


def _keeps_digits(facts: Facts, e: ir.Expression) -> bool:
    match e:
        case ir.Number() | ir.ParameterValue() | ir.Field() | ir.StepNumber() | ir.Density():
            return _is_within(facts, e)
        # of positive numbers these have a small relative error: no difference is among them, so no digits cancel
        case ir.Apply("+" | "*" | "/" | "max" | "min" | "sqrt", arguments):
            return all(_is_within(facts, a) and _keeps_digits(facts, a) for a in arguments)
        case ir.Choice(_, yes, no):
            return _keeps_digits(facts, yes) and _keeps_digits(facts, no)
    return False
