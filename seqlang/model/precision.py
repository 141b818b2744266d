"""Whether doubles compute a number well that is on no grid, so that its error makes no difference where it is shown,
drawn from, or has noise added.

A number that is made by products and quotients is off by a few units of its own size. The difference of two may be all
error: (m + 10^9) - 10^9 is m to seven digits, and 0.3 - 3 * 0.1 is not 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

from seqlang.model.expression import Apply, CellValue, Choice, Density, Expression, Local, MemoryValue, Quantified
from seqlang.model.grids import Grids, Rounding, is_dyadic
from seqlang.model.growths import EXACT, UNIT, Growths
from seqlang.model.program import Update
from seqlang.model.wholes import Wholes
from seqlang.operators.groups import CHOSEN

LATE = 2.0**20
"""Steps: few laws are followed so far."""
MANY = 2.0**10
"""Steps in which an absolute error is small: later it may be larger, as sums gather errors, but is no larger part."""
CLOSE = 2.0**-30
"""An absolute error that is small."""
MODERATE = Fraction(10) ** 30
"""Constants between this and its reciprocal keep products of a few away from the ends of doubles."""
LARGEST_POWER = 16


class Precision:
    """Of the exact expressions of one program."""

    def __init__(self, grids: Grids, growths: Growths, wholes: Wholes) -> None:
        self.grids, self.growths, self.wholes = grids, growths, wholes
        self.program = grids.program
        self._assumed: set[str] = set()

    def absolute(self, e: Expression) -> bool:
        """Whether the error is small, whatever the size of the number is."""
        return self.growths.of(e).error.at(MANY) * UNIT <= CLOSE

    def nearest(self, e: Expression) -> bool:
        """Whether its double is the one that is nearest to the number: equal numbers have equal doubles, and different
        numbers different ones."""
        grid = self.grids.of(e)
        if self.grids.is_constant(e) or grid.rounding != Rounding.COMPUTED:
            return True
        match e:
            case Local(name):
                return self.nearest(self.program.define(name).expression)
            case CellValue(name):
                cell = self.program.cell(name)
                if cell.operator == "mean":
                    size = self.growths.of(cell.body).size.at(MANY) * MANY
                    return self._has_no_error(cell.body) and self.are_told(size, cell.body, MANY)
                return cell.operator in CHOSEN and self.nearest(cell.body)
            case Apply("/", (a, b)):
                return self._has_no_error(a) and self._has_no_error(b) and self.tells_quotients(a, b)
            case Apply(operator, parts) if operator in CHOSEN:
                return all(map(self.nearest, parts))
            case Choice(_, yes, no):
                return self.nearest(yes) and self.nearest(no)
        return False

    def tells_quotients(self, a: Expression, b: Expression) -> bool:
        """Whether doubles tell the quotients of two numbers on grids from each other."""
        below = self.growths.of(b).size.at(MANY) * (self.grids.of(b).denominator or inf)
        return self.are_told(self.growths.of(a).size.at(MANY), a, below)

    def are_told(self, size: float, a: Expression, below: float) -> bool:
        """The same of numbers up to `size`, on the grid of `a`, over whole numbers up to `below`: different fractions
        p / q and r / s differ by at least 1 / (p s) of their size."""
        return size * (self.grids.of(a).denominator or inf) * below <= EXACT

    def _has_no_error(self, e: Expression) -> bool:
        by = self.grids.of(e).denominator
        return by is not None and is_dyadic(by) and self.wholes.fits(e, by)

    def relative(self, e: Expression) -> bool:
        """Whether the error is a small part of the number, also where that is next to 0."""
        grid = self.grids.of(e)
        if self.grids.is_constant(e):
            return grid.value is None or grid.value == 0 or 1 / MODERATE <= abs(grid.value) <= MODERATE
        if grid.rounding != Rounding.COMPUTED:
            return True
        if grid.denominator is not None and self.wholes.fits(e, grid.denominator):
            return True  # a whole number over the denominator takes its place
        match e:
            case Local(name):
                return self.relative(self.program.define(name).expression)
            case MemoryValue(name):
                return self._memory(name)
            case CellValue(name):
                cell = self.program.cell(name)
                if cell.operator == "mean":
                    return self._has_no_error(cell.body)
                return cell.operator in CHOSEN and self.relative(cell.body)
            case Apply("+" | "-", (a, b)):
                return self._is_far_from(a, b) or self._is_far_from(b, a)
            case Apply("*" | "/" | "sqrt", parts):
                return all(map(self.relative, parts))
            case Apply(operator, parts) if operator in CHOSEN:
                return all(map(self.relative, parts))
            case Apply("^", (base, power)):
                exponent = self.grids.of(power).value
                return exponent is not None and abs(exponent) <= LARGEST_POWER and self.relative(base)
            case Apply("exp", (x,)):
                return self.absolute(x) or self.relative(x)  # it is 0 or infinite, or x is at most 745
            case Choice(_, yes, no):
                return self.relative(yes) and self.relative(no)
            case Quantified("max" | "min", body):
                return self.relative(body)
            case Density():  # laws compute it to twelve digits
                return True
        return False

    def _is_far_from(self, a: Expression, b: Expression) -> bool:
        """Whether a is a constant, and b at most half as large: the sum or difference is not near 0."""
        value = self.grids.of(a).value
        if value is None or not (self.grids.is_constant(a) and self.relative(b)):
            return False
        return self.growths.of(b).size.at(LATE) <= abs(value) / 2

    def _memory(self, name: str) -> bool:
        """If it is so before a step, it is so after it."""
        if name in self._assumed:
            return True
        self._assumed.add(name)
        initial = next(x.initial for x in self.program.memories if x.name == name)
        updates = [s.value for s in self.program.body if isinstance(s, Update) and s.memory == name]
        try:
            return all(map(self.relative, (initial, *updates)))
        finally:
            self._assumed.discard(name)
