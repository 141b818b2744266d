"""Which entries a value depends on, by age: this step's entry has age 0, the one before it age 1."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.arithmetic.formula import INFINITY, ZERO, Formula, maximum, number
from seqlang.model.expression import (
    CellValue,
    Drawn,
    Expression,
    Field,
    Local,
    Records,
    children,
)
from seqlang.model.life import EachStep
from seqlang.model.program import (
    AllSteps,
    Define,
    Draw,
    LastSteps,
    Noise,
    Previous,
    Program,
    SinceReport,
    expressions_in,
)
from seqlang.record import record
from seqlang.rules.reading.limits import least
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import formula_of
from seqlang.rules.sensitivity.ranges.ranges import range_of


@record
class Ages:
    """Entries of ages `youngest` to `oldest`. `since`: only entries since that report (those of this segment)."""

    youngest: int
    oldest: Formula
    since: str | None = None


def ages_of(program: Program, expression: Expression, signs: Signs) -> Ages | None:
    """The ages of the private entries that the value depends on; None: it depends on no data."""
    return _Reader(program, signs).of(expression)


class _Reader:
    def __init__(self, program: Program, signs: Signs) -> None:
        self.program, self.signs = program, signs
        self.visiting: set[str] = set()

    def of(self, expression: Expression) -> Ages | None:
        match expression:
            case Field(name):
                kind = self.program.input(name).kind
                return None if kind == "public" else Ages(0, ZERO) if kind == "stream" else Ages(0, INFINITY)
            case Records():
                return Ages(0, INFINITY)
            case Drawn(name):
                return self._drawn(name)
            case Local(name):
                defined = (s for s in self.program.body if isinstance(s, Define) and s.name == name)
                return self.all(s.expression for s in defined)
            case CellValue(name, at):
                return joined(self._cell(name), self.all(at), self.signs)  # and which of its elements is read
            case _:
                return self.all(children(expression))

    def all(self, parts: Iterable[Expression]) -> Ages | None:
        found: Ages | None = None
        for part in parts:
            found = joined(found, self.of(part), self.signs)
        return found

    def _drawn(self, name: str) -> Ages | None:
        """What the law of the draw reads: in this step, if it is drawn anew in each."""
        found: Ages | None = None
        for source in (*self.program.body, *self.program.noises):
            if isinstance(source, Draw | Noise) and source.name == name:
                law = self.of(source.law)
                kept = law is not None and not isinstance(source.life, EachStep)
                found = joined(found, Ages(0, INFINITY) if kept else law, self.signs)
        return found

    def _cell(self, name: str) -> Ages | None:
        if name in self.visiting:
            return Ages(0, INFINITY)  # a recursion
        cell = self.program.cell(name)
        self.visiting.add(name)
        inner = self.all((cell.body,) if cell.where is None else (cell.body, cell.where))
        around = self.all(expressions_in((cell.keep, cell.binders)))
        self.visiting.discard(name)
        if around is not None:
            return Ages(0, INFINITY)  # which steps are kept, or what it holds first, depends on data
        if inner is None:
            return None
        match cell.keep:
            case LastSteps(count):
                length = formula_of(self.program, count) or range_of(self.program, count).high
                if length is None or inner.since is not None:
                    return Ages(0, INFINITY)
                if not self.signs.at_least(length, number(1)):
                    length = maximum(number(1), length)  # a shorter window keeps no step
                return Ages(inner.youngest, inner.oldest + length - number(1))
            case Previous() if inner.since is None:
                return Ages(inner.youngest + 1, inner.oldest + number(1))
            case SinceReport(report) if inner.youngest == 0 and inner.oldest == ZERO and inner.since is None:
                return Ages(0, INFINITY, report)
            case AllSteps():
                return Ages(inner.youngest, INFINITY)
            case _:
                return Ages(0, INFINITY)


def joined(a: Ages | None, b: Ages | None, signs: Signs) -> Ages | None:
    """The ages of a value that depends on both."""
    if a is None or b is None:
        return b if a is None else a
    since = a.since if a.since == b.since else None
    for one, other in ((a, b), (b, a)):
        if one.since is not None and other.since is None and other.youngest == 0 and other.oldest == ZERO:
            since = one.since  # this step's entry lies in the segment too
    return Ages(min(a.youngest, b.youngest), greatest(a.oldest, b.oldest, signs), since)


def greatest(a: Formula, b: Formula, signs: Signs) -> Formula:
    """The larger of two ages, chosen at the parameter values; infinite where that cannot be decided."""
    if a.is_infinite or b.is_infinite:
        return INFINITY
    return a if signs.at_least(a, b) else b if signs.at_least(b, a) else INFINITY


def stretch(ages: Ages, signs: Signs) -> Formula:
    """In how many successive steps one entry can be felt."""
    if ages.oldest.is_infinite:
        return INFINITY
    return least([ages.oldest - number(ages.youngest - 1)], signs)
