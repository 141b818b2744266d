"""Densities used as formulas: their exact values, and log-likelihood ratios as polynomials of the observation.

The logarithm of a ratio of two normal densities is a polynomial of degree at most two, for two binomial ones of degree
one, and so on: only so can it be seen that a statistic is bounded on an interval and unbounded on the real line.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

from seqlang.arithmetic.formula import Formula, exponential, number
from seqlang.model.expression import Apply, Choice, Density, Expression, Law, Number, Weights
from seqlang.rules.sensitivity.facts.evaluate import NOTHING, Assignment, Value, evaluate, evaluate_number, whole
from seqlang.rules.sensitivity.facts.facts import ONE, UNIT, ZERO, Facts, apply

LARGEST_COUNT = 1000  # factorials of larger counts are not written out


def density(facts: Facts, method: str, law: Expression, at: Expression, given: Assignment = NOTHING) -> Value | None:
    """P(value = at) of a discrete law as a formula. Continuous densities and distribution functions: None."""
    chosen = _chosen(facts, law, given)
    point = evaluate_number(facts, at, given)
    if method != "pmf" or chosen is None or point is None:
        return None
    if isinstance(chosen, Weights):
        return _weight(facts, chosen, point, given)
    if chosen.family in ("uniform", "point"):
        return _listed(facts, chosen, point, given)
    operands = [evaluate_number(facts, argument, given) for argument in chosen.arguments]
    known = [operand for operand in operands if operand is not None]
    return _probability(facts, chosen.family, known, point) if len(known) == len(operands) else None


def _chosen(facts: Facts, law: Expression, given: Assignment) -> Law | Weights | None:
    """The law itself, after the tests that choose it."""
    while isinstance(law, Choice):
        holds = evaluate(facts, law.test, given)
        if not isinstance(holds, bool):
            return None
        law = law.yes if holds else law.no
    return law if isinstance(law, (Law, Weights)) else None


def _probability(facts: Facts, family: str, parameters: list[Formula], point: Formula) -> Formula | None:
    k = whole(facts, point)
    match family, parameters:
        case "bernoulli", [p]:
            at_one, at_zero = facts.compare(point, ONE), facts.compare(point, ZERO)
            if at_one is None or at_zero is None:
                return None
            return p if at_one == "equal" else ONE - p if at_zero == "equal" else ZERO
        case "binomial", [n, p]:
            size = whole(facts, n)
            if size is None or k is None or size > LARGEST_COUNT or not 0 <= k <= size:
                return None
            return number(comb(size, k)) * p**k * (ONE - p) ** (size - k)
        case "poisson", [mean]:
            if k is None or not 0 <= k <= LARGEST_COUNT:
                return None
            return exponential(-mean) * mean**k / factorial(k)
        case "geometric", [ratio]:
            return None if k is None else (ONE - ratio) / (ONE + ratio) * ratio ** abs(k)
    return None


def _weight(facts: Facts, law: Weights, point: Formula, given: Assignment) -> Formula | None:
    found: Formula = ZERO
    mass: Formula = ZERO
    for value, weight in law.pairs:
        v, w = evaluate_number(facts, value, given), evaluate_number(facts, weight, given)
        if v is None or w is None or facts.sign(w) not in (0, 1):
            return None
        relation = facts.compare(v, point)
        if relation is None:
            return None
        mass = mass + w
        found = found + w if relation == "equal" else found
    return found / mass if facts.sign(mass) == 1 else None


def _listed(facts: Facts, law: Law, point: Formula, given: Assignment) -> Formula | None:
    if len(law.arguments) != 1:
        return None
    value = evaluate(facts, law.arguments[0], given)
    values = value if isinstance(value, tuple) else (value,)
    if law.family == "uniform" and not isinstance(value, tuple):
        return None
    relations = [facts.compare(v, point) if isinstance(v, Formula) else None for v in values]
    if None in relations:
        return None
    return number(Fraction(relations.count("equal"), len(relations)))


def log_ratio(facts: Facts, expression: Expression) -> tuple[Expression, Expression, str] | None:
    """log(P.pdf(x) / Q.pdf(x)) -> (the same as a polynomial of x, x, for which x that is right).

    The third part is "real" (all x), "positive" (x >= 0), "whole" (0, 1, ..), "bit" (0 and 1) or "counts" (0..n of the
    law): outside, both densities are 0 and the ratio is not defined.
    """
    match expression:
        case Apply("log", (Apply("/", (Density(m1, Law() as p, x1), Density(m0, Law() as q, x0))),)):
            if m1 != m0 or m1 == "cdf" or x1 != x0 or p.family != q.family:
                return None
            if any(evaluate_number(facts, a) is None for a in (*p.arguments, *q.arguments)):
                return None
            polynomial = _polynomial(facts, p, q, x1)
            return None if polynomial is None else (polynomial[0], x1, polynomial[1])
    return None


def _polynomial(facts: Facts, p: Law, q: Law, x: Expression) -> tuple[Expression, str] | None:
    match p.family, p.arguments, q.arguments:
        case "normal", (m1, s1), (m0, s0):
            return (_linear_normal(m1, m0, s1, x) if s1 == s0 else _square_normal(facts, m1, s1, m0, s0, x)), "real"
        case "exponential", (b1,), (b0,):
            slope = apply("-", apply("/", UNIT, b0), apply("/", UNIT, b1))
            return apply("+", apply("*", slope, x), _log(apply("/", b0, b1))), "positive"
        case "laplace", (b1,), (b0,):
            slope = apply("-", apply("/", UNIT, b0), apply("/", UNIT, b1))
            return apply("+", apply("*", slope, apply("abs", x)), _log(apply("/", b0, b1))), "real"
        case "poisson", (b1,), (b0,):
            return apply("+", apply("*", _log(apply("/", b1, b0)), x), apply("-", b0, b1)), "whole"
        case "bernoulli", (p1,), (p0,):
            return _linear_counts(UNIT, p1, p0, x), "bit"
        case "binomial", (n1, p1), (n0, p0) if n1 == n0:
            return _linear_counts(n1, p1, p0, x), "counts"
    return None


def _linear_normal(m1: Expression, m0: Expression, s: Expression, x: Expression) -> Expression:
    """(m1 - m0) / s^2 * (x - (m0 + m1) / 2)"""
    square = apply("*", s, s)
    slope = apply("/", apply("-", m1, m0), square)
    return apply("*", slope, apply("-", x, apply("/", apply("+", m0, m1), Number(Fraction(2)))))


def _square_normal(
    facts: Facts, m1: Expression, s1: Expression, m0: Expression, s0: Expression, x: Expression
) -> Expression:
    """a * (x - v)^2 + k, the square completed, so that x occurs once."""
    two = Number(Fraction(2))
    w1, w0 = apply("/", UNIT, apply("*", s1, s1)), apply("/", UNIT, apply("*", s0, s0))
    a = apply("/", apply("-", w0, w1), two)
    difference = evaluate_number(facts, a)
    if difference is not None and facts.sign(difference) == 0:
        return _linear_normal(m1, m0, s1, x)
    v = apply("/", apply("-", apply("*", m0, w0), apply("*", m1, w1)), apply("-", w0, w1))
    ends = apply("-", apply("*", apply("*", m0, m0), w0), apply("*", apply("*", m1, m1), w1))
    k = apply("-", apply("+", _log(apply("/", s0, s1)), apply("/", ends, two)), apply("*", a, apply("*", v, v)))
    return apply("+", apply("*", a, apply("^", apply("-", x, v), two)), k)


def _linear_counts(n: Expression, p1: Expression, p0: Expression, x: Expression) -> Expression:
    """x log(p1 / p0) + (n - x) log((1 - p1) / (1 - p0)), with x once."""
    up = _log(apply("/", p1, p0))
    down = _log(apply("/", apply("-", UNIT, p1), apply("-", UNIT, p0)))
    return apply("+", apply("*", apply("-", up, down), x), apply("*", n, down))


def _log(argument: Expression) -> Expression:
    return apply("log", argument)
