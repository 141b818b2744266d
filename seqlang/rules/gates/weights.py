"""A draw from a law with weights, as the rules about it read it."""

from __future__ import annotations

from seqlang.model.expression import (
    Apply,
    Bound,
    Expression,
    Quantified,
    Sequence,
    Variable,
    Weights,
    WeightsOf,
    walk,
)
from seqlang.model.program import ChooseGate, Gate, PrivateLaw, Program
from seqlang.rules.gates.exposure import touched
from seqlang.rules.gates.radius import apart
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.reading.whole_numbers import reads_private
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.shapes import is_number
from seqlang.rules.sensitivity.ranges.signs_under import positive


def weighted_choice(program: Program, gate: Gate) -> Showings | str:
    """Of a choice with private weights: one costs how far two log-weights can move apart."""
    if not isinstance(gate, ChooseGate) or not isinstance(gate.law, PrivateLaw):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    exponents = _exponents(single, gate.law.law, signs)
    if isinstance(exponents, str):
        return exponents
    measured = apart(single, exponents)
    if isinstance(measured, str):
        return measured
    distance, shift = measured
    if distance.is_infinite:
        return f"the log-weights can move without bound{': ' + shift.note if shift.note else ''}"
    return Showings(entries, touched(single, gate, (exponents,), shift, signs), distance)


def _exponents(program: Program, law: Expression, signs: Signs) -> Expression | str:
    """The vector of the logarithms of the weights, up to public factors."""
    match law:
        case WeightsOf(value, weight, variable, domain, where):
            if any(reads_private(program, e) for e in (value, domain, where) if e is not None):
                return "which values can be chosen depends on the data"
            exponent = _exponent(program, _without_common_factor(program, weight, variable), signs)
            if isinstance(exponent, str):
                return exponent
            return Quantified("list", _without_common(program, exponent, variable), variable, domain, where)
        case Weights(pairs):
            if any(reads_private(program, value) for value, _ in pairs):
                return "which values can be chosen depends on the data"
            exponents = tuple(_exponent(program, weight, signs) for _, weight in pairs)
            wrong = next((e for e in exponents if isinstance(e, str)), None)
            return (
                wrong if wrong is not None else Sequence("list", tuple(e for e in exponents if not isinstance(e, str)))
            )
        case _:
            return NOT_MINE


def _without_common_factor(program: Program, weight: Expression, variable: Variable) -> Expression:
    """The weight without a positive factor that is the same for all values: the law has its weights normalised."""
    match weight:
        case Apply("/", (left, right)) if _is_common(program, right, variable) and _is_positive(program, right):
            return _without_common_factor(program, left, variable)
        case Apply("*", (left, right)):
            for own, common in ((left, right), (right, left)):
                if _is_common(program, common, variable) and _is_positive(program, common):
                    return _without_common_factor(program, own, variable)
    return weight


def _without_common(program: Program, e: Expression, variable: Variable) -> Expression:
    """The exponent without summands that are the same for all values; the same multiple of what is left."""

    def left_of(inner: Expression) -> Expression:
        return _without_common(program, inner, variable)

    match e:
        case Apply("+" | "-" as operator, (a, b)):
            if _is_common(program, b, variable):
                return left_of(a)
            if _is_common(program, a, variable):
                return left_of(b) if operator == "+" else Apply("negate", (left_of(b),))
        case Apply("negate", (a,)):
            return Apply("negate", (left_of(a),))
        case Apply("*", (a, b)) if _is_common(program, a, variable):
            return Apply("*", (a, left_of(b)))
        case Apply("*" | "/" as operator, (a, b)) if _is_common(program, b, variable):
            return Apply(operator, (left_of(a), b))
        case _:
            pass
    return e


def _is_common(program: Program, e: Expression, variable: Variable) -> bool:
    """It is a number, the same one whichever value is chosen."""
    facts = facts_of(program)
    return not any(node == Bound(variable) for node in walk(e)) and is_number(facts, facts.expand(e))


def _is_positive(program: Program, e: Expression) -> bool:
    facts = facts_of(program)
    return positive(facts, (), facts.expand(e))


def _exponent(program: Program, weight: Expression, signs: Signs) -> Expression | str:
    """log(weight) without positive constant factors: exp(g), c exp(g), exp(g) exp(h), exp(g) / c."""
    match weight:
        case Apply("exp", (exponent,)):
            return exponent
        case Apply("*", (left, right)):
            if _positive_constant(program, left, signs):
                return _exponent(program, right, signs)
            if _positive_constant(program, right, signs):
                return _exponent(program, left, signs)
            first, second = _exponent(program, left, signs), _exponent(program, right, signs)
            if isinstance(first, str):
                return first
            return second if isinstance(second, str) else Apply("+", (first, second))
        case Apply("/", (left, right)) if _positive_constant(program, right, signs):
            return _exponent(program, left, signs)
        case _:
            return "a weight is not of the form exp(..)"


def _positive_constant(program: Program, expression: Expression, signs: Signs) -> bool:
    formula = formula_of(program, expression)
    return formula is not None and not formula.is_infinite and signs.of(formula) == 1
