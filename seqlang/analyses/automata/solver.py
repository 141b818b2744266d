"""Finds the tree of cases that the kernel's judge asks for."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from seqlang.analyses.automata.simplex import Simplex, Sum
from seqlang.kernel.judge import Known
from seqlang.kernel.terms import Both, Either, Formula, Linear, Sign, number

MOST_NODES = 4000
"""Of one tree; a condition that needs more is given up."""

Tree = tuple[str, Any]
"""("plain", None), ("sum", signs with multipliers), ("cases", (disjunction, trees))"""


class GivenUp(Exception):
    """The condition needs too many cases."""


def contradiction(formulas: Sequence[Formula]) -> Any | None:
    """The tree as the judge reads it, or None if the formulas do not contradict each other."""
    known = Known().and_also(formulas)
    search = _Search()
    tree = search.tree(known, 0)
    return None if tree is None else _written(known, tree)


def largest(formulas: Sequence[Formula], term: Linear) -> Fraction | None:
    """The least upper bound of the term where the formulas hold; None if there is none, or if they never hold."""
    best: Fraction | None = None
    while True:
        search = _Search(term)
        more = () if best is None else (Sign(term - number(best), True),)
        if search.tree(Known().and_also((*formulas, *more)), 0) is not None:
            return best
        if search.top is None:
            return None
        best = search.top


class _Search:
    """`term`: where a point meets all formulas, `top` is its largest value on the side of the tree with the point."""

    def __init__(self, term: Linear | None = None) -> None:
        self.term = term
        self.top: Fraction | None = None
        self.simplex = Simplex()
        self.nodes = 0

    def tree(self, known: Known, first: int) -> Tree | None:
        """`first`: from which of the signs on the solver does not know them yet."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise GivenUp
        if known.absurd:
            return "plain", None
        for sign in known.signs[first:]:
            found = self.simplex.add(sign)
            if found is not None:
                return "sum", found
        found = self.simplex.conflict()
        if found is not None:
            return "sum", found
        chosen = next((d for d in known.open if not self._holds(d)), None)
        if chosen is None and self.term is not None:
            highest = self.simplex.largest(self.term)  # it moves the point
            chosen = next((d for d in known.open if highest is None or not self._holds(d)), None)
            self.top = None if highest is None else highest[0]
        return None if chosen is None else self._cases(known, chosen)

    def _cases(self, known: Known, chosen: Either) -> Tree | None:
        place = known.open.index(chosen)
        rest = Known(known.signs, known.open[:place] + known.open[place + 1 :], known.absurd)
        trees: list[Tree] = []
        for part in chosen.parts:
            mark = self.simplex.mark()
            inside = rest.and_also((part,))
            tree = self.tree(inside, len(known.signs))
            self.simplex.back(mark)
            if tree is None:
                return None
            if self._stands_without(tree, known):
                return tree
            trees.append(tree)
        return "cases", (chosen, trees)

    def _stands_without(self, tree: Tree, known: Known) -> bool:
        """Whether the tree uses only what was known before the part."""
        signs, opened = set(known.signs), set(known.open)

        def stands(tree: Tree, signs: set[Sign], opened: set[Either]) -> bool:
            kind, what = tree
            if kind == "plain":
                return False
            if kind == "sum":
                return all(sign in signs for sign in what)
            chosen, trees = what
            if chosen not in opened:
                return False
            for part, subtree in zip(chosen.parts, trees, strict=True):
                more = Known().and_also((part,))
                if more.absurd and subtree[0] == "plain":
                    continue
                if not stands(subtree, signs | set(more.signs), opened | set(more.open)):
                    return False
            return True

        return stands(tree, signs, opened)

    def _holds(self, formula: Formula) -> bool:
        match formula:
            case Sign(term, strict):
                value = self.simplex.value(term)
                zero = (Fraction(0), Fraction(0))
                return value > zero if strict else value >= zero
            case Both(parts):
                return all(map(self._holds, parts))
            case Either(parts):
                return any(map(self._holds, parts))


def _written(known: Known, tree: Tree) -> Any:
    kind, what = tree
    if kind == "plain":
        return {"plain": True}
    if kind == "sum":
        return {"sum": _summed(known, what)}
    chosen, trees = what
    place = known.open.index(chosen)
    rest = Known(known.signs, known.open[:place] + known.open[place + 1 :], known.absurd)
    each = [_written(rest.and_also((p,)), t) for p, t in zip(chosen.parts, trees, strict=True)]
    return {"cases": place, "each": each}


def _summed(known: Known, found: Sum) -> list[list[Any]]:
    return [[known.signs.index(sign), str(factor)] for sign, factor in found.items()]
