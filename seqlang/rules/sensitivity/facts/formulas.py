"""Constants of a program as formulas over its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Bounds, Formula, range_of
from seqlang.model.domain import Domain, Finite, Integers, Interval
from seqlang.model.expression import Apply, Choice, Expression, walk
from seqlang.model.program import Program
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program


def formula_of(program: Program, expression: Expression) -> Formula | None:
    """The value of a constant expression (parameters, arithmetic, tests on constants; truth values count as 1 and 0).

    None if it is not constant, not a number, or not defined. Tests are decided at the program's parameter values.
    """
    return evaluate_number(facts_of(program), expression)


def truth_of(program: Program, expression: Expression) -> bool | None:
    """Whether a constant test holds at the program's parameter values; None if it is not constant or undecided."""
    value = evaluate(facts_of(program), expression)
    return value if isinstance(value, bool) else None


def parameter_values(program: Program) -> Mapping[str, Fraction]:
    """Name of each parameter -> the exact value this program was elaborated with."""
    return facts_of(program).values


@remembered_of_program
def parameter_bounds(program: Program) -> Mapping[str, Bounds]:
    """What the domains say of each parameter, whatever its value.

    An end that reads other parameters is replaced by the loosest value that their own bounds allow.
    """
    facts = facts_of(program)
    known: dict[str, Bounds] = {}
    for parameter in facts.program.parameters:
        known[parameter.name] = _bounds_of(facts, parameter.domain, known)
    return known


def _bounds_of(facts: Facts, domain: Domain, known: Mapping[str, Bounds]) -> Bounds:
    match domain:
        case Interval(low, high, low_open, high_open):
            return Bounds(_end(facts, low, known, 0), _end(facts, high, known, 1), low_open, high_open)
        case Integers(low, high):
            return Bounds(_end(facts, low, known, 0), _end(facts, high, known, 1))
        case Finite(values):
            lows = [_end(facts, value, known, 0) for value in values]
            highs = [_end(facts, value, known, 1) for value in values]
            return Bounds(
                None if None in lows else min(v for v in lows if v is not None),
                None if None in highs else max(v for v in highs if v is not None),
            )
    return Bounds()


def _end(facts: Facts, expression: Expression | None, known: Mapping[str, Bounds], side: int) -> Fraction | None:
    if expression is None:
        return None
    formula = evaluate_number(facts, expression)
    if formula is None or _depends_on_a_test(expression):
        return None
    exact = exact_value(formula, {})
    if exact is not None:
        return exact
    end = range_of(formula, known)[side]
    return end if isinstance(end, Fraction) else None


def _depends_on_a_test(expression: Expression) -> bool:
    """Such an end is right at the current values only, but bounds speak of all values."""
    return any(isinstance(n, Choice) or (isinstance(n, Apply) and n.operator == "clip") for n in walk(expression))
