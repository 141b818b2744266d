"""The sum of the sizes of the terms of an expression: rounding errors are proportional to it."""

from __future__ import annotations

from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Decided
from seqlang.model.jumps import Jumps
from seqlang.model.program import Program
from seqlang.record import replace


def computed_terms(jumps: Jumps, e: ir.Expression) -> ir.Expression:
    """An expression that bounds the sizes of the doubles that are added up to make `e`; what is known exactly, or
    rounded once, is one of them."""
    if jumps.grids.of(e).denominator is not None or isinstance(jumps.run(e), Decided):
        return ir.Apply("abs", (e,))
    match e:
        case ir.Apply("+" | "-", (left, right)):
            return ir.Apply("+", (computed_terms(jumps, left), computed_terms(jumps, right)))
        case ir.Local(name):
            define = jumps.program.define(name).expression
            if not isinstance(jumps.run(define), Decided):
                return computed_terms(jumps, define)
    return magnitude(jumps.program, e)


def magnitude(program: Program, e: ir.Expression) -> ir.Expression:
    """An expression that bounds the sizes of what `e` adds up in one step."""

    def of(inner: ir.Expression) -> ir.Expression:
        return magnitude(program, inner)

    match e:
        case ir.Apply("+" | "-", (left, right)):
            return ir.Apply("+", (of(left), of(right)))
        case ir.Apply("*", (left, right)):
            return ir.Apply("*", (of(left), of(right)))
        case ir.Apply("negate" | "abs", (inner,)):
            return of(inner)
        case ir.Choice(test, yes, no):
            return ir.Choice(test, of(yes), of(no))
        case ir.Quantified("sum" | "mean", body):
            return replace(e, body=of(body))
        case ir.Local(name):
            inner = program.define(name).expression
            found = of(inner)
            return ir.Apply("abs", (e,)) if found == ir.Apply("abs", (inner,)) else found
        case _:
            return ir.Apply("abs", (e,))
