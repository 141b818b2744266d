"""Prices of picks that are the same in both runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from seqlang.analyses.automata.prices import known_in
from seqlang.analyses.automata.solver import contradiction, largest
from seqlang.kernel.conditions import Parts, cases_of, parts_of
from seqlang.kernel.core import Expression, Number
from seqlang.kernel.enclosures import closed_value
from seqlang.kernel.laws import Weighed, losses
from seqlang.kernel.proof import Certificate, Edge
from seqlang.kernel.terms import Formula, Linear, denied, equal
from seqlang.kernel.values import Space

Bound = tuple[Fraction, Expression]
"""How large something is at most, and the same as an expression of constants."""


def with_picks(proof: Certificate, edge: Edge) -> Iterator[Edge]:
    """The edge with no pick the same, with all of them, and with some."""
    many = len(proof.program.picks)
    yield edge
    prices = {k: price for k in range(many) if (price := _price(proof, edge, k)) is not None}
    for size in range(len(prices), 0, -1):
        for chosen in combinations(prices.items(), size):
            yield replace(edge, picks=chosen)


def _price(proof: Certificate, edge: Edge, pick: int) -> Expression | None:
    """The least by one of the three rules of the kernel, over all cases of the entries."""
    every: list[Bound | None] = []
    for case in cases_of(proof.program, edge.changed):
        parts = parts_of(proof, replace(edge, picks=((pick, Number(Fraction(0))),)), case)
        first, second = (run.weighed.get(pick) for run in parts.runs)
        if first is not None and second is not None:
            every.append(_least(parts, first, second))
    bounds = [bound for bound in every if bound is not None]
    return max(bounds, key=lambda bound: bound[0])[1] if bounds and len(bounds) == len(every) else None


def _least(parts: Parts, first: Weighed, second: Weighed) -> Bound | None:
    known, space = known_in(parts), parts.pair.space
    moves = [one - other for one, other in zip(first.logs, second.logs, strict=True)]
    found = [_largest(known, space, losses(space, first, second))]
    if contradiction((denied(equal(first.total, second.total)), *known)) is not None:
        found.append(_largest(known, space, moves))
    high, low = _largest(known, space, moves), _largest(known, space, [move.times(Fraction(-1)) for move in moves])
    if high is not None and low is not None:
        found.append((high[0] + low[0], Number(high[0] + low[0])))
    bounds = [bound for bound in found if bound is not None]
    # of those that differ by the rounding of constants only, the first
    return min(bounds, key=lambda bound: bound[0] * 2**100 // 1, default=None)


def _largest(known: tuple[Formula, ...], space: Space, terms: list[Linear]) -> Bound | None:
    found: list[Bound] = []
    for term in dict.fromkeys(terms):
        closed = space.closed(term)
        if closed is not None:
            found.append((closed_value(closed).high, closed))
            continue
        most = largest(known, term)
        if most is None:
            return None
        found.append((most, Number(most)))
    return max(found, key=lambda bound: bound[0])
