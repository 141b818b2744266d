"""One changed entry: what may differ between the two sides, and how far vectors move."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import CellValue, Drawn, Expression, Field, Local, Records, children
from seqlang.record import record
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.ends import greatest_known
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.motion.neighbours import Neighbours


@record
class Norms:
    """How far a vector can move, in three norms, and by how much two of its coordinates can move apart (the largest
    |difference of differences|); None: no bound, or for `apart` none but twice linf."""

    l1: Formula | None
    l2: Formula | None
    linf: Formula | None
    apart: Formula | None = None

    def times(self, factor: Formula) -> Norms:
        """The norms of factor * vector, factor >= 0."""
        return Norms(*(None if n is None else factor * n for n in (self.l1, self.l2, self.linf, self.apart)))

    def plus(self, other: Norms) -> Norms:
        """The norms of a sum of two vectors."""
        ends = ((self.l1, other.l1), (self.l2, other.l2), (self.linf, other.linf), (self.apart, other.apart))
        return Norms(*(None if a is None or b is None else a + b for a, b in ends))


def larger(facts: Facts, norms: Sequence[Norms]) -> Norms:
    """In each norm the largest of these; None where one of them is not known."""
    return Norms(*(greatest_known(facts, c) for c in zip(*((n.l1, n.l2, n.linf, n.apart) for n in norms), strict=True)))


@record
class Entry:
    """What one changed entry does: the facts, who is a neighbour, and the cells that are the same on both sides."""

    facts: Facts
    near: Neighbours
    fixed: frozenset[Expression] = frozenset()

    @property
    def from_start(self) -> Entry:
        """The same for what a cell holds: it was filled in every step, not only where it is read."""
        facts = self.facts.from_start
        return self if facts is self.facts else Entry(facts, self.near, self.fixed)

    def moves(self, expression: Expression) -> bool:
        """True if the (expanded) expression may differ between the two sides."""
        if expression in self.fixed or self.facts.is_revealed(expression):
            return False
        if isinstance(expression, CellValue):
            return self.moves_element(expression) or self.facts.is_private(CellValue(expression.name))
        if isinstance(expression, (Drawn, Field, Local, Records)):
            return self.facts.is_private(expression)
        return any(self.moves(child) for child in children(expression))

    def moves_element(self, cell: CellValue) -> bool:
        """True if it may differ between the two sides which element of the cell is read."""
        return any(self.moves(position) for position in cell.at)

    def is_local(self, expression: Expression) -> bool:
        """True if it moves through the fields of the changed entry only."""
        if not self.moves(expression):
            return True
        if isinstance(expression, Field):
            source = self.facts.inputs.get(expression.name)
            return source is not None and (source.kind == "stream" or expression.name.endswith(RECORD))
        if isinstance(expression, (CellValue, Drawn, Local, Records)):
            return False
        return all(self.is_local(child) for child in children(expression))
