"""What the derivation of shifts looks up again and again: definitions, parameter values, what reads what.

Nothing here is searched for; everything is computed from the program alone, so a replay gets the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from seqlang.model.binding import settled
from seqlang.model.expression import (
    CellValue,
    Choice,
    Drawn,
    Expression,
    Field,
    Index,
    Local,
    Noised,
    Records,
    Variable,
    children,
    rebuild,
    walk,
)
from seqlang.model.program import Cell, LastSteps, Previous, Program
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.evaluate import evaluate
from seqlang.rules.sensitivity.facts.list_elements import element_of_list

T = TypeVar("T")


class Facts(Definitions):
    """Look-ups for one program.

    `first` is the earliest step in which the quantity under study is read. `revealed` are the randomised choices
    (flipped names, draws from private laws) that the caller's proof puts into the transcript and pays for: given the
    transcript they do not move.
    """

    def __init__(self, program: Program, first: int = 1, revealed: frozenset[str] = frozenset()) -> None:
        super().__init__(program)
        self.first = first
        self.revealed = revealed
        self.ranges: dict[tuple[Expression, frozenset[str]], object] = {}
        self._settled: dict[Expression, Variable] = {}
        self._from_start: Facts | None = None
        self._expanded: dict[Expression, Expression] = {}
        self._reached: dict[Expression, frozenset[Expression]] = {}
        self._answered: dict[object, Any] = {}
        self.recursions: dict[Expression, str] = {}
        for cell in self.cells.values():
            if isinstance(cell.keep, Previous) and not cell.binders and CellValue(cell.name) in self.leaves(cell.body):
                body = self.expand(cell.body)
                self.recursions[body] = cell.name
                if isinstance(body, Noised):  # added noise does not change how it moves
                    self.recursions[self.expand(body.base)] = cell.name

    def once(self, question: object, answer: Callable[[], T]) -> T:
        """The answer to a question about this program that many rules ask, computed the first time."""
        if question not in self._answered:
            self._answered[question] = answer()
        found: T = self._answered[question]
        return found

    @property
    def from_start(self) -> Facts:
        """The same facts for what is computed in every step: a cell was filled from step 1 on, whenever it is read."""
        if self.first == 1:
            return self
        if self._from_start is None:
            self._from_start = Facts(self.program, 1, self.revealed)
        return self._from_start

    def expand(self, expression: Expression) -> Expression:
        """The expression with every name of a statistic or a changing let replaced by its definition, elements of lists
        by their formulas, and an `if` that parameters decide by the branch that holds. What is the same up to the
        letters of its binders comes out equal. The base of a flipped name keeps both branches: randomised response
        chooses among the values that are written there."""
        known = self._expanded.get(expression)
        if known is None:
            known = self._expanded[expression] = settled(self._inlined(expression), self._settled)
        return known

    def _inlined(self, expression: Expression) -> Expression:
        if isinstance(expression, Local):
            define = self.defines.get(expression.name)
            return expression if define is None else self.expand(define.expression)
        if not any(True for _ in children(expression)):
            return expression
        if isinstance(expression, Noised) and any(self.is_flip(term.noise) for term in expression.terms):
            return replace(expression, base=self._written(expression.base))
        inlined = rebuild(expression, self._inlined)
        return self._decided(inlined) if isinstance(inlined, Choice) else _picked(inlined)

    def _written(self, expression: Expression) -> Expression:
        """Names and elements of lists are replaced, nothing is decided."""
        if isinstance(expression, Local):
            define = self.defines.get(expression.name)
            return expression if define is None else self._written(define.expression)
        return _picked(rebuild(expression, self._written))

    def _decided(self, choice: Choice) -> Expression:
        holds = evaluate(self, choice.test)
        return choice if not isinstance(holds, bool) else choice.yes if holds else choice.no

    def leaves(self, expression: Expression) -> frozenset[Expression]:
        """Every leaf that the value depends on, also through cells and through the laws of state-dependent draws."""
        known = self._reached.get(expression)
        if known is None:
            found: set[Expression] = set()
            self._reach(expression, found)
            known = self._reached[expression] = frozenset(found)
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
            for part in parts_of(self.cells[expression.name]):
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


def _picked(expression: Expression) -> Expression:
    picked = element_of_list(expression) if isinstance(expression, Index) else None
    return expression if picked is None else picked


def parts_of(cell: Cell) -> Iterator[Expression]:
    """All expressions that decide a cell's value."""
    yield cell.body
    if cell.where is not None:
        yield cell.where
    match cell.keep:
        case LastSteps(count):
            yield count
        case Previous(initial):
            yield initial


_known: list[Facts] = []
_MOST_KNOWN = 8


def facts_of(program: Program, first: int = 1, revealed: frozenset[str] = frozenset()) -> Facts:
    """The facts of a program; the last ones are kept, because rules ask about the same program many times."""
    for known in _known:
        if known.program is program and known.first == first and known.revealed == revealed:
            return known
    facts = Facts(program, first, revealed)
    _known.append(facts)
    del _known[:-_MOST_KNOWN]
    return facts
