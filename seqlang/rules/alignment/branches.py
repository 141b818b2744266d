"""A test as a list of branches: ways in which it can hold, in order, each a conjunction of margins.

`s >= b or s <= a` has two branches, `p >= 1 and q >= 2` has one with two margins. Negations are pushed into the
margins (not (v + noise >= 0) is -v - noise > 0), so a test is monotone in its margins: if every margin only grows it
stays true, if every margin only shrinks it stays false. A public test is decided by the transcript; a branch that it
excludes asks less of an alignment, never more, so public tests are left out here, and that there was one is noted.
"""

from __future__ import annotations

from typing import assert_never

from seqlang.model.expression import Apply, Expression, Number, Term
from seqlang.model.program import And, Margin, Not, Or, PublicTest, Test
from seqlang.record import record

MOST_BRANCHES = 16


@record
class Branch:
    """It holds if all its margins do and, where it is not `whole`, a public test does too."""

    margins: tuple[Margin, ...] = ()
    whole: bool = True


def branches_of(test: Test) -> tuple[Branch, ...] | None:
    """The disjunctive normal form, or None if it has too many branches to be worth an alignment."""
    match test:
        case Margin():
            return (Branch((test,)),)
        case PublicTest():
            return (Branch(whole=False),)
        case Or(parts):
            found = tuple(branches_of(part) for part in parts)
            return _limited(tuple(b for branches in found if branches is not None for b in branches), found)
        case And(parts):
            found = tuple(branches_of(part) for part in parts)
            product: tuple[Branch, ...] = (Branch(),)
            for branches in found:
                if branches is None or len(product) * len(branches) > MOST_BRANCHES:
                    return None
                product = tuple(_joined(left, right) for left in product for right in branches)
            return product
        case Not(part):
            return branches_of(_negated(part))
        case _:
            assert_never(test)


def _limited(branches: tuple[Branch, ...], found: tuple[tuple[Branch, ...] | None, ...]) -> tuple[Branch, ...] | None:
    return None if None in found or len(branches) > MOST_BRANCHES else branches


def _joined(left: Branch, right: Branch) -> Branch:
    more = tuple(margin for margin in right.margins if margin not in left.margins)
    return Branch(left.margins + more, left.whole and right.whole)


def _negated(test: Test) -> Test:
    match test:
        case Margin(value, terms, strict):
            return Margin(_minus(value), tuple(Term(t.noise, _minus(t.factor)) for t in terms), not strict)
        case PublicTest(expression):
            return PublicTest(Apply("not", (expression,)))
        case And(parts):
            return Or(tuple(_negated(part) for part in parts))
        case Or(parts):
            return And(tuple(_negated(part) for part in parts))
        case Not(part):
            return part
        case _:
            assert_never(test)


def _minus(expression: Expression) -> Expression:
    match expression:
        case Number(value):
            return Number(-value)
        case Apply("negate", (inner,)):
            return inner
        case Apply("-", (left, right)):
            return Apply("-", (right, left))
        case _:
            return Apply("negate", (expression,))
