"""Between which values the values of a domain and of a law lie."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, root
from seqlang.laws.facts import Facts as DeclaredFacts
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.domain import Ball, Domain, Finite, Integers, Interval, Power
from seqlang.model.expression import Expression, Law
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.finite import law_values
from seqlang.rules.sensitivity.facts.numbers import ZERO
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude, of_values
from seqlang.rules.sensitivity.ranges.range import ANYTHING, Range


def domain_range(facts: Facts, domain: Domain) -> Range:
    """The range of a field (of a coordinate, for a vector domain)."""
    match domain:
        case Interval(low, high):
            ends = [None if end is None else evaluate_number(facts, end) for end in (low, high)]
            note = "" if None not in ends else "its domain has no bound: clip it"
            return Range(ends[0], ends[1], note=note)
        case Integers(low, high):
            ends = [None if end is None else evaluate_number(facts, end) for end in (low, high)]
            note = "" if None not in ends else "its domain has no bound: clip it"
            return Range(ends[0], ends[1], True, note=note)
        case Finite(values):
            numbers = [evaluate_number(facts, value) for value in values]
            return ANYTHING if None in numbers else of_values(facts, tuple(v for v in numbers if v is not None))
        case Ball(radius, _):
            r = evaluate_number(facts, radius)
            return ANYTHING if r is None else Range(-r, r, norm=r)
        case Power(of, dimension):
            inner, d = domain_range(facts, of), evaluate_number(facts, dimension)
            size = magnitude(facts, inner)
            norm = None if size is None or d is None else root(d) * size
            return Range(inner.low, inner.high, inner.integer, None, norm, inner.note)


def support(facts: Facts, law: Expression) -> Range:
    listed = law_values(facts, law)
    if listed is not None:
        numbers = tuple(v for v in listed if isinstance(v, Formula))
        return of_values(facts, numbers) if numbers and len(numbers) == len(listed) else ANYTHING
    match law:
        case Law("uniform", (low, high)):
            return Range(evaluate_number(facts, low), evaluate_number(facts, high))
        case Law("conditioned", (_, low, high)):
            return Range(evaluate_number(facts, low), evaluate_number(facts, high))
        case Law("binomial", (n, _)):
            return Range(ZERO, evaluate_number(facts, n), True)
        case Law(family):
            return _declared(facts_of_law(family))
    return ANYTHING


def _declared(declared: DeclaredFacts) -> Range:
    match declared.support:
        case "half line":
            return Range(ZERO, None)
        case "counts":
            return Range(ZERO, None, True)
        case "whole numbers":
            return Range(None, None, True)
        case _:
            return ANYTHING
