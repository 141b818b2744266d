"""Numbers that are plainly never below 0: a sum of such numbers is known as well as its parts are."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Density,
    Expression,
    Local,
    Quantified,
    StepNumber,
)
from seqlang.model.growths import Growths
from seqlang.operators.groups import COUNTS, SUMS


def is_never_negative(e: Expression, growths: Growths) -> bool:
    """Whether the number is 0 or above wherever it has a value."""
    grids = growths.grids
    values = grids.listed(e)
    if values is not None:
        return all(map(_from_0, values))
    match e:
        case StepNumber() | Density():
            return True
        case Local(name):
            return is_never_negative(grids.program.define(name).expression, growths)
        case CellValue(name):
            cell = grids.program.cell(name)
            return cell.operator in COUNTS or (cell.operator in SUMS and is_never_negative(cell.body, growths))
        case Choice(_, yes, no):
            return is_never_negative(yes, growths) and is_never_negative(no, growths)
        case Quantified("sum" | "mean" | "max" | "min", body):
            return is_never_negative(body, growths)
        case Apply("exp" | "sqrt" | "abs", _):
            return True
        case Apply("^", (base, power)):
            value = grids.of(power).value
            odd = value is None or (value.denominator == 1 and value % 2 == 1)
            return not odd or is_never_negative(base, growths)  # a root of a negative number has no value
        case Apply("+" | "*" | "/" | "min", parts):
            return all(is_never_negative(part, growths) for part in parts)
        case Apply("-", (a, b)):
            value = grids.of(a).value
            return value is not None and growths.of(b).size.at(1) <= value and not growths.of(b).size.degree
        case Apply("max", parts):
            return any(is_never_negative(part, growths) for part in parts)
    return False


def _from_0(value: object) -> bool:
    match value:
        case bool():
            return False
        case Fraction():
            return value >= 0
        case Formula():
            return enclose(value, {}).low >= 0
    return False
