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

from seqlang.arithmetic.compare import at_most as at_most
from seqlang.arithmetic.compare import compare as compare
from seqlang.arithmetic.enclosure import Bounds as Bounds
from seqlang.arithmetic.enclosure import Enclosure as Enclosure
from seqlang.arithmetic.enclosure import enclose as enclose
from seqlang.arithmetic.enclosure import range_of as range_of
from seqlang.arithmetic.functions import BUILDERS as BUILDERS
from seqlang.arithmetic.functions import ceiling as ceiling
from seqlang.arithmetic.functions import floor as floor
from seqlang.arithmetic.functions import function as function
from seqlang.arithmetic.functions import logarithm as logarithm
from seqlang.arithmetic.functions import logarithm2 as logarithm2
from seqlang.arithmetic.functions import maximum as maximum
from seqlang.arithmetic.functions import minimum as minimum
from seqlang.arithmetic.functions import rebuilt as rebuilt
from seqlang.arithmetic.functions import riemann_zeta as riemann_zeta
from seqlang.arithmetic.functions import root as root
from seqlang.arithmetic.functions import substitute as substitute
from seqlang.arithmetic.nodes import INFINITY as INFINITY
from seqlang.arithmetic.nodes import MINUS_INFINITY as MINUS_INFINITY
from seqlang.arithmetic.nodes import ONE as ONE
from seqlang.arithmetic.nodes import UNDEFINED as UNDEFINED
from seqlang.arithmetic.nodes import ZERO as ZERO
from seqlang.arithmetic.nodes import Call as Call
from seqlang.arithmetic.nodes import Formula as Formula
from seqlang.arithmetic.nodes import Infinite as Infinite
from seqlang.arithmetic.nodes import Named as Named
from seqlang.arithmetic.nodes import Number as Number
from seqlang.arithmetic.nodes import Operand as Operand
from seqlang.arithmetic.nodes import Power as Power
from seqlang.arithmetic.nodes import Product as Product
from seqlang.arithmetic.nodes import Sum as Sum
from seqlang.arithmetic.nodes import Symbol as Symbol
from seqlang.arithmetic.nodes import Undefined as Undefined
from seqlang.arithmetic.nodes import absolute as absolute
from seqlang.arithmetic.nodes import as_formula as as_formula
from seqlang.arithmetic.nodes import exponential as exponential
from seqlang.arithmetic.nodes import number as number
from seqlang.arithmetic.nodes import of_float as of_float
from seqlang.arithmetic.nodes import power as power
from seqlang.arithmetic.nodes import product as product
from seqlang.arithmetic.nodes import symbol as symbol
from seqlang.arithmetic.nodes import total as total
from seqlang.arithmetic.nodes import walk as walk
from seqlang.arithmetic.simplify import simplify as simplify
from seqlang.arithmetic.sympy_form import to_sympy as to_sympy

ORDER = symbol("<order>")
"""The order of a Renyi divergence in a bound. No parameter has this name, which is no word of the language."""
DELTA = symbol("<delta>")
"""The delta of an (epsilon, delta) bound, likewise."""
