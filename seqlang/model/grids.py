"""Which numbers of a program are whole multiples of one 1/D, and how doubles compute them.

The language computes with constants, the step, counts, listed entries and memory that rises by constants as with exact
rationals; the engines compute with doubles, where ten times 0.1 add up to less than 1. A number that is known to be a
multiple of 1/D is known exactly from its double, as long as that is off by less than 1/(2 D). `model/jumps.py` uses
this to decide comparisons and roundings exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from fractions import Fraction
from itertools import product
from math import lcm, prod

from seqlang.arithmetic.formula import Formula
from seqlang.laws.facts import facts
from seqlang.model import expression as m
from seqlang.model.binding import substitute
from seqlang.model.constants import Open, Undefined, Value, Values, exactly, rational, values_of
from seqlang.model.domain import Finite, Integers, Power
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Drawn,
    Expression,
    Field,
    Index,
    Local,
    MemoryValue,
    Noised,
    Number,
    Quantified,
    Reported,
    StepNumber,
    children,
)
from seqlang.model.expression import (
    Sequence as ListOf,
)
from seqlang.model.leaves import LeavesOf
from seqlang.model.letters import Table, Tables
from seqlang.model.program import (
    AllSteps,
    Cell,
    Define,
    Draw,
    LastSteps,
    Previous,
    Program,
    Report,
    SinceReport,
    Update,
)
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.groups import ON_ONE_GRID
from seqlang.record import record, replace

FINEST = 1 << 48
"""The largest D; a finer grid counts as unknown."""
LARGEST_POWER = 64
"""Whole exponents up to this are multiplied out; the grid of a larger power counts as unknown."""
LARGEST_CONSTANT = 1 << 53
"""Whole constants up to this are exact as doubles."""
MOST_VALUES = 256
"""Of the variables in an expression, if its values are listed."""


class Rounding(IntEnum):
    """How doubles compute a value: with errors on the way, as the exact value rounded once, or exactly."""

    COMPUTED = 0
    ONCE = 1
    NEVER = 2


@record
class Grid:
    """The value is a multiple of 1/denominator (None: of nothing known); `value`: what a constant is; `largest`: no
    constant that enters it is larger in size; `sums`: the memories and sums over time in it that are computed
    with errors, which may grow from step to step. `exact`: the language gives it one value, which no data and no noise
    on a continuous scale enter. Of a vector all of this holds of each element."""

    denominator: int | None
    rounding: Rounding
    value: Fraction | None = None
    largest: Fraction = Fraction(0)
    sums: frozenset[str] = frozenset()
    exact: bool = True


WHOLE = Grid(1, Rounding.NEVER, largest=Fraction(1))
OFF = Grid(None, Rounding.COMPUTED)
REAL = replace(OFF, exact=False)
MEASURED = replace(REAL, rounding=Rounding.ONCE)
"""A number of the data, which is given as a double."""
ROUNDED = replace(OFF, rounding=Rounding.ONCE)
"""A constant that is not known to be rational."""
_ON_THE_SAME = ON_ONE_GRID | {"list", "set"}


class Grids:
    """The grids of the expressions of one program, at its parameter values."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values: Values = values_of(program)
        self._parameters = {p.name: _constant(p.value) for p in program.parameters}
        self.leaves = LeavesOf()
        self._known: dict[int, tuple[Expression, Grid]] = {}
        self.tables = Tables(program, self.values, self.leaves)
        self._tabulated: dict[int, tuple[Expression, Table]] = {}
        self._values: dict[int, tuple[Expression, tuple[Value, ...] | None]] = {}
        self._named: dict[tuple[str, str], Grid] | None = None

    def of(self, expression: Expression) -> Grid:
        """The grid on which the values of an expression lie in every step of every run."""
        if self._named is None:
            self._settle()
        return self._of(expression)

    def exactly(self, expression: Expression) -> Value | None:
        """The exact value of a constant that is computed from rational numbers alone; engines take it, rounded once."""
        return rational(expression, self.values)

    def agree(self, sides: tuple[Expression, ...]) -> bool:
        """Whether doubles, compared as they are, come out as the real numbers do: no side is computed with errors."""
        return all(self.of(side).rounding != Rounding.COMPUTED for side in sides)

    def is_constant(self, e: Expression) -> bool:
        """Whether it reads nothing that changes, and no variable from outside."""
        return self.leaves(e).constant

    def _settle(self) -> None:
        """Starts with whole numbers and refines every name's grid until its definition agrees; ends, since a grid that
        becomes too fine is unknown."""
        program = self.program
        named: dict[tuple[str, str], Grid] = {("memory", x.name): WHOLE for x in program.memories}
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
            self._known.clear()
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
            initial = next(x.initial for x in program.memories if x.name == name)
            updates = [s for s in program.body if isinstance(s, Update) and s.memory == name]
            found = _together(grid, self._of(initial), *(self._of(s.value) for s in updates))
        return replace(found, sums=found.sums | {name}) if found.rounding == Rounding.COMPUTED else found

    def _cell(self, cell: Cell) -> Grid:
        match cell.keep, cell.operator:
            case Previous(initial), _:
                return _together(self._of(cell.body), self._of(initial))
            case _, ("count" | "argmax" | "argmin"):
                return WHOLE
            case ((AllSteps() | LastSteps() | SinceReport()), "sum"):
                return _added(self._of(cell.body))
            case _, ("max" | "min" | "list"):
                return self._of(cell.body)
            case _:
                return self._from(cell.body, *(() if cell.where is None else (cell.where,)))

    def _of(self, e: Expression) -> Grid:
        known = self._known.get(id(e))
        if known is None:
            known = self._known[id(e)] = e, self._found(e)
        return known[1]

    def _found(self, e: Expression) -> Grid:
        match e:
            case Number(value):
                return _constant(value)
            case m.ParameterValue(name):
                return self._parameters[name]
            case Field(name):
                return self._field(name, False)
            case Index(Field(name)):
                return self._field(name, True)
            case Index(base):
                return self._or_from(self._of(base), e)
            case StepNumber() | m.Truth() | m.Records():
                return WHOLE
            case Local(name):
                return self._now("local", name)
            case CellValue(name):
                return self._now("cell", name)
            case MemoryValue(name):
                return self._now("memory", name)
            case Reported(name):
                report = next((s for s in self.program.body if isinstance(s, Report) and s.name == name), None)
                return OFF if report is None else WHOLE if report.value is None else self._of(report.value)
            case Drawn(name):
                return self.law(self.law_of(name))
            case Noised():
                return self._noised(e)
            case m.Bound(m.Variable(domain=domain)):
                return OFF if domain is None else self._elements(domain)
            case ListOf(_, items):
                return _together(*map(self._of, items)) if items else WHOLE
            case Apply() | Choice() | Quantified() | m.Density():
                return self._of_table(e, self._listed(e) or self._computed(e))
            case _:
                return self._from(*children(e))

    def table(self, e: Expression) -> Table | None:
        """The table in which the value of an expression of one entry is looked up, as it is no multiple of one fraction
        or doubles are not known to find it; None for other expressions."""
        self.of(e)
        known = self._tabulated.get(id(e))
        return None if known is None else known[1]

    def _of_table(self, e: Expression, found: Grid) -> Grid:
        if found.denominator is not None or not found.exact or found.rounding != Rounding.COMPUTED:
            return found
        table = self.tables.of(e)
        numbers = None if table is None else table.numbers
        if table is None or numbers is None:
            return found
        self._tabulated[id(e)] = e, table
        values = [_constant(value) if isinstance(value, Fraction) else ROUNDED for value in numbers]
        return replace(_together(*values), value=None)

    def _computed(self, e: Expression) -> Grid:
        match e:
            case Choice(_, yes, no):
                return self._or_from(_together(self._of(yes), self._of(no)), e)
            case Quantified(domain=m.RealVectors()):
                return REAL
            case Quantified("count"):
                return WHOLE
            case Quantified("argmax" | "argmin", _, variable):
                return self._or_from(self._elements(variable.domain or e.domain), e)
            case Quantified(operator, body) if operator in _ON_THE_SAME:
                found = self._of(body)
                return self._or_from(_added(found) if operator == "sum" else found, e)
            case Apply(operator, arguments):
                return self._applied(operator, arguments)
        return self._from(*children(e))

    def _or_from(self, found: Grid, e: Expression) -> Grid:
        return found if found.denominator is not None else replace(found, exact=self._from(*children(e)).exact)

    def _from(self, *parts: Expression) -> Grid:
        """Of a value on no grid that is computed from these."""
        return OFF if all(self._of(part).exact for part in parts) else REAL

    def _now(self, kind: str, name: str) -> Grid:
        """Gates may read names of which the program has no statement, where only the dependencies of its stops are
        asked for."""
        return OFF if self._named is None else self._named.get((kind, name), REAL)

    def _field(self, name: str, of_a_record: bool) -> Grid:
        """An input is given as a double, so that it is rounded once; only the listed ones are known to be on a grid."""
        source = next((x for x in self.program.inputs if x.name == name), None)
        if source is None:  # of a part of a program
            return MEASURED
        domain = source.domain
        if isinstance(domain, Power):
            domain = domain.of
        elif of_a_record and source.kind != "dataset":
            return MEASURED
        match domain:
            case Integers():
                return WHOLE
            case Finite(values):
                return _together(*(replace(self._of(value), value=None) for value in values))
            case _:
                return MEASURED

    def _elements(self, domain: Expression) -> Grid:
        """Of the elements of a set or list."""
        match domain:
            case Apply("..", (low, _)):
                return _together(self._of(low), WHOLE)
            case m.RealVectors():
                return REAL
        return self._of(domain)

    def law_of(self, name: str) -> Expression:
        """The law of a noise or a draw."""
        noise = next((n.law for n in self.program.noises if n.name == name), None)
        return noise or next(s.law for s in self.program.body if isinstance(s, Draw) and s.name == name)

    def law(self, law: Expression) -> Grid:
        """Of the draws of a law."""
        match law:
            case m.Law(family, arguments):
                if facts(family).whole:
                    return WHOLE
                inner = [a for a in arguments if isinstance(a, m.Law | m.Weights | m.WeightsOf)]
                if inner and family in ("convolve", "sum_of"):
                    return _added(_together(*map(self.law, inner)))
                if inner:
                    return _together(*map(self.law, inner))
                on_argument = facts(family).support in ("listed", "arguments") and len(arguments) == 1
                return self._elements(arguments[0]) if on_argument else REAL
            case m.Weights(pairs):
                return _together(*(self._of(value) for value, _ in pairs))
            case m.WeightsOf(value):
                return self._of(value)
            case Choice(_, yes, no):
                return _together(self.law(yes), self.law(no))
        return REAL

    def _noised(self, e: Noised) -> Grid:
        added = (term for term in e.terms if not self.program.noise(term.noise).flips)
        return _sum([self._of(e.base), *(self._applied("*", (term.factor, Drawn(term.noise))) for term in added)])

    def _applied(self, operator: str, arguments: tuple[Expression, ...]) -> Grid:
        entry = OPERATORS[operator]
        parts = [self._of(a) for a in arguments]
        exact = all(p.exact for p in parts)
        if entry.multiples == "whole":
            return replace(WHOLE, exact=exact)
        if entry.multiples == "chosen":
            return replace(_together(*parts), value=None)
        if operator == "sum":
            return _added(parts[0])
        denominator = self._denominator(entry.multiples, arguments, parts)
        never = denominator is not None and is_dyadic(denominator) and all(p.rounding == Rounding.NEVER for p in parts)
        rounding = Rounding.NEVER if never and entry.multiples not in ("mean", "power") else Rounding.COMPUTED
        return Grid(denominator, rounding, None, _largest(parts), _sums(parts), exact)

    def _denominator(self, multiples: str, arguments: tuple[Expression, ...], parts: list[Grid]) -> int | None:
        found: int | None = None
        match multiples, [p.denominator for p in parts]:
            case "common", [int(a), int(b)]:
                found = lcm(a, b)
            case "product", [int(a), int(b)]:
                found = a * b
            case "by a constant", [int(a), _] if (by := parts[1].value) is not None and by:
                found = a * abs(by.numerator)
            case "power", [int(a), _] if (power := parts[1].value) is not None and power.denominator == 1:
                found = a ** int(power) if 0 <= power <= LARGEST_POWER else None
            case "mean", [int(a)]:
                match arguments[0]:
                    case ListOf("list", items) if items:
                        found = a * len(items)
            case _:
                pass
        return found if found is not None and found <= FINEST else None

    def _listed(self, e: Expression) -> Grid | None:
        """Of what only constants and variables over few constants enter: the grid of its values."""
        values = self.listed(e)
        grids = [] if values is None else [_of_value(value) for value in values]
        known = [grid for grid in grids if grid is not None]
        if values is None or len(known) < len(grids):
            return None
        if not known:
            return WHOLE
        if self.is_constant(e):
            return known[0]
        computed = self._computed(e).rounding  # engines compute it, and do not look it up
        rounding = Rounding.NEVER if computed == Rounding.NEVER else Rounding.COMPUTED
        return replace(_together(*known), value=None, rounding=rounding)

    def listed(self, e: Expression) -> tuple[Value, ...] | None:
        """The values of an expression that only constants and variables over few constants enter, for all values of
        these; None for another one, and where one is not known."""
        if id(e) not in self._values:
            self._values[id(e)] = e, self._list(e)
        return self._values[id(e)][1]

    def _list(self, e: Expression) -> tuple[Value, ...] | None:
        leaves = self.leaves(e)
        if leaves.changing:
            return None
        variables = sorted(leaves.free, key=lambda v: v.number)
        domains: list[tuple[Value, ...]] = []
        for variable in variables:
            domain = None if variable.domain is None else self.exactly(variable.domain)
            if not isinstance(domain, tuple):
                return None
            domains.append(domain)
        if prod(map(len, domains)) > MOST_VALUES:
            return None
        found: list[Value] = []
        for choice in product(*domains):
            given = {v: Number(x) for v, x in zip(variables, choice, strict=True) if isinstance(x, Fraction)}
            value = exactly(substitute(e, given) if given else e, self.values)
            if value is None or isinstance(value, Undefined | Open):
                return None
            found.append(value)
        return tuple(found)


def _of_value(value: Value) -> Grid | None:
    if isinstance(value, bool):
        return WHOLE
    if isinstance(value, tuple):
        parts = [_of_value(part) for part in value]
        known = [part for part in parts if part is not None]
        return (_together(*known) if known else WHOLE) if len(known) == len(parts) else None
    if isinstance(value, Formula):
        return ROUNDED
    return _constant(value) if isinstance(value, Fraction) else None


def _constant(value: Fraction) -> Grid:
    size = abs(value)
    if value.denominator > FINEST or size > LARGEST_CONSTANT:
        return Grid(None, Rounding.ONCE, value, size)
    return Grid(value.denominator, Rounding.NEVER if is_dyadic(value.denominator) else Rounding.ONCE, value, size)


def finest(*grids: Grid) -> int | None:
    """One denominator for all; None where one is not known, or it would be too fine."""
    return _together(*grids).denominator


def is_dyadic(denominator: int) -> bool:
    """Whether it is a power of two."""
    return denominator & (denominator - 1) == 0


def _largest(parts: Iterable[Grid]) -> Fraction:
    return max((p.largest for p in parts), default=Fraction(0))


def _sums(parts: Iterable[Grid]) -> frozenset[str]:
    return frozenset[str]().union(*(p.sums for p in parts))


def _added(grid: Grid) -> Grid:
    """Of a sum of many such numbers."""
    return replace(grid, value=None, rounding=Rounding.NEVER if grid.rounding == Rounding.NEVER else Rounding.COMPUTED)


def _sum(parts: list[Grid]) -> Grid:
    """Of a sum of one each."""
    found = _together(*parts)
    if len(parts) == 1:
        return found
    return found if found.rounding == Rounding.NEVER else replace(found, rounding=Rounding.COMPUTED)


def _together(*grids: Grid) -> Grid:
    """Of a value that is now one of these, now another."""
    if len(grids) == 1:
        return grids[0]
    rounding = min(g.rounding for g in grids)
    denominators = [g.denominator for g in grids if g.denominator is not None]
    common = lcm(*denominators) if len(denominators) == len(grids) else None
    finest = common if common is not None and common <= FINEST else None
    return Grid(finest, rounding, None, _largest(grids), _sums(grids), all(g.exact for g in grids))
