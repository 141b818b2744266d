"""Multiples of 1/D as whole numbers, in a form in which doubles make no difference.

If the double of a multiple x of 1/D is nearer to it than 1/(2 D), then D x is the whole number floor(D x + 1/2): what
is rounded down lies strictly between D x and D x + 1. `Growths` bounds the errors; where its bound holds up to a step
only, runs end there (`last_step`), and where it has none, each run looks itself whether its numbers are small enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import inf
from typing import TypeVar

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
)
from seqlang.model.grids import Rounding
from seqlang.model.growths import Growths
from seqlang.model.lines import plus, size_of, times
from seqlang.model.places import Places
from seqlang.model.program import Stop
from seqlang.operators.catalogue import OPERATORS
from seqlang.record import record, replace
from seqlang.source import NOWHERE, Span

HALF = Number(Fraction(1, 2))
ENOUGH_STEPS, FEWEST_STEPS = 2.0**28, 2.0**14
"""A bound that holds for fewer steps is used only if a run cannot look itself; one for still fewer is not used."""
SMALL = Fraction(2**50)
"""A multiple of 1 that n operations make of numbers of at most this size, divided by n, is found from its double: its
error is below 1/8."""
MOST_PARTS = 2**10
POWERS = range(1, 9)
Node = TypeVar("Node", bound=Expression)


@record
class Size:
    """An expression that bounds the size of every number on the way to one, and how often doubles round on that way."""

    bound: Expression
    roundings: int


@record
class Guarded:
    """Computed with doubles, as `expression`, in every run in which the test `refused` does not hold; a run in which it
    does ends with an error: numbers there are larger, or nearer to each other, than doubles tell."""

    expression: Expression
    refused: Expression
    span: Span


class Settled:
    """Expressions that are run as they stand, or in a form that is given with them, by identity."""

    def __init__(self) -> None:
        self._forms: dict[int, tuple[Expression, Expression | Guarded]] = {}

    def as_it_is(self, e: Node, form: Guarded | None = None) -> Node:
        """From now on, e is run as it stands, or in this form."""
        self._forms[id(e)] = e, form or e
        return e

    def form(self, e: Expression) -> Expression | Guarded | None:
        """How it is run; None where nothing is settled."""
        known = self._forms.get(id(e))
        return None if known is None else known[1]

    def any(self, tests: Sequence[Expression]) -> Expression:
        """Whether one of these tests holds, as doubles compare."""
        found = self.as_it_is(tests[0])
        for test in tests[1:]:
            found = self.as_it_is(Apply("or", (found, self.as_it_is(test))))
        return found


class Wholes:
    """Of one program."""

    def __init__(self, growths: Growths, places: Places, settled: Settled) -> None:
        self.growths, self.places, self.settled = growths, places, settled
        self.last_step = inf
        self.end = _end(growths)

    def fits(self, e: Expression, by: int) -> bool:
        """Whether `by` times the multiple e of 1/by is found from its double, in every run or in every run that does
        not refuse to go on."""
        last = self.growths.last_step(e, 1 / (4 * by))
        return last >= min(FEWEST_STEPS, self.end) or self.size(e, self.places.of(e)) is not None

    def is_told(self, e: Expression, by: int) -> bool:
        """Whether its double, as a run computes it, tells the multiple of 1/by. Nothing refuses to go on with sums of
        whole numbers that become too large."""
        if self.growths.grids.of(e).rounding == Rounding.COMPUTED:
            return self.fits(e, by)
        return self.growths.last_step(e, 1 / (4 * by)) >= min(FEWEST_STEPS, self.end)

    def always_fits(self, e: Expression, by: int) -> bool:
        """The same in every run, and until late."""
        return self.growths.last_step(e, 1 / (4 * by)) >= min(ENOUGH_STEPS, self.end)

    def whole(self, e: Expression, by: int) -> Expression:
        """`by` times a multiple of 1/by; it `fits`."""
        made = self.settled.as_it_is(Apply("floor", (plus(times(e, Number(Fraction(by))), HALF),)))
        last = self.growths.last_step(e, 1 / (4 * by))
        size = None if self.always_fits(e, by) else self.size(e, self.places.of(e))
        if size is None:
            self.ends(last)
        else:
            refused = self.refused([size], by)
            self.settled.as_it_is(made, Guarded(self.settled.as_it_is(replace(made)), refused, NOWHERE))
        return made

    def refused(self, sizes: Sequence[Size], by: int) -> Expression:
        """Whether numbers on the way to multiples of 1/by, of these sizes, are too large for doubles to tell them."""
        total = reduce(plus, [size.bound for size in sizes])
        limit = SMALL / by / (1 + sum(size.roundings for size in sizes))
        return self.settled.any([Apply(">", (total, Number(limit)))])

    def ends(self, step: float) -> bool:
        """No run goes on beyond this step. False, and nothing changes, if that is too early."""
        if step < min(FEWEST_STEPS, self.end):
            return False
        if step < self.end:
            self.last_step = min(self.last_step, step)
        return True

    def size(self, e: Expression, place: int) -> Size | None:
        """Of every number on the way to e; None where no bound is known."""
        match e:
            case Number() | StepNumber() | MemoryValue() | Field() | Drawn() | Index(Field()):
                return Size(size_of(e), 1)
            case CellValue() | Reported() if self.growths.grids.of(e).rounding == Rounding.NEVER:
                return Size(size_of(e), 1)
            case Local(name):
                define = self.places.definition(name, place)
                return None if define is None else self.size(define, place)
            case Choice(test, yes, no):
                first, second = self.size(yes, place), self.size(no, place)
                if first is None or second is None:
                    return None
                return Size(Choice(test, first.bound, second.bound), max(first.roundings, second.roundings))
            case Noised(_, base, terms):
                parts = [Apply("*", (t.factor, Drawn(t.noise))) for t in terms]
                return self._added([base, *parts], place)
            case Apply("+" | "-" | "negate" | "abs" | "max" | "min" | "clip", parts):
                return self._added(list(parts), place)
            case Apply("^", (a, b)) if (power := self.growths.grids.of(b).value) is not None and power in POWERS:
                return self._multiplied([a] * int(power), place)
            case Apply("*", parts):
                return self._multiplied(list(parts), place)
            case Apply("/", (a, b)) if self.growths.grids.is_constant(b):
                first = self.size(a, place)
                if first is None:
                    return None
                quotient = Apply("/", (first.bound, size_of(b)))
                return Size(plus(first.bound, quotient), first.roundings + 2)
            case Quantified("sum", body):
                many = self.growths.count(e.domain)
                one = self.size(body, place) if many.at(1) <= MOST_PARTS and many.degree == 0 else None
                if one is None:
                    return None
                return Size(replace(e, body=one.bound), one.roundings + int(many.at(1)) + 1)
            case Apply(operator) if OPERATORS[operator].multiples == "whole" or OPERATORS[operator].jumps:
                return Size(size_of(e), 1)  # it is run in a form of its own
        return Size(size_of(e), 1) if self.growths.grids.is_constant(e) else None

    def _added(self, parts: list[Expression], place: int) -> Size | None:
        found = [self.size(part, place) for part in parts]
        known = [size for size in found if size is not None]
        if len(known) < len(found):
            return None
        return Size(reduce(plus, [size.bound for size in known]), sum(size.roundings for size in known) + 1)

    def _multiplied(self, parts: list[Expression], place: int) -> Size | None:
        found = [self.size(part, place) for part in parts]
        known = [size for size in found if size is not None]
        if len(known) < len(found):
            return None
        return Size(reduce(times, [size.bound for size in known]), sum(size.roundings for size in known) + 1)


def _end(growths: Growths) -> float:
    """The step in which every run has stopped, where a stop says so."""
    found = inf
    for statement in growths.program.body:
        match statement:
            case Stop(when=None):
                found = 1.0
            case Stop(when=Apply(">=", (StepNumber(), limit))) if growths.grids.is_constant(limit):
                found = min(found, growths.of(limit).size.at(1) + 1)
            case _:
                pass
    return found
