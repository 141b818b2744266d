"""How large the exact values of a program may become, and by how much doubles miss them.

Both are bounds of the form factor * step ** degree that hold in every step of every run. Doubles have 53 digits: each
operation is off by at most 2^-53 of its result (`UNIT`). A memory (or a value that `previous` keeps) is stored as the
double that is nearest to its exact value (`model/jumps.py`, `kept`), so that its error does not build up; a sum over
the steps gathers one error in each step.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, log

from seqlang.arithmetic.formula import Formula, enclose
from seqlang.laws.facts import facts
from seqlang.model import expression as m
from seqlang.model.constants import LARGEST, Value, exactly
from seqlang.model.domain import Ball, Finite, Integers, Interval, Power
from seqlang.model.grids import Grids, Rounding, finest
from seqlang.model.program import AtReports, Cell, LastSteps, Previous, Report, Update
from seqlang.operators.catalogue import OPERATORS, with_result
from seqlang.operators.groups import COUNTS
from seqlang.record import record

UNIT = 2.0**-53
SMALLEST = 1e-300
"""No size but 0 is taken to be below this, and no product or quotient to have a smaller error: what is next to 0 loses
its digits in doubles, and a large factor may bring it back."""
EXACT = 2.0**52
"""Whole numbers below this, and the halves between them, are exact as doubles."""
LARGEST_INPUT = 2.0**22
"""Whole numbers of the data that have no bound are taken to be at most this large in size."""
LARGEST_TERM = 2.0**31
"""The terms of a sum over steps that nothing else bounds are held below this."""
MOST_SUMMANDS = 2**10
"""Of a law that is the sum of some number of draws from another one."""
MOST_RECORDS = 2.0**22
LARGEST_POWER = 64
SMALL_PART = 2.0**-6
"""An error that is such a part of an argument changes a function by hardly more than its slope says."""


@record
class Growth:
    """At most factor * step ** degree, plus the sizes of the memories in `plus` as they were before the step. An
    infinite factor: nothing is known."""

    factor: float
    degree: int = 0
    plus: frozenset[str] = frozenset()

    def at(self, step: float) -> float:
        """The bound in that step."""
        return inf if self.plus else self.factor * step**self.degree

    def __add__(self, other: Growth) -> Growth:
        if self.plus & other.plus:
            return UNBOUNDED
        return Growth(self.factor + other.factor, max(self.degree, other.degree), self.plus | other.plus)

    def __mul__(self, other: Growth) -> Growth:
        if self.plus or other.plus:
            return UNBOUNDED
        if 0.0 in (self.factor, other.factor):
            return NOTHING
        return Growth(max(self.factor * other.factor, SMALLEST), self.degree + other.degree)

    def times(self, by: float) -> Growth:
        """This, times a number >= 0."""
        if self.plus:
            return self if by <= 1 else UNBOUNDED
        return Growth(max(self.factor * by, SMALLEST) if by and self.factor else 0.0, self.degree)

    def each_step(self) -> Growth:
        """The sum of one in each step so far."""
        return UNBOUNDED if self.plus else Growth(self.factor, self.degree + 1)

    def last_step(self, room: float) -> float:
        """The last step in which this, in units of 2^-53, is below `room`: infinite where it is so in every step, 0
        where it is in none."""
        if self.plus or not self.known() or self.factor * UNIT >= room:
            return 0.0
        if self.factor == 0 or self.degree == 0:
            return inf
        return float((room / (self.factor * UNIT)) ** (1.0 / self.degree))

    def known(self) -> bool:
        """Whether it is a bound at all."""
        return self.factor < inf


UNBOUNDED, NOTHING, NEXT_TO_0 = Growth(inf), Growth(0.0), Growth(SMALLEST)
BY_STEP = Growth(1.0, 1)


def larger(*growths: Growth) -> Growth:
    """A bound on each of them."""
    factor = max((g.factor for g in growths), default=0.0)
    degree = max((g.degree for g in growths), default=0)
    return Growth(factor, degree, frozenset[str]().union(*(g.plus for g in growths)))


@record
class Bounds:
    """`size`: of the exact value, of each element if it is a vector. `error`: of the double, in units of 2^-53."""

    size: Growth
    error: Growth

    def rounded(self) -> Bounds:
        """With one more rounding of a product or a quotient."""
        return Bounds(self.size, self.error + self.size + NEXT_TO_0)


POINTWISE = with_result("pointwise", "vector")
LONGEST = Growth(2.0**32)
"""More elements than this are in no list."""
UNKNOWN = Bounds(UNBOUNDED, UNBOUNDED)
SMALL = Bounds(Growth(1.0), NOTHING)


class Growths:
    """The bounds of the exact expressions of one program."""

    def __init__(self, grids: Grids) -> None:
        self.grids = grids
        self.program = grids.program
        self._known: dict[int, tuple[m.Expression, Bounds]] = {}
        self._kept: dict[str, Growth] = {}
        self._limits: dict[str, float] = {}
        self._values: dict[str, list[m.Expression]] = {}
        """What is kept under a name at first, and later."""
        self._open: set[str] = set()
        self._settle()

    def of(self, e: m.Expression) -> Bounds:
        """Of an expression that is exact (`Grid.exact`)."""
        found = self._known.get(id(e))
        if found is None:
            found = self._known[id(e)] = e, self._found(e)
        return found[1]

    def last_step(self, e: m.Expression, room: float) -> float:
        """The last step in which the double of e is nearer than `room` to its value, and e is smaller than 2^52 room:
        the largest n with (error + 2 size) 2^-53 < room."""
        found = self.of(e)
        return (found.error + found.size.times(2.0)).last_step(room)

    # ---- what is kept from step to step

    def _settle(self) -> None:
        """Sizes of memories and of what `previous` keeps: those that rise by a bounded amount in each step, or are made
        anew. What is left has no bound here (`kept` in `model/jumps.py` holds it below a limit)."""
        starts: dict[str, list[m.Expression]] = {x.name: [x.initial] for x in self.program.memories}
        nexts: dict[str, list[m.Expression]] = {x.name: [] for x in self.program.memories}
        for statement in self.program.body:
            match statement:
                case Update(name, value):
                    nexts[name].append(value)
                case Cell(name, keep=Previous(initial)):
                    starts[name], nexts[name] = [initial], [statement.body]
                case Cell(name, keep=AtReports()):
                    starts[name], nexts[name] = [], [statement.body]
                case _:
                    pass
        self._values = {name: starts[name] + nexts[name] for name in starts}
        left = dict.fromkeys(starts)
        while left:
            found = {name: growth for name in left if (growth := self._next(name, starts[name], nexts[name]))}
            if not found:
                break
            self._kept.update(found)
            for name in found:
                del left[name]
            self._known.clear()
        for name in left:
            limit = self._limit(starts[name] + nexts[name])
            self._kept[name] = UNBOUNDED if limit is None else Growth(limit)
            if limit is not None:
                self._limits[name] = limit
        self._known.clear()

    def _limit(self, values: list[m.Expression]) -> float | None:
        """What multiples of one fraction that are kept without a bound must stay below."""
        grids = [self.grids.of(value) for value in values]
        by = finest(*grids)
        return None if by is None or not all(g.exact for g in grids) else EXACT / 4 / by

    def is_limited(self, name: str) -> float | None:
        """The limit of a memory, of what `previous` keeps or of the terms of a sum, where nothing else bounds it."""
        return self._limits.get(name)

    def _next(self, name: str, starts: list[m.Expression], nexts: list[m.Expression]) -> Growth | None:
        first = larger(*(self.of(e).size for e in starts))
        after = larger(*(self.of(e).size for e in nexts))
        if not (first.known() and after.known()) or first.plus or after.plus - {name}:
            return None
        again = Growth(after.factor, after.degree)
        return larger(first, again) if not after.plus else first + again.each_step()

    def _now(self, name: str, e: m.Expression) -> Bounds:
        """Of a memory: the nearest double of its value, if that is on a grid; else errors may grow with the steps."""
        size, grid = self._kept.get(name, Growth(0.0, plus=frozenset({name}))), self.grids.of(e)
        if grid.rounding == Rounding.COMPUTED and grid.denominator is None:
            return Bounds(size, self._carried(name))
        return Bounds(size, NOTHING if grid.rounding == Rounding.NEVER else size)

    def _carried(self, name: str) -> Growth:
        """The error of what is kept, if that is not made of what was kept before."""
        if name in self._open or name not in self._values:
            return UNBOUNDED
        self._open.add(name)
        try:
            found = larger(*(bounds.error + bounds.size for bounds in map(self.of, self._values[name])))
        finally:
            self._open.discard(name)
        return UNBOUNDED if found.plus else found

    def _cell(self, cell: Cell, e: m.Expression) -> Bounds:
        if isinstance(cell.keep, Previous | AtReports):
            return self._now(cell.name, e)
        if cell.operator in COUNTS:
            return Bounds(BY_STEP, NOTHING)
        one = self.of(cell.body)
        many = self._window(cell.keep) or BY_STEP
        exact = self.grids.of(cell.body).rounding == Rounding.NEVER
        if cell.operator == "mean":
            return Bounds(one.size, one.size if exact else one.error + one.size * many + one.size)
        if cell.operator != "sum":
            return one
        if not one.size.known() and self.grids.of(cell.body).denominator is not None:
            one = self._limited(cell)
        size = one.size * many
        return Bounds(size, NOTHING if exact else (one.error + size) * many)

    def _limited(self, cell: Cell) -> Bounds:
        """Of the terms of a sum that nothing else bounds."""
        self._limits[cell.name] = LARGEST_TERM / (self.grids.of(cell.body).denominator or 1)
        size = Growth(self._limits[cell.name])
        return Bounds(size, size)

    def _window(self, keep: object) -> Growth | None:
        if isinstance(keep, LastSteps):
            count = exactly(keep.count, self.grids.values)
            if isinstance(count, Fraction):
                return Growth(max(1.0, float(count)))
        return None

    # ---- expressions

    def _found(self, e: m.Expression) -> Bounds:
        value = self._constant(e) or self._tabulated(e)
        if value is not None:
            return value
        found = self._by_form(e)
        size = self._listed_size(e)
        if size is None:
            return found
        return Bounds(size, self._of_function(e, size) if found == UNKNOWN else found.error)

    def _by_form(self, e: m.Expression) -> Bounds:
        match e:
            case m.StepNumber():
                return Bounds(BY_STEP, NOTHING)
            case m.Truth() | m.Label():
                return SMALL
            case m.Records():
                return Bounds(Growth(MOST_RECORDS), NOTHING)
            case m.Field(name) | m.Index(m.Field(name)):
                return self._field(name, e)
            case m.Local(name):
                return self.of(self.program.define(name).expression)
            case m.MemoryValue(name):
                return self._now(name, e)
            case m.CellValue(name):
                return self._cell(self.program.cell(name), e)
            case m.Reported(name):
                report = next((s for s in self.program.body if isinstance(s, Report) and s.name == name), None)
                return UNKNOWN if report is None else SMALL if report.value is None else self.of(report.value)
            case m.Drawn(name):
                return self._law(self.grids.law_of(name))
            case m.Noised(_, base, terms):
                parts = [m.Apply("*", (t.factor, m.Drawn(t.noise))) for t in terms]
                return self._sum(base, *parts)
            case m.Bound(variable):
                return UNKNOWN if variable.domain is None else self._elements(variable.domain)
            case m.Sequence(_, items):
                return self._each(*items)
            case m.Choice(_, yes, no):
                return self._each(yes, no)
            case m.Density("pmf" | "cdf"):
                return Bounds(Growth(1.0), UNBOUNDED)
            case m.Index(base):
                return self.of(base)
            case m.Quantified(operator, body):
                return self._quantified(operator, body, e)
            case m.Apply(operator, arguments):
                return self._applied(operator, arguments, e)
        return UNKNOWN

    def _constant(self, e: m.Expression) -> Bounds | None:
        """Of a constant, of which engines have the value; and of what variables over few constants enter, if doubles
        make no error in it."""
        size = self._listed_size(e)
        if size is None:
            return None
        if self.grids.of(e).rounding == Rounding.NEVER:
            return Bounds(size, NOTHING)
        if not self.grids.is_constant(e):
            return None
        widths = map(_width, self.grids.listed(e) or ())
        return Bounds(size, size + Growth(max(widths, default=0.0) / UNIT))

    def _listed_size(self, e: m.Expression) -> Growth | None:
        """Of what only constants and variables over few constants enter."""
        if isinstance(e, m.Records | m.Bound):
            return None
        values = self.grids.listed(e)
        sizes = [] if values is None else [_size(value) for value in values]
        if values is None or None in sizes:
            return None
        return Growth(max((s for s in sizes if s is not None), default=0.0))

    def _of_function(self, e: m.Expression, size: Growth) -> Growth:
        """The error of a function of what variables over few constants enter: by its slope, where the argument is known
        well beside its size."""
        match e:
            case m.Apply("exp" | "log" | "sqrt" as operator, (x,)):
                error, least = self.of(x).error, None if operator == "exp" else self.least(x)
                if error.degree or error.plus or (least is None and operator != "exp"):
                    return UNBOUNDED
                off = error.factor * UNIT
                if off > SMALL_PART * (1.0 if least is None else least):
                    return UNBOUNDED
                if operator == "exp":
                    return size.times(2 + 2 * error.factor) + NEXT_TO_0
                by = 2 * error.factor / (least or 1.0)
                return (Growth(by) if operator == "log" else size.times(by)) + size.times(2.0)
            case m.Apply("^", (a, b)):
                base, power = self.of(a), self.of(b)
                if base.error == power.error == NOTHING:
                    return size.times(2.0) + NEXT_TO_0
                least, parts = self.least(a), (base.size, base.error, power.size, power.error)
                if least is None or any(part.degree or part.plus for part in parts):
                    return UNBOUNDED
                slope = max(abs(log(least)), abs(log(max(base.size.factor, least))))
                off = 1.1 * base.error.factor * power.size.factor / least + power.error.factor * slope
                known = base.error.factor * UNIT <= SMALL_PART * least and off * UNIT <= SMALL_PART
                return size.times(2 + 2 * off) + NEXT_TO_0 if known else UNBOUNDED
        return UNBOUNDED

    def _tabulated(self, e: m.Expression) -> Bounds | None:
        table = self.grids.table(e)
        if table is None:
            return None
        size = Growth(max(map(_largest, table.numbers or ()), default=0.0))
        return Bounds(size, NOTHING if self.grids.of(e).rounding == Rounding.NEVER else size)

    def _field(self, name: str, e: m.Expression) -> Bounds:
        domain = next((x.domain for x in self.program.inputs if x.name == name), None)
        if isinstance(domain, Power):
            domain = domain.of
        ends: list[m.Expression | None] = []
        match domain:
            case Finite(values):
                ends = list(values)
            case Interval(low, high) | Integers(low, high):
                ends = [low, high]
            case Ball(radius):
                ends = [radius]
        sizes = [None if end is None else _size(exactly(end, self.grids.values)) for end in ends]
        size = Growth(
            self._open_ended(name) if None in sizes else max((s for s in sizes if s is not None), default=0.0)
        )
        return Bounds(size, NOTHING if self.grids.of(e).rounding == Rounding.NEVER else size)

    def _open_ended(self, field: str) -> float:
        """Of a field without a bound: LARGEST_INPUT, or what its models say of it."""
        sizes = [self._law(law).size for model in self.program.models for name, law in model.laws if name == field]
        return max([LARGEST_INPUT, *(s.factor for s in sizes if s.known() and not s.degree and not s.plus)])

    def _law(self, law: m.Expression) -> Bounds:
        match law:
            case m.Law(family, arguments):
                return self._of_family(family, arguments)
            case m.Weights(pairs):
                return self._each(*(value for value, _ in pairs))
            case m.WeightsOf(value):
                return self.of(value)
            case m.Choice(_, yes, no):
                return _either([self._law(yes), self._law(no)])
        return UNKNOWN

    def _of_family(self, family: str, arguments: tuple[m.Expression, ...]) -> Bounds:
        known = facts(family)
        inner = [a for a in arguments if isinstance(a, m.Law | m.Weights | m.WeightsOf | m.Choice)]
        laws = [self._law(a) for a in inner]
        if laws and not known.bounded:
            many = MOST_SUMMANDS if len(laws) == 1 else len(laws)
            found = _either(laws)
            return Bounds(found.size.times(many), found.error.times(many) + found.size.times(many**2))
        if known.whole and known.support == "listed":
            return SMALL
        if known.bounded:
            return _either([SMALL, *(self._elements(a) for a in arguments if a not in inner)])
        return Bounds(Growth(LARGEST_INPUT), NOTHING) if known.whole else UNKNOWN

    def _elements(self, domain: m.Expression) -> Bounds:
        """Of the elements of a set, list or range."""
        match domain:
            case m.Apply("..", ends):
                return self._each(*ends)
            case m.RealVectors():
                return UNKNOWN
        return self.of(domain)

    def count(self, domain: m.Expression) -> Growth:
        """How many elements a set, list or range has at most."""
        found = exactly(domain, self.grids.values)
        if isinstance(found, tuple):
            return Growth(float(len(found)))
        match domain:
            case m.Apply("..", (low, high)):
                return self.of(low).size + self.of(high).size + Growth(1.0)
            case m.Sequence(_, items):
                return Growth(float(len(items)))
            case m.Records():
                return Growth(MOST_RECORDS)
            case m.CellValue(name) if self.program.cell(name).operator == "list":
                return BY_STEP
            case m.Local(name):
                return self.count(self.program.define(name).expression)
            case m.Noised(_, base):
                return self.count(base)
            case m.Field(name):
                return self._dimension(name)
            case m.MemoryValue(name):
                initial = next((x.initial for x in self.program.memories if x.name == name), None)
                return LONGEST if initial is None or initial == domain else self.count(initial)
            case m.Choice(_, yes, no):
                return larger(self.count(yes), self.count(no))
            case m.Quantified("list" | "set", domain=over):
                return self.count(over)
            case m.Apply(operator, arguments) if operator in POINTWISE:
                # the vectors among the arguments have one length, which one of them may tell
                return min((self.count(a) for a in arguments), key=lambda g: (g.degree, g.factor), default=LONGEST)
        return LONGEST

    def _dimension(self, field: str) -> Growth:
        source = next((x for x in self.program.inputs if x.name == field), None)
        if source is not None and source.kind == "dataset":
            return Growth(MOST_RECORDS)
        domain = None if source is None else source.domain
        size = exactly(domain.dimension, self.grids.values) if isinstance(domain, Ball | Power) else None
        return Growth(float(size)) if isinstance(size, Fraction) else LONGEST

    def _quantified(self, operator: str, body: m.Expression, e: m.Quantified) -> Bounds:
        if isinstance(e.domain, m.RealVectors):
            return UNKNOWN
        many, one = self.count(e.domain), self.of(body)
        match operator:
            case "count":
                return Bounds(many, NOTHING)
            case "argmax" | "argmin":
                return self._elements(e.domain)
            case "sum":
                return self._folded(one, many, e)
            case "mean":
                return Bounds(one.size, self._folded(one, many, e).error + NEXT_TO_0)
        return one

    def _folded(self, one: Bounds, many: Growth, e: m.Expression) -> Bounds:
        size = one.size * many
        exact = self.grids.of(e).rounding == Rounding.NEVER
        return Bounds(size, NOTHING if exact else (one.error + size) * many)

    def _each(self, *parts: m.Expression) -> Bounds:
        return _either([self.of(part) for part in parts])

    def _sum(self, *parts: m.Expression) -> Bounds:
        found = [self.of(part) for part in parts]
        size, error = found[0].size, found[0].error
        for other in found[1:]:
            size = size + other.size
            error = error + other.error + size
        return Bounds(size, error)

    def _applied(self, operator: str, arguments: tuple[m.Expression, ...], e: m.Apply) -> Bounds:
        never = self.grids.of(e).rounding == Rounding.NEVER
        found = self._of_operator(operator, arguments)
        return Bounds(found.size, NOTHING) if never else found

    def _of_operator(self, operator: str, arguments: tuple[m.Expression, ...]) -> Bounds:
        match operator, arguments:
            case (("+" | "-"), _):
                return self._sum(*arguments)
            case "*", (a, b):
                return self._product(self.of(a), self.of(b))
            case "/", (a, b):
                return self._quotient(a, b)
            case "%", (a, b) if None not in (self.grids.of(a).denominator, self.grids.of(b).denominator):
                return Bounds(self.of(b).size, self.of(b).size.times(2.0))
            case "^", (a, b):
                return self._power(a, b)
            case (("floor" | "ceil"), (x,)):
                return Bounds(self.of(x).size + Growth(1.0), NOTHING)
            case (("negate" | "abs" | "sort" | "max" | "min" | "clip"), _):
                return self._each(*arguments)
            case (("length" | "argmax" | "argmin" | "count"), (v,)):
                return Bounds(self.count(v), NOTHING)
            case (("sum" | "mean"), (v,)):
                many = self.count(v)
                found = self._folded(self.of(v), many, v)
                return found if operator == "sum" else Bounds(self.of(v).size, found.error + NEXT_TO_0)
            case "dot", (a, b):
                one = self._product(self.of(a), self.of(b))
                many = self.count(a)
                return Bounds(one.size * many, (one.error + one.size * many) * many)
            case "zeros", _:
                return SMALL
        entry = OPERATORS[operator]
        return SMALL if entry.result == "truth" else UNKNOWN

    def _product(self, a: Bounds, b: Bounds) -> Bounds:
        size = a.size * b.size
        error = a.error * b.size + b.error * a.size + (a.error * b.error).times(UNIT)
        return Bounds(size, error).rounded()

    def _quotient(self, a: m.Expression, b: m.Expression) -> Bounds:
        least = self.least(b)
        if least is None and isinstance(b, m.StepNumber):
            return Bounds(self.of(a).size, self.of(a).error).rounded()
        off = NOTHING if self.grids.is_constant(b) else self.of(b).error
        if least is None or off.degree or off.plus or off.factor * UNIT > SMALL_PART * least:
            return UNKNOWN
        found = self.of(a)
        size = found.size.times(1 / least)
        of_both = found.error.times(1.1 / least) + size.times(1.1 * off.factor / least)
        return Bounds(size, of_both + size.times(2.0) + NEXT_TO_0)

    def least(self, e: m.Expression) -> float | None:
        """A bound below the size of what only constants and variables over few of them enter, and above 0; None where
        none is known."""
        values = self.grids.listed(e) or (None,)
        known = [least for value in values if (least := _least(value)) is not None]
        return min(known) if len(known) == len(values) else None

    def _power(self, a: m.Expression, b: m.Expression) -> Bounds:
        power = self.grids.of(b).value
        base = self.of(a)
        if power is None or power.denominator != 1 or not 0 <= power <= LARGEST_POWER:
            return UNKNOWN
        if power == 0:
            return SMALL
        found = base
        for _ in range(int(power) - 1):
            found = self._product(found, base)
        return found


def _either(bounds: list[Bounds]) -> Bounds:
    return Bounds(larger(*(b.size for b in bounds)), larger(*(b.error for b in bounds)))


def _largest(value: object) -> float:
    size = _size(value)
    return inf if size is None else size


def _size(value: object) -> float | None:
    """Of a constant, or of the largest part of one; None for what has no size."""
    match value:
        case bool() | str():
            return 1.0
        case Fraction():
            return inf if abs(value) > LARGEST else max(float(abs(value)), SMALLEST) if value else 0.0
        case Formula():
            ends = enclose(value, {})
            return max(abs(ends.low), abs(ends.high), SMALLEST)
        case tuple():
            sizes = [_size(part) for part in value]
            return None if None in sizes else max((s for s in sizes if s is not None), default=0.0)
    return None


def _width(value: object) -> float:
    """By how much the double that is taken for a constant may be farther from it than by one rounding."""
    match value:
        case Formula():
            ends = enclose(value, {})
            return ends.high - ends.low
        case tuple():
            return max(map(_width, value), default=0.0)
    return 0.0


def _least(value: Value | object) -> float | None:
    """A number below the size of a constant, and above 0; None where none is known."""
    match value:
        case bool():
            return None
        case Fraction():
            return None if abs(value) > LARGEST else float(abs(value)) * (1 - UNIT * 4) or None
        case Formula():
            ends = enclose(value, {})
            return ends.low if ends.low > 0 else -ends.high if ends.high < 0 else None
    return None
