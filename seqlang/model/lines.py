"""Numbers that are whole multiples of one irrational unit beyond an offset: offset + unit K / D, with a whole number K.

The sum of log(p1/p0) over n entries of which K are 1 is n log((1-p1)/(1-p0)) + K (log(p1/p0) - log((1-p1)/(1-p0))):
doubles compute it with errors that are tiny beside the unit, so that K is known exactly.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from seqlang.arithmetic.formula import Formula
from seqlang.model import exact_numbers as numbers
from seqlang.model.constants import Undefined, Values, exactly
from seqlang.model.expression import (
    Apply,
    CellValue,
    Expression,
    Local,
    Number,
    StepNumber,
    rebuild,
)
from seqlang.model.grids import FINEST, Grids
from seqlang.model.program import AllSteps, Cell, LastSteps
from seqlang.operators.operator import NoValue
from seqlang.process.late import np
from seqlang.record import record, replace

EARLY, FEW = 1 << 12, 50
"""Steps in which ties are looked for, and in so many of them exactly."""
LARGEST = 1000
"""The denominator of a fraction whose multiples are told from whole numbers."""
APART = 1e-10
"""Relative: places on a line that are farther from whole numbers are plainly between two."""
ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


@record
class Line:
    """unit K / denominator + constant + slope step + other. `unit` (None: there is no such part), `constant` and
    `slope` are constants; `other` depends on the step alone."""

    unit: Expression | None
    denominator: int
    constant: Expression = ZERO
    slope: Expression = ZERO
    other: Expression = ZERO

    @property
    def offset(self) -> Expression:
        """All but the first part."""
        return plus(plus(self.constant, times(self.slope, StepNumber())), self.other)


class Lines:
    """The lines of the expressions of one program."""

    def __init__(self, grids: Grids) -> None:
        self.grids = grids
        self._told: dict[Line, bool] = {}

    def of(self, e: Expression) -> Line | None:
        """None where the expression is none that is known."""
        try:
            return self._of(e) if self.grids.of(e).exact else None
        except (numbers.Undecided, NoValue):
            return None

    def _of(self, e: Expression) -> Line | None:
        if self.grids.is_constant(e):
            return Line(None, 1, constant=e)
        if isinstance(e, StepNumber):
            return Line(None, 1, slope=ONE)
        grid = self.grids.of(e)
        if grid.denominator is not None and not self.grids.leaves(e).of_step:
            return Line(ONE, grid.denominator)
        found = self._of_an_entry(e) or self._of_parts(e)
        return Line(None, 1, other=e) if found is None and self.grids.leaves(e).of_step else found

    def _of_parts(self, e: Expression) -> Line | None:
        match e:
            case Local(name):
                return self._of(self.grids.program.define(name).expression)
            case CellValue(name, ()):
                return self._cell(self.grids.program.cell(name))
            case Apply("negate", (a,)):
                return self._times(Number(Fraction(-1)), a)
            case Apply("+" | "-" as operator, (a, b)):
                x = self._of(a)
                y = self._of(b) if operator == "+" else self._times(Number(Fraction(-1)), b)
                return None if x is None or y is None else _sum(x, y)
            case Apply("*", (a, b)):
                return self._times(a, b) if self.grids.is_constant(a) else self._times(b, a)
            case Apply("/", (a, b)):
                return self._times(Apply("/", (ONE, b)), a)
        return None

    def _times(self, factor: Expression, e: Expression) -> Line | None:
        line = self._of(e) if self.grids.is_constant(factor) else None
        if line is None:
            return None
        unit = None if line.unit is None else times(factor, line.unit)
        parts = (times(factor, part) for part in (line.constant, line.slope, line.other))
        return Line(unit, line.denominator, *parts)

    def is_told(self, line: Line) -> bool:
        """See `is_told`; states and steps of one program ask again and again."""
        if line not in self._told:
            self._told[line] = is_told(line, self.grids.values)
        return self._told[line]

    def _cell(self, cell: Cell) -> Line | None:
        """Of a sum over steps: the offset of its body counts in each of them."""
        if cell.operator != "sum" or cell.binders:
            return None
        body = self._of(cell.body)
        if body is None or body.slope != ZERO or body.other != ZERO:
            return None
        if body.constant == ZERO:
            return body
        if cell.where is not None:
            return None
        match cell.keep:
            case AllSteps():
                return replace(body, constant=ZERO, slope=body.constant)
            case LastSteps(count) if self.grids.is_constant(count):
                steps = Apply("min", (StepNumber(), count))
                return replace(body, constant=ZERO, other=times(body.constant, steps))
        return None

    def _of_an_entry(self, e: Expression) -> Line | None:
        """Of an expression of one entry with few values: those must lie on a line."""
        table = self.grids.tables.of(e)
        values = None if table is None else table.numbers
        if table is None or values is None:
            return None
        row = next(row for row in table.rows if not isinstance(row[2], Undefined))
        first = ZERO if row[2] == 0 else row[1]
        steps = [_minus(value, values[0]) for value in values]
        place = next((i for i, step in enumerate(steps) if numbers.order(step, Fraction(0)) != 0), None)
        if place is None:
            return Line(None, 1, constant=first)
        denominator = 1
        for step in steps:
            ratio = numbers.quotient(step, steps[place])
            if not isinstance(ratio, Fraction):
                return None
            denominator = lcm(denominator, ratio.denominator)
        if denominator > FINEST:
            return None
        return Line(Apply("-", (table.rows[place][1], first)), denominator, constant=first)


def _minus(a: numbers.Exact, b: numbers.Exact) -> numbers.Exact:
    return numbers.total((a, -b))


def _sum(x: Line, y: Line) -> Line | None:
    if x.unit is not None and y.unit is not None and x.unit != y.unit:
        return None
    parts = (plus(getattr(x, part), getattr(y, part)) for part in ("constant", "slope", "other"))
    return Line(x.unit or y.unit, lcm(x.denominator, y.denominator), *parts)


def is_told(line: Line, values: Values) -> bool:
    """Whether 0 is a place on the line in each early step, or plainly between two: then numbers next to 0 are 0."""
    zero = place_of_zero(line)
    ends = [exactly(at_step(zero, n), values) for n in (0, 1)]
    known = [end for end in ends if isinstance(end, Fraction | Formula)]
    if line.other != ZERO or len(known) < len(ends):
        return False
    try:
        if all(_is_fraction(end) for end in known):
            return True
        at_0, at_1 = map(numbers.nearest, known)
        steps = np.arange(1.0, EARLY + 1)
        places = at_0 + (at_1 - at_0) * steps
        room = APART * (1 + abs(at_0) + abs(at_1) * steps)
        near = steps[np.abs(places - np.round(places)) < room]
        return len(near) <= FEW and all(_is_whole(exactly(at_step(zero, int(n)), values)) for n in near)
    except (numbers.Undecided, NoValue, OverflowError):
        return False


def _is_fraction(x: numbers.Exact) -> bool:
    """With a small denominator: its multiples are whole, or plainly not."""
    guess = Fraction(numbers.nearest(x)).limit_denominator(LARGEST)
    return numbers.order(x, guess) == 0


def _is_whole(value: object) -> bool:
    return isinstance(value, Fraction | Formula) and numbers.whole(value) is not None


def at_step(e: Expression, n: int) -> Expression:
    """The expression in step n."""
    return Number(Fraction(n)) if isinstance(e, StepNumber) else rebuild(e, lambda part: at_step(part, n))


def place_of_zero(line: Line) -> Expression:
    """Where on the line 0 lies: the K, seldom whole, at which the number is 0."""
    assert line.unit is not None
    scale = Apply("/", (Number(Fraction(-line.denominator)), line.unit))

    def scaled(part: Expression) -> Expression:
        return times(part, scale) if part != ZERO else ZERO

    return plus(plus(scaled(line.constant), times(scaled(line.slope), StepNumber())), scaled(line.other))


def plus(a: Expression, b: Expression) -> Expression:
    """The sum, without zeros; of two numbers, it is a number."""
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value + b.value)
    return b if a == ZERO else a if b == ZERO else Apply("+", (a, b))


def minus(a: Expression, b: Expression) -> Expression:
    """The difference, without zeros."""
    return a if b == ZERO else Apply("-", (a, b))


def times(a: Expression, b: Expression) -> Expression:
    """The product, without ones and zeros; of two numbers, it is a number."""
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value * b.value)
    if ZERO in (a, b):
        return ZERO
    return b if a == ONE else a if b == ONE else Apply("*", (a, b))


def size_of(e: Expression) -> Expression:
    """|e|."""
    return Number(abs(e.value)) if isinstance(e, Number) else Apply("abs", (e,))


def over(whole: Expression, by: int) -> Expression:
    """whole / by."""
    return whole if by == 1 else Apply("/", (whole, Number(Fraction(by))))
