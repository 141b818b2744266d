"""Symbolic constants: what sensitivities, noise scales and bounds are written in.

A `Formula` is an immutable expression over parameters: rationals, names, + - * / ^, INFINITY, and the functions of
`functions.BUILDERS`. The operators + - * / ** work on formulas, ints and Fractions.

    number(value), symbol(name), maximum(..), minimum(..), absolute(f), logarithm(f), exponential(f), root(f),
    function(name, ..)
    f.is_infinite, f.symbols(), str(f)
    simplify(f, bounds)           the shortest form found, given `Bounds` of the names
    enclose(f, values)            floats around the value, rounded outwards
    compare(a, b, values)         "less", "equal", "greater", or None if undecided
    at_most(a, b, values)         True only if a <= b is certain
    to_sympy(f)
"""

from __future__ import annotations

from seqlang.arithmetic.compare import at_most, compare
from seqlang.arithmetic.enclosure import Bounds, Enclosure, enclose, range_of
from seqlang.arithmetic.functions import (
    BUILDERS,
    ceiling,
    floor,
    function,
    logarithm,
    logarithm2,
    maximum,
    minimum,
    rebuilt,
    riemann_zeta,
    root,
)
from seqlang.arithmetic.nodes import (
    INFINITY,
    MINUS_INFINITY,
    ONE,
    UNDEFINED,
    ZERO,
    Call,
    Formula,
    Infinite,
    Number,
    Operand,
    Power,
    Product,
    Sum,
    Symbol,
    Undefined,
    absolute,
    as_formula,
    exponential,
    number,
    power,
    product,
    symbol,
    total,
    walk,
)
from seqlang.arithmetic.simplify import simplify
from seqlang.arithmetic.sympy_form import to_sympy

__all__ = [
    "BUILDERS",
    "INFINITY",
    "MINUS_INFINITY",
    "ONE",
    "UNDEFINED",
    "ZERO",
    "Bounds",
    "Call",
    "Enclosure",
    "Formula",
    "Infinite",
    "Number",
    "Operand",
    "Power",
    "Product",
    "Sum",
    "Symbol",
    "Undefined",
    "absolute",
    "as_formula",
    "at_most",
    "ceiling",
    "compare",
    "enclose",
    "exponential",
    "floor",
    "function",
    "logarithm",
    "logarithm2",
    "maximum",
    "minimum",
    "number",
    "power",
    "product",
    "range_of",
    "rebuilt",
    "riemann_zeta",
    "root",
    "simplify",
    "symbol",
    "to_sympy",
    "total",
    "walk",
]
