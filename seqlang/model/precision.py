"""What is known of the doubles of a number before any run: whether they are the nearest ones and tell different numbers
apart, and how far they are off at most.

Where no bound is known here, a run computes one beside the number (`running_error.py`): the difference of two numbers
may be all error, as (m + 10^9) - 10^9 is m to seven digits, and 0.3 - 3 * 0.1 is not 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

from seqlang.laws.facts import facts
from seqlang.model.constants import exactly
from seqlang.model.densities import is_absolute, relative_error
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Density,
    Drawn,
    Expression,
    Field,
    Law,
    Local,
    MemoryValue,
    Number,
    Quantified,
    Sequence,
    StepNumber,
    Weights,
    children,
    walk,
)
from seqlang.model.grids import Grids, Rounding, is_dyadic
from seqlang.model.growths import EXACT, UNIT, Growths
from seqlang.model.lines import ONE, ZERO
from seqlang.model.program import Update
from seqlang.model.signs import is_never_negative
from seqlang.model.wholes import Wholes
from seqlang.operators.groups import CHOSEN

LATE = 2.0**20
"""Steps: few laws are followed so far."""
MANY = 2.0**10
"""Steps in which an absolute error is small: later it may be larger, as sums gather errors, but is no larger part."""
EARLY = 2.0**7
"""Steps in which a number has to be known well. A sum of logarithms is known to 1e-11 then; the bound of its error
grows with the square of the steps, which its error does not."""
CLOSE = 2.0**-30
"""An absolute error that is small."""
MODERATE = Fraction(10) ** 30
"""Constants between this and its reciprocal keep products of a few away from the ends of doubles."""
MOST_FACTORS = 4
FINE = 2.0**14
"""Units of 2^-50, in which densities are off."""


class Precision:
    """Of the exact expressions of one program."""

    def __init__(self, grids: Grids, growths: Growths, wholes: Wholes) -> None:
        self.grids, self.growths, self.wholes = grids, growths, wholes
        self.program = grids.program

    def error(self, e: Expression, known: bool) -> float:
        """The absolute error of a number; 0 of what reads real data, which is not looked at."""
        if not self.grids.of(e).exact or self._has_no_error(e):
            return 0.0
        bounds, once = self.growths.of(e), known or self._is_plain(e)
        return (bounds.size.at(MANY) if once else bounds.error.at(self.last(e))) * UNIT

    def absolute(self, e: Expression) -> bool:
        """Whether the error is small, whatever the size of the number is."""
        return self.growths.of(e).error.at(max(MANY, self.last(e))) * UNIT <= CLOSE

    def nearest(self, e: Expression) -> bool:
        """Whether its double is the one that is nearest to the number: equal numbers have equal doubles, and different
        numbers different ones."""
        grid = self.grids.of(e)
        if self.is_known(e) or not grid.exact:
            return True
        if grid.denominator is not None and self.wholes.is_told(e, grid.denominator):
            return True
        if grid.rounding != Rounding.COMPUTED:
            return isinstance(e, Field) or (isinstance(e, Drawn) and self._is_listed(e.name))
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

    def _is_listed(self, name: str) -> bool:
        """Whether a law lists constants: elaboration has seen to it that these have different doubles, as those of a
        domain have."""
        match self.grids.law_of(name):
            case Weights(pairs):
                values = tuple(value for value, _ in pairs)
            case Law("uniform", (Sequence("set", items),)):
                values = items
            case Law(family):
                return facts(family).whole
            case _:
                return False
        return all(map(self.grids.is_constant, values))

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

    def is_small_part(self, e: Expression, factors: int = 0) -> bool:
        """Whether the error is a small part of the number in every run, also where that is next to 0. `factors`: how
        many it is one of: a product of many may be next to 0 before it is of moderate size."""
        if factors > MOST_FACTORS:
            return False
        if self.is_known(e):
            value = self.grids.of(e).value
            return value is None or value == 0 or 1 / MODERATE <= abs(value) <= MODERATE
        if self._is_plain(e) or (self.grids.is_constant(e) and not self.has_chances(e)):
            return True
        match e:
            case Local(name):
                return self.is_small_part(self.program.define(name).expression, factors)
            case Density() if is_absolute(e):
                return False
            case Density():
                error = relative_error(e, self.growths, self._of_place)
                return isinstance(error, Number) and error.value <= FINE
            case Apply("*", (a, b)):
                one_is_known = self.is_known(a) or self.is_known(b)
                return one_is_known and all(self.is_small_part(x, factors + 1) for x in (a, b))
            case Apply("/", (a, b)):
                return self.is_known(b) and all(self.is_small_part(x, factors + 1) for x in (a, b))
            case Apply("+", parts):
                return all(is_never_negative(x, self.growths) and self.is_small_part(x, factors) for x in parts)
            case Choice(_, yes, no):
                return self.is_small_part(yes, factors) and self.is_small_part(no, factors)
        return False

    def has_chances(self, e: Expression) -> bool:
        """Whether a chance or density enters the number; not whether one decides which of two numbers it is."""
        match e:
            case Density():
                return True
            case Local(name):
                return self.has_chances(self.program.define(name).expression)
            case Choice(_, yes, no):
                return self.has_chances(yes) or self.has_chances(no)
        return any(map(self.has_chances, children(e)))

    def _of_place(self, e: Expression) -> Expression:
        """What the doubles of a number are off by in early steps, in units of 2^-50."""
        off = self.growths.of(e).error.at(max(MANY, self.last(e)))
        return Number(Fraction(off) / 8) if off < inf else Apply("/", (ONE, ZERO))

    def last(self, e: Expression) -> float:
        """The step in which its error has to be small. A sum gathers errors more slowly than their bounds grow; what
        reads the step may be off by as much as its bound in every step."""
        return min(LATE, self.wholes.end) if self._reads_step(e, set()) else EARLY

    def _reads_step(self, e: Expression, seen: set[str]) -> bool:
        for part in walk(e):
            match part:
                case StepNumber():
                    return True
                case Local(name) | CellValue(name) | MemoryValue(name) if name not in seen:
                    seen.add(name)
                    if any(self._reads_step(made, seen) for made in self._made_from(part)):
                        return True
        return False

    def _made_from(self, e: Local | CellValue | MemoryValue) -> tuple[Expression, ...]:
        match e:
            case Local(name):
                return (self.program.define(name).expression,)
            case CellValue(name):
                return (self.program.cell(name).body,)
        return tuple(s.value for s in self.program.body if isinstance(s, Update) and s.memory == e.name)

    def _is_plain(self, e: Expression) -> bool:
        """Whether its double is as near as one rounding leaves it."""
        grid = self.grids.of(e)
        return self.is_known(e) or grid.denominator is not None or grid.rounding != Rounding.COMPUTED

    def is_known(self, e: Expression) -> bool:
        """Whether it is a constant whose exact value is known. Those with densities in them are computed with doubles:
        the difference of two may be all error."""
        return self.grids.is_constant(e) and exactly(e, self.grids.values) is not None

    def is_lost(self, e: Expression) -> bool:
        """Whether digits of a term may be lost, and not only the last ones."""
        return self.error(e, False) > CLOSE and self.coarse(e)

    def coarse(self, e: Expression) -> bool:
        """Whether doubles may have lost digits in a term of an exact sum: the error is then no small part of what it
        adds up. Numbers that are kept from step to step are not looked into."""
        grid = self.grids.of(e)
        if not grid.exact or self._is_plain(e):
            return False
        match e:
            case Local(name):
                return self.coarse(self.program.define(name).expression)
            case CellValue() | MemoryValue():
                return False
            case Apply("+" | "-" | "*" | "negate" | "abs", parts):
                return any(map(self.coarse, parts))
            case Apply("/", (a, b)) if self.grids.of(b).denominator is not None:
                return self.coarse(a)
            case Choice(_, yes, no):
                return self.coarse(yes) or self.coarse(no)
            case Quantified("sum" | "mean", body):
                return self.coarse(body)
        return not self.is_small_part(e)
