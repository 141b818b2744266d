"""The ranges of aggregates: of cells, over the steps of a run, and of quantified expressions, over a set.

What is aggregated may be any expression: its range comes from the caller's `range_in`, which itself asks here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from seqlang.arithmetic.formula import Formula, number
from seqlang.model.expression import Expression, Field, Quantified, Records, walk
from seqlang.model.program import AtReports, Cell, LastSteps, Previous
from seqlang.operators.groups import OF_SOMETHING
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO
from seqlang.rules.sensitivity.ranges.arithmetic import hull, of_values, times
from seqlang.rules.sensitivity.ranges.range import ANYTHING, BIT, NOTHING, Range

WHOLE = "whole "
"""Before the name of a cell: that its earlier values are whole numbers is assumed while its range is computed."""
OF_NO_STEP = "it may be of no step at all, and is then infinite"
RangeIn: TypeAlias = Callable[[Facts, Expression, frozenset[str]], Range]


def cell_range(range_in: RangeIn, facts: Facts, name: str, visiting: frozenset[str]) -> Range:
    facts = facts.from_start
    cell = facts.cells[name]
    body = range_in(facts, facts.expand(cell.body), visiting)
    match cell.operator, cell.keep:
        case "last", Previous(initial):
            first = range_in(facts, facts.expand(initial), visiting)
            if first.integer and not body.integer:  # whole, if that follows from what it held one step ago being whole
                inductive = range_in(facts, facts.expand(cell.body), visiting | {WHOLE + name})
                body = replace(body, integer=inductive.integer)
            return hull(facts, [body, first])
        case (("max" | "min" | "mean"), _):
            if cell.where is not None and facts.is_private(facts.expand(cell.where)):
                return NOTHING
            if isinstance(cell.keep, LastSteps) and facts.is_private(facts.expand(cell.keep.count)):
                return NOTHING  # a window of no steps holds nothing
            if not _holds_a_step(range_in, facts, cell, visiting):
                return _of_no_step(cell.operator, body)
            return Range(body.low, body.high, body.integer and cell.operator != "mean")
        case "list", AtReports():
            return body
        case (("argmax" | "argmin"), _):
            return Range(ONE, None, True)
        case (("sum" | "count"), keep):
            element = BIT if cell.operator == "count" else hull(facts, [body, Range(ZERO, ZERO, True)])
            limit = evaluate_number(facts, keep.count) if isinstance(keep, LastSteps) else None
            return times(facts, Range(ZERO, limit, True), element)
    return ANYTHING


def _holds_a_step(range_in: RangeIn, facts: Facts, cell: Cell, visiting: frozenset[str]) -> bool:
    """Whether the fold is over one step at least whenever it is read."""
    if cell.where is not None:
        return False
    if not isinstance(cell.keep, LastSteps):
        return True
    length = range_in(facts, facts.expand(cell.keep.count), visiting).low
    return length is not None and facts.at_most(ONE, length)


def _of_no_step(operator: str, body: Range) -> Range:
    """The range of a fold over steps that may be none: the largest is then -inf, the smallest inf, and a mean has no
    value. A fold over a set that is empty has no value whatever it is of: a run that reads it ends there, so that the
    range of its body holds wherever there is a value."""
    match operator:
        case "max":
            return Range(None, body.high, note=OF_NO_STEP)
        case "min":
            return Range(body.low, None, note=OF_NO_STEP)
    return NOTHING


def quantified_range(range_in: RangeIn, facts: Facts, expression: Quantified, visiting: frozenset[str]) -> Range:
    body = range_in(facts, expression.body, visiting)
    domain = evaluate(facts, expression.domain)
    size = number(len(domain)) if isinstance(domain, tuple) else None
    if expression.operator in OF_SOMETHING and set_may_be_empty(facts, expression):
        return NOTHING
    match expression.operator:
        case "max" | "min" | "list" | "set":
            return body
        case "mean":
            return Range(body.low, body.high)
        case "sum" | "count":
            element = BIT if expression.operator == "count" else hull(facts, [body, Range(ZERO, ZERO, True)])
            return times(facts, Range(ZERO, size, True), element)
    if isinstance(domain, tuple) and all(isinstance(v, Formula) for v in domain) and domain:
        return of_values(facts, tuple(v for v in domain if isinstance(v, Formula)))
    return ANYTHING


def may_be_empty(facts: Facts, vector: Expression) -> bool:
    """Whether a list has an element at all may depend on the data: it is made of the records, or of those that fulfil a
    private condition."""
    for node in walk(vector):
        match node:
            case Field(name) if facts.resized and name + RECORD in facts.inputs:
                return True
            case Quantified("list" | "set") if set_may_be_empty(facts, node):
                return True
            case _:
                pass
    return False


def set_may_be_empty(facts: Facts, expression: Quantified) -> bool:
    """Whether there is an element may depend on the data."""
    if any(part is not None and facts.is_private(part) for part in (expression.where, expression.domain)):
        return True
    return facts.resized and (isinstance(expression.domain, Records) or facts.is_sample(expression.domain))
