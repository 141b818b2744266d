"""The functions of the language on formulas, in the same light form as the operators of `nodes`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

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
    Number,
    Operand,
    Power,
    Product,
    Sum,
    Undefined,
    absolute,
    as_formula,
    exponential,
    power,
    product,
    total,
)

HALF = Number(Fraction(1, 2))


def root(operand: Operand) -> Formula:
    """The square root."""
    return power(operand, HALF)


def maximum(*operands: Operand) -> Formula:
    return _extreme("max", operands)


def minimum(*operands: Operand) -> Formula:
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
        top, bottom = formula.value.numerator, formula.value.denominator
        if top & (top - 1) == 0 and bottom & (bottom - 1) == 0:
            return Number(Fraction(top.bit_length() - bottom.bit_length()))
        return Call("log2", (formula,))
    natural = logarithm(formula)
    return natural if natural.is_infinite else Call("log2", (formula,))


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
BUILDERS: dict[str, Callable[..., Formula]] = {
    "max": maximum,
    "min": minimum,
    "abs": absolute,
    "log": logarithm,
    "exp": exponential,
    "sqrt": root,
    "log2": logarithm2,
    "zeta": riemann_zeta,
    "floor": floor,
    "ceil": ceiling,
}


def function(name: str, *operands: Operand) -> Formula:
    """The function of the language with that name (max, min, abs, log, exp, sqrt, log2, zeta, floor, ceil).

    Raises KeyError for another name."""
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
        case _:
            raise AssertionError(formula)
