"""Expressions of the body in terms of the state at the beginning of the step, of one of the two runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from seqlang.kernel.core import (
    Choose,
    Expression,
    Let,
    Number,
    Op,
    Program,
    Read,
    Report,
    Step,
    Stop,
    Tick,
    Truth,
    Update,
)
from seqlang.kernel.proof import Outcome

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def plus(left: Expression, right: Expression) -> Expression:
    if left == ZERO or right == ZERO:
        return right if left == ZERO else left
    return Op("+", (left, right))


def minus(left: Expression, right: Expression) -> Expression:
    return ZERO if left == right else left if right == ZERO else Op("-", (left, right))


def times(factor: Fraction, e: Expression) -> Expression:
    if factor == 0 or e == ZERO:
        return ZERO
    return e if factor == 1 else Op("negate", (e,)) if factor == -1 else Op("*", (Number(factor), e))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a report or a stop asks for, and shows, in one run; draws are still in it."""

    statement: Report | Stop
    when: Expression | None
    value: Expression | None


class Inliner:
    """Walks the body once; afterwards `asked` has the gates, `cells` and `memories` what they hold at the end. Raises
    KeyError for a value that is read where it is not known, such as one that a report has shown. `rows`: the run whose
    data set is read."""

    def __init__(
        self, program: Program, run: Literal[1, 2], outcome: Outcome | None = None, rows: Literal[1, 2] | None = None
    ) -> None:
        self.run = run
        self.rows = rows or run
        self.listed = program.rows is not None and program.rows.listed
        self.known: dict[tuple[str, int], Expression] = {}
        self.asked: list[Asked] = []
        self.added: dict[int, Expression] = {}
        for statement in program.body:
            self._take(statement, outcome)

    def _take(self, statement: object, outcome: Outcome | None) -> None:
        match statement:
            case Let(index, value):
                self.known["let", index] = self.of(value)
            case Tick(index, operator, value, where, _, _):
                added = self.of(Choose(value, ONE, ZERO) if operator == "count" else value)
                added = added if where is None else Choose(self.of(where), added, ZERO)
                self.added[index] = added
                if operator != "last":
                    self.known["cell", index] = plus(Read("cell", index, self.run), added)
            case Update(index, value, when):
                new, old = self.of(value), self.known.get(("memory", index), Read("memory", index, self.run))
                self.known["memory", index] = new if when is None else Choose(self.of(when), new, old)
            case Report(index, when, value):
                self.asked.append(Asked(statement, self._maybe(when), self._maybe(value)))
                made = None if outcome is None else outcome.reports[index]
                if made is not None and value is None:
                    self.known["report", index] = Truth(made)
            case Stop(_, when, result):
                self.asked.append(Asked(statement, self._maybe(when), self._maybe(result)))

    def _maybe(self, e: Expression | None) -> Expression | None:
        return None if e is None else self.of(e)

    def of(self, e: Expression) -> Expression:
        match e:
            case Op("total", (body,)):
                inside = self.of(body)
                found = Op("total", (inside,))
                return found if self.rows == 1 else plus(found, Op("moved", (inside,)))
            case Op(name, arguments):
                return Op(name, tuple(map(self.of, arguments)))
            case Choose(test, yes, no):
                return Choose(self.of(test), self.of(yes), self.of(no))
            case Read("row", index):
                return Read("row", index, self.rows) if self.listed else e
            case Read("draw" | "pick", _):
                return e
            case Read("let", index):
                return self.known["let", index]
            case Read("report", index):
                return self.known.get(("report", index), e)
            case Read(kind, index):
                return self.known.get((kind, index), Read(kind, index, self.run))
            case Step():
                return Op("+", (Step(), ONE))
        return e


def without_draws(e: Expression) -> Expression:
    """The expression where every draw is 0."""
    match e:
        case Read("draw", _):
            return ZERO
        case Op("+", (a, b)):
            return plus(without_draws(a), without_draws(b))
        case Op("list", parts):
            return Op("list", tuple(map(without_draws, parts)))
        case Op("*", (a, b)) if ZERO in (without_draws(a), without_draws(b)):
            return ZERO
        case Op(name, arguments):
            return Op(name, tuple(map(without_draws, arguments)))
        case Choose(test, yes, no):
            return Choose(without_draws(test), without_draws(yes), without_draws(no))
    return e


def comparisons(e: Expression | None) -> Iterator[Expression]:
    """left - right of each comparison in a condition."""
    match e:
        case Op(">=" | ">" | "<=" | "<" | "==" | "!=", (left, right)):
            yield minus(left, right)
        case Op("and" | "or" | "not", arguments):
            for argument in arguments:
                yield from comparisons(argument)
        case Choose(test, yes, no):
            for part in (test, yes, no):
                yield from comparisons(part)


def draws_in(e: Expression) -> frozenset[int]:
    match e:
        case Read("draw", index):
            return frozenset((index,))
        case Op(_, arguments):
            return frozenset().union(*map(draws_in, arguments))
        case Choose(test, yes, no):
            return draws_in(test) | draws_in(yes) | draws_in(no)
    return frozenset()
