"""Log-likelihood ratios as polynomials of the observation.

The logarithm of a ratio of two normal densities is a polynomial of degree at most two, for two binomial ones of degree
one, and so on: only so can it be seen that a statistic is bounded on an interval and unbounded on the real line.
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.model.expression import Apply, Density, Expression, Law, Number
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.numbers import UNIT, apply


def log_ratio(facts: Definitions, expression: Expression) -> tuple[Expression, Expression, str] | None:
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


def _polynomial(facts: Definitions, p: Law, q: Law, x: Expression) -> tuple[Expression, str] | None:
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
    facts: Definitions, m1: Expression, s1: Expression, m0: Expression, s0: Expression, x: Expression
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
