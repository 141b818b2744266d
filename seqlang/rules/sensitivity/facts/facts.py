"""What is known of one program before anything moves, in one value that is complete when it is made."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

from seqlang.model.expression import CellValue, Drawn, Expression, Field, Local, Noised, Records, children, walk
from seqlang.model.program import Previous, Program, expressions_in
from seqlang.rules.sensitivity.facts.shapes import Shapes

NOTHING_REVEALED: frozenset[str] = frozenset()


class Facts(Shapes):
    """The definitions, expansions and shapes of a program, and what each expression depends on.

    `first` is the earliest step in which the quantity under study is read. `revealed` are the randomised choices
    (flipped names, draws from private laws) that the caller's proof puts into the transcript and pays for: given the
    transcript they do not move. `recursions` are the bodies of the cells that read themselves one step ago, with the
    cell's name. `answers` holds what `remembered` functions have worked out from these facts.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._views: dict[tuple[int, frozenset[str]], Facts] = {(1, NOTHING_REVEALED): self}
        self._seen_with(1, NOTHING_REVEALED)

    def _seen_with(self, first: int, revealed: frozenset[str]) -> None:
        self.first, self.revealed = first, revealed
        self.answers: dict[object, Any] = {}
        self._leaves: dict[Expression, frozenset[Expression]] = {}
        self.recursions = dict(self._recursions())

    def _recursions(self) -> Iterator[tuple[Expression, str]]:
        for cell in self.cells.values():
            if isinstance(cell.keep, Previous) and not cell.binders and CellValue(cell.name) in self.leaves(cell.body):
                body = self.expand(cell.body)
                yield body, cell.name
                if isinstance(body, Noised):  # added noise does not change how it moves
                    yield self.expand(body.base), cell.name

    def view(self, first: int, revealed: frozenset[str]) -> Facts:
        """The same program, read in another first step, or with other choices revealed."""
        if (first, revealed) not in self._views:
            self._views[first, revealed] = other = copy(self)
            other._seen_with(first, revealed)
        return self._views[first, revealed]

    @property
    def from_start(self) -> Facts:
        """The same facts for what is computed in every step: a cell was filled from step 1 on, whenever it is read."""
        return self if self.first == 1 else self.view(1, self.revealed)

    def leaves(self, expression: Expression) -> frozenset[Expression]:
        """Every leaf that the value depends on, also through cells and through the laws of state-dependent draws."""
        known = self._leaves.get(expression)
        if known is None:
            found: set[Expression] = set()
            self._reach(expression, found)
            known = self._leaves[expression] = frozenset(found)
        return known

    def _reach(self, expression: Expression, found: set[Expression]) -> None:
        if isinstance(expression, Local):
            expression = self.expand(expression)
        if isinstance(expression, Noised):
            found.update(Drawn(term.noise) for term in expression.terms)
            if self.is_revealed(expression):
                return
        inner = tuple(children(expression))
        for child in inner:
            self._reach(child, found)
        if (inner and not isinstance(expression, CellValue)) or expression in found:
            return
        found.add(expression)
        if isinstance(expression, CellValue) and expression.name in self.cells:
            for part in expressions_in(self.cells[expression.name]):
                self._reach(part, found)
        elif isinstance(expression, Drawn) and expression.name in self.draws and not self.is_revealed(expression):
            self._reach(self.draws[expression.name].law, found)

    def is_revealed(self, expression: Expression) -> bool:
        """True for a choice that stands in the transcript: a flipped name, or a draw."""
        match expression:
            case Drawn(name):
                return name in self.revealed
            case Noised(name, _, terms):
                return name in self.revealed and all(self.is_flip(term.noise) for term in terms)
        return False

    def is_private(self, expression: Expression) -> bool:
        """True if the value may differ between neighbours while the transcript and all noise are the same."""
        return any(self._is_private_leaf(leaf) for leaf in self.leaves(expression))

    def _is_private_leaf(self, leaf: Expression) -> bool:
        match leaf:
            case Records():
                return self.resized  # how many there are
            case Field(name):
                return name not in self.inputs or self.inputs[name].kind != "public"
            case CellValue(name):
                return name not in self.cells
            case Drawn(name):
                return self.is_sample(leaf) if name in self.noises else name not in self.draws
            case Local():
                return True  # a name without a definition here, such as the value of a release
        return False

    def is_sample(self, expression: Expression) -> bool:
        """True for a draw whose law reads the records where their number differs between neighbours."""
        noise = self.noises.get(expression.name) if self.resized and isinstance(expression, Drawn) else None
        return noise is not None and any(isinstance(node, Records | Field) for node in walk(noise.law))

    def noises_inside(self, expression: Expression) -> frozenset[str]:
        """Names of the noises and draws that the value depends on, also through cells."""
        return frozenset(leaf.name for leaf in self.leaves(expression) if isinstance(leaf, Drawn))


_known: list[Facts] = []
_MOST_KNOWN = 8
"""Programs of which the facts are kept: rules ask about the same program many times, and about few others between."""


def facts_of(program: Program, first: int = 1, revealed: frozenset[str] = NOTHING_REVEALED) -> Facts:
    """The facts of a program; those of the last few programs are kept."""
    facts = next((known for known in _known if known.program is program), None)
    if facts is None:
        facts = Facts(program)
        _known.append(facts)
        del _known[:-_MOST_KNOWN]
    return facts.view(first, revealed)
