"""A draw from a law with weights, as the rules about it read it."""

from __future__ import annotations

from seqlang.model.expression import Apply, Expression, Quantified, Sequence, Weights, WeightsOf
from seqlang.model.program import ChooseGate, Gate, PrivateLaw, Program
from seqlang.rules.mechanism.exposure import touched
from seqlang.rules.mechanism.radius import apart
from seqlang.rules.mechanism.showings import NOT_MINE, Showings
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.reading.whole_numbers import reads_private
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


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
            exponent = _exponent(program, weight, signs)
            return exponent if isinstance(exponent, str) else Quantified("list", exponent, variable, domain, where)
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
            wrong = first if isinstance(first, str) else second
            return wrong if isinstance(wrong, str) else Apply("+", (first, second))  # type: ignore[arg-type]
        case Apply("/", (left, right)) if _positive_constant(program, right, signs):
            return _exponent(program, left, signs)
        case _:
            return "a weight is not of the form exp(..)"


def _positive_constant(program: Program, expression: Expression, signs: Signs) -> bool:
    formula = formula_of(program, expression)
    return formula is not None and not formula.is_infinite and signs.of(formula) == 1
