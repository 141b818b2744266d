"""Expressions with every name replaced by what it stands for."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.model.binding import settled
from seqlang.model.expression import Choice, Expression, Index, Local, Noised, Variable, children, rebuild
from seqlang.model.program import Program
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.evaluate import evaluate
from seqlang.rules.sensitivity.facts.list_elements import element_of_list

Expansions = dict[Expression, Expression]
Pick = Callable[[Expression], Expression]


class Expansion(Definitions):
    """The definitions of a program, put into the expressions that read them.

    What was expanded is kept, and so is the variable that stands for each binder. Both are functions of the program:
    another order of questions gives binders other numbers, which nothing shows or compares across programs.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._expanded: Expansions = {}
        self._left: Expansions = {}
        self._binders: dict[Expression, Variable] = {}

    def expand(self, expression: Expression) -> Expression:
        """The expression with every name of a statistic or a changing let replaced by its definition, elements of lists
        by their formulas, and an `if` that parameters decide by the branch that holds. What is the same up to the
        letters of its binders comes out equal. The base of a flipped name keeps both branches: randomised response
        chooses among the values that are written there."""
        return self._found(expression, self._expanded, _picked)

    def inlined(self, expression: Expression) -> Expression:
        """The same with `l[i]` left as it is written: its formula has values also where `i` is no position."""
        return self._found(expression, self._left, lambda written: written)

    def _found(self, expression: Expression, found: Expansions, pick: Pick) -> Expression:
        known = found.get(expression)
        if known is None:
            known = found[expression] = settled(self._inlined(expression, found, pick), self._binders)
        return known

    def _inlined(self, expression: Expression, found: Expansions, pick: Pick) -> Expression:
        if isinstance(expression, Local):
            define = self.defines.get(expression.name)
            return expression if define is None else self._found(define.expression, found, pick)
        if not any(True for _ in children(expression)):
            return expression
        if isinstance(expression, Noised) and any(self.is_flip(term.noise) for term in expression.terms):
            return replace(expression, base=self._written(expression.base, pick))
        inlined = rebuild(expression, lambda inner: self._inlined(inner, found, pick))
        return self._decided(inlined) if isinstance(inlined, Choice) else pick(inlined)

    def _written(self, expression: Expression, pick: Pick) -> Expression:
        """Names and elements of lists are replaced, nothing is decided."""
        if isinstance(expression, Local):
            define = self.defines.get(expression.name)
            return expression if define is None else self._written(define.expression, pick)
        return pick(rebuild(expression, lambda inner: self._written(inner, pick)))

    def _decided(self, choice: Choice) -> Expression:
        holds = evaluate(self, choice.test)
        return choice if not isinstance(holds, bool) else choice.yes if holds else choice.no


def _picked(expression: Expression) -> Expression:
    picked = element_of_list(expression) if isinstance(expression, Index) else None
    return expression if picked is None else picked
