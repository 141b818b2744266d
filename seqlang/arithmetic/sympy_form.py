"""Formulas for sympy (imported here only)."""

from __future__ import annotations

from typing import Any

from seqlang.arithmetic.functions import PRIMITIVES
from seqlang.arithmetic.nodes import Call, Formula, Infinite, Named, Number, Power, Product, Sum, Symbol


def to_sympy(formula: Formula) -> Any:
    """The sympy expression; names become real symbols."""
    import sympy

    match formula:
        case Number(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Symbol(name):
            return sympy.Symbol(name, real=True)
        case Sum(terms):
            return sympy.Add(*map(to_sympy, terms))
        case Product(factors):
            return sympy.Mul(*map(to_sympy, factors))
        case Power(base, exponent):
            return sympy.Pow(to_sympy(base), to_sympy(exponent))
        case Infinite(positive):
            return sympy.oo if positive else -sympy.oo
        case Call(name, arguments):
            converted = [to_sympy(argument) for argument in arguments]
            if name == "log2":
                return sympy.log(converted[0], 2)
            if name in PRIMITIVES:
                return getattr(sympy, PRIMITIVES[name].sympy)(*converted)
            return (sympy.Max if name == "max" else sympy.Min)(*converted)
        case Named(name, arguments):
            return sympy.Function(name.replace("_", "-"))(*map(to_sympy, arguments))
        case _:
            return sympy.nan
