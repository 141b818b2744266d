"""Which numbers of a program are whole multiples of one 1/D, and tests of such numbers that doubles decide exactly.

The language computes with constants, the step, counts, and memory that rises by constants as with exact rationals; the
engines compute with doubles, where ten times 0.1 add up to less than 1. A comparison of two expressions a and b that
are both known to be multiples of 1/D is therefore decided on whole numbers: `a >= b` is run as

    floor(D (a - b) + 1/2) >= 0

Lemma. If doubles compute D (a - b) with an error below 1/2, this is the exact comparison. For D (a - b) is a whole
number; the value that is rounded down lies strictly between it and it plus one. After k additions of constants of
size at most C the error is at most about k^2 C D 2^-53.

For a whole k with |k| < 2^53, the quotient k / D in doubles is on the same side of each whole number as k / D is, as
it is rounded to the nearest: so `floor(x)`, for a multiple x of 1/D, is run as floor(k / D), k = floor(D x + 1/2), and
ceil alike. The remainder of a by b is that of two such whole numbers, over D, and argmax and argmin compare them.

A test is left as it is where doubles make no error in it anyway: where all constants are dyadic (1/4, 3), or where
each side is one constant or input, rounded once, since rounding keeps the order.
"""

from __future__ import annotations

from enum import IntEnum
from fractions import Fraction
from math import lcm

from seqlang.model.constants import CHANGING, Value, exactly, values_of
from seqlang.model.domain import Finite, Integers
from seqlang.model.expression import (
    COMPARISONS,
    LOGIC,
    Apply,
    CellValue,
    Choice,
    Expression,
    Field,
    Index,
    Local,
    MemoryValue,
    Number,
    ParameterValue,
    Quantified,
    Reported,
    Sequence,
    StepNumber,
    Truth,
    children,
)
from seqlang.model.program import AllSteps, Cell, Define, LastSteps, Previous, Program, Report, SinceReport, Update
from seqlang.record import record, replace

FINEST = 1 << 30
"""The largest D; a finer grid counts as unknown."""
LARGEST_POWER = 64
"""Whole exponents up to this are multiplied out; the grid of a larger power counts as unknown."""
LARGEST_CONSTANT = 1 << 53
"""Whole constants up to this are exact as doubles."""


class Rounding(IntEnum):
    """How doubles compute a value: with errors on the way, as the exact value rounded once, or exactly."""

    COMPUTED = 0
    ONCE = 1
    NEVER = 2


@record
class Grid:
    """The value is a multiple of 1/denominator (None: of nothing known); `value`: what a constant is; `largest`: no
    constant that enters it is larger in size; `sums`: the memories and sums over time in it that are computed
    with errors, which may grow from step to step."""

    denominator: int | None
    rounding: Rounding
    value: Fraction | None = None
    largest: Fraction = Fraction(0)
    sums: frozenset[str] = frozenset()


WHOLE = Grid(1, Rounding.NEVER, largest=Fraction(1))
UNKNOWN = Grid(None, Rounding.COMPUTED)
HALF = Number(Fraction(1, 2))
NOTHING = Number(Fraction(0))


class Grids:
    """The grids of the expressions of one program, at its parameter values."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._parameters = {p.name: _constant(p.value) for p in program.parameters}
        self._values = values_of(program, exact=True)
        self._constants: dict[int, tuple[Expression, bool]] = {}
        self._settled: dict[int, Apply] = {}
        self._named: dict[tuple[str, str], Grid] | None = None

    def of(self, expression: Expression) -> Grid:
        """The grid on which the values of an expression lie in every step of every run."""
        if self._named is None:
            self._settle()
        return self._of(expression)

    def exactly(self, expression: Expression) -> Value | None:
        """The exact value of a constant that is computed from rational numbers alone; engines take it, rounded once."""
        return exactly(expression, self._values)

    def compared(self, sides: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """The sides of a comparison as it is run: whole numbers, where doubles could err on these."""
        left, right = sides
        a, b = self.of(left), self.of(right)
        by = _finest(a, b)
        if by is None or min(a.rounding, b.rounding) != Rounding.COMPUTED:
            return sides
        return self._whole(Apply("-", (left, right)), by), NOTHING

    def settled(self, e: Apply) -> Apply:
        """What is run for a function that jumps: for floor and ceil a quotient of whole numbers, for the remainder,
        argmax and argmin whole numbers. The expression itself where doubles are exact, or no grid is known."""
        if id(e) in self._settled:
            return e
        match e:
            case Apply("floor" | "ceil", (x,)) if (by := self._by((x,), Rounding.ONCE)) is not None:
                return self._as_it_is(Apply(e.operator, (_over(self._whole(x, by), by),), e.span))
            case Apply("floor" | "ceil", (Apply("/", parts),)) if (by := self._by(parts, Rounding.NEVER)) is not None:
                quotient = Apply("/", tuple(self._whole(part, by) for part in parts))
                return self._as_it_is(Apply(e.operator, (quotient,), e.span))
            case Apply("%", parts) if (by := self._by(parts, Rounding.NEVER)) is not None:
                rest = self._as_it_is(Apply("%", tuple(self._whole(part, by) for part in parts), e.span))
                return _over(rest, by)
            case Apply("argmax" | "argmin", (Sequence(kind, items),)):
                by = self._by(items, Rounding.ONCE)
                wholes = e if by is None else Sequence(kind, tuple(self._whole(item, by) for item in items))
                return e if by is None else self._as_it_is(Apply(e.operator, (wholes,), e.span))
        return e

    def _by(self, parts: tuple[Expression, ...], exact: Rounding) -> int | None:
        """One denominator for all; None where it is not known, or all are computed as exactly as this."""
        if not parts:
            return None
        together = _together(*map(self.of, parts))
        return None if together.rounding >= exact else together.denominator

    def _whole(self, e: Expression, by: int) -> Expression:
        """`by` times a multiple of 1/by, by the lemma."""
        return self._as_it_is(Apply("floor", (Apply("+", (Apply("*", (e, Number(Fraction(by)))), HALF)),)))

    def _as_it_is(self, e: Apply) -> Apply:
        self._settled[id(e)] = e
        return e

    def agree(self, sides: tuple[Expression, ...]) -> bool:
        """Whether doubles, compared as they are, come out as the real numbers do: no side is computed with errors."""
        return all(self.of(side).rounding != Rounding.COMPUTED for side in sides)

    def _settle(self) -> None:
        """Starts with whole numbers and refines every name's grid until its definition agrees; ends, since a grid that
        becomes too fine is unknown."""
        program = self.program
        named: dict[tuple[str, str], Grid] = {("memory", m.name): WHOLE for m in program.memories}
        for statement in program.body:
            match statement:
                case Define(name):
                    named["local", name] = WHOLE
                case Cell(name):
                    named["cell", name] = WHOLE
                case _:
                    pass
        self._named = named
        changed = True
        while changed:
            changed = False
            for key, grid in named.items():
                finer = self._refined(key, grid)
                changed = changed or finer != grid
                named[key] = finer

    def _refined(self, key: tuple[str, str], grid: Grid) -> Grid:
        kind, name = key
        program = self.program
        if kind == "local":
            return _together(grid, self._of(program.define(name).expression))
        if kind == "cell":
            found = _together(grid, self._cell(program.cell(name)))
        else:
            initial = next(m.initial for m in program.memories if m.name == name)
            updates = (s.value for s in program.body if isinstance(s, Update) and s.memory == name)
            found = _together(grid, self._of(initial), *(self._of(value) for value in updates))
        return replace(found, sums=found.sums | {name}) if found.rounding == Rounding.COMPUTED else found

    def _cell(self, cell: Cell) -> Grid:
        match cell.keep, cell.operator:
            case Previous(initial), _:
                return _together(self._of(cell.body), self._of(initial))
            case ((AllSteps() | LastSteps() | SinceReport()), ("count" | "argmax" | "argmin")):
                return WHOLE
            case ((AllSteps() | LastSteps() | SinceReport()), "sum"):
                added = self._of(cell.body)
                return added if added.rounding == Rounding.NEVER else replace(added, rounding=Rounding.COMPUTED)
            case _:
                return UNKNOWN

    def _of(self, e: Expression) -> Grid:
        match e:
            case Number(value):
                return _constant(value)
            case ParameterValue(name):
                return self._parameters[name]
            case Field(name):
                return self._field(name, False)
            case Index(Field(name)):
                return self._field(name, True)
            case StepNumber() | Truth():
                return WHOLE
            case Local(name):
                return self._known("local", name)
            case CellValue(name):
                return self._known("cell", name)
            case MemoryValue(name):
                return self._known("memory", name)
            case Reported(name):
                report = next((s for s in self.program.body if isinstance(s, Report) and s.name == name), None)
                return UNKNOWN if report is None else WHOLE if report.value is None else self._of(report.value)
            case Choice(_, yes, no):
                return _together(self._of(yes), self._of(no))
            case Quantified(operator="count"):
                return WHOLE
            case Apply(operator, arguments):
                known = self.exactly(e) if self._is_constant(e) else None
                return _constant(known) if isinstance(known, Fraction) else self._applied(operator, arguments)
            case _:
                return UNKNOWN

    def _is_constant(self, e: Expression) -> bool:
        known = self._constants.get(id(e))
        if known is None:
            known = e, type(e) not in CHANGING and all(map(self._is_constant, children(e)))
            self._constants[id(e)] = known
        return known[1]

    def _known(self, kind: str, name: str) -> Grid:
        return UNKNOWN if self._named is None else self._named.get((kind, name), UNKNOWN)

    def _field(self, name: str, of_a_record: bool) -> Grid:
        """An input is given as a double, so that it is rounded once; only the listed ones are known to be on a grid."""
        field = self.program.input(name)
        if (field.kind == "dataset") != of_a_record:
            return Grid(None, Rounding.ONCE)
        match field.domain:
            case Integers():
                return WHOLE
            case Finite(values):
                return _together(*(replace(self._of(value), value=None) for value in values))
            case _:
                return Grid(None, Rounding.ONCE)

    def _applied(self, operator: str, arguments: tuple[Expression, ...]) -> Grid:
        if operator in COMPARISONS or operator in LOGIC or operator in ("length", "count"):
            return WHOLE
        parts = [self._of(a) for a in arguments]
        largest = max((p.largest for p in parts), default=Fraction(0))
        if len(parts) == 1 and operator in ("negate", "abs"):
            return replace(parts[0], value=None)
        if len(parts) > 1 and operator in ("max", "min", "clip"):
            return _together(*parts)
        exact = all(p.rounding == Rounding.NEVER for p in parts)
        denominator = _denominator(operator, parts)
        never = exact and denominator is not None and _is_dyadic(denominator)
        rounding = Rounding.NEVER if never else Rounding.COMPUTED
        return Grid(denominator, rounding, largest=largest, sums=frozenset[str]().union(*(p.sums for p in parts)))


def _over(whole: Expression, by: int) -> Apply:
    return Apply("/", (whole, Number(Fraction(by))))


def _finest(a: Grid, b: Grid) -> int | None:
    """One denominator for both; None where one is not known, or it would be too fine."""
    if a.denominator is None or b.denominator is None:
        return None
    by = lcm(a.denominator, b.denominator)
    return by if by <= FINEST else None


def _denominator(operator: str, parts: list[Grid]) -> int | None:
    found: int | None = None
    match operator, [p.denominator for p in parts]:
        case (("+" | "-"), [int(a), int(b)]):
            found = lcm(a, b)
        case "*", [int(a), int(b)]:
            found = a * b
        case "/", [int(a), _] if parts[1].value:
            by = parts[1].value
            found = a * abs(by.numerator)
        case "^", [int(a), _] if (power := parts[1].value) is not None and power.denominator == 1:
            found = a ** int(power) if 0 <= power <= LARGEST_POWER else None
        case "%", [int(a), int(b)]:
            found = lcm(a, b)
        case (("floor" | "ceil"), [int()]):
            found = 1
        case _:
            pass
    return found if found is not None and found <= FINEST else None


def _constant(value: Fraction) -> Grid:
    size = abs(value)
    if value.denominator > FINEST or size > LARGEST_CONSTANT:
        return Grid(None, Rounding.ONCE, value, size)
    return Grid(value.denominator, Rounding.NEVER if _is_dyadic(value.denominator) else Rounding.ONCE, value, size)


def _is_dyadic(denominator: int) -> bool:
    return denominator & (denominator - 1) == 0


def _together(*grids: Grid) -> Grid:
    """Of a value that is now one of these, now another."""
    largest = max(g.largest for g in grids)
    rounding = min(g.rounding for g in grids)
    denominators = [g.denominator for g in grids if g.denominator is not None]
    common = lcm(*denominators) if len(denominators) == len(grids) else None
    sums = frozenset[str]().union(*(g.sums for g in grids))
    return Grid(common if common is not None and common <= FINEST else None, rounding, largest=largest, sums=sums)
