"""The cost of an alignment that is given, and whether it is one: exact, no search.

A `Plan` serves one scenario: translations of the kept noises, and for every piece one or more choices of the
translations that belong to the segment (refreshed noises, and the fresh ones of its deciding step).
"""

from __future__ import annotations

from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula, maximum, minimum, product, total
from seqlang.record import record
from seqlang.rules.alignment.layout import Layout
from seqlang.rules.alignment.scenario import Piece, Row, Scenario, rows_of
from seqlang.rules.alignment.spending import spent_together
from seqlang.rules.reading.limits import least

Shifts = tuple[tuple[str, Formula], ...]


@record
class Plan:
    kept: Shifts
    local: tuple[tuple[Shifts, ...], ...]


def are_shifts(value: object) -> bool:
    """Evidence is untrusted: is it pairs of a noise's name and a formula?"""
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], Formula)
        for pair in value
    )


def are_plans(value: object) -> bool:
    """Is it a tuple of plans, of the right shape all the way down?"""
    return isinstance(value, tuple) and all(
        isinstance(plan, Plan)
        and are_shifts(plan.kept)
        and isinstance(plan.local, tuple)
        and all(isinstance(choices, tuple) and all(map(are_shifts, choices)) for choices in plan.local)
        for plan in value
    )


def plan_cost(layout: Layout, scenario: Scenario, plan: Plan) -> Formula | str:
    """The most that the plan costs over all runs of the scenario; text: why it is no alignment."""
    if len(plan.local) != len(scenario.pieces):
        return "the plan does not fit the scenario"
    kept = dict(plan.kept)
    if not kept.keys() <= layout.noises.kept:
        return "a noise that does not last is kept"
    costs: dict[Piece, Formula] = {}
    for piece, choices in zip(scenario.pieces, plan.local, strict=True):
        found = tuple(_local_cost(layout, piece, kept, dict(shifts)) for shifts in choices)
        good = tuple(cost for cost in found if isinstance(cost, Formula))
        if not good:
            return next((cost for cost in found if isinstance(cost, str)), "a piece has no alignment")
        costs[piece] = minimum(*good)
    lasting = total(_times(layout.noises.lives(z), _one(layout, z, u)) for z, u in plan.kept)
    return total((lasting, _repeated(layout, scenario.everywhere, costs)))


def scenario_cost(layout: Layout, scenario: Scenario, plans: tuple[Plan, ...]) -> Formula | str:
    """The least of the plans; each must be an alignment."""
    if not plans:
        return f"no translation of the noises hides how the data may move ({scenario.name})"
    found = tuple(plan_cost(layout, scenario, plan) for plan in plans)
    wrong = next((cost for cost in found if isinstance(cost, str)), None)
    return f"{wrong} ({scenario.name})" if wrong is not None else minimum(*(c for c in found if isinstance(c, Formula)))


def _repeated(layout: Layout, everywhere: bool, costs: dict[Piece, Formula]) -> Formula:
    """Add up over the segments of a run; see the proof in `stopping.py`."""
    counted = _counted(layout, everywhere, costs)
    spent = spent_together(layout, costs)
    return counted if spent is None else least([spent, counted], layout.signs)  # of equals the last


def _counted(layout: Layout, everywhere: bool, costs: dict[Piece, Formula]) -> Formula:
    """At most so many segments decide, and each costs the worst of its kind."""

    def worst(place: str, fired: bool | None = None) -> Formula:
        chosen = [c for piece, c in costs.items() if piece.place == place and fired in (None, bool(piece.fired))]
        return largest(chosen)

    times, rest = layout.segments.decisions, layout.segments.decisions - 1
    if everywhere:
        return _times(times, worst("within", True)) + _times(layout.idle, worst("within", False))
    within, after = worst("within"), worst("after", True)
    others = largest([worst("before", True), after])
    if layout.segments.each_decides:
        return _times(times, within) if within == others else within + _times(rest, others)
    quiet = largest([worst("before", False), worst("after", False)])
    # the changed entry's segment decides, or all that decide are others: if they end the run, the last comes after it
    other = largest([after if layout.segments.ended else others, quiet])
    ways = [within + _times(layout.idle, quiet), worst("within", False) + other + _times(layout.idle_but_one, quiet)]
    return largest(ways) + _times(rest, others)


def largest(costs: list[Formula]) -> Formula:
    """The largest of costs, none of which is negative."""
    positive = [cost for cost in costs if cost != ZERO]
    return maximum(*positive) if positive else ZERO


def _times(count: Formula, cost: Formula) -> Formula:
    return ZERO if cost == ZERO or count == ZERO else cost if count == ONE else product((count, cost))


def _local_cost(layout: Layout, piece: Piece, kept: dict[str, Formula], local: dict[str, Formula]) -> Formula | str:
    if local.keys() & layout.noises.kept or not local.keys() <= layout.noises.translations.keys():
        return "a translation of a noise that does not belong to the segment"
    if not piece.fired and not local.keys() <= layout.noises.refreshed:
        return "a fresh noise is moved where nothing fires"
    shifts = kept | local
    for row in rows_of(layout, piece):
        if not satisfied(layout, row, shifts):
            return "a constraint is not satisfied"
    return _shift_cost(layout, tuple(local.items()))


def satisfied(layout: Layout, row: Row, shifts: dict[str, Formula]) -> bool:
    """Certainly, at these parameter values."""
    if row.bound.is_infinite:
        return row.bound == -INFINITY
    left = total(product((factor, shifts[z])) for z, factor in row.coefficients if z in shifts)
    if row.exact:
        return layout.signs.equal(left, row.bound)
    return layout.signs.at_least(left, row.bound)


def _shift_cost(layout: Layout, shifts: Shifts) -> Formula:
    return total(_one(layout, z, u) for z, u in shifts)


def _one(layout: Layout, noise: str, u: Formula) -> Formula:
    translation = layout.noises.translations[noise]
    # Steps are not convex, so what lies between two alignments may cost more than either: `stairs_cost` adds them at
    # the end.
    return ZERO if translation.kind == "stairs" else translation.cost(u, layout.signs)


def stairs_cost(layout: Layout, scenarios: tuple[Scenario, ...], evidence: tuple[tuple[Plan, ...], ...]) -> Formula:
    """What all staircase noises cost in a run. In a segment each costs at most the longest translation that any plan
    has for segments that lie there and end so; what is moved in a segment in which nothing fires is paid for too."""
    kept: dict[str, dict[Formula, None]] = {}
    local: dict[bool, dict[Piece, dict[str, dict[Formula, None]]]] = {}
    for scenario, plans in zip(scenarios, evidence, strict=True):
        kinds = local.setdefault(scenario.everywhere, {})
        for plan in plans:
            _note(layout, kept, plan.kept)
            for piece, choices in zip(scenario.pieces, plan.local, strict=True):
                longest = kinds.setdefault(Piece(piece.place, (), piece.fired), {})
                for shifts in choices:
                    _note(layout, longest, shifts)
    lasting = total(_times(layout.noises.lives(z), largest(list(costs))) for z, costs in kept.items())
    segments = [
        _repeated(layout, everywhere, {kind: _sum_of_largest(longest) for kind, longest in kinds.items()})
        for everywhere, kinds in local.items()
    ]
    return total((lasting, largest(segments)))


def _note(layout: Layout, longest: dict[str, dict[Formula, None]], shifts: Shifts) -> None:
    for z, u in shifts:
        if layout.noises.translations[z].kind == "stairs":
            longest.setdefault(z, {})[layout.noises.translations[z].cost(u, layout.signs)] = None


def _sum_of_largest(costs: dict[str, dict[Formula, None]]) -> Formula:
    return total(largest(list(each)) for each in costs.values())


def is_totally_unimodular(layout: Layout) -> bool:
    """Every margin reads at most two noises with factors 1 or -1, and after turning some noises round the two have
    opposite signs everywhere: a network matrix, so linear programs with whole bounds have whole optimal solutions."""
    turned: dict[str, int] = {}
    edges: list[tuple[str, str, int]] = []
    for factors in layout.gates.factors:
        if len(factors) > 2 or any(abs(f) != 1 for _, f in factors):
            return False
        if len(factors) == 2:
            (a, f), (b, g) = factors
            edges.append((a, b, -int(f * g)))
    for start in layout.noises.translations:
        if start in turned:
            continue
        turned[start] = 1
        waiting = [start]
        while waiting:
            here = waiting.pop()
            for a, b, same in edges:
                if here not in (a, b):
                    continue
                other = b if here == a else a
                if other not in turned:
                    turned[other] = turned[here] * same
                    waiting.append(other)
                elif turned[other] != turned[here] * same:
                    return False
    return True
