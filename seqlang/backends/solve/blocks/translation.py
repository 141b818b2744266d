"""Programs whose steps do the same wherever a score lies, as long as it lies far enough out.

A step reads the score s, a memory, in comparisons such as `s <= -20` or `abs(s) > B` only, where B does not read it,
and sets it to s + f, where f again reads s in such comparisons only. On a half-line on which no comparison changes, the
law of what a step does, and of s' - s, is therefore the same at all s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seqlang.model import expression as ir
from seqlang.model.program import Statement, Update, expressions_in
from seqlang.operators.groups import ORDERINGS
from seqlang.record import record


@record
class Translation:
    """`comparisons` are all that read the memory, each of which is monotone in it on either side of 0, with a limit;
    `others` are the parts of them that do not read it, and have to be finite for that."""

    memory: str
    comparisons: tuple[ir.Expression, ...]
    others: tuple[ir.Expression, ...]


class _Otherwise(Exception):
    """The memory is read in another way."""


def translations(statements: Iterable[Statement]) -> Iterator[Translation]:
    """One for each memory that these statements read in this way; they must be all on which anything depends."""
    listed = tuple(statements)
    updates = [s for s in listed if isinstance(s, Update)]
    for memory in dict.fromkeys(s.memory for s in updates):
        own = [s for s in updates if s.memory == memory]
        found = _Reading(memory)
        try:
            if len(own) == 1:
                found.take(listed, own[0])
                yield Translation(memory, tuple(found.comparisons), tuple(found.others))
        except _Otherwise:
            continue


class _Reading:
    """How statements read one memory."""

    def __init__(self, memory: str) -> None:
        self.memory = memory
        self.comparisons: list[ir.Expression] = []
        self.others: list[ir.Expression] = []

    def take(self, statements: Iterable[Statement], own: Update) -> None:
        """Raises _Otherwise. `own`: the update of the memory."""
        for statement in statements:
            if statement is not own:
                for expression in expressions_in(statement):
                    self.compared(expression)
        self.moved(own.value)
        if own.when is not None:
            self.compared(own.when)

    def reads(self, e: ir.Expression) -> bool:
        return any(isinstance(part, ir.MemoryValue) and part.name == self.memory for part in ir.walk(e))

    def compared(self, e: ir.Expression) -> None:
        """The expression reads the memory in comparisons only."""
        match e:
            case _ if not self.reads(e):
                return
            case ir.MemoryValue():
                raise _Otherwise
            case ir.Apply(operator, (left, right)) if operator in ORDERINGS:
                side, other = (left, right) if self.reads(left) else (right, left)
                self.free(other)
                self.monotone(side)
                self.comparisons.append(e)
            case _:
                for part in ir.children(e):
                    self.compared(part)

    def monotone(self, e: ir.Expression) -> None:
        """The expression is the memory or its size, or that with another number added, or taken from it, or the other
        way round: on either side of 0 it is monotone, and without bounds."""
        match e:
            case ir.MemoryValue():
                return
            case ir.Apply("abs", (ir.MemoryValue(),)):
                return
            case ir.Apply("negate", (part,)):
                self.monotone(part)
            case ir.Apply("+" | "-", (left, right)) if self.reads(left) != self.reads(right):
                side, other = (left, right) if self.reads(left) else (right, left)
                self.free(other)
                self.monotone(side)
            case _:
                raise _Otherwise

    def free(self, e: ir.Expression) -> None:
        """The expression is made of numbers and of other memories."""
        plain = ir.Number | ir.Truth | ir.ParameterValue | ir.MemoryValue | ir.Apply | ir.Choice
        if self.reads(e) or not all(isinstance(part, plain) for part in ir.walk(e)):
            raise _Otherwise
        self.others.append(e)

    def moved(self, e: ir.Expression) -> None:
        """The expression is the value that the memory had, with something added that is `compared`."""
        match e:
            case ir.MemoryValue(self.memory, False):
                return
            case ir.Apply("+", (left, right)):
                side, other = (left, right) if self.reads_plainly(left) else (right, left)
                self.compared(other)
                self.moved(side)
            case ir.Apply("-", (left, right)):
                self.compared(right)
                self.moved(left)
            case ir.Choice(test, yes, no):
                self.compared(test)
                self.moved(yes)
                self.moved(no)
            case _:
                raise _Otherwise

    def reads_plainly(self, e: ir.Expression) -> bool:
        """Whether the memory is read outside of comparisons."""
        try:
            _Reading(self.memory).compared(e)
        except _Otherwise:
            return True
        return False
