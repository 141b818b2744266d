"""The shape of every expression: one total function over the expressions of the model, and what every name holds."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from seqlang.arithmetic.formula import Formula, number
from seqlang.model.domain import Ball, Domain, Power
from seqlang.model.expression import (
    COMPARISONS,
    LOGIC,
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
    MemoryValue,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    RealVectors,
    Records,
    ReleasedValue,
    Reported,
    Sequence,
    StepNumber,
    Truth,
    Weights,
    WeightsOf,
)
from seqlang.model.program import AddRemove, Program
from seqlang.rules.sensitivity.facts.definitions import RECORD, Definitions
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.expansion import Expansion
from seqlang.rules.sensitivity.facts.held import Held, holding
from seqlang.rules.sensitivity.facts.numbers import NOUGHT
from seqlang.rules.sensitivity.facts.shape import (
    NUMBER,
    UNKNOWN,
    Shape,
    added_up,
    coordinatewise,
    element,
    joined,
    largest,
    list_of,
)
from seqlang.rules.sensitivity.facts.value import whole


class Shapes(Expansion):
    """The expansions of a program, with what each of its cells, memories, reports and draws holds."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.held = holding(self, _shape)


def shape_of(facts: Shapes, expression: Expression) -> Shape:
    """The shape of an (expanded) expression's value, wherever it has one, on any data and in any step."""
    return _shape(facts, expression, facts.held)


def is_number(facts: Shapes, expression: Expression) -> bool:
    """True if the value is certainly a number or a truth value."""
    return shape_of(facts, expression).is_number


def is_vector(facts: Shapes, expression: Expression) -> bool:
    """True if the value is certainly a list of numbers."""
    return shape_of(facts, expression).is_vector


def dimension(facts: Shapes, expression: Expression) -> Formula | None:
    """How many numbers a list of numbers has; None if it is none, or not always as long."""
    shape = shape_of(facts, expression)
    return shape.length if shape.is_vector else None


def nothing_like(facts: Shapes, expression: Expression) -> Expression:
    """What to add where the expression adds nothing: 0, or as many noughts as the vector has coordinates."""
    size = dimension(facts, expression)
    count = None if size is None else whole(facts, size)
    return NOUGHT if count is None else Apply("zeros", (Number(Fraction(count)),))


def _shape(facts: Expansion, expression: Expression, held: Held) -> Shape:
    if expression not in held.known:
        held.known[expression] = _found(facts, expression, held)
    return held.known[expression]


def _found(facts: Expansion, expression: Expression, held: Held) -> Shape:
    def of(inner: Expression) -> Shape:
        return _shape(facts, inner, held)

    match expression:
        case Number() | Truth() | ParameterValue() | StepNumber() | Density():
            return NUMBER  # the density of a vector is the product over its coordinates
        case Label() | Local() | ReleasedValue():
            return UNKNOWN  # no number, or a name that has no definition here
        case Field(name):
            return _field(facts, name)
        case Records():
            return list_of(NUMBER, _size(facts))
        case CellValue(name):
            return held.cells.get(name, UNKNOWN)
        case MemoryValue(name):
            return held.memories.get(name, UNKNOWN)
        case Reported(name):
            return held.reports.get(name, UNKNOWN)
        case Drawn(name):
            return held.draws.get(name, UNKNOWN)
        case Noised(_, base, terms):
            return coordinatewise((of(base), *(of(term.factor) for term in terms)))
        case Bound(variable):
            return UNKNOWN if variable.domain is None else _member(facts, variable.domain, held)
        case Apply(operator, arguments):
            return _applied(facts, operator, arguments, held)
        case Choice(_, yes, no):
            return joined(facts, (of(yes), of(no)))
        case Index(base, _):
            return element(of(base))
        case Sequence(kind, items):
            each = joined(facts, (of(item) for item in items))
            return list_of(each, number(len(items)) if kind == "list" else None)
        case Quantified():
            return _quantified(facts, expression, held)
        case RealVectors(size, _):
            return list_of(list_of(NUMBER, evaluate_number(facts, size)), None)  # as a set, of which there are many
        case Law(family, arguments):
            return _drawn(facts, family, arguments, held)
        case Weights(pairs):
            return joined(facts, (of(value) for value, _ in pairs))
        case WeightsOf(value):
            return of(value)
        case _:
            assert_never(expression)


def _field(facts: Expansion, name: str) -> Shape:
    source = facts.inputs.get(name)
    if source is None:
        return UNKNOWN
    one = _of_domain(facts, source.domain)
    return list_of(one, _size(facts)) if source.kind == "dataset" and not name.endswith(RECORD) else one


def _of_domain(facts: Expansion, domain: Domain) -> Shape:
    return list_of(NUMBER, evaluate_number(facts, domain.dimension)) if isinstance(domain, (Ball, Power)) else NUMBER


def _size(facts: Expansion) -> Formula | None:
    """How many records there are, the same for all neighbours."""
    size = facts.program.size
    return None if size is None or facts.resized else evaluate_number(facts, size)


def fewest_records(facts: Definitions) -> Formula | None:
    """How many records a dataset has at least, neighbours included."""
    size = None if facts.program.size is None else evaluate_number(facts, facts.program.size)
    if size is None or not isinstance(facts.program.adjacency, AddRemove):
        return size
    fewer = evaluate_number(facts, facts.program.adjacency.count)
    return None if fewer is None else size - fewer


def _member(facts: Expansion, domain: Expression, held: Held) -> Shape:
    return element(_shape(facts, domain, held))


def _quantified(facts: Expansion, expression: Quantified, held: Held) -> Shape:
    body = _shape(facts, expression.body, held)
    match expression.operator:
        case "list":
            return list_of(body, None if expression.where is not None else _count(facts, expression.domain, held))
        case "set":
            return list_of(body, None)
        case "sum":
            return added_up(body)
        case "mean":
            return body
        case "max" | "min":
            return largest(body)
        case "count":
            return NUMBER
        case "argmax" | "argmin":
            return _member(facts, expression.domain, held)
        case _:
            assert_never(expression.operator)


def _count(facts: Expansion, domain: Expression, held: Held) -> Formula | None:
    """How many elements a set or list has that something runs over."""
    values = evaluate(facts, domain)
    return number(len(values)) if isinstance(values, tuple) else _shape(facts, domain, held).length


def _applied(facts: Expansion, operator: str, arguments: tuple[Expression, ...], held: Held) -> Shape:
    shapes = [_shape(facts, argument, held) for argument in arguments]
    if operator in ("==", "!=", "norm", "dot", "length", "count", "argmax", "argmin", "probability", "expected"):
        return NUMBER  # of whatever it is
    if operator in LOGIC:
        return NUMBER if all(shape.is_number for shape in shapes) else UNKNOWN
    if operator in COMPARISONS:
        return coordinatewise(shapes)
    match operator, shapes:
        case "zeros", _:
            return list_of(NUMBER, evaluate_number(facts, arguments[0]))
        case "..", _:
            values = evaluate(facts, Apply(operator, arguments))
            return list_of(NUMBER, number(len(values)) if isinstance(values, tuple) else None)
        case (("project" | "clip_norm"), [moved, _]):
            return moved
        case "sort", [listed]:
            return listed if listed.is_vector else UNKNOWN
        case "sum", [listed]:
            return _sum(facts, arguments[0], listed)
        case "mean", [listed]:
            return element(listed)
        case (("max" | "min"), [listed]):
            return largest(element(listed))
    return coordinatewise(shapes)


def _sum(facts: Expansion, summed: Expression, listed: Shape) -> Shape:
    """The interpreter's sum of an empty list is the number 0, whatever the list could have held."""
    each = element(listed)
    records = isinstance(summed, Field) and summed.name + RECORD in facts.inputs
    least = fewest_records(facts) if records else listed.length
    some = least is not None and facts.sign(least) == 1
    return each if some or each.kind in ("none", "number") else UNKNOWN


def _drawn(facts: Expansion, family: str, arguments: tuple[Expression, ...], held: Held) -> Shape:
    """The shape of one value that is drawn from the law."""
    match family, arguments:
        case "l2_laplace", (_, size):
            return list_of(NUMBER, evaluate_number(facts, size))
        case (("l2_laplace" | "randomized_response"), _):
            return UNKNOWN  # that of the value that it is attached to
        case "uniform", (among,):
            return _member(facts, among, held)
        case "sample", (among, _):
            return list_of(_member(facts, among, held), None)
        case _:
            return coordinatewise(_shape(facts, argument, held) for argument in arguments)
