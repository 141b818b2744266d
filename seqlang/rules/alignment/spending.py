"""What the deciding segments of a run cost together, where different reports spend different parts of one budget.

Let c(o) be the most that a segment costs which ends with the output o, and w(o) what o spends of a budget: all
deciding steps but the last have total weight at most B. With y = max c(o) / w(o) they cost at most y B together, and
the last one at most max c(o). Where several budgets are needed each output is put under one of them; guards have a
last step each, stops have one together, which may also be the step in which a stop fires. A run may go on after its
last deciding step; that segment costs no more than if it ended with an output whose budget is not yet spent, and if
all are spent nothing is asked in it.
"""

from __future__ import annotations

from itertools import combinations

from seqlang.arithmetic.formula import ZERO, Formula, maximum, product, total
from seqlang.rules.alignment.layout import Layout
from seqlang.rules.alignment.scenario import Piece
from seqlang.rules.reading.budgets import Budget
from seqlang.rules.reading.limits import least

MOST_TOGETHER = 3
MOST_TRIED = 8


def spent_together(layout: Layout, costs: dict[Piece, Formula]) -> Formula | None:
    """A bound of the cost of all segments of a run; None if no budgets cover everything that may be reported."""
    quiet = _largest(layout, [cost for piece, cost in costs.items() if not piece.fired])
    if quiet != ZERO and layout.segments.most.is_infinite:
        return None
    stops = {event.name for event in layout.gates.events if event.stops}
    made = {event.name: event.made for event in layout.gates.events}
    ends: list[Formula] = []
    dearest: dict[frozenset[str], Formula] = {}
    for piece, cost in costs.items():
        fired = frozenset(made[name] or name for name, _ in piece.fired)
        if fired & stops:
            ends.append(cost)
        elif fired:
            dearest[fired] = _largest(layout, [cost, dearest.get(fired, ZERO)])
    found: list[Formula] = []
    tried = layout.segments.budgets[:MOST_TRIED]
    for size in range(1, MOST_TOGETHER + 1):
        for chosen in combinations(tried, size):
            bound = _under(layout, chosen, dearest, ends)
            if bound is not None:
                found.append(bound)
    if not found:
        return None
    return least(found, layout.signs) + (ZERO if quiet == ZERO else product((layout.segments.most, quiet)))


def _under(
    layout: Layout, chosen: tuple[Budget, ...], dearest: dict[frozenset[str], Formula], ends: list[Formula]
) -> Formula | None:
    """The bound with each output under the first of these budgets that limits it; None if one is under none."""
    shares: list[list[tuple[Formula, Formula]]] = [[] for _ in chosen]
    for fired, cost in dearest.items():
        place = next((i for i, budget in enumerate(chosen) if fired in budget.weights), None)
        if place is None:
            return None
        shares[place].append((cost, chosen[place].weights[fired]))
    parts: list[Formula] = []
    last = list(ends)
    for budget, share in zip(chosen, shares, strict=True):
        if not share:
            return None  # fewer budgets do as well
        parts.append(product((_largest(layout, [cost / weight for cost, weight in share]), budget.before)))
        if budget.ends:
            last.extend(cost for cost, _ in share)
        else:
            parts.append(_largest(layout, [cost for cost, _ in share]))
    return total((*parts, _largest(layout, last)))


def _largest(layout: Layout, costs: list[Formula]) -> Formula:
    best: Formula = ZERO
    for cost in costs:
        if layout.signs.at_least(best, cost):
            continue
        best = cost if layout.signs.at_least(cost, best) else maximum(best, cost)
    return best
