"""What limits how often things are reported: budgets that the public part of a program keeps.

Let each step in which some events fire spend a weight, which depends on what fires. A budget says:

    a stop,   `stop when M >= L`            all steps of a run but the last of them spend at most `before`
    a guard,  `report R when M < L and ..`  all steps with R but the last of them spend at most `before`

M is a counter (`counters.py`) that never falls: M >= start + the sum of its rises, and the weight of a step is its
rise. A run that goes on past a step has M < L there; R is made only where M < L, and M has risen at all earlier steps
with R. Weights that are all multiples of the smallest keep M on a grid, so that M < L leaves out one more unit. A stop
that sees the steps before this one only (a history; memory that is updated below it) is one step late, so that one more
step may spend, unless every report stands below it. What falls, `m <= 0`, is the counter -m.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from seqlang.arithmetic.formula import ONE, ZERO, Formula, function
from seqlang.model.expression import Apply, Expression, MemoryValue
from seqlang.model.gate_source import OfCondition, OfEvent, OfStop, OfValue
from seqlang.model.junctions import conjuncts
from seqlang.model.program import Program, PublicGate, Report, Stop, Update
from seqlang.operators.groups import AT_LEAST, AT_MOST, MORE
from seqlang.record import record, replace
from seqlang.rules.reading.counters import Counter, counter_of, difference
from seqlang.rules.reading.rounding import decided, margin, near_whole, widened
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.steps import Fired, Steps, comparisons
from seqlang.rules.reading.translation import is_whole
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of

MOST_REPORTS = 4
"""Of more events than these, not every combination is looked at."""
NONE: Fired = frozenset()
HERE = frozenset({""})
"""A step in which the guard in question holds."""

Weights = dict[Fired, Formula]


@record
class Budget:
    """`kinds`: every set of the events that a step may fire; `weights`: what the step spends, if it is more than 0.
    `ends`: whatever reaches the limit ends the run in that very step. A stop that is one step late and stands above all
    that is counted is asked again in the step after, where what it returns may be compared."""

    kinds: tuple[Fired, ...]
    weights: Mapping[Fired, Formula]
    before: Formula
    ends: bool

    def most(self, kinds: Iterable[Fired], signs: Signs) -> Formula:
        """The most steps of these kinds; each must have a weight."""
        weights = list(dict.fromkeys(self.weights[kind] for kind in kinds))
        smallest = weights[0]
        for weight in weights[1:]:
            smallest = weight if not signs.at_least(weight, smallest) else smallest
        ratio = self.before / smallest
        return (ratio if is_whole(ratio, signs) else function("floor", ratio)) + ONE


def budgets_of(program: Program, reports: Fired, signs: Signs, turned: Fired = NONE) -> tuple[Budget, ...]:
    """Every budget for steps in which some of these events fire; `turned` as in `Steps`."""
    if not 0 < len(reports) <= MOST_REPORTS:
        return ()
    kinds = tuple(frozenset(made) for n in range(1, len(reports) + 1) for made in combinations(sorted(reports), n))
    steps = Steps(program, signs, reports, turned=turned)
    return (*_by_stops(steps, kinds), *_by_guards(steps, kinds))


def _by_stops(steps: Steps, kinds: tuple[Fired, ...]) -> Iterator[Budget]:
    for place, test in _stops(steps.program):
        at_once = {kind: ONE for kind in kinds if steps.truth(test, kind)}
        if at_once:
            yield Budget(kinds, at_once, ZERO, True)
        above = any(isinstance(s, Report) and s.name in steps.counted for s in steps.program.body[:place])
        for counter, weights, before in _high(steps, test, place, kinds, None):
            late = counter.late and above
            spent = before + _largest(weights, steps.signs) if late else before
            yield Budget(kinds, weights, spent, late or not counter.late)


def _by_guards(steps: Steps, kinds: tuple[Fired, ...]) -> Iterator[Budget]:
    program = steps.program
    for report in sorted(steps.counted - steps.turned):
        own = (OfEvent(report), OfCondition(report), OfValue(report))
        gate = next((g for g in program.gates if g.source in own), None)
        place = next((i for i, s in enumerate(program.body) if isinstance(s, Report) and s.name == report), None)
        guard = gate.expression if isinstance(gate, PublicGate) else None if gate is None else gate.guard
        if guard is None or place is None:
            continue
        with_it = tuple(kind for kind in kinds if report in kind)
        made = frozenset({report})
        for _, weights, before in _low(_where(steps, made, guard, place), guard, place, (made,)):
            yield Budget(kinds, dict.fromkeys(with_it, weights[made]), before, False)


def guarded_steps(program: Program, guard: Expression, place: int, signs: Signs) -> Formula | None:
    """The most steps in which a public guard holds, if it holds only while a counter is low that rises where it does,
    or if a stop ends the run once such a counter is high."""
    steps = _where(Steps(program, signs, NONE), NONE, guard, place)
    ends = [
        Budget((HERE,), weights, before, False).most((HERE,), signs)
        for _, weights, before in _low(steps, guard, place, (HERE,))
    ]
    for at, test in _stops(program):
        for counter, weights, before in _high(steps, test, at, (HERE,), (guard, place)):
            spent = before + _largest(weights, signs) if counter.late and place < at else before
            ends.append(Budget((HERE,), weights, spent, True).most((HERE,), signs))
    return next((e for e in ends if all(signs.at_least(other, e) for other in ends)), None)


def _stops(program: Program) -> Iterator[tuple[int, Expression]]:
    """The public stops with a condition, and their places."""
    public = {g.source: g for g in program.gates if isinstance(g, PublicGate)}
    for place, statement in enumerate(program.body):
        gate = public.get(OfStop(statement.index)) if isinstance(statement, Stop) else None
        if gate is not None and gate.expression is not None:
            yield place, gate.expression


def _where(steps: Steps, counted: Fired, guard: Expression, place: int) -> Steps:
    """Steps in which a guard holds at its place. A conjunct holds all through the step if it reads no memory that is
    updated; one that reads a single memory, updated below, holds where this update is decided."""
    program = steps.program
    updated = {s.memory: at for at, s in enumerate(program.body) if isinstance(s, Update)}
    facts = facts_of(program)
    known: set[Expression] = set()
    unmoved: set[tuple[str, Expression]] = set()
    for part in conjuncts(guard):
        read = {leaf.name for leaf in facts.leaves(part) if isinstance(leaf, MemoryValue)} & updated.keys()
        if not read:
            known.add(part)
        elif len(read) == 1 and all(place < updated[name] for name in read):
            unmoved.update((name, part) for name in read)
    return replace(steps, counted=counted, known=frozenset(known), unmoved=frozenset(unmoved))


Found = tuple[Counter, Weights, Formula]


def _high(
    steps: Steps, test: Expression, place: int, kinds: tuple[Fired, ...], guard: tuple[Expression, int] | None
) -> Iterator[Found]:
    """Counters that a stop lets grow no further: `left >= right` among its disjuncts. `guard`, with its place, bounds
    the counter from below where it first holds."""
    for left, operator, right in comparisons(test, "or"):
        if operator in MORE or (operator == "==" and _lands(steps, left, right, place, kinds)):
            floor = None if guard is None else _floor(steps, guard, left, right)
            strict = operator != ">"
            before = _still_running(steps, left, right, strict) if guard is None else steps
            found = _limited(before, left, right, strict, place, kinds, floor)
            if found is not None:
                yield found


def _lands(steps: Steps, left: Expression, right: Expression, place: int, kinds: tuple[Fired, ...]) -> bool:
    """left - right rises by one unit or not at all, and reaches 0 exactly. What is known of steps of these kinds is not
    known of others."""
    apart, others = difference(left, right), replace(steps, known=frozenset(), unmoved=frozenset())
    up, down = (counter_of(steps, apart, place, sign) for sign in (1, -1))
    if up is None or not decided(steps.program, left, right):
        return False
    rest, fall = (counter_of(others, apart, place, sign) for sign in (1, -1))
    if down is None or rest is None or fall is None:
        return False
    rises = [(rest.rise(NONE), fall.rise(NONE)), *((up.rise(kind), down.rise(kind)) for kind in kinds)]
    exact = [a for a, b in rises if a is not None and b is not None and steps.signs.equal(a, -b)]
    units = [a for a in dict.fromkeys(exact) if a != ZERO]
    if len(exact) < len(rises) or len(units) != 1 or steps.signs.of(units[0]) != 1:
        return False
    ratio = -up.start / units[0]
    return steps.signs.of(ratio) == 1 and is_whole(ratio, steps.signs)


def _still_running(steps: Steps, left: Expression, right: Expression, strict: bool) -> Steps:
    """The stop was not taken in the step before: a memory that it reads was still low, and is so above its update."""
    if not isinstance(left, MemoryValue):
        return steps
    start = formula_of(steps.program, next(m.initial for m in steps.program.memories if m.name == left.name))
    limit = formula_of(steps.program, right)
    if start is None or limit is None or steps.signs.of(limit - start) != 1:
        return steps  # it is high from the start
    if not (decided(steps.program, left, right) or margin(limit - start, steps.signs)):
        return steps
    low = Apply("<" if strict else "<=", (MemoryValue(left.name), right))
    return replace(steps, unmoved=steps.unmoved | {(left.name, low)})


def _low(steps: Steps, guard: Expression, place: int, kinds: tuple[Fired, ...]) -> Iterator[Found]:
    """Counters that must be low for the guard to hold: `left < right` among its conjuncts."""
    for left, operator, right in comparisons(guard, "and"):
        if operator in AT_MOST:
            found = _limited(steps, left, right, operator == "<", place, kinds, None)
            if found is not None:
                yield found


def _floor(steps: Steps, guard: tuple[Expression, int], left: Expression, right: Expression) -> Formula | None:
    """What left - right is at least when the guard first holds, before it rises for that: `report R when M >= v ..`."""
    counter = counter_of(steps, left, guard[1])
    limit = formula_of(steps.program, right)
    if counter is None or not counter.late or limit is None:
        return None
    above = MemoryValue(left.name) if isinstance(left, MemoryValue) else left  # the guard stands above the update
    for other, operator, low in comparisons(guard[0], "and"):
        value = formula_of(steps.program, low)
        found = other == above and operator in AT_LEAST and value is not None and not value.is_infinite
        if found and value is not None and decided(steps.program, other, low):
            return value - limit
    return None


def _limited(
    steps: Steps,
    left: Expression,
    right: Expression,
    strict: bool,
    place: int,
    kinds: tuple[Fired, ...],
    floor: Formula | None,
) -> Found | None:
    """The counter left - right with its weights (all that are above 0) and what may be spent while it is < (<=) 0;
    `floor`: a lower bound of it before anything is spent."""
    signs = steps.signs
    apart = difference(left, right)
    counter = counter_of(steps, apart, place)
    idle = counter_of(replace(steps, known=frozenset(), unmoved=frozenset()), apart, place)
    if counter is None or idle is None:
        return None
    at_rest, rises = idle.rise(NONE), {kind: counter.rise(kind) for kind in kinds}
    if at_rest is None or not signs.at_least(at_rest, ZERO):
        return None
    known = {kind: rise for kind, rise in rises.items() if rise is not None and signs.at_least(rise, ZERO)}
    weights = {kind: rise for kind, rise in known.items() if signs.of(rise) == 1}
    if len(known) < len(rises) or not weights:
        return None
    start = counter.start if floor is None or not signs.at_least(floor, counter.start) else floor
    each = list(dict.fromkeys(weights.values()))
    if decided(steps.program, left, right):
        return counter, weights, _spent(-start, each, strict, signs)
    before = _nearly_spent(steps.program, (left, right), -start, each, signs)
    return None if before is None else (counter, weights, before)


def _nearly_spent(
    program: Program, sides: tuple[Expression, Expression], gap: Formula, weights: list[Formula], signs: Signs
) -> Formula | None:
    """The most that may have been spent where doubles may take the sum to be below the gap though it is not."""
    limit = widened(program, sides, gap, weights, signs) if signs.of(gap) == 1 else None
    apart = limit is not None and len(weights) == 1 and not near_whole(gap / weights[0], signs)
    return _spent(gap, weights, True, signs) if apart else limit


def _spent(gap: Formula, weights: list[Formula], strict: bool, signs: Signs) -> Formula:
    """The most that may have been spent while the sum is < (<=) the gap."""
    if signs.at_least(ZERO, gap):
        return ZERO
    unit = next((w for w in weights if all(is_whole(other / w, signs) for other in weights)), None)
    if unit is None:
        return gap
    ratio = gap / unit
    if not is_whole(ratio, signs):
        return unit * function("floor", ratio)
    return gap - unit if strict else gap


def _largest(weights: Mapping[Fired, Formula], signs: Signs) -> Formula:
    best: Formula = ZERO
    for weight in weights.values():
        best = weight if signs.at_least(weight, best) else best
    return best
