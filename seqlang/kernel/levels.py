"""Who determines a value: the transcript, the data and the transcript, or what is drawn as well.

A value of level SHOWN is the same in two runs that have shown the same so far, whatever their data. One of level DATA
is a function of the run's data and of what was shown. Only these may enter a translation of the draws. What is
COUNTABLE depends on picks and on draws of whole numbers too; what is DRAWN may have a density.
"""

from __future__ import annotations

from enum import IntEnum

from seqlang.kernel.core import (
    Choose,
    Expression,
    Let,
    Letters,
    Number,
    Op,
    Program,
    Range,
    Read,
    Step,
    Tag,
    Tick,
    Truth,
    Update,
)

WHOLE = ("geometric",)
"""Laws on whole numbers."""


class Level(IntEnum):
    SHOWN = 0
    DATA = 1
    COUNTABLE = 2
    DRAWN = 3


WHOLE_NUMBERS = ("+", "-", "*", "negate", "abs", "max", "min", "clip", "total")
"""Functions that are whole where their arguments are."""


class Levels:
    """`of(e)`: the level of an expression of the body. Cells and memories begin at SHOWN and are raised until what
    feeds them raises them no more. `is_whole(e)`: whether it takes whole values only; all cells and memories are taken
    for whole until what feeds them is not."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lets: dict[int, Level] = {}
        self.cells: dict[int, Level] = {}
        self.memories: dict[int, Level] = {}
        while self._raised():
            pass
        self.broken: set[Read] = set()
        while self._broken():
            pass

    def of(self, expression: Expression | None) -> Level:
        match expression:
            case None | Number() | Truth() | Tag() | Step():
                return Level.SHOWN
            case Op(name, arguments):
                return max((Level.DATA if name == "total" else Level.SHOWN, *map(self.of, arguments)))
            case Choose(test, yes, no):
                return max(self.of(test), self.of(yes), self.of(no))
            case Read("input", index):
                return Level.SHOWN if self.program.inputs[index].public else Level.DATA
            case Read("row"):
                return Level.DATA
            case Read("let", index):
                return self.lets.get(index, Level.SHOWN)
            case Read("cell", index):
                return self.cells.get(index, Level.SHOWN)
            case Read("memory", index):
                return self.memories.get(index, Level.SHOWN)
            case Read("report"):
                return Level.SHOWN
            case Read("draw", index):
                return Level.COUNTABLE if self.program.draws[index].law in WHOLE else Level.DRAWN
            case Read("pick"):
                return Level.COUNTABLE
            case Read():
                return Level.DRAWN

    def is_shown(self, expression: Expression) -> bool:
        return self.of(expression) == Level.SHOWN

    def is_whole(self, expression: Expression | None) -> bool:
        match expression:
            case None | Step():
                return True
            case Number(value):
                return value.denominator == 1
            case Op(name, arguments):
                return name in WHOLE_NUMBERS and all(map(self.is_whole, arguments))
            case Choose(_, yes, no):
                return self.is_whole(yes) and self.is_whole(no)
            case Read("input", index):
                return _is_whole(self.program.inputs[index].domain)
            case Read("row", index) if self.program.rows is not None:
                fields = self.program.rows.fields
                return _is_whole(fields[index % len(fields)])
            case Read("draw", index):
                return self.program.draws[index].law in WHOLE
            case Read("pick", index):
                return all(value.denominator == 1 for value in self.program.picks[index].values)
            case Read("report", index):
                return self.is_whole(self.program.reports[index].value)
            case Read(kind, index):
                return Read(kind, index) not in self.broken
        return False

    def _broken(self) -> bool:
        before = len(self.broken)
        for index, initial in enumerate(self.program.memories):
            if not self.is_whole(initial):
                self.broken.add(Read("memory", index))
        for statement in self.program.body:
            match statement:
                case Let(index, value) if not self.is_whole(value):
                    self.broken.add(Read("let", index))
                case Tick(index, operator, value, _, _, start):
                    if operator != "count" and not (self.is_whole(value) and self.is_whole(start)):
                        self.broken.add(Read("cell", index))
                case Update(index, value, _) if not self.is_whole(value):
                    self.broken.add(Read("memory", index))
                case _:
                    pass
        return len(self.broken) > before

    def _raised(self) -> bool:
        before = (dict(self.lets), dict(self.cells), dict(self.memories))
        for statement in self.program.body:
            match statement:
                case Let(index, value):
                    self.lets[index] = self.of(value)
                case Tick(index, _, value, where, _, start):
                    self.cells[index] = max(self.of(value), self.of(where), self.of(start))
                case Update(index, value, when):
                    fed = max(self.of(value), self.of(when))
                    self.memories[index] = max(fed, self.memories.get(index, Level.SHOWN))
        return before != (self.lets, self.cells, self.memories)


def _is_whole(domain: Letters | Range) -> bool:
    return domain.whole if isinstance(domain, Range) else all(v.denominator == 1 for v in domain.values)
