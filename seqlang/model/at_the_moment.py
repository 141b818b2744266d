"""Expressions that are computed by exact arithmetic while a program runs, from whole numbers that it knows exactly."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from fractions import Fraction
from math import inf, prod
from typing import Any

from seqlang.arithmetic.formula import Formula, symbol
from seqlang.model import exact_numbers as numbers
from seqlang.model.constants import CHANGING, TOO_LARGE, Undefined, Values, exactly, has_exact_density
from seqlang.model.exact_numbers import Undecided, nearest
from seqlang.model.expression import (
    COMPARISONS,
    Apply,
    Bound,
    CellValue,
    Density,
    Expression,
    Local,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    RealVectors,
    Records,
    Sequence,
    StepNumber,
    Truth,
    Variable,
    WeightsOf,
    children,
    rebuild,
)
from seqlang.model.growths import BY_STEP
from seqlang.model.infinite import with_infinities
from seqlang.model.kinding import Kinds
from seqlang.model.kinds import NUMBER, Kind
from seqlang.model.lines import Lines, at_step, plus, times
from seqlang.model.log_ratio import in_logs
from seqlang.model.wholes import Guarded, Wholes
from seqlang.operators.groups import POLYNOMIAL
from seqlang.record import record, replace
from seqlang.source import NOWHERE, Span

MOST_READ = 8
"""Numbers from which one is computed."""
MOST_KNOWN = 1 << 17
"""Values that are remembered of one expression."""
LARGEST_READ = 2.0**52
"""Larger doubles do not tell a whole number."""
NOTHING = Apply("sqrt", (Number(Fraction(-1)),))
LIST_OF_NUMBERS = Kind("list", NUMBER)
Exact = Fraction | float | bool | Undefined | None


@record
class Decided:
    """Computed exactly from the values of `reads`, which each engine computes, None for one that has no value:
    `value(*reads)` is a number, a truth value (`is_truth`), Undefined, or None where exact arithmetic does not decide
    it.
    `guarded`: with doubles, in runs in which these tell it; None where no bound of their errors is known."""

    expression: Expression
    reads: tuple[Expression, ...]
    value: Callable[..., Exact]
    is_truth: bool
    span: Span
    guarded: Guarded | None = None


@record
class Undecidable:
    """Doubles may err, and nothing exact is known: `reason` says of what."""

    reason: str


TINY = 1e-200
"""Formulas that are nearer to 0 may be 0, as so many digits do not tell."""
Run = Expression | Decided | Guarded | Undecidable
"""What is run in place of an expression."""


@record
class _Reading:
    """A number that a run knows exactly from what it computes for `reads`; `as_constant` writes it down."""

    reads: tuple[Expression, ...]
    as_constant: Callable[..., Expression]


@record
class _WithNoise:
    """A base that is known exactly, to which multiples of 1 / `by` are added as noise."""

    reads: tuple[Noised]
    by: int

    def as_constant(self, base: object, value: float) -> Expression:
        """The number next to the double `value` that a run computes."""
        if not isinstance(base, Fraction) or abs(value) * self.by >= LARGEST_READ / 4:
            raise _Unknown
        return Number(base + Fraction(round((Fraction(value) - base) * self.by), self.by))


Found = dict[int, tuple[Expression, _Reading | _WithNoise | Expression]]
"""By identity of an expression: itself, and how it is known or what it stands for."""


class _Unknown(Exception):
    pass


def decided(e: Expression, lines: Lines, kinds: Kinds, wholes: Wholes, *, told: bool = False) -> Decided | Undecidable:
    """The expression as one that is computed exactly at the moment. `told`: different values have different doubles."""
    search = _Search(lines, kinds, wholes, wholes.places.of(e))
    try:
        look = search.look_into if any(True for _ in children(e)) and not isinstance(e, CellValue) else search.look_at
        look(e, frozenset())
    except _Unknown as problem:
        return Undecidable(str(problem))
    found = search.found
    readings = (r for _, r in found.values() if isinstance(r, _Reading | _WithNoise))
    reads = tuple(dict.fromkeys(read for reading in readings for read in reading.reads))
    if len(reads) > MOST_READ:
        return Undecidable("it reads too many numbers")
    return Decided(
        e, reads, _evaluation(e, reads, found, lines, told),
        is_truth=isinstance(e, Apply) and e.operator in COMPARISONS,
        span=getattr(e, "span", NOWHERE),
    )  # fmt: skip


def always(e: Expression, lines: Lines, kinds: Kinds) -> Fraction | bool | None:
    """The value that the expression has whatever it reads, as its parts cancel: w - (w + 1) < 0. None if none is
    found."""
    values = Values()
    values.update(lines.grids.values)

    def put(part: Expression) -> Expression:
        """With symbols for what changes."""
        if lines.grids.is_constant(part):
            return part
        match part:
            case Apply("/", (over, under)) if lines.grids.is_constant(under):
                return replace(part, arguments=(put(over), under))
            case Apply(operator) if operator in POLYNOMIAL:
                return rebuild(part, put)
        if type(part) not in CHANGING or kinds.of(part).name != "number":
            raise _Unknown  # a symbol stands for a number, and only sums and products of symbols are exact
        name = f"<{part}>"
        values.symbols[name] = symbol(name)
        return ParameterValue(name)

    try:
        if isinstance(e, Apply) and e.operator in COMPARISONS:
            difference = put(Apply("-", e.arguments))
            found = exactly(replace(e, arguments=(difference, Number(Fraction(0)))), values)
        else:
            found = exactly(put(e), values)
    except _Unknown:
        return None
    return found if isinstance(found, bool | Fraction) else None


class _Search:
    """Finds what an expression reads at its place in the step, and how each number is known exactly."""

    def __init__(self, lines: Lines, kinds: Kinds, wholes: Wholes, place: int) -> None:
        self.lines, self.grids, self.kinds, self.wholes = lines, lines.grids, kinds, wholes
        self.place = place
        self.found: Found = {}

    def look_at(self, e: Expression, inside: frozenset[Variable]) -> None:
        """`inside`: variables that are bound around it, within the whole expression."""
        if id(e) in self.found:
            return
        leaves = self.grids.leaves(e)
        if isinstance(e, Records | RealVectors) or (isinstance(e, Density) and not has_exact_density(e.law)):
            raise _Unknown("data sets, sets of vectors and most densities are not computed exactly")
        if isinstance(e, Bound) and e.variable in inside:
            return
        if leaves.constant:
            if leaves.records:
                raise _Unknown("it reads a data set")
            return
        reading = self._reading(e) if not leaves.free & inside else None
        if reading is not None:
            self.found[id(e)] = e, reading
            return
        if isinstance(e, Noised):
            self.found[id(e)] = e, self._with_noise(e, inside)
            self.look_at(e.base, inside)
            return
        if isinstance(e, Local):
            define = self.wholes.places.definition(e.name, self.place)
            if define is None:
                raise _Unknown(f"{e.name} is no multiple of one fraction")
            self.found[id(e)] = e, define
            self.look_at(define, inside)
            return
        if isinstance(e, CellValue) or not any(True for _ in children(e)):
            raise _Unknown(getattr(e, "name", "a part of it") + " is no multiple of one fraction")
        self.look_into(e, inside)

    def look_into(self, e: Expression, inside: frozenset[Variable]) -> None:
        """The same for the parts of an expression."""
        if isinstance(e, Quantified | WeightsOf):
            inside = inside | {e.variable}
        for part in children(e):
            self.look_at(part, inside)

    def _reading(self, e: Expression) -> _Reading | None:
        if isinstance(e, StepNumber):
            return _Reading((e,), lambda step: Number(Fraction(int(step))))
        kind, by = self.kinds.of(e).name, self.grids.of(e).denominator
        if kind == "truth" and not isinstance(e, Apply):
            return _Reading((e,), lambda holds: Truth(bool(holds)))
        if by is not None and self.wholes.fits(e, by):
            if kind == "number":
                return _Reading((self.wholes.whole(e, by),), lambda k: Number(Fraction(int(k), by)))
            if kind == "vector":
                return _Reading(
                    (self.wholes.whole(e, by),),
                    lambda ks: Sequence("list", tuple(Number(Fraction(int(k), by)) for k in ks)),
                )
            if self.kinds.of(e) == LIST_OF_NUMBERS:
                # it is as long as the run makes it: the numbers are read as they are, each near to a multiple of 1/by
                return _Reading(
                    (e,), lambda vs: Sequence("list", tuple(Number(Fraction(round(v * by), by)) for v in vs))
                )
        return self._of_cell(e) if isinstance(e, CellValue) and kind == "number" else None

    def _with_noise(self, e: Noised, inside: frozenset[Variable]) -> _WithNoise:
        grids = [self.grids.of(term.factor) for term in e.terms]
        grids += [self.grids.law(self.grids.law_of(term.noise)) for term in e.terms]
        bys = [grid.denominator for grid in grids if grid.denominator is not None]
        flips = any(noise.flips for noise in self.grids.program.noises if noise.name in {t.noise for t in e.terms})
        if len(bys) < len(grids) or flips or self.kinds.of(e) != NUMBER or self.grids.leaves(e).free & inside:
            raise _Unknown(f"the noise of {e.name} is no multiple of one fraction")
        return _WithNoise((e,), prod(bys))

    def _of_cell(self, e: CellValue) -> _Reading | None:
        cell = self.grids.program.cell(e.name)
        by = self.grids.of(cell.body).denominator
        if cell.operator == "mean" and by is not None and self._tells_means(e, by):
            # a mean is a fraction whose denominator is a number of steps: the only one that is this near
            step = StepNumber()
            return _Reading((e, step), lambda v, n: Number(Fraction(v * by).limit_denominator(int(n)) / by))
        line = self.lines.of(e)
        if line is None or line.unit is None:
            return None
        unit, offset, many = line.unit, line.offset, Number(Fraction(line.denominator))
        on_grid = times(Apply("/", (Apply("-", (e, offset)), unit)), many)
        if not self.wholes.fits(on_grid, 1):
            return None
        place = self.wholes.whole(on_grid, 1)

        def on_the_line(k: float, n: int) -> Expression:
            return plus(at_step(offset, int(n)), times(unit, Number(Fraction(int(k), line.denominator))))

        return _Reading((place, StepNumber()), on_the_line)

    def _tells_means(self, e: CellValue, by: int) -> bool:
        """Two fractions with denominators up to n are at least 1/n^2 apart."""
        bounds = self.wholes.growths.of(e)
        apart = (bounds.error + bounds.size.times(2.0)) * BY_STEP * BY_STEP
        return self.wholes.ends(apart.last_step(1 / (4 * by)))


def _evaluation(
    e: Expression, reads: tuple[Expression, ...], found: Found, lines: Lines, told: bool
) -> Callable[..., Exact]:
    places = {read: i for i, read in enumerate(reads)}
    program = lines.grids.program
    known: dict[tuple[Any, ...], Exact] = {}
    by_double: dict[float, Fraction | Formula] = {}

    def value(*given: Any) -> Exact:
        if given not in known:
            if len(known) >= MOST_KNOWN:
                known.clear()
            try:
                known[given] = None if any(map(_is_too_large, given)) else computed(put(e, given))
            except _Unknown:
                known[given] = None
        return known[given]

    def own_values() -> Values:
        """Of the program, and later of a constant that is not kept."""
        own = Values()
        own.update(lines.grids.values)
        own.known[True] = ChainMap({}, lines.grids.values.known[True])
        return own

    def computed(constant: Expression) -> Exact:
        own = own_values()
        exact = exactly(constant, own)
        if isinstance(exact, Undefined):
            if exact.reason == TOO_LARGE:
                return None  # it has a value, which is not known
            infinite = with_infinities(constant, own)
            return infinite if isinstance(infinite, bool | Fraction | float | Undefined) else None
        if isinstance(exact, Fraction | Formula):
            if told and not is_told(exact):
                return None
            return _rounded(exact) if isinstance(exact, Formula) else exact
        return exact if isinstance(exact, bool) else None

    def is_told(exact: Fraction | Formula) -> bool:
        """Whether no other value so far has the same double."""
        try:
            first = by_double.setdefault(nearest(exact), exact)
            return len(by_double) < MOST_KNOWN and numbers.order(exact, first) == 0
        except (Undecided, OverflowError):
            return False

    def is_known(part: Expression) -> bool:
        """Whether it is a constant, whose value is worked out once for all."""
        return lines.grids.is_constant(part) and isinstance(
            exactly(part, lines.grids.values), Fraction | Formula | bool
        )

    def put(part: Expression, given: tuple[Any, ...]) -> Expression:
        _, reading = found.get(id(part), (part, None))
        if reading is None and is_known(part):
            return part
        if isinstance(reading, _Reading):
            values = [given[places[read]] for read in reading.reads]
            return _endless(values) or reading.as_constant(*values)
        if isinstance(reading, _WithNoise):
            (noised,) = reading.reads
            number = given[places[noised]]
            base = exactly(put(noised.base, given), own_values())
            return _endless([number]) or reading.as_constant(base, number)
        if reading is not None:
            return put(reading, given)
        logs = in_logs(program, part)
        return rebuild(logs or part, lambda child: put(child, given))

    return value


def _rounded(x: Formula) -> Fraction | float | None:
    """The nearest double; None where it is too large for one, or may be 0."""
    try:
        found = nearest(x)
        return found if abs(found) > TINY or numbers.order(x, Fraction(0)) != 0 else Fraction(0)
    except (Undecided, OverflowError):
        return None


def _is_too_large(given: Any) -> bool:
    if isinstance(given, tuple):
        return any(map(_is_too_large, given))
    return given is not None and LARGEST_READ <= abs(given) < inf


def _endless(values: list[Any]) -> Expression | None:
    """In the place of a number that has no value, or is infinite."""
    if any(v is None or v != v for v in values):
        return NOTHING
    infinite = [v for v in values if isinstance(v, float) and abs(v) == inf]
    if infinite:
        return Apply("/", (Number(Fraction(1 if infinite[0] > 0 else -1)), Number(Fraction(0))))
    return NOTHING if any(isinstance(v, tuple) and any(abs(x) == inf for x in v) for v in values) else None
