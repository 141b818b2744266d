"""Exact symbolic values: what an expression is worth when its leaves are assigned, as formulas over the parameters.

Tests (`if`, comparisons, `clip`) are decided at the program's parameter values, so a result that went through one is
right at these values. Whatever cannot be decided or is not defined gives None: the caller then knows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from seqlang.arithmetic.formula import Formula, number, symbol
from seqlang.model.constants import exactly
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Choice,
    Density,
    Drawn,
    Expression,
    Field,
    Index,
    Label,
    Law,
    Local,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    Records,
    Sequence,
    StepNumber,
    Truth,
    Weights,
)
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.groups import CONNECTIVES
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.numbers import ONE
from seqlang.rules.sensitivity.facts.operations import applied
from seqlang.rules.sensitivity.facts.probabilities import among, of_family, of_weights
from seqlang.rules.sensitivity.facts.value import (
    LISTED,
    Value,
    all_known,
    as_number,
    distinct,
    element_at,
    extreme_position,
    integers,
)

Assignment = Mapping[Expression, Value]
ASSIGNED = (Field, Drawn, Bound, Noised, CellValue, StepNumber)  # the leaves that an assignment may speak of
NOTHING: Assignment = {}


def evaluate(facts: Definitions, expression: Expression, given: Assignment = NOTHING) -> Value | None:
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
            return element_at(facts, evaluate(facts, base, given), evaluate(facts, at, given))
        case Sequence(kind, items):
            values = all_known(evaluate(facts, item, given) for item in items)
            return values if values is None or kind == "list" else distinct(facts, values)
        case Records():
            size = facts.program.size
            return None if size is None or facts.resized else integers(facts, ONE, evaluate(facts, size, given))
        case Quantified():
            return _quantified(facts, expression, given)
        case Density(method, law, at):
            return _density(facts, method, law, at, given)
        case Apply(operator, arguments):
            if operator in CONNECTIVES:
                return _logic(facts, operator, arguments, given)
            operands = all_known(evaluate(facts, argument, given) for argument in arguments)
            found = None if operands is None else applied(facts, operator, operands)
            return _exactly(facts, expression) if found is None and OPERATORS[operator].jumps else found
    return None


def _exactly(facts: Definitions, constant: Expression) -> Value | None:
    """A number or truth value that exact arithmetic decides at the parameter values: floor(log(8) / log(2)) is 3."""
    found = exactly(constant, facts.values)
    return found if isinstance(found, bool) else number(found) if isinstance(found, Fraction) else None


def evaluate_number(facts: Definitions, expression: Expression, given: Assignment = NOTHING) -> Formula | None:
    """The same for a number; truth values count as 1 and 0; None also for what has no finite value."""
    return as_number(evaluate(facts, expression, given))


def _logic(facts: Definitions, operator: str, arguments: tuple[Expression, ...], given: Assignment) -> bool | None:
    """From left to right, the rest is not looked at once it is decided."""
    for argument in arguments:
        value = evaluate(facts, argument, given)
        if not isinstance(value, bool):
            return None
        if value == (operator == "or"):
            return value
    return operator == "and"


def _quantified(facts: Definitions, expression: Quantified, given: Assignment) -> Value | None:
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


def _folded(facts: Definitions, operator: str, values: tuple[Value, ...], elements: tuple[Value, ...]) -> Value | None:
    match operator:
        case "list":
            return values
        case "set":
            return distinct(facts, values)
        case "argmax" | "argmin":
            position = extreme_position(facts, operator, values)
            return None if position is None else elements[position]
    return applied(facts, operator, (values,))


def _density(facts: Definitions, method: str, law: Expression, at: Expression, given: Assignment) -> Formula | None:
    """P(value = at) of a discrete law. Continuous densities and distribution functions: None."""
    chosen = _chosen(facts, law, given)
    point = evaluate_number(facts, at, given)
    if method != "pmf" or chosen is None or point is None:
        return None
    match chosen:
        case Weights(pairs):
            numbers = [tuple(evaluate_number(facts, part, given) for part in pair) for pair in pairs]
            return of_weights(facts, [(value, weight) for value, weight in numbers], point)
        case Law("uniform" | "point" as family, (argument,)):
            value = evaluate(facts, argument, given)
            if isinstance(value, tuple):
                return among(facts, value, point)
            return among(facts, (value,), point) if family == "point" else None
        case Law("uniform" | "point"):
            return None
    operands = [evaluate_number(facts, argument, given) for argument in chosen.arguments]
    known = [operand for operand in operands if operand is not None]
    return of_family(facts, chosen.family, known, point) if len(known) == len(operands) else None


def _chosen(facts: Definitions, law: Expression, given: Assignment) -> Law | Weights | None:
    """The law itself, after the tests that choose it."""
    while isinstance(law, Choice):
        holds = evaluate(facts, law.test, given)
        if not isinstance(holds, bool):
            return None
        law = law.yes if holds else law.no
    return law if isinstance(law, (Law, Weights)) else None
