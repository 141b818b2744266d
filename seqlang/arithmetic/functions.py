"""The functions of the language on formulas, in the same light form as the operators of `nodes`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from seqlang.arithmetic import intervals
from seqlang.arithmetic.ends import Ends
from seqlang.arithmetic.intervals import Interval
from seqlang.arithmetic.nodes import (
    INFINITY,
    MINUS_INFINITY,
    ONE,
    UNDEFINED,
    ZERO,
    ZERO_VALUE,
    Call,
    Formula,
    Infinite,
    Named,
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
    power,
    product,
    total,
)
from seqlang.arithmetic.zeta import enclose_zeta
from seqlang.record import record

HALF = Number(Fraction(1, 2))


def root(operand: Operand) -> Formula:
    """The square root."""
    return power(operand, HALF)


def maximum(*operands: Operand) -> Formula:
    """The largest of the operands; infinite operands decide or drop out, and numbers become one. Errors: no operand."""
    return _extreme("max", operands)


def minimum(*operands: Operand) -> Formula:
    """The smallest of the operands; infinite operands decide or drop out, and numbers become one. Errors: no
    operand."""
    return _extreme("min", operands)


def _extreme(function_: str, operands: tuple[Operand, ...]) -> Formula:
    """The largest or smallest. Infinities decide or drop out; the numbers among the arguments become one."""
    if not operands:
        raise ValueError(f"{function_} of nothing")
    upper = function_ == "max"
    arguments: dict[Formula, None] = {}
    constant: Fraction | None = None
    place = ONE  # marks where the constant was written
    for operand in operands:
        formula = as_formula(operand)
        flat = formula.arguments if isinstance(formula, Call) and formula.function == function_ else (formula,)
        for argument in flat:
            if isinstance(argument, Number):
                better = constant is None or (argument.value > constant) == upper
                constant = argument.value if better else constant
                arguments[place] = None
            else:
                arguments[argument] = None
    if UNDEFINED in arguments:
        return UNDEFINED
    deciding, dropped = (INFINITY, MINUS_INFINITY) if upper else (MINUS_INFINITY, INFINITY)
    if deciding in arguments:
        return deciding
    kept = tuple(a if a is not place else Number(constant or ZERO_VALUE) for a in arguments if a != dropped)
    if not kept:
        return dropped
    return kept[0] if len(kept) == 1 else Call(function_, kept)


def logarithm(operand: Operand) -> Formula:
    """The natural logarithm; log(0) is -infinity."""
    formula = as_formula(operand)
    match formula:
        case Number(value):
            if value == 1:
                return ZERO
            return Call("log", (formula,)) if value > 0 else MINUS_INFINITY if value == 0 else UNDEFINED
        case Infinite(positive):
            return INFINITY if positive else UNDEFINED
        case Undefined():
            return UNDEFINED
        case Call("exp", (inner,)):
            return inner
    return Call("log", (formula,))


def logarithm2(operand: Operand) -> Formula:
    """The logarithm to base 2."""
    formula = as_formula(operand)
    if isinstance(formula, Number) and formula.value > 0:
        exact = _log2_of_a_power(formula.value)
        return Call("log2", (formula,)) if exact is None else Number(exact)
    natural = logarithm(formula)
    return natural if natural.is_infinite else Call("log2", (formula,))


def _log2_of_a_power(value: Fraction) -> Fraction | None:
    """None if the value is no power of 2."""
    top, bottom = value.numerator, value.denominator
    plain = top > 0 and top & (top - 1) == 0 and bottom & (bottom - 1) == 0
    return Fraction(top.bit_length() - bottom.bit_length()) if plain else None


def riemann_zeta(operand: Operand) -> Formula:
    """The sum of n^-s over n = 1, 2, ..; s > 1."""
    formula = as_formula(operand)
    if isinstance(formula, Number) and formula.value <= 1:
        return INFINITY if formula.value == 1 else UNDEFINED
    if formula.is_infinite:
        return ONE if formula == INFINITY else UNDEFINED
    return Call("zeta", (formula,))


def floor(operand: Operand) -> Formula:
    """The largest whole number that is not larger."""
    return _whole("floor", as_formula(operand))


def ceiling(operand: Operand) -> Formula:
    """The smallest whole number that is not smaller."""
    return _whole("ceil", as_formula(operand))


def _whole(function_: str, formula: Formula) -> Formula:
    if isinstance(formula, Number):
        top, bottom = formula.value.numerator, formula.value.denominator
        return Number(Fraction(top // bottom if function_ == "floor" else -(-top // bottom)))
    if isinstance(formula, (Infinite, Undefined)) or (isinstance(formula, Call) and formula.function in WHOLE):
        return formula
    return Call(function_, (formula,))


WHOLE = ("floor", "ceil")


@record
class Primitive:
    """A function that formulas are made of: its light form, and its values in three kinds of arithmetic.

    `enclose` gives an interval around the values on an interval, with ends rounded outwards; `exact` the value at a
    rational number where that is rational and seen at once; `guess` a plain float, by which nothing is proved.
    """

    build: Callable[..., Formula]
    enclose: Callable[[Ends, Interval], Interval]
    exact: Callable[[Fraction], Fraction | None]
    guess: Callable[[float], float]
    sympy: str


def _enclose_log2(ends: Ends, x: Interval) -> Interval:
    log_of_2 = intervals.log(ends, ends.exact(Fraction(2)))
    return intervals.multiply(ends, intervals.log(ends, x), intervals.reciprocal(ends, log_of_2))


def _only_at(point: int, value: int) -> Callable[[Fraction], Fraction | None]:
    return lambda x: Fraction(value) if x == point else None


PRIMITIVES = {
    "abs": Primitive(absolute, intervals.absolute, abs, abs, "Abs"),
    "log": Primitive(logarithm, intervals.log, _only_at(1, 0), math.log, "log"),
    "exp": Primitive(exponential, intervals.exp, _only_at(0, 1), math.exp, "exp"),
    "log2": Primitive(logarithm2, _enclose_log2, _log2_of_a_power, math.log2, "log"),
    "zeta": Primitive(riemann_zeta, enclose_zeta, lambda s: None, lambda s: math.nan, "zeta"),
    "floor": Primitive(
        floor, lambda ends, x: intervals.whole(ends, x, False), lambda x: Fraction(x.__floor__()),
        lambda x: float(math.floor(x)), "floor",
    ),
    "ceil": Primitive(
        ceiling, lambda ends, x: intervals.whole(ends, x, True), lambda x: Fraction(x.__ceil__()),
        lambda x: float(math.ceil(x)), "ceiling",
    ),
}  # fmt: skip
"""Those of one argument; max and min take two or more. A root is a power."""
BUILDERS: dict[str, Callable[..., Formula]] = {
    "max": maximum,
    "min": minimum,
    "sqrt": root,
    **{name: primitive.build for name, primitive in PRIMITIVES.items()},
}


def function(name: str, *operands: Operand) -> Formula:
    """The function of formulas with that name, one of BUILDERS. Raises KeyError for another name."""
    return BUILDERS[name](*operands)


def rebuilt(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with `change` applied to its children, in light form again."""
    children = formula.children
    changed = [change(child) for child in children]
    if all(new is old for new, old in zip(changed, children, strict=True)):
        return formula
    match formula:
        case Sum():
            return total(changed)
        case Product():
            return product(changed)
        case Power():
            return power(*changed)
        case Call(name):
            return BUILDERS[name](*changed)
        case Named(name, _, upper):
            return Named(name, tuple(changed), upper)
        case _:
            raise AssertionError(formula)


def substitute(formula: Formula, new: Mapping[str, Formula]) -> Formula:
    """The formula with these names replaced."""
    if isinstance(formula, Symbol):
        return new.get(formula.name, formula)
    return rebuilt(formula, lambda child: substitute(child, new)) if formula.symbols() & new.keys() else formula
