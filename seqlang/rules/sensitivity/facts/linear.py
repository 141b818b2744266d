"""An expression as a sum of constant multiples of parts that are not constant."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import Apply, Drawn, Expression, Noised
from seqlang.record import record
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ONE, TWO, ZERO, apply


@record
class Linear:
    """constant + sum of coefficient * part; no part is constant, none occurs twice, no coefficient is 0."""

    terms: tuple[tuple[Expression, Formula], ...]
    constant: Formula

    @property
    def is_constant(self) -> bool:
        return not self.terms


NOTHING: frozenset[Expression] = frozenset()


def linear(facts: Facts, expression: Expression, whole: frozenset[Expression] = NOTHING) -> Linear:
    """The decomposition; an expression that does not split, or is one of `whole`, is its own only part."""
    if expression in whole:
        return Linear(((expression, ONE),), ZERO)
    value = evaluate_number(facts, expression)
    if value is not None:
        return Linear((), value)

    def of(inner: Expression) -> Linear:
        return linear(facts, inner, whole)

    match expression:
        case Apply("+", (a, b)):
            return _sum(facts, of(a), of(b))
        case Apply("-", (a, b)):
            return _sum(facts, of(a), _scaled(facts, of(b), -ONE))
        case Apply("negate", (a,)):
            return _scaled(facts, of(a), -ONE)
        case Apply("*", (a, b)):
            return _product(facts, expression, of(a), of(b))
        case Apply("/", (a, b)):
            return _quotient(facts, expression, of(a), b)
        case Noised(_, base, terms) if not flips(facts, expression):
            result = of(base)
            for term in terms:
                result = _sum(facts, result, Linear(((apply("*", term.factor, Drawn(term.noise)), ONE),), ZERO))
            return result
        case Apply("zeros", (size,)) if evaluate_number(facts, size) is not None:
            return Linear((), ZERO)  # of another length it would be another vector
    return Linear(((expression, ONE),), ZERO)


def flips(facts: Facts, noised: Noised) -> bool:
    """True if some noise replaces the value instead of being added to it (or is not known)."""
    return any(facts.is_flip(term.noise) for term in noised.terms)


def _sum(facts: Facts, a: Linear, b: Linear) -> Linear:
    collected = dict(a.terms)
    for part, coefficient in b.terms:
        collected[part] = collected[part] + coefficient if part in collected else coefficient
    return Linear(tuple((p, c) for p, c in collected.items() if facts.sign(c) != 0), a.constant + b.constant)


def _scaled(facts: Facts, a: Linear, factor: Formula) -> Linear:
    if facts.sign(factor) == 0:
        return Linear((), ZERO)
    return Linear(tuple((part, coefficient * factor) for part, coefficient in a.terms), a.constant * factor)


def _product(facts: Facts, expression: Expression, a: Linear, b: Linear) -> Linear:
    if a.is_constant:
        return _scaled(facts, b, a.constant)
    if b.is_constant:
        return _scaled(facts, a, b.constant)
    if len(a.terms) == 1 == len(b.terms) and facts.sign(a.constant) == 0 == facts.sign(b.constant):
        ((part_a, c),), ((part_b, d),) = a.terms, b.terms
        # a square is not negative, which a product of two does not know
        joint = apply("^", part_a, TWO) if part_a == part_b else apply("*", part_a, part_b)
        return Linear(((joint, c * d),), ZERO)
    return Linear(((expression, ONE),), ZERO)


def _quotient(facts: Facts, expression: Expression, a: Linear, divisor: Expression) -> Linear:
    value = evaluate_number(facts, divisor)
    if value is not None:
        if facts.sign(value) in (1, -1):
            return _scaled(facts, a, ONE / value)
    elif len(a.terms) == 1 and facts.sign(a.constant) == 0:
        ((part, coefficient),) = a.terms
        return Linear(((apply("/", part, divisor), coefficient),), ZERO)
    return Linear(((expression, ONE),), ZERO)
