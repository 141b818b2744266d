"""How a program is run where it jumps: at comparisons, whole parts, remainders, positions, choices of the best.

The language computes with exact numbers, the engines with doubles. What jumps is therefore run in another form, in
which doubles make no difference:

*Whole numbers.* A multiple of 1/D is made a whole number (`model/wholes.py`). `a >= b` is run as the comparison of
D (a - b) with 0. For a whole k with |k| < 2^53, the quotient k / D in doubles is on the same side of each whole number
as k / D is, as it is rounded to the nearest: `floor(x)` is run as floor(k / D), k = D x, and ceil alike. The remainder
of a by b is that of two whole numbers, over D; argmax and argmin compare them. Positions, ends of ranges, arguments of
laws, elements of sets, and arguments of functions that have no value everywhere, are k / D. So is what a memory keeps
from step to step, and what a report or a stop shows.

*Quotients.* n / d >= c, with n and d on grids and d > 0, is n >= c d.

*Lines.* A number that is offset + unit K / D (`model/lines.py`) is compared with a number between two neighbours on
the line: these are far apart, and which of them are on which side is computed exactly.

*At the moment.* Everything else that is exact is computed by exact arithmetic from the whole numbers that it reads
(`Decided`), with the numbers that these are in the run.

*Guarded.* What is computed from a number that is kept from step to step and is no multiple of one fraction is computed
with doubles, as long as these tell it (`model/guards.py`).

*Numbers that jump nowhere.* What is shown or drawn is the double that is nearest to the number; a number that has no
exact form is shown with its rounding error (`Precision.nearest` tells which). Weights and arguments of laws have a
small relative error, and what noise is added to one that is small beside the noise. Where doubles may not be that good,
the number is looked up, divided once, or computed exactly at the moment, if it can be; else who decides something by it
looks at its error in each run (`Smooth.checked`).

A test is left as it is where doubles make no error in it anyway: where all constants are dyadic (1/4, 3), or where
each side is one constant or input, rounded once, since rounding keeps the order.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nextafter

from seqlang.arithmetic.formula import Formula
from seqlang.laws.facts import facts
from seqlang.model import exact_numbers as numbers
from seqlang.model.at_the_moment import Decided, Run, Undecidable, always, decided
from seqlang.model.constants import Open, exactly, has_exact_density
from seqlang.model.expression import (
    COMPARISONS,
    Apply,
    Choice,
    Density,
    Expression,
    Index,
    Law,
    Noised,
    Number,
    Quantified,
    Sequence,
    StepNumber,
    Truth,
    Weights,
    WeightsOf,
    children,
    rebuild,
)
from seqlang.model.grids import Grids, Rounding, finest
from seqlang.model.growths import Growths
from seqlang.model.guards import Guards
from seqlang.model.kinding import Kinds
from seqlang.model.lines import ONE, ZERO, Line, Lines, at_step, minus, over, place_of_zero, plus, size_of, times
from seqlang.model.noise_scales import depends_on
from seqlang.model.places import Places
from seqlang.model.program import (
    AtReports,
    Cell,
    Define,
    Margin,
    Previous,
    Program,
    Report,
    Stop,
    Update,
    expressions_in,
)
from seqlang.model.rationals import Rationals
from seqlang.model.smooth import Smooth
from seqlang.model.units import Units
from seqlang.model.wholes import HALF, Guarded, Settled, Wholes
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.groups import DIVISIONS, EQUALITIES, PLACES, SIGNS, TURNED
from seqlang.process.late import np
from seqlang.record import record, replace
from seqlang.source import NOWHERE

EARLY = 1 << 16
ROUNDED = 2.0**-50
FAR = 1e-6
"""A number that is farther than this from a whole number, relative to its size, is rounded as its double is."""
TABULATED = Apply | Choice | Quantified | Density
Parts = tuple[Expression, ...]
Jump = Apply | Index | Quantified | Sequence | Law | Weights | WeightsOf | Density


MOST_PROGRAMS = 16
_RECENT: list[Jumps] = []


def jumps_of(program: Program) -> Jumps:
    """The forms of a program, which are made once."""
    found = next((jumps for jumps in _RECENT if jumps.program is program), None) or Jumps(program)
    _RECENT[:] = [found, *(jumps for jumps in _RECENT if jumps is not found)][:MOST_PROGRAMS]
    return found


def _sits_on_points(e: Density) -> bool:
    """Whether it jumps where its argument moves from a point of its law to another."""
    if isinstance(e.law, Weights | WeightsOf):
        return True
    discrete = isinstance(e.law, Law) and (facts(e.law.family).kind == "points" or has_exact_density(e.law))
    return e.method == "pmf" or discrete


@record
class Early:
    """Up to the step `last` doubles decide `expression` as it stands."""

    expression: Expression
    last: int


class Jumps:
    """The forms of the expressions of one program, at its parameter values."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.grids = Grids(program)
        self.places = Places(program, self.grids.leaves)
        self.growths = Growths(self.grids)
        self.lines = Lines(self.grids)
        self.units = Units(program, self.grids, self.lines, self.growths)
        self._settled = Settled()
        self.wholes = Wholes(self.growths, self.places, self._settled)
        self.kinds = Kinds(program)
        self._guards = Guards(program, self.growths, self.places, self._settled, self.kinds)
        self.rationals = Rationals(program, self.grids)
        self.smooth = Smooth(self.lines, self.kinds, self.wholes, self._guards, self.rationals, self._settled)
        self._known: dict[int, tuple[Expression, Run]] = {}
        self._on_lines: dict[int, tuple[Expression, Apply, Line, Expression]] = {}
        seen: set[int] = set()
        for part in (*program.body, *program.noises, *program.models, *program.gates):
            for e in expressions_in(part):
                self._look_through(e, seen)
        for name, e in self._keeping():
            self._settle_root(e, self._stored(name, e, self.places.copy(e)))
        for e in self._showing():
            self._settle_root(e, self.smooth.of_shown(e))
        for pairs, compared in ((self.units.shown(), False), (self.units.compared(), True)):
            for e, terms in pairs:
                if terms:
                    self._settle_root(e, self.smooth.with_noise(e, terms, compared))
                for term in terms:
                    self._settle_root(term.factor, self.smooth.of_argument(term.factor, None))
        self.needs_fractions = any(
            isinstance(form, Undecidable | Guarded) and self.rationals.of(e) for e, form in self._known.values()
        )

    def run(self, e: Expression) -> Run:
        """What is run in place of the expression: often itself."""
        if id(e) in self._known:
            return self._known[id(e)][1]
        table = self.grids.table(e) if isinstance(e, TABULATED) else None
        settled = self._settled.form(e)
        if settled is not None:
            found: Run = settled
        elif self._is_known(e):
            found = e
        elif table is not None:
            found = self.smooth.looked_up(table)
        elif isinstance(e, Jump):
            found = self._form(e)
        else:
            return e
        self._known[id(e)] = e, found
        return found

    def holds(self, margin: Margin) -> Expression | None:
        """The comparison of a margin without noise; None where doubles decide it with the errors of today, as it reads
        numbers of the data or noise."""
        if not self.grids.of(margin.value).exact:
            return None
        test = Apply(">" if margin.strict else ">=", (margin.value, ZERO))
        return self.places.at(test, self.places.of(margin.value))

    def adds_step(self, e: Expression) -> bool:
        """Whether the form reads the number of the step, which the expression does not."""
        match self.run(e):
            case Decided(reads=reads):
                parts = reads
            case Guarded(expression, refused):
                parts = expression, refused
            case Undecidable():
                return False
            case form:
                if form is e:
                    return False
                parts = (form,)
        return StepNumber() not in self.grids.leaves(e).changing and any(
            StepNumber() in self.grids.leaves(part).changing for part in parts
        )

    @property
    def last_step(self) -> float:
        """The last step up to which doubles tell the numbers of all runs."""
        return self.wholes.last_step

    def _look_through(self, e: Expression, seen: set[int]) -> None:
        if id(e) in seen:
            return
        seen.add(id(e))
        form = self.run(e)
        for part in self.parts(e) if form is e else (form,):
            if not isinstance(part, Decided | Guarded | Undecidable):
                self._look_through(part, seen)

    def parts(self, e: Expression) -> tuple[Expression, ...]:
        """What is computed for the expression; nothing for a constant that is known."""
        return () if self._is_known(e) else tuple(children(e))

    def _is_known(self, e: Expression) -> bool:
        value = exactly(e, self.grids.values) if self.grids.is_constant(e) else None
        return value is not None and not isinstance(value, Open)

    # ---- what is kept, and what is shown

    def _settle_root(self, e: Expression, form: Run) -> None:
        """From now on, the whole expression of a statement is run in this form."""
        if not isinstance(form, Expression) or form != e:
            self._known[id(e)] = e, form

    def _keeping(self) -> list[tuple[str, Expression]]:
        """By name of the memory, cell or definition."""
        found: list[tuple[str, Expression]] = []
        for statement in self.program.body:
            match statement:
                case Update(name, value):
                    found.append((name, value))
                case Cell(name, body=e) | Define(name, e):
                    found.append((name, e))
                case _:
                    pass
        return found

    def _showing(self) -> list[Expression]:
        values = [s.value for s in self.program.body if isinstance(s, Report)]
        values += [s.result for s in self.program.body if isinstance(s, Stop)]
        return [v for v in values if v is not None and not isinstance(v, Noised)]

    def _stored(self, name: str, whole: Expression, e: Expression) -> Run:
        """What is kept under the name of a memory, a cell or a definition. `e` is a copy of the `whole`."""
        cell = next((s for s in self.program.body if isinstance(s, Cell) and s.name == name), None)
        best = cell is not None and cell.operator in PLACES
        table = self.grids.table(e) if best else None
        told = table is not None and table.is_told_by_doubles
        if best and not told and self._at_risk((e,)) and self.grids.of(e).denominator is None:
            scores = decided(e, self.lines, self.kinds, self.wholes, told=True)
            if isinstance(scores, Undecidable) or self.smooth.are_numbers(e):
                return scores
            return Undecidable("the step with the best of vectors that are no multiples of one fraction")
        limit = self.growths.is_limited(name)
        updated = any(x.name == name for x in self.program.memories)
        remembered = updated or (cell is not None and isinstance(cell.keep, Previous | AtReports))
        found = self.smooth.canonical(e) if remembered or best or limit is not None else e
        if isinstance(found, Decided | Guarded | Undecidable):
            return found
        refused = self._guards.of_state(name, whole)
        if limit is not None:
            refused = self._settled.any([Apply(">", (size_of(found), Number(Fraction(limit))))])
        return found if refused is None else Guarded(found, refused, getattr(e, "span", NOWHERE))

    # ---- the forms

    def _form(self, e: Jump) -> Run:
        match e:
            case Apply(operator, (a, b)) if operator in COMPARISONS:
                return self._compared(e, a, b)
            case Apply("floor" | "ceil", (x,)):
                return self._whole_part(e, x)
            case Apply("%", parts):
                return self._remainder(e, parts)
            case Apply("argmax" | "argmin", (Sequence(kind, items),)):
                return self._best(e, items, lambda wholes: (Sequence(kind, wholes),))
            case Apply("argmax" | "argmin", parts):
                return self._best(e, parts, lambda wholes: wholes)
            case Quantified("argmax" | "argmin", body):
                by = self.smooth.by((body,), Rounding.ONCE)
                return self._otherwise(e, (body,)) if by is None else replace(e, body=self.wholes.whole(body, by))
            case Quantified("set", body):
                return self._nearest(e, (body,), needed=True)
            case Apply("..", ends):
                return self._nearest(e, ends, needed=True)
            case Index(_, at):
                return self._nearest(e, (at,), needed=True)
            case Sequence("set", items):
                different = self._different(items)
                e = e if different == items else self.places.at(Sequence("set", different), self.places.of(e))
                return self._nearest(e, different, needed=True)
            case Law("point", (value,)):
                return self._of_law(e, (), (value,))
            case Law("conditioned", (inner, *ends)):
                return self._conditioned(e, inner, ends)
            case Law(_, arguments):
                return self._of_law(e, arguments, ())
            case Weights(pairs):
                return self._of_law(e, tuple(weight for _, weight in pairs), tuple(value for value, _ in pairs))
            case WeightsOf(value, weight):
                return self._of_law(e, (weight,), (value,))
            case Density(_, law, _) if self.sums_values(law):
                return Undecidable("the points of a sum of laws are rounded") if self.grids.law(law).exact else e
            case Density(_, _, at):
                return self._nearest(e, (at,), needed=_sits_on_points(e))
            case Apply(operator, arguments):
                parts = tuple(arguments[i] for i in OPERATORS[operator].partial)
                at_ends = () if operator in DIVISIONS else parts
                return self._nearest(e, parts, needed=False, at_ends=at_ends) if parts else e
        return e

    def _compared(self, e: Apply, a: Expression, b: Expression) -> Run:
        if not self.smooth.are_numbers(a, b):
            return e
        by = self.smooth.by((a, b), Rounding.ONCE, minus(a, b))
        if by is not None:
            return self._settled.as_it_is(Apply(e.operator, (self.wholes.whole(minus(a, b), by), ZERO), e.span))
        if not self._at_risk((a, b)):
            return self._otherwise(e, (a, b))
        return self._on_a_line(e, a, b) or self._multiplied_out(e, a, b) or self._otherwise(e, (a, b))

    def _whole_part(self, e: Apply, x: Expression) -> Run:
        by = self.smooth.by((x,), Rounding.ONCE)
        if by is not None:
            return self._settled.as_it_is(Apply(e.operator, (over(self.wholes.whole(x, by), by),), e.span))
        parts = self.smooth.quotients.of(x, self.places.of(e))
        if parts is None:
            return self._otherwise(e, (x,))
        by = self.smooth.by(parts, Rounding.NEVER)
        if by is not None:
            parts = self.wholes.whole(parts[0], by), self.wholes.whole(parts[1], by)
        elif self._at_risk(parts) or not all(self._is_small(part) for part in parts):
            return self._otherwise(e, (x,))
        return self._settled.as_it_is(Apply(e.operator, (Apply("/", parts),), e.span))

    def _remainder(self, e: Apply, parts: tuple[Expression, ...]) -> Run:
        by = self.smooth.by(parts, Rounding.NEVER)
        if by is None:  # a part that was rounded once may be on the other side of a multiple
            rounded = any(self.grids.of(part).rounding < Rounding.NEVER for part in parts)
            return self._otherwise(e, parts, rounded)
        wholes = tuple(self.wholes.whole(part, by) for part in parts)
        return over(self._settled.as_it_is(Apply("%", wholes, e.span)), by)

    def _best(self, e: Apply, parts: Parts, vector: Callable[[Parts], Parts]) -> Run:
        by = self.smooth.by(parts, Rounding.ONCE)
        if by is None:
            return self._otherwise(e, parts)
        wholes = tuple(self.wholes.whole(part, by) for part in parts)
        return self._settled.as_it_is(Apply(e.operator, vector(wholes), e.span))

    def _nearest(self, e: Jump, parts: Parts, needed: bool, at_ends: Parts = ()) -> Run:
        """The same, of parts that are as near to their value as doubles can be. `needed`: otherwise by exact
        arithmetic; so are parts `at_ends` of where the operator is defined, such as a root of what may be 0."""
        exact: dict[int, Expression] = {}
        for part in parts:
            by = self.smooth.by((part,), Rounding.ONCE) if self.smooth.are_numbers(part, vectors=True) else None
            if by is not None:
                exact[id(part)] = over(self.wholes.whole(part, by), by)
            elif needed and self._at_risk((part,)):
                table = self.grids.tables.of(part)
                if table is None or not table.is_moderate:
                    return self._otherwise(e, (part,))
                exact[id(part)] = self.smooth.looked_up(table)
            elif part in at_ends and self._at_risk((part,)) and self.smooth.are_numbers(part):
                form = self.smooth.at_an_end(part)
                if form is not None:
                    exact[id(part)] = self.places.copy(part)
                    self._known[id(exact[id(part)])] = exact[id(part)], form
        return self._settled.as_it_is(rebuild(e, lambda child: exact.get(id(child), child))) if exact else e

    def sums_values(self, law: Expression) -> bool:
        """Whether it is a sum of laws, or made of one, whose points doubles do not know."""
        if isinstance(law, Law) and law.family in ("convolve", "sum_of"):
            return self.grids.law(law).rounding == Rounding.COMPUTED
        parts = law.arguments if isinstance(law, Law) else (law.yes, law.no) if isinstance(law, Choice) else ()
        return any(isinstance(part, Law | Choice) and self.sums_values(part) for part in parts)

    def _conditioned(self, e: Law, inner: Expression, ends: list[Expression]) -> Run:
        """A law on points, and ends as near to their value as doubles can be: equal numbers then have equal doubles."""
        grid = self.grids.law(inner)
        if grid.exact and grid.rounding == Rounding.COMPUTED and self.sums_values(inner):
            return Undecidable("the points of a sum of laws are rounded")
        changing = [end for end in ends if not self.grids.is_constant(end)]
        on_points = grid.exact and (grid.denominator is not None or bool(self._listed(inner)))
        if not changing or not on_points:
            return self._of_law(self._with_ends_inside(e, inner, ends), (), ())
        exact: dict[int, Expression] = {}
        for end in changing:
            own = self.grids.of(end)
            by = finest(own, grid)
            if not own.exact:
                continue
            if by is None or not self.wholes.fits(end, by):
                return Undecidable("the end of a condition may be one of the values")
            exact[id(end)] = over(self.wholes.whole(end, by), by)
        return self._settled.as_it_is(rebuild(e, lambda child: exact.get(id(child), child)))

    def _with_ends_inside(self, e: Law, inner: Expression, ends: list[Expression]) -> Law:
        """A conditioned law, whose constant ends are doubles between which the doubles of its values lie if the values
        lie between the ends: those from 1 + 10^-16 on are not those from the double on, which is 1."""
        values = [value for value in self._listed(inner) if isinstance(value, Fraction)]
        if not values and not (isinstance(inner, Law) and facts(inner.family).whole):
            return e
        found: list[Expression] = []
        for end, outwards in zip(ends, (-1, 1), strict=True):
            value = exactly(end, self.grids.values)
            double = _end_inside(value, values, outwards) if isinstance(value, Fraction) else None
            found.append(end if double is None else Number(Fraction(double)))
        return e if found == ends else self.places.at(replace(e, arguments=(inner, *found)), self.places.of(e))

    def _listed(self, law: Expression) -> list[object]:
        """The constant values of a law that lists them."""
        match law:
            case Weights(pairs):
                return [exactly(value, self.grids.values) for value, _ in pairs]
            case Law(family, (argument,)) if facts(family).support in ("listed", "arguments"):
                found = exactly(argument, self.grids.values)
                return list(found) if isinstance(found, tuple) else [found]
        return []

    def _of_law(self, e: Law | Weights | WeightsOf, arguments: Parts, values: Parts) -> Run:
        """With arguments or weights, and values that may be drawn, as near to their value as doubles can be."""
        exact: dict[int, Expression] = {}
        drawn = {id(value) for value in values}
        widths = {id(part): width for part, width in depends_on(self.grids, e)}
        for part in (*arguments, *values):
            known = self.grids.is_constant(part) and exactly(part, self.grids.values) is not None
            if known or not self.smooth.are_numbers(part, vectors=True):
                continue  # engines have its value
            by = self.smooth.by((part,), Rounding.ONCE)
            if by is not None:
                exact[id(part)] = over(self.wholes.whole(part, by), by)
            elif self._at_risk((part,)):
                width = widths.get(id(part), ONE)
                form = self.smooth.of_shown(part) if id(part) in drawn else self.smooth.of_argument(part, width)
                if form is not part:
                    exact[id(part)] = self.places.copy(part)
                    self._known[id(exact[id(part)])] = exact[id(part)], form
        return self._settled.as_it_is(rebuild(e, lambda child: exact.get(id(child), child))) if exact else e

    def _different(self, items: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """Without those that are always equal to an earlier one."""
        found: list[Expression] = []
        for item in items:
            if not any(always(Apply("==", (item, other)), self.lines, self.kinds) is True for other in found):
                found.append(item)
        return tuple(found)

    def _on_a_line(self, e: Apply, a: Expression, b: Expression) -> Expression | None:
        """Compared with a number between two neighbours on the line of the difference."""
        line = self._against_a_constant(a, b) or self.lines.of(minus(a, b))
        if line is None or line.unit is None or e.operator in EQUALITIES:
            return None
        unit, zero = exactly(line.unit, self.grids.values), place_of_zero(line)
        if not isinstance(unit, Fraction | Formula):
            return None
        sign = numbers.order(unit, Fraction(0))
        if sign == 0 or (self.grids.is_constant(zero) and not self._has_whole_part(zero)):
            return None
        if self._is_far(zero) and Rounding.COMPUTED not in self._varying(a, b):
            return e
        upwards = 1 in SIGNS[e.operator]
        next_up = (upwards == (0 in SIGNS[e.operator])) == (sign > 0)
        above = Apply("ceil", (zero,)) if next_up else plus(Apply("floor", (zero,)), ONE)
        gap = times(line.unit, Apply("/", (minus(above, HALF), Number(Fraction(line.denominator)))))
        first, second = self.lines.of(a), self.lines.of(b)
        if second is not None and second.unit is None and first is not None and first.unit is not None:
            sides = a, plus(first.offset, gap)
        elif first is not None and first.unit is None and second is not None and second.unit is not None:
            sides = minus(second.offset, gap), b
        else:
            sides = minus(a, b), plus(line.offset, gap)
        room = float(abs(numbers.nearest(unit))) / line.denominator / 8
        if not all(self.wholes.ends(self.growths.last_step(side, room)) for side in sides):
            return None
        found = self._settled.as_it_is(Apply(e.operator, sides, e.span))
        self._on_lines[id(found)] = found, e, line, zero
        return found

    def early(self, form: Expression) -> Early | None:
        """Of a comparison on a line: what it may be run as in early steps, in which no tie is near."""
        known = self._on_lines.get(id(form))
        if known is None:
            return None
        _, e, line, zero = known
        ends = [exactly(at_step(zero, n), self.grids.values) for n in (0, 1)]
        unit = None if line.unit is None else exactly(line.unit, self.grids.values)
        if line.other != ZERO or not all(isinstance(x, Fraction | Formula) for x in (*ends, unit)):
            return None
        at_0, at_1, size = (numbers.nearest(x) for x in (*ends, unit) if isinstance(x, Fraction | Formula))
        step = np.arange(1.0, EARLY + 1)
        place = at_0 + (at_1 - at_0) * step
        apart = np.abs(place - np.round(place)) - ROUNDED * (abs(at_0) + abs(at_1) * step + 1)
        off = sum(bounds.error.factor * step**bounds.error.degree for bounds in map(self.growths.of, e.arguments))
        far = apart * abs(size) / line.denominator > 2 * ROUNDED * off
        last = EARLY if far.all() else int(np.argmin(far))
        return Early(self._settled.as_it_is(replace(e)), last)

    def _against_a_constant(self, a: Expression, b: Expression) -> Line | None:
        """The line of the difference of a number on a grid and a constant that is on none."""
        for varying, constant, fixed in ((a, b, Apply("negate", (b,))), (b, a, a)):
            by = self.grids.of(varying).denominator
            if by is not None and self.grids.is_constant(constant):
                return Line(ONE, by, constant=fixed)
        return None

    def _varying(self, *sides: Expression) -> set[Rounding]:
        return {self.grids.of(side).rounding for side in sides if not self.grids.is_constant(side)}

    def _has_whole_part(self, e: Expression) -> bool:
        return isinstance(exactly(Apply("floor", (e,)), self.grids.values), Fraction)

    def _is_far(self, e: Expression) -> bool:
        """Whether a constant is plainly between two whole numbers."""
        value = exactly(e, self.grids.values) if self.grids.is_constant(e) else None
        if not isinstance(value, Fraction | Formula):
            return False
        near = numbers.nearest(value)
        return abs(near - round(near)) > FAR * (1 + abs(near))

    def _multiplied_out(self, e: Apply, a: Expression, b: Expression) -> Expression | None:
        """Quotients of numbers on grids, compared without a division."""
        parts = self.smooth.quotients.of(minus(a, b), self.places.of(e))
        if parts is None:
            return None
        above, below = parts
        plain = Apply(e.operator, (above, ZERO), e.span)
        if self.smooth.quotients.is_positive(below):
            return plain
        without_value = self._settled.as_it_is(Apply(e.operator, e.arguments, e.span))
        negative = Choice(Apply("<", (below, ZERO)), Apply(TURNED[e.operator], (above, ZERO)), without_value)
        return Choice(Apply(">", (below, ZERO)), plain, negative)

    def _otherwise(self, e: Jump, parts: tuple[Expression, ...], rounded: bool = False) -> Run:
        """As it stands, if doubles decide it by these parts as exact arithmetic does; else by exact arithmetic at the
        moment, else guarded. `rounded`: the parts have to be exact, and are not."""
        if not all(self.grids.of(part).exact for part in parts):
            return e
        value = exactly(e, self.grids.values) if self.grids.is_constant(e) else None
        if isinstance(value, Open):
            return Undecidable(value.reason)
        if not rounded and not self._at_risk(parts):
            return e if all(map(self._is_small, parts)) else self._guarded_sizes(e, parts)
        table = self.grids.tables.of(e)
        if table is not None:
            return self.smooth.looked_up(table)
        if self.grids.is_constant(e):
            found: Decided | Undecidable = Undecidable("it takes too long to be computed exactly")
        elif self.kinds.of(e).name == "set":
            found = Undecidable("a set of numbers that are no multiples of one fraction")
        else:
            found = decided(e, self.lines, self.kinds, self.wholes)
        if isinstance(found, Decided):
            doubles = self._guards.of(e, self._settled.as_it_is(replace(e)), kept=False)
            return replace(found, guarded=doubles if isinstance(doubles, Guarded) else None)
        same = always(e, self.lines, self.kinds)
        if same is not None:
            return Truth(same) if isinstance(same, bool) else Number(same)
        guarded = self._guards.of(e, self._settled.as_it_is(replace(e)))
        return guarded if isinstance(guarded, Guarded) else Undecidable(f"{found.reason}; {guarded}")

    def _guarded_sizes(self, e: Jump, parts: tuple[Expression, ...]) -> Run:
        """As it stands, in a run in which its numbers are small enough."""
        place = self.places.of(e)
        sizes = [self.wholes.size(part, place) for part in parts]
        known = [size for size in sizes if size is not None]
        if len(known) < len(sizes):
            return Undecidable("its numbers may be too large")
        refused = self.wholes.refused(known, finest(*map(self.grids.of, parts)) or 1)
        return Guarded(self._settled.as_it_is(replace(e)), refused, getattr(e, "span", NOWHERE))

    # ---- what decides between them

    def _at_risk(self, parts: tuple[Expression, ...]) -> bool:
        """Whether these are exact, and doubles may take one for another."""
        grids = [self.grids.of(part) for part in parts]
        rounded = any(g.rounding == Rounding.COMPUTED for g in grids) or finest(*grids) is None
        return rounded and all(g.exact for g in grids)

    def _is_small(self, e: Expression) -> bool:
        """Whether doubles make no error in an exact number that they compute without one, as it is small."""
        return self.wholes.ends(self.growths.last_step(e, 1 / (self.grids.of(e).denominator or 1)))


def _end_inside(end: Fraction, values: list[Fraction], outwards: int) -> float | None:
    """The double that takes the place of the upper end of a condition (`outwards` 1) or of the lower one (-1); None
    where it is the nearest one."""
    nearest = double = float(end) * outwards
    if values:
        beyond = [float(x) * outwards for x in values if x * outwards > end * outwards]
        inside = [float(x) * outwards for x in values if x * outwards <= end * outwards]
        double = max([min([double, *(nextafter(x, -inf) for x in beyond)]), *inside])
    elif Fraction(double) > end * outwards:
        double = nextafter(double, -inf)
    return None if double == nearest else double * outwards
