"""In how many steps a public guard holds: in a run, and in a stretch of successive steps.

Read off the guard: reports it needs, `step` between constants, `step % p == r`, other tests of the step alone (tried
one by one up to the horizon), memory that rises where it holds, and whatever the step and public memory decide
(`clock.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from math import ceil, floor

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula, function, number, total
from seqlang.model.expression import (
    Apply,
    Expression,
    Number,
    ParameterValue,
    Reported,
    StepNumber,
    rebuild,
    walk,
)
from seqlang.model.gate_source import OfStop
from seqlang.model.junctions import conjuncts
from seqlang.model.program import Program, PublicGate
from seqlang.operators.groups import AT_MOST, LESS
from seqlang.rules.reading.budgets import guarded_steps
from seqlang.rules.reading.clock import reads_only_the_clock, schedule_of
from seqlang.rules.reading.limits import decisions_of, first_step, horizon_of, least
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.steps import comparisons
from seqlang.rules.sensitivity.facts.formulas import formula_of, truth_of

MOST_LISTED = 4096
"""Up to this horizon a guard that reads the step alone is tried in each step."""


def most_steps_with(program: Program, guard: Expression | None, place: int, signs: Signs) -> Formula:
    """The most steps of a run in which a guard, read at this place of the body, holds; INFINITY if nothing bounds
    them."""
    horizon = horizon_of(program, signs)
    if guard is None:
        return horizon
    ends: list[Formula] = [_between(program, guard, horizon, signs)]
    needed = frozenset(required_reports(guard))
    if needed:
        ends.append(decisions_of(program, needed, signs))
    if holds_once(program, guard):
        ends.append(ONE)
    rising = guarded_steps(program, guard, place, signs)
    if rising is not None:
        ends.append(rising)
    return least([scheduled_steps(program, guard, place, signs), *ends], signs)


def scheduled_steps(program: Program, guard: Expression | None, place: int | None, signs: Signs) -> Formula:
    """The most steps of a run in which the guard can hold, by the clock alone."""
    schedule, horizon = schedule_of(program, guard, place), horizon_of(program, signs)
    last = schedule.known if schedule.ends else exact_value(horizon, signs.values)
    return INFINITY if last is None else number(schedule.up_to(floor(last)))


def most_steps_within(
    program: Program, guard: Expression | None, place: int | None, length: Formula, signs: Signs
) -> Formula:
    """The most of `length` successive steps in which the guard, read at this place of the body, holds."""
    exact_length = exact_value(length, signs.values)
    if guard is None or exact_length is None:
        return length
    ends = [number(schedule_of(program, guard, place).within(ceil(exact_length))), length]
    period = _period(program, guard, signs)
    if period is not None:
        ratio = length / period[0]
        exact = exact_value(ratio, signs.values)
        whole = exact is not None and exact.denominator == 1
        ends.append(ratio if whole else function("ceil", ratio))
    return least(ends, signs)


def most_steps_within_any(
    program: Program, asked: Iterable[tuple[Expression | None, int]], length: Formula, signs: Signs
) -> Formula:
    """The most of `length` successive steps in which any of these guards holds; each with the place where it is
    read."""
    each = [most_steps_within(program, guard, place, length, signs) for guard, place in dict.fromkeys(asked)]
    return length if length.is_infinite else least([length, total(each)], signs)


def earliest_step(program: Program, guard: Expression | None, place: int | None, signs: Signs) -> int:
    """The first step in which the guard, read at this place of the body, can hold."""
    scheduled = schedule_of(program, guard, place).first()
    return max(first_step(program, guard, signs), 1 if scheduled is None else scheduled)


def holds_once(program: Program, guard: Expression) -> bool:
    """Is the guard also the condition of a stop, so that a run ends where it first holds? Of guards that read the step
    and constants only: memory and cells may have another value where the stop stands."""
    return reads_only_the_clock(guard) and any(
        isinstance(g, PublicGate) and isinstance(g.source, OfStop) and g.expression == guard for g in program.gates
    )


def pinned(program: Program, guard: Expression | None, signs: Signs) -> dict[Expression, Fraction]:
    """What must have which value where the guard holds, `step % 4 == 1`. Two guards that want other values of one
    expression exclude each other in a step, in runs too: constants that floats would round are left out."""
    found: dict[Expression, Fraction] = {}
    for left, operator, right in () if guard is None else comparisons(guard, "and"):
        value = formula_of(program, right) if operator == "==" else None
        exact = None if value is None else exact_value(value, signs.values)
        if exact is not None and abs(exact) < MOST_LISTED and Fraction(float(exact)) == exact:
            found[left] = exact
    return found


def steps_where(program: Program, guard: Expression, signs: Signs) -> tuple[int, ...] | None:
    """The steps in which a guard holds that names steps and constants only; None where they are not known, never end or
    are many."""
    ends: list[int] = []
    for left, operator, right in comparisons(guard, "and"):
        bound = formula_of(program, right)
        if isinstance(left, StepNumber) and operator in AT_MOST and bound is not None:
            exact = exact_value(bound, signs.values)
            if exact is not None:
                ends.append(floor(exact))
    if not reads_only_the_clock(guard) or not ends or min(ends) > MOST_LISTED:
        return None
    found: list[int] = []
    for step in range(1, min(ends) + 1):
        here = partial(at_step, step=step)
        holds = truth_of(program, here(guard))
        if holds is None:
            return None
        if holds:
            found.append(step)
    return tuple(found)


def required_reports(guard: Expression | None) -> tuple[str, ...]:
    """Reports of which at least one is made in every step in which the guard holds; empty if there is no such set."""
    match guard:
        case Reported(name):
            return (name,)
        case Apply("and", parts):
            return next((found for part in parts if (found := required_reports(part))), ())
        case Apply("or", parts):
            each = tuple(required_reports(part) for part in parts)
            return tuple(name for found in each for name in found) if all(each) else ()
        case _:
            return ()


def _between(program: Program, guard: Expression, horizon: Formula, signs: Signs) -> Formula:
    """By what the guard says of the step."""
    first: Formula = ONE
    last = [horizon]
    for left, operator, right in comparisons(guard, "and"):
        bound = formula_of(program, right)
        if not isinstance(left, StepNumber) or bound is None or bound.is_infinite:
            continue
        exact = exact_value(bound, signs.values)
        whole = exact is not None and exact.denominator == 1
        if operator == "==":
            return ONE
        if operator in LESS:
            last.append(function("floor", bound) if not whole else bound - ONE if operator == "<" else bound)
        elif whole:
            lowest = bound + ONE if operator == ">" else bound
            first = lowest if signs.at_least(lowest, first) else first
    end = least(last, signs)
    if end.is_infinite:
        return INFINITY
    if signs.at_least(first, end):
        return ONE
    period = _period(program, guard, signs)
    if period is not None:
        return _multiples(end, *period, signs) - (ZERO if first == ONE else _multiples(first - ONE, *period, signs))
    return least([end - first + ONE, *_listed(program, guard, end, signs)], signs)


def _multiples(end: Formula, period: Formula, rest: Fraction, signs: Signs) -> Formula:
    """How many steps n <= end have n % period == rest."""
    ratio = (end - number(rest)) / period
    exact = exact_value(ratio, signs.values)
    whole = exact is not None and exact.denominator == 1
    return (ratio if whole else function("floor", ratio)) + (ONE if rest else ZERO)


def _period(program: Program, guard: Expression, signs: Signs) -> tuple[Formula, Fraction] | None:
    """p and r, if the guard holds in steps with step % p == r only (0 <= r < p, both whole)."""
    for left, operator, right in comparisons(guard, "and"):
        match left:
            case Apply("%", (StepNumber(), by)) if operator == "==":
                p, r = formula_of(program, by), formula_of(program, right)
                if p is None or r is None:
                    continue
                exact, rest = exact_value(p, signs.values), exact_value(r, signs.values)
                if exact is None or rest is None or exact.denominator != 1 or rest.denominator != 1:
                    continue
                if exact >= 1 and 0 <= rest < exact:
                    return p, rest
    return None


def _listed(program: Program, guard: Expression, end: Formula, signs: Signs) -> Iterator[Formula]:
    exact = exact_value(end, signs.values)
    tests = tuple(part for part in conjuncts(guard) if _reads_step_only(part))
    if exact is None or exact > MOST_LISTED or not tests or all(_is_simple(test) for test in tests):
        return
    held = 0
    for step in range(1, int(exact) + 1):
        held += not any(truth_of(program, at_step(test, step)) is False for test in tests)
    yield number(max(held, 1))


def _reads_step_only(test: Expression) -> bool:
    leaves = [e for e in walk(test) if not isinstance(e, Apply)]
    return StepNumber() in leaves and all(isinstance(e, StepNumber | ParameterValue | Number) for e in leaves)


def _is_simple(test: Expression) -> bool:
    return any(isinstance(side, StepNumber) for side in (test.arguments if isinstance(test, Apply) else ()))


def at_step(expression: Expression, step: int) -> Expression:
    """The expression with this number for the step."""
    if isinstance(expression, StepNumber):
        return Number(Fraction(step))
    return rebuild(expression, lambda child: at_step(child, step))


def most_steps_with_any(program: Program, asked: Iterable[tuple[Expression | None, int]], signs: Signs) -> Formula:
    """The most steps of a run in which any of these guards holds; each with the place where it is read."""
    horizon = horizon_of(program, signs)
    each = [most_steps_with(program, guard, place, signs) for guard, place in dict.fromkeys(asked)]
    if any(e.is_infinite for e in each):
        return horizon
    result: Formula = ZERO
    for e in each:
        result = result + e
    return least([horizon, result], signs)
