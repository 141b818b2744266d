"""The sum of the sizes of the terms of an expression: rounding errors are proportional to it."""

from __future__ import annotations

from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.record import replace


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
