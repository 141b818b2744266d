"""What is known of the value of an expression: whether it has one for all data, and whether that may be infinite."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.model import expression as m
from seqlang.model.expression import Apply, Expression, Noised
from seqlang.record import record, replace
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.ranges.lengths import length_is_private
from seqlang.rules.sensitivity.ranges.signs_under import Assumed


@record
class Known:
    """`infinite`: the value may be infinite. `trouble`: which operation may have no value and the remedy, or ""."""

    infinite: bool = False
    trouble: str = ""


FINITE = Known()
INFINITE = Known(infinite=True)


@record
class Place:
    """Where an expression stands. `always`: it is evaluated for the same public values on both sides; else private data
    decide whether it is evaluated at all. `assumed` holds there. `infinite` are the cells, draws, reports and memories
    that may hold an infinite number, `shown` the noisy values that every step releases: what is done to those is
    public."""

    facts: Facts
    infinite: frozenset[str] = frozenset()
    shown: frozenset[Noised] = frozenset()
    always: bool = True
    assumed: Assumed = ()

    def below(self, test: Expression, holds: bool) -> Place:
        """Inside of a branch that is taken where the test comes out so."""
        return replace(
            self, always=self.always and not moves(self, test), assumed=(*self.assumed, (test, holds))
        )  # fmt: skip


def moves(place: Place, e: Expression) -> bool:
    """Whether the value may differ between neighbours that have shown the same so far."""
    if isinstance(e, Noised) and e in place.shown:  # the hash of an expression costs as much as a look at all of it
        return False
    if isinstance(e, Apply) and e.operator == "length":
        return length_is_private(place.facts, e.arguments[0])
    if isinstance(e, m.CellValue | m.Drawn | m.Field | m.Local | m.Records):
        return place.facts.is_private(e) or (isinstance(e, m.CellValue) and any(moves(place, at) for at in e.at))
    return any(moves(place, child) for child in m.children(e))


def _is_length(e: Expression) -> bool:
    return isinstance(e, Apply) and e.operator == "length"


def reads_what_moves(place: Place, e: Expression) -> bool:
    """Whether something that may differ is read, though the value may not: how many things a list has never differs
    where one of them may have no value."""
    if isinstance(e, Apply) and e.operator == "length":
        return any(reads_what_moves(place, a) for a in e.arguments)
    if isinstance(e, Noised):
        return moves(place, e) or (e not in place.shown and any(reads_what_moves(place, a) for a in m.children(e)))
    if isinstance(
        e, m.Choice
    ):  # what moves is read, except for lengths: a chain of choices is not gone through at each
        return any(reads_what_moves(place, a) or (_is_length(a) and moves(place, a)) for a in m.children(e))
    return moves(place, e) or any(reads_what_moves(place, child) for child in m.children(e))


def joined(parts: Iterable[Known]) -> Known:
    listed = list(parts)
    return Known(any(k.infinite for k in listed), next((k.trouble for k in listed if k.trouble), ""))


def lack(operator: str, what: str, remedy: str) -> Known:
    return Known(trouble=f"`{operator}` {what}, and then has no value: {remedy}")
