"""Finite sets of values: what a leaf can be, and the assignments of all leaves of an expression."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula
from seqlang.model.alphabet import alphabet_of
from seqlang.model.domain import Domain, Finite, Integers, Power
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Drawn,
    Expression,
    Field,
    Law,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    Records,
    Sequence,
    Truth,
    Variable,
    Weights,
    children,
)
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.evaluate import Assignment, evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.linear import flips
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO
from seqlang.rules.sensitivity.facts.value import Value, all_known, integers

LARGEST_TABLE = 400  # more assignments than this are not tried one by one


def variables(facts: Facts, expression: Expression) -> tuple[Expression, ...] | None:
    """The leaves that an assignment must give to make the (expanded) expression constant; None if others are in it."""
    found: dict[Expression, None] = {}
    return tuple(found) if _collect(facts, expression, frozenset(), found) else None


def _collect(facts: Facts, expression: Expression, inner: frozenset[Variable], found: dict[Expression, None]) -> bool:
    match expression:
        case Bound(variable):
            if variable not in inner:
                found[expression] = None
            return True
        case Field() | Drawn():
            found[expression] = None
            return True
        case Noised():
            found[expression] = None
            return flips(facts, expression)
        case CellValue():
            return False
        case Records():
            return not facts.resized
        case Number() | Truth() | ParameterValue():
            return True
        case Quantified(_, body, variable, domain, where):
            deeper = inner | {variable}
            kept = where is None or _collect(facts, where, deeper, found)
            return kept and _collect(facts, domain, inner, found) and _collect(facts, body, deeper, found)
    inside = tuple(children(expression))
    if not inside and not isinstance(expression, (Apply, Sequence)):
        return False
    return all(_collect(facts, part, inner, found) for part in inside)


def values_of(facts: Facts, leaf: Expression) -> tuple[Value, ...] | None:
    """All values that a leaf can have, if they are finitely many and known."""
    match leaf:
        case Field(name):
            source = facts.inputs.get(name)
            if source is None or name + RECORD in facts.inputs:  # a whole dataset: its domain is that of one record
                return None
            return domain_values(facts, source.domain)
        case Bound(variable):
            return _bound_values(facts, variable)
        case Drawn(name):
            noise = facts.noises.get(name)
            return None if noise is None else law_values(facts, noise.law)
        case Noised(_, base, _):
            return letters(facts, base)
    return None


def letters(facts: Facts, base: Expression) -> tuple[Value, ...] | None:
    """The values among which randomised response chooses: more, it may be, than the base ever takes. They are those of
    `model.alphabet`, which the runs read, so `base` is what is written: no branch of it was decided."""
    listed = alphabet_of(base, facts.defines, facts.inputs, lambda constant: _rational(facts, constant))
    return None if listed is None else all_known(evaluate(facts, letter) for letter in listed)


def _rational(facts: Facts, constant: Expression) -> Fraction | None:
    value = evaluate(facts, constant)
    return exact_value(value, facts.values) if isinstance(value, Formula) and not value.is_infinite else None


def domain_values(facts: Facts, domain: Domain) -> tuple[Value, ...] | None:
    match domain:
        case Finite(values):
            return all_known(evaluate(facts, value) for value in values)
        case Integers(low, high) if low is not None and high is not None:
            return integers(facts, evaluate(facts, low), evaluate(facts, high))
        case Power(of, dimension):
            coordinate = domain_values(facts, of)
            positions = integers(facts, ONE, evaluate(facts, dimension))
            if coordinate is None or positions is None or len(coordinate) ** len(positions) > LARGEST_TABLE:
                return None
            return tuple(product(coordinate, repeat=len(positions)))
    return None


def law_values(facts: Facts, law: Expression) -> tuple[Value, ...] | None:
    """The support of a law, where it is a known finite set."""
    match law:
        case Weights(pairs):
            return all_known(evaluate(facts, value) for value, _ in pairs)
        case Law("bernoulli"):
            return ZERO, ONE
        case Law("point", (value,)):
            return all_known([evaluate(facts, value)])
        case Law("uniform", (values,)):
            listed = evaluate(facts, values)
            return listed if isinstance(listed, tuple) else None
    return None


def assignments(facts: Facts, expression: Expression) -> list[Assignment] | None:
    """Every assignment of the expression's leaves, if there are not too many."""
    leaves = variables(facts, expression)
    return None if leaves is None else combinations(facts, leaves)


def combinations(facts: Facts, leaves: tuple[Expression, ...]) -> list[Assignment] | None:
    return table_of(leaves, (values_of(facts, leaf) for leaf in leaves))


def table_of(leaves: tuple[Expression, ...], columns: Iterable[tuple[Value, ...] | None]) -> list[Assignment] | None:
    """Every assignment of these values to the leaves; None where a leaf has none that are known, or there are too
    many assignments."""
    found: list[tuple[Value, ...]] = []
    size = 1
    for values in columns:
        if not values:
            return None
        size *= len(values)
        if size > LARGEST_TABLE:
            return None
        found.append(values)
    return [dict(zip(leaves, row, strict=True)) for row in product(*found)]


def extremes(facts: Facts, expression: Expression) -> tuple[Value, ...] | None:
    """All values of a number, by enumeration; None if that cannot be done."""
    table = assignments(facts, expression)
    if table is None:
        return None
    return all_known(evaluate_number(facts, expression, given) for given in table)


def _bound_values(facts: Facts, variable: Variable) -> tuple[Value, ...] | None:
    values = None if variable.domain is None else evaluate(facts, variable.domain)
    return (tuple(dict.fromkeys(values)) or None) if isinstance(values, tuple) else None
