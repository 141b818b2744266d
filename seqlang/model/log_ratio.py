"""log(P.pdf(x) / Q.pdf(x)) from the logarithms of the densities: far out both densities are 0 as floats, and 0 / 0 is
no number, though the ratio is one. Every backend evaluates it in this form."""

from __future__ import annotations

from fractions import Fraction

from seqlang.model.domain import Ball, Power
from seqlang.model.expression import (
    Apply,
    Choice,
    Density,
    Expression,
    Field,
    Index,
    Law,
    Local,
    Noised,
    Number,
    ParameterValue,
    StepNumber,
)
from seqlang.model.program import Define, Program

ZERO, ONE, TWO = (Number(Fraction(n)) for n in (0, 1, 2))
LEAST = Number(Fraction(1, 10**290))
"""Smaller densities have lost digits as floats."""


def in_logs(program: Program, e: Expression) -> Expression | None:
    """The same number of real x, without a quotient of densities that may be 0; None for another expression, for laws
    of other families, and where x is not plainly a number."""
    match e:
        case Apply("log", (Apply("/", (Density(above, Law() as p, x), Density(below, Law() as q, same)) as parts),)):
            if above != below or above == "cdf" or x != same or p.family != q.family or not _is_number(program, x):
                return None
            plain = Apply("log", (Apply("*", (ONE, Apply("/", parts))),), e.span)
            return _of(program, p, q, x, plain, parts)
    return None


def _of(
    program: Program, p: Law, q: Law, x: Expression, plain: Expression, densities: tuple[Expression, ...]
) -> Expression | None:
    """`plain` is the quotient as written: it holds where x is outside of what the laws give, and fails there."""
    far = Apply("or", tuple(Apply("<", (density, LEAST)) for density in densities))
    whole = Apply("and", (Apply(">=", (x, ZERO)), Apply("==", (Apply("floor", (x,)), x))))
    match p.family, p.arguments, q.arguments:
        case "normal", (m1, s1), (m0, s0) if _is_positive(program, s1) and _is_positive(program, s0):
            return _normal(m1, s1, m0, s0, x)
        case "laplace", (b1,), (b0,) if _is_positive(program, b1) and _is_positive(program, b0):
            return _exponential(b1, b0, Apply("abs", (x,)))
        case "exponential", (b1,), (b0,) if _is_positive(program, b1) and _is_positive(program, b0):
            return Choice(Apply(">=", (x, ZERO)), _exponential(b1, b0, x), plain)
        case "poisson", (b1,), (b0,) if _is_positive(program, b1) and _is_positive(program, b0):
            counted = Apply("+", (Apply("*", (_log_of(b1, b0), x)), Apply("-", (b0, b1))))
            return Choice(Apply("and", (whole, far)), counted, plain)
        case "binomial", (n, p1), (other, p0) if n == other:
            up, down = _log_of(p1, p0), _log_of(Apply("-", (ONE, p1)), Apply("-", (ONE, p0)))
            counted = Apply("+", (Apply("*", (up, x)), Apply("*", (down, Apply("-", (n, x))))))
            return Choice(Apply("and", (whole, Apply("<=", (x, n)), far)), counted, plain)
    return None


def _normal(m1: Expression, s1: Expression, m0: Expression, s0: Expression, x: Expression) -> Expression:
    """(z0 - z1) (z0 + z1) / 2 + log(s0 / s1), with z the distance from the mean in deviations; with one deviation
    (m1 - m0) / s^2 (x - (m0 + m1) / 2), in which nothing cancels."""
    middle = Apply("/", (Apply("+", (m0, m1)), TWO))
    slope = Apply("/", (Apply("-", (m1, m0)), Apply("*", (s1, s1))))
    line = Apply("*", (slope, Apply("-", (x, middle))))
    if s1 == s0:
        return line
    z1, z0 = (Apply("/", (Apply("-", (x, mean)), sd)) for mean, sd in ((m1, s1), (m0, s0)))
    squares = Apply("/", (Apply("*", (Apply("-", (z0, z1)), Apply("+", (z0, z1)))), TWO))
    return Choice(Apply("==", (s1, s0)), line, Apply("+", (squares, _log_of(s0, s1))))


def _exponential(b1: Expression, b0: Expression, size: Expression) -> Expression:
    slope = Apply("-", (Apply("/", (ONE, b0)), Apply("/", (ONE, b1))))
    return Apply("+", (Apply("*", (slope, size)), _log_of(b0, b1)))


def _log_of(a: Expression, b: Expression) -> Expression:
    return Apply("log", (Apply("/", (a, b)),))


def _is_positive(program: Program, scale: Expression) -> bool:
    """A constant that is plainly above 0: of others the quotient says what is wrong with them."""
    match scale:
        case Number(value):
            return value > 0
        case ParameterValue(name):
            return any(p.name == name and p.value > 0 for p in program.parameters)
        case Apply("*" | "/" | "+", parts):
            return all(_is_positive(program, part) for part in parts)
        case Apply("sqrt" | "exp", (part,)):
            return _is_positive(program, part)
    return False


def _is_number(program: Program, e: Expression) -> bool:
    """A number, not a vector, by its form."""
    match e:
        case Number() | ParameterValue() | StepNumber():
            return True
        case Field(name) | Index(Field(name), _):
            source = program.input(name)
            is_list = isinstance(source.domain, Ball | Power)
            return not is_list and (source.kind == "dataset") == isinstance(e, Index)
        case Local(name):
            defines = (s for s in program.body if isinstance(s, Define) and s.name == name)
            return any(_is_number(program, define.expression) for define in defines)
        case Noised(_, base, _):
            return _is_number(program, base)
        case Apply("+" | "-" | "*" | "/" | "negate" | "clip" | "abs", parts):
            return all(_is_number(program, part) for part in parts)
    return False
