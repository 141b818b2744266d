"""Whether doubles compute a number well that is on no grid, so that its error makes no difference where it is shown,
drawn from, or has noise added.

A number that is made by products and quotients is off by a few units of its own size. The difference of two may be all
error: (m + 10^9) - 10^9 is m to seven digits, and 0.3 - 3 * 0.1 is not 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

from seqlang.laws.facts import facts
from seqlang.model.amplified import amplification, largest, raised, read_memories
from seqlang.model.constants import exactly
from seqlang.model.densities import has_constants, is_precise
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
    Quantified,
    Sequence,
    Weights,
)
from seqlang.model.grids import Grids, Rounding, is_dyadic
from seqlang.model.growths import EXACT, UNIT, Growths
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
FOR_RECORDS = 2.0**8
"""The same of numbers that are made from a data set: bounds are for millions of records, and grow with their square."""
MODERATE = Fraction(10) ** 30
"""Constants between this and its reciprocal keep products of a few away from the ends of doubles."""
LARGEST_POWER = 16
FADED = 100.0
"""exp(-100) has all its digits, and so have products of a few of them."""
FINE = 2.0**14
"""Units of 2^-50, in which densities are off."""
OF_A_CHANCE = 2.0**-36
"""The error of a density of moderate size that is known as well."""
MOST_RAISED = 40.0
"""Powers of 2 by which factors may raise what is next to 0: it stays next to it."""
MOST_AMPLIFIED = 2.0**16
"""Roundings that count in a small relative error."""


class Precision:
    """Of the exact expressions of one program."""

    def __init__(self, grids: Grids, growths: Growths, wholes: Wholes) -> None:
        self.grids, self.growths, self.wholes = grids, growths, wholes
        self.program = grids.program
        self._assumed: set[str] = set()
        self._relative: dict[int, tuple[Expression, bool]] = {}
        self.room = FOR_RECORDS if self.program.data_set else CLOSE

    def beside(self, e: Expression, scale: float, known: bool = False) -> bool:
        """Whether the error of a number is small beside a noise of this scale that is added to it. `known`: it is the
        double next to the number. What reads real data is not looked at."""
        error = self.error(e, known)
        if error < inf:
            return error <= self.room * min(1.0, 2.0**6 * scale)
        parts: tuple[Expression, ...] = ()  # of a function whose error has no bound here those of its arguments decide
        match e:
            case Local(name):
                parts = (self.program.define(name).expression,)
            case MemoryValue(name):
                return not self._magnifies(name)
            case Apply("log", (Apply("/", (Density() as p, Density() as q)),)):  # see `log_ratio.py`
                return self.relative(p) and self.relative(q)
            case Apply("log", (x,)):
                return self.relative(x)
            case Apply("/", (a, b)) if (least := self._least(b)) is not None:
                return self.beside(a, scale * min(1.0, least)) and self.relative(b)
            case Apply("/" | "exp" | "sqrt" | "^", _):
                return self._is_small_part(e, scale)
            case Apply("*", (a, b)):
                return self._scaled(a, b, scale) and self._scaled(b, a, scale)
            case Apply(_, arguments):
                parts = arguments
            case Choice(_, yes, no):
                parts = (yes, no)
            case Density(method, law):
                known = self.relative(e) and (method != "pdf" or has_constants(law, self.grids))
                return known and self.room * min(1.0, 2.0**6 * scale) >= OF_A_CHANCE
        return all(self.beside(part, scale) for part in parts)

    def _least(self, e: Expression) -> float | None:
        """A bound below the size of a number, where that is not 0."""
        by = self.grids.of(e).denominator
        return self.growths.least(e) if by is None else 1 / by

    def _scaled(self, a: Expression, b: Expression, scale: float) -> bool:
        """Whether the error of a number is small beside the noise once it is multiplied by the other. Of numbers that
        are kept from step to step and have no bound nothing is said."""
        by = largest(b, self.growths)
        if by < inf:
            return self.beside(a, scale / max(1.0, by))
        return self.relative(a) and isinstance(b, MemoryValue | CellValue)

    def _is_small_part(self, e: Expression, scale: float) -> bool:
        """Whether a small part of the number is small beside the noise."""
        error = amplification(e, self.growths) * largest(e, self.growths) * UNIT
        return self.relative(e) and error <= self.room * min(1.0, 2.0**6 * scale)

    def error(self, e: Expression, known: bool) -> float:
        """The absolute error of a number; 0 of what reads real data, which is not looked at."""
        if not self.grids.of(e).exact or self._has_no_error(e):
            return 0.0
        bounds, once = self.growths.of(e), known or self._is_plain(e)
        return (bounds.size.at(MANY) if once else bounds.error.at(EARLY)) * UNIT

    def absolute(self, e: Expression) -> bool:
        """Whether the error is small, whatever the size of the number is."""
        return self.growths.of(e).error.at(MANY) * UNIT <= CLOSE

    def nearest(self, e: Expression) -> bool:
        """Whether its double is the one that is nearest to the number: equal numbers have equal doubles, and different
        numbers different ones."""
        grid = self.grids.of(e)
        if self._is_known(e) or not grid.exact:
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

    def relative(self, e: Expression) -> bool:
        """Whether the error is a small part of the number, also where that is next to 0."""
        if id(e) in self._relative:
            return self._relative[id(e)][1]
        small = amplification(e, self.growths) <= MOST_AMPLIFIED and raised(e, self.growths) <= MOST_RAISED
        found = small and self._is_relative(e)
        if not self._assumed:  # else it holds only if what is assumed does
            self._relative[id(e)] = e, found
        return found

    def _is_relative(self, e: Expression) -> bool:
        grid = self.grids.of(e)
        if self._is_known(e):
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
            case Apply("+", (a, b)) if is_never_negative(a, self.growths) and is_never_negative(b, self.growths):
                return self.relative(a) and self.relative(b)
            case Apply("+" | "-", (a, b)):
                return self._is_far_from(a, b) or self._is_far_from(b, a)
            case Apply("*", (a, b)):
                return self._keeps_digits(a, b) and self._keeps_digits(b, a) and all(map(self.relative, (a, b)))
            case Apply("/", (a, b)):
                kept = not self._may_fade(a) or self.grids.is_constant(b) or self.grids.of(b).denominator is not None
                return kept and not self._may_fade(b) and all(map(self.relative, (a, b)))
            case Apply("sqrt", (a,)):
                return not self._may_fade(a) and self.relative(a)
            case Apply(operator, parts) if operator in CHOSEN:
                return all(map(self.relative, parts))
            case Apply("^", (base, power)):
                exponent = self.grids.of(power).value
                if exponent is None or abs(exponent) > LARGEST_POWER or (exponent < 0 and self._may_fade(base)):
                    return False
                return self.relative(base)
            case Apply("exp", (x,)):
                return self.absolute(x) or self.relative(x)  # it is 0 or infinite, or x is at most 745; see `_may_fade`
            case Choice(_, yes, no):
                return self.relative(yes) and self.relative(no)
            case Quantified("max" | "min", body):
                return self.relative(body)
            case Quantified("sum", body):
                return is_never_negative(body, self.growths) and self.relative(body)
            case Density(_, law, at):
                return is_precise(law, self.growths, at, FINE) and self._is_plain(at)
        return False

    def _is_plain(self, e: Expression) -> bool:
        """Whether its double is as near as one rounding leaves it."""
        grid = self.grids.of(e)
        return self._is_known(e) or grid.denominator is not None or grid.rounding != Rounding.COMPUTED

    def _is_known(self, e: Expression) -> bool:
        """Whether it is a constant whose exact value is known. Those with densities in them are computed with doubles:
        the difference of two may be all error."""
        return self.grids.is_constant(e) and exactly(e, self.grids.values) is not None

    def is_lost(self, e: Expression) -> bool:
        """Whether digits of a term may be lost, and not only the last ones."""
        return self.coarse(e) and not self.beside(e, 1.0)

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
            case Choice(_, yes, no):
                return self.coarse(yes) or self.coarse(no)
            case Quantified("sum" | "mean", body):
                return self.coarse(body)
        return not self.relative(e)

    def _keeps_digits(self, a: Expression, b: Expression) -> bool:
        """Whether an error that a has next to 0 is next to 0 in a * b. (That not all weights of a law are next to 0 is
        looked at where it is drawn from, see `laws/weights.py`.)"""
        return not self._may_fade(a) or self.growths.of(b).size.at(LATE) <= 2.0**MOST_RAISED

    def _may_fade(self, e: Expression) -> bool:
        """Whether a number other than 0 may be so near to it that doubles have few digits of it, or none."""
        if self.grids.is_constant(e) or self.grids.of(e).denominator is not None:
            return False
        match e:
            case Local(name):
                return self._may_fade(self.program.define(name).expression)
            case Apply("exp", (x,)):
                return self.growths.of(x).size.at(LATE) > FADED
            case Apply("+" | "-", (a, b)):
                return not (self._is_far_from(a, b) or self._is_far_from(b, a))
            case Apply("sqrt", _):
                return False  # relative: what is under a root does not fade
            case Apply("*" | "/", parts):
                return sum(not self.grids.is_constant(part) for part in parts) > 1 or any(map(self._may_fade, parts))
            case Apply(operator, parts) if operator in CHOSEN:
                return any(map(self._may_fade, parts))
            case Choice(_, yes, no):
                return self._may_fade(yes) or self._may_fade(no)
        return True

    def _is_far_from(self, a: Expression, b: Expression) -> bool:
        """Whether a is a constant, and b at most half as large: the sum or difference is not near 0."""
        value = self.grids.of(a).value
        if value is None or not (self.grids.is_constant(a) and self.relative(b)):
            return False
        return self.growths.of(b).size.at(LATE) <= abs(value) / 2

    def _magnifies(self, name: str) -> bool:
        """Whether a step may make more of the relative error that a memory had before it."""
        updates = [s.value for s in self.program.body if isinstance(s, Update) and s.memory == name]
        return any(read_memories(update, self.growths) > 1 for update in updates)

    def _memory(self, name: str) -> bool:
        """If it is so before a step, it is so after it."""
        if name in self._assumed:
            return True
        self._assumed.add(name)
        initial = next(x.initial for x in self.program.memories if x.name == name)
        updates = [s.value for s in self.program.body if isinstance(s, Update) and s.memory == name]
        try:
            return not self._magnifies(name) and all(map(self._is_relative, (initial, *updates)))
        finally:
            self._assumed.discard(name)
