"""Gates that show a vector only through the coordinates that are above 0 and, with noise, reach a threshold.

`if v[c] > 0 and noisy[c] >= T then f(noisy[c]) else d`: such a coordinate is *shown* where the test holds, with its
noisy value; of one that is not shown no more is read than that. Whatever else a gate reads must be public.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import Apply, Choice, Expression, Index, Noised, Number, Quantified, Sequence, children
from seqlang.model.junctions import conjuncts
from seqlang.operators.groups import MORE, ORDERINGS, TURNED
from seqlang.record import record
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.list_elements import element_of_list


@record
class ShownCells:
    """The vector (or number) with its one noise, as a reading, and the thresholds that its coordinates are held to."""

    reading: Noised
    thresholds: tuple[Formula, ...]


def shown_cells(facts: Facts, expressions: Iterable[Expression]) -> ShownCells | None:
    """What all these expressions show of one noised vector; None where they read anything else that is not public."""
    found: dict[tuple[Noised, Formula], None] = {}
    reader = _Reader(facts, found)
    if not all(reader.is_told(facts.expand(e), frozenset()) for e in expressions):
        return None
    readings = {reading for reading, _ in found}
    return ShownCells(readings.pop(), tuple(t for _, t in found)) if len(readings) == 1 else None


@record
class _Reader:
    """`found`: the readings that were met, with their thresholds."""

    facts: Facts
    found: dict[tuple[Noised, Formula], None]

    def is_told(self, e: Expression, known: frozenset[Expression]) -> bool:
        """Whether the value is a function of public things, of what is shown, and of `known`, shown noisy values."""
        if e in known or self._is_public(e):
            return True
        match e:
            case Choice(test, yes, no) if (split := self._split(test)) is not None:
                within = known | {split[0]}
                return all(self.is_told(part, within) for part in (*split[1], yes)) and self.is_told(no, known)
            case Choice(test, Choice(inner, yes, other), no) if other == no:
                return self.is_told(Choice(Apply("and", (test, inner)), yes, no), known)
            case Apply("and") if (split := self._split(e)) is not None:
                return all(self.is_told(part, known | {split[0]}) for part in split[1])
            case Apply() | Choice() | Index() | Sequence() | Quantified():
                inside = tuple(children(e))
                return bool(inside) and all(self.is_told(part, known) for part in inside)
        return False

    def _is_public(self, e: Expression) -> bool:
        return not self.facts.is_private(e) and not self.facts.noises_inside(e)

    def _split(self, test: Expression) -> tuple[Expression, list[Expression]] | None:
        """The noisy value that the test shows, and the other conditions; enters it in `found`."""
        parts = conjuncts(test)
        for part in parts:
            limit = self._threshold(part)
            if limit is None:
                continue
            shown, reading, at_least = limit
            occupied = [p for p in parts if self._is_occupied(p, self._plain(shown))]
            if occupied:
                self.found[reading, at_least] = None
                return shown, [p for p in parts if p not in (part, *occupied)]
        return None

    def _threshold(self, part: Expression) -> tuple[Expression, Noised, Formula] | None:
        """Of `noisy >= T`: the noisy value, what it is read off, and T."""
        for operator, one, other in _both_ways(part):
            reading = one.base if isinstance(one, Index) else one
            if operator not in MORE or not isinstance(reading, Noised):
                continue
            if isinstance(one, Index) and not self._is_public(one.at):
                continue
            threshold = evaluate_number(self.facts, other)
            if threshold is not None:
                return one, reading, threshold
        return None

    def _plain(self, shown: Expression) -> Expression:
        """The value without its noise."""
        match shown:
            case Index(Noised(_, base, _), at):
                plain = Index(base, at)
                return self.facts.expand(element_of_list(plain) or plain)
            case Noised(_, base, _):
                return base
        return shown

    def _is_occupied(self, part: Expression, plain: Expression) -> bool:
        """`plain > 0`, or `plain >= 1`: the same for whole numbers."""
        return any(
            one == plain and (operator, other) in ((">", Number(Fraction(0))), (">=", Number(Fraction(1))))
            for operator, one, other in _both_ways(part)
        )


def _both_ways(part: Expression) -> list[tuple[str, Expression, Expression]]:
    match part:
        case Apply(operator, (a, b)) if operator in ORDERINGS:
            return [(operator, a, b), (TURNED[operator], b, a)]
    return []
