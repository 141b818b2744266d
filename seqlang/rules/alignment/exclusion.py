"""Which margins must only shrink, so that what does not fire in a step still does not: gates exclude each other.

`report up when f > v and f < w` above `stop when f >= w`: where neither fires, f < w holds, so that it is f > v that
fails. The gate asks for f - v to shrink, and nothing of w - f, which the stop needs to grow.

What is proved. Fix a step, what fires in it, and the noises z of x. Facts are signs of margins that follow, in order:
from what fires (its margins are not negative); from a fact by an identity (margin i = c - margin j, or c + margin j,
with a constant c: the same number of x and of x', also after a translation, which moves what they read alike); from a
branch that does not hold, of which all margins but one are known to hold: that one does not. A fact of the last kind
asks for its margin to shrink, so by induction all facts hold of x' too. A branch that does not hold then asks for
nothing if some margin of it is known not to hold; else for all of its margins to shrink that are not known to hold: one
of these does not hold of x, and so not of x'. Where a branch that does not hold is known to hold, no step is like this.

Facts about one gate may come from others only if these are asked wherever it is: the guard of the other holds where
its own and those of what fires hold (each of its conjuncts is one of theirs; an expression has one value in a step, as
memory that is updated in the step is another one), and no stop outside of the group stands between. A branch with a
public test (which is left out of it) gives no facts: it may be the test that fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import Apply, Drawn, Expression
from seqlang.model.gate_source import OfCondition, OfEvent, OfStop
from seqlang.model.junctions import conjuncts
from seqlang.model.program import Margin, Program, Stop
from seqlang.rules.alignment.events import Event
from seqlang.rules.reading.guards import pinned
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.linear import linear

Sign = tuple[int, bool]
"""A margin, and whether it holds (is >= 0, or > 0 if strict)."""

Implied = Mapping[Sign, tuple[Sign, ...]]
"""What else is known where a margin is known to hold, or not to."""

Facing = tuple[Event, ...]
"""Events that are all asked wherever the last one of them is."""


def implications(program: Program, margins: Sequence[Margin]) -> Implied:
    """The pairs of margins of which one is a constant minus or plus the other."""
    facts = facts_of(program)
    alike: dict[frozenset[Expression], list[tuple[int, dict[Expression, Formula], Formula]]] = {}
    for number, margin in enumerate(margins):
        terms, constant = _sum(facts, margin)
        alike.setdefault(frozenset(terms), []).append((number, terms, constant))
    found: dict[Sign, list[Sign]] = {}
    for group in alike.values():
        for i, one, start in group:
            for j, other, end in group:
                if i == j:
                    continue
                if all(facts.sign(one[part] - other[part]) == 0 for part in one):
                    signs = _same(facts.sign(end - start), margins[i].strict, margins[j].strict)
                elif all(facts.sign(one[part] + other[part]) == 0 for part in one):
                    signs = _opposite(facts.sign(end + start), margins[i].strict, margins[j].strict)
                else:
                    continue
                for known, then in signs:
                    found.setdefault((i, known), []).append((j, then))
    return {known: tuple(then) for known, then in found.items()}


def _sum(facts: Facts, margin: Margin) -> tuple[dict[Expression, Formula], Formula]:
    whole: Expression = facts.expand(margin.value)
    for term in margin.terms:
        whole = Apply("+", (whole, Apply("*", (term.factor, Drawn(term.noise)))))
    found = linear(facts, whole)
    return dict(found.terms), found.constant


def _same(sign: int | None, strict: bool, other: bool) -> Iterator[tuple[bool, bool]]:
    """What a margin p says of p + c, by the sign of c: (whether p holds, whether p + c does)."""
    if sign == 1 or (sign == 0 and (strict or not other)):
        yield True, True
    if sign == -1 or (sign == 0 and (other or not strict)):
        yield False, False


def _opposite(sign: int | None, strict: bool, other: bool) -> Iterator[tuple[bool, bool]]:
    """What a margin p says of c - p, by the sign of c."""
    if sign == -1 or (sign == 0 and (strict or other)):
        yield True, False
    if sign == 1 or (sign == 0 and not (strict and other)):
        yield False, True


class Exclusions:
    """What is known of the events of a group before anything fires: where they are asked (their guards, what these want
    to have which value, their places in a step), and what their margins say of each other."""

    def __init__(self, program: Program, events: Sequence[Event], margins: Sequence[Margin], signs: Signs) -> None:
        self.implied = implications(program, margins)
        self.pinned = {o.name: pinned(program, o.guard, signs) for o in events}
        self.guards = {o.name: frozenset(conjuncts(o.guard)) for o in events}
        self.places = {o.name: program.place_of(o.source) for o in events}
        own = {o.source for o in events if o.stops}
        self.ends = [n for n, s in enumerate(program.body) if isinstance(s, Stop) and OfStop(s.index) not in own]

    def apart(self, event: str, other: str) -> bool:
        """Whether the two are never asked in one step, as their guards want other values of one expression."""
        one, two = self.pinned[event], self.pinned[other]
        return any(one[part] != two[part] for part in one.keys() & two.keys())

    def facing(self, asked: Sequence[Event], event: Event, also: frozenset[Expression]) -> Facing:
        """Those of the events that are asked wherever this one is, and itself; `also`: what else holds in the step."""
        given = also | self.guards[event.name]
        others = (o for o in asked if o is not event and self.guards[o.name] <= given)
        return (*(o for o in others if _tells(o) and self._reached(o.name, event.name)), event)

    def _reached(self, other: str, event: str) -> bool:
        """Where an event is asked that stands in its place, the other is reached, unless one of them ends the step."""
        here, there = self.places[event], self.places[other]
        return here is not None and there is not None and not any(here <= end < there for end in self.ends)


def _tells(event: Event) -> bool:
    """Wherever its guard holds, it fires or its comparison fails."""
    return isinstance(event.source, OfEvent | OfCondition | OfStop)


def silent(events: Iterable[Event], fired: Mapping[str, int], implied: Implied) -> tuple[int, ...] | None:
    """The margins that must only shrink, so that of these events, which are all asked, no others fire than these (event
    and branch); None if they cannot fire alone."""
    known: dict[int, bool] = {}
    clauses: list[tuple[tuple[int, ...], bool]] = []
    for event in events:
        branch = fired.get(event.name)
        if branch is not None and not all(_learn(known, (i, True), implied) for i in event.branches[branch]):
            return None
        clauses += [(margins, n in event.whole) for n, margins in enumerate(event.branches[:branch])]
    shrinking: dict[int, None] = {}
    learning = True
    while learning:
        learning = False
        for margins, whole in clauses:
            if not whole or any(known.get(i) is False for i in margins):
                continue
            unknown = [i for i in margins if i not in known]
            if not unknown:
                return None
            if len(unknown) == 1:
                shrinking[unknown[0]] = None
                learning = True
                if not _learn(known, (unknown[0], False), implied):
                    return None
    for margins, _ in clauses:
        if all(known.get(i) is not False for i in margins):
            shrinking.update(dict.fromkeys(i for i in margins if i not in known))
    return tuple(shrinking)


def _learn(known: dict[int, bool], sign: Sign, implied: Implied) -> bool:
    """Adds what is known then; False if it contradicts what is known."""
    waiting = [sign]
    while waiting:
        margin, holds = waiting.pop()
        if margin in known:
            if known[margin] != holds:
                return False
            continue
        known[margin] = holds
        waiting += implied.get((margin, holds), ())
    return True
