"""Numbers that are quotients of two numbers on grids, such as a mean: compared and rounded without dividing."""

from __future__ import annotations

from seqlang.model.expression import (
    Apply,
    CellValue,
    Expression,
    Local,
    Quantified,
    Records,
    StepNumber,
    Truth,
)
from seqlang.model.grids import Grids
from seqlang.model.lines import ONE, minus, over, plus, times
from seqlang.model.program import AllSteps, LastSteps
from seqlang.model.wholes import Wholes

Parts = tuple[Expression, Expression]


class Quotients:
    """Of the expressions of one program."""

    def __init__(self, grids: Grids, wholes: Wholes) -> None:
        self.grids, self.wholes = grids, wholes

    def of(self, e: Expression, place: int) -> Parts | None:
        """A numerator and a denominator on grids, read at that place of the step; None where the number is on a grid
        itself, or none are known."""
        parts = self._parts(e, place)
        if parts is None or parts[1] == ONE or any(self.grids.of(part).denominator is None for part in parts):
            return None
        return parts

    def is_positive(self, e: Expression) -> bool:
        """Whether it is plainly above 0 in every step."""
        match e:
            case StepNumber():
                return True
            case Apply("*" | "+" | "min", arguments):
                return all(map(self.is_positive, arguments))
        value = self.grids.of(e).value
        return value is not None and value > 0

    def _parts(self, e: Expression, place: int) -> Parts | None:
        if self.grids.of(e).denominator is not None:
            return e, ONE
        match e:
            case Local(name):
                define = self.wholes.places.definition(name, place)
                return None if define is None else self._parts(define, place)
            case CellValue(name, ()):
                return self._mean(e)
            case Quantified("mean", _, variable, domain, where):
                many = Quantified("count", Truth(True), variable, domain, where)
                if where is None and isinstance(domain, Records):
                    return Quantified("sum", e.body, variable, domain), Apply("length", (domain,))
                return Quantified("sum", e.body, variable, domain, where), many
            case Apply("mean", (v,)):
                return Apply("sum", (v,)), Apply("length", (v,))
            case Apply("negate", (a,)):
                parts = self._parts(a, place)
                return None if parts is None else (Apply("negate", (parts[0],)), parts[1])
            case Apply("abs", (a,)):
                parts = self._parts(a, place)
                return None if parts is None else (Apply("abs", (parts[0],)), self._size(parts[1]))
            case Apply("+" | "-" | "*" | "/" as operator, (a, b)):
                first, second = self._parts(a, place), self._parts(b, place)
                return None if first is None or second is None else _combined(operator, first, second)
        return None

    def _size(self, e: Expression) -> Expression:
        return e if self.is_positive(e) else Apply("abs", (e,))

    def _mean(self, e: CellValue) -> Parts | None:
        cell = self.grids.program.cell(e.name)
        by = self.grids.of(cell.body).denominator
        if cell.operator != "mean" or cell.where is not None or by is None:
            return None
        match cell.keep:
            case AllSteps():
                many: Expression = StepNumber()
            case LastSteps(count) if self.grids.is_constant(count):
                many = Apply("min", (StepNumber(), count))
            case _:
                return None
        total = times(e, many)
        return (over(self.wholes.whole(total, by), by), many) if self.wholes.fits(total, by) else None


def _combined(operator: str, first: Parts, second: Parts) -> Parts:
    (a, b), (c, d) = first, second
    match operator:
        case "*":
            return times(a, c), times(b, d)
        case "/":
            return times(a, d), times(b, c)
        case _ if b == d:
            return (plus if operator == "+" else minus)(a, c), b
        case _:
            return (plus if operator == "+" else minus)(times(a, d), times(c, b)), times(b, d)
