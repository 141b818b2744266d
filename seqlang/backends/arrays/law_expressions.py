"""Laws as the program writes them, to functions of a `Frame` that give a vector law; and their densities."""

from __future__ import annotations

import numpy as np

from seqlang.backends.arrays import laws
from seqlang.backends.arrays.frame import Expressions, Frame, Run
from seqlang.backends.arrays.values import CannotVectorise, Value, from_constant, shape_of
from seqlang.backends.interpret.values import BallSet, EvaluationError, is_vector
from seqlang.model import expression as ir


def law_of(compiler: Expressions, e: ir.Law) -> Run:
    """A function that gives the vector law. Raises CannotVectorise for a law that arrays do not have."""
    if e.family == "uniform":
        return _uniform(compiler, e)
    if e.family == "sample":
        raise CannotVectorise("the law sample")
    family = e.family
    parts = [compiler.compile(a) for a in e.arguments]
    span = e.span

    def run(f: Frame) -> Value:
        try:
            return laws.make(family, *[p(f) for p in parts])
        except EvaluationError as error:
            if f.doubts is not None:
                raise CannotVectorise("a law that is none in some runs") from None
            raise EvaluationError(error.diagnostics[0].message, span) from None

    return run if compiler.exact.compile(e).reads else _once(run)


def _once(run: Run) -> Run:
    """A constant: made at the first reading."""
    made: list[Value] = []

    def once(f: Frame) -> Value:
        if not made:
            made.append(run(f))
        return made[0]

    return once


def _uniform(compiler: Expressions, e: ir.Law) -> Run:
    if len(e.arguments) == 2:
        low, high = (compiler.compile(a) for a in e.arguments)
        return lambda f: laws.make("uniform", low(f), high(f))
    from seqlang.backends.arrays.loops.domains import LONGEST_BINDER

    domain = e.arguments[0]
    if compiler.exact.compile(domain).reads:
        raise CannotVectorise("a uniform law on a set that changes")
    found = compiler.exact.constant(domain)
    if isinstance(found, BallSet):
        ball = laws.UniformBall(found.dimension, found.radius)
        return lambda f: ball
    if not is_vector(found) or len(found) > LONGEST_BINDER:
        raise CannotVectorise("a uniform law on a large set")
    values = [from_constant(v, compiler.labels) for v in dict.fromkeys(found)]
    table = laws.Table(values, [1.0] * len(values))
    return lambda f: table


def weights_of(compiler: Expressions, e: ir.WeightsOf) -> Run:
    """A function that gives the table of the values and weights of `{v: w for x in set}`."""
    from seqlang.backends.arrays.loops.domains import domain_of

    domain, value, weight = domain_of(compiler, e.domain), compiler.compile(e.value), compiler.compile(e.weight)
    where = None if e.where is None else compiler.compile(e.where)

    def run(f: Frame) -> Value:
        elements, present = domain(f)
        values, weights = [], []
        for i, element in enumerate(elements):
            f.bound[e.variable.number] = element
            w = weight(f)
            if where is not None:
                w = np.where(where(f), w, 0.0)
            if present is not None:
                w = np.where(present[i], w, 0.0)
            values.append(value(f))
            weights.append(w)
        return laws.Table(values, weights)

    return run if compiler.exact.compile(e).reads else _once(run)


def density(law: Value, method: str, x: Value) -> Value:
    """`law.method(x)`: the product over the coordinates of x where the law is of numbers."""
    value = law.formula(method, x)
    if shape_of(x) and not law.joint:
        return np.multiply.reduce(np.asarray(value), axis=0)
    return value
