"""The judge: it checks that formulas contradict each other, by a tree of cases that ends in sums of inequalities.

A tree is one of
    {"sum": [[k, "3/2"], ..]}          the known signs number k, each multiplied by a positive fraction, add up to
                                       0 > 0, or to a negative constant >= 0 (Farkas's lemma says that linear signs
                                       without a solution always have such a sum)
    {"cases": k, "each": [tree, ..]}   the open disjunction number k: one tree for each of its parts
    {"plain": true}                    the formulas hold a plain contradiction

Known signs and open disjunctions are numbered in the order in which they are met: formulas from left to right, the
parts of a conjunction in their order; in the case of part i, part i is met after all that was known before. The judge
never searches: a tree that does not fit is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from seqlang.kernel.reading import fraction
from seqlang.kernel.refused import Refused, Unreadable
from seqlang.kernel.terms import Both, Either, Formula, Linear, Sign, number

DEEPEST = 200
"""Cases within cases of one tree."""


@dataclass(frozen=True, slots=True)
class Known:
    """What holds at a place of the tree. `absurd`: it holds a plain contradiction."""

    signs: tuple[Sign, ...] = ()
    open: tuple[Either, ...] = ()
    absurd: bool = False

    def and_also(self, formulas: Iterable[Formula]) -> Known:
        signs, disjunctions, absurd = list(self.signs), list(self.open), self.absurd
        waiting = list(formulas)[::-1]
        while waiting:
            match waiting.pop():
                case Both(parts):
                    waiting.extend(parts[::-1])
                case Either((part,)):
                    waiting.append(part)
                case Either(()):
                    absurd = True
                case Either() as disjunction:
                    disjunctions.append(disjunction)
                case Sign(term, strict) as sign:
                    if not term.is_constant:
                        signs.append(sign)
                    elif term.constant < 0 or (strict and term.constant == 0):
                        absurd = True
        return Known(tuple(signs), tuple(disjunctions), absurd)


def check_contradiction(formulas: Sequence[Formula], tree: Any) -> None:
    """Returns if the tree shows that the formulas cannot hold together; raises Refused if not."""
    _check(Known().and_also(formulas), tree, 0)


def _check(known: Known, tree: Any, depth: int) -> None:
    match tree:
        case {"plain": True} if known.absurd:
            return
        case {"sum": [*terms]}:
            try:
                absurd = _is_absurd_sum(known.signs, terms)
            except Unreadable as why:
                raise Refused(str(why)) from None
            if not absurd:
                raise Refused("a sum of inequalities is no contradiction")
        case {"cases": int(chosen), "each": [*trees]} if 0 <= chosen < len(known.open) and depth < DEEPEST:
            parts = known.open[chosen].parts
            if len(trees) != len(parts):
                raise Refused(f"{len(trees)} cases are shown, and there are {len(parts)}")
            rest = Known(known.signs, known.open[:chosen] + known.open[chosen + 1 :], known.absurd)
            for part, subtree in zip(parts, trees, strict=True):
                _check(rest.and_also((part,)), subtree, depth + 1)
        case _:
            raise Refused("a tree of cases that does not fit its condition")


def _is_absurd_sum(signs: Sequence[Sign], terms: Sequence[Any]) -> bool:
    total: Linear = number(0)
    strict = False
    for term in terms:
        match term:
            case [int(index), str(text)] if 0 <= index < len(signs):
                factor = fraction(text)
                if factor <= 0:
                    return False
                total = total + signs[index].term.times(factor)
                strict = strict or signs[index].strict
            case _:
                return False
    return total.is_constant and (total.constant < 0 or (strict and total.constant == 0))
