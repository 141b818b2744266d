"""How often things can happen, read off the public gates: steps in a run, reports in a run.

Recognised, with n and c constant:
    stop when step >= n                                     a run has at most n steps
    stop when count(R over steps) >= c, sum(1 where R ..)   R is made in at most c steps, and the c-th ends the run
    stop when length(history(E, R)) >= c                    at most c + 1: a history holds earlier steps only
    stop when R, stop                                       at most once
and what `budgets.py` reads: budgets in memory, weighted counts, guards that let a report be made a few times only.
Any one disjunct of an `or` is enough; a stop with further conjuncts is not counted on. A public stop is reached in
every step that no earlier stop ends, so these hold on every path, whatever the data.
"""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import INFINITY, ONE, Formula, function, maximum, minimum, total
from seqlang.model.expression import Apply, CellValue, Expression, Number, Reported, StepNumber
from seqlang.model.gate_source import OfStop
from seqlang.model.junctions import disjuncts
from seqlang.model.program import AllSteps, AtReports, Cell, Program, PublicGate
from seqlang.rules.reading.budgets import Budget, budgets_of
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.translation import is_whole
from seqlang.rules.sensitivity.facts.formulas import formula_of


def horizon_of(program: Program, signs: Signs) -> Formula:
    """The most steps of any run, INFINITY if no public stop bounds them."""
    ends: list[Formula] = [INFINITY]
    for expression in _public_stops(program):
        if expression is None:
            ends.append(ONE)
            continue
        for left, operator, right in _comparisons(expression):
            if isinstance(left, StepNumber) and (n := formula_of(program, right)) is not None:
                ends.append(_first_whole(n, operator, signs))
    return least(ends, signs)


def decisions_of(program: Program, reports: frozenset[str], signs: Signs) -> Formula:
    """The most steps of a run in which one of these reports is made, INFINITY if nothing bounds them."""
    return limit_of(program, reports, signs)[0]


def limit_of(
    program: Program, reports: frozenset[str], signs: Signs, turned: frozenset[str] = frozenset()
) -> tuple[Formula, bool]:
    """The most steps with one of these reports; True: whatever reaches that limit ends the run in that very step. Of
    those that are `turned` the steps count in which they are not made.

    Guards (`report R when count < c and ..`) limit each report by itself, and the run goes on; reports without one are
    then limited together by a stop.
    """
    allowed = budgets_of(program, reports, signs, turned)
    stopped = least([*_ended(allowed, reports, signs), _stopped(program, reports, signs, turned)], signs)
    guarded = {
        report: least(
            [a.most(a.weights, signs) for a in allowed if not a.ends and frozenset({report}) in a.weights], signs
        )
        for report in reports
    }
    free = frozenset(report for report, most in guarded.items() if most.is_infinite)
    parts = [most for report, most in guarded.items() if report not in free]
    if free and parts:
        parts.append(least([_stopped(program, free, signs, turned), *_ended(allowed, free, signs)], signs))
    apart = total(parts) if parts and not any(part.is_infinite for part in parts) else INFINITY
    best = least([apart, stopped], signs)
    return best, best.is_infinite or (not stopped.is_infinite and signs.at_least(best, stopped))


def _ended(allowed: tuple[Budget, ...], reports: frozenset[str], signs: Signs) -> Iterator[Formula]:
    """Limits by stops whose counter rises with each of these reports, whatever else is made."""
    for budget in allowed:
        kinds = frozenset(kind for kind in budget.kinds if kind & reports)
        if budget.ends and kinds <= budget.weights.keys():
            yield budget.most(kinds, signs)


def _stopped(program: Program, reports: frozenset[str], signs: Signs, turned: frozenset[str]) -> Formula:
    """Limits by stops that count reports. Whoever reaches its own limit ends the run in that very step, so all but one
    of several stay one below theirs."""
    if reports & turned:
        return horizon_of(program, signs)
    together = [horizon_of(program, signs), _limit(program, reports, signs)]
    if len(reports) > 1:
        alone = [least([horizon_of(program, signs), _limit(program, frozenset({r}), signs)], signs) for r in reports]
        together.append(total((*alone, 1 - len(reports))))
    return least(together, signs)


def first_step(program: Program, guard: Expression | None, signs: Signs) -> int:
    """The earliest step in which a guard can hold: `step >= m and ..`."""
    if guard is None:
        return 1
    if isinstance(guard, Apply) and guard.operator == "and":
        return max(first_step(program, part, signs) for part in guard.arguments)
    for left, operator, right in (
        _comparisons(guard) if not (isinstance(guard, Apply) and guard.operator == "or") else ()
    ):
        if isinstance(left, StepNumber) and operator != "==" and (m := formula_of(program, right)) is not None:
            exact = exact_value(_first_whole(m, operator, signs), signs.values)
            return 1 if exact is None else max(1, int(exact))
    return 1


def _limit(program: Program, reports: frozenset[str], signs: Signs) -> Formula:
    """The least limit of a stop that counts the steps in which any of the reports is made."""
    ends: list[Formula] = [INFINITY]
    for expression in _public_stops(program):
        if expression is None:
            continue
        if all(Reported(report) in disjuncts(expression) for report in reports):
            ends.append(ONE)
        for left, operator, right in _comparisons(expression):
            extra = _counted(program, left, reports)
            if extra is not None and (c := formula_of(program, right)) is not None:
                ends.append(_first_whole(c, operator, signs) + extra)
    return least(ends, signs)


def _public_stops(program: Program) -> Iterator[Expression | None]:
    for gate in program.gates:
        if isinstance(gate, PublicGate) and isinstance(gate.source, OfStop):
            yield gate.expression


def _comparisons(expression: Expression) -> Iterator[tuple[Expression, str, Expression]]:
    """`left >= right` and `left > right` and `left == right` among the disjuncts, turned so that the constant is
    on the right."""
    for disjunct in disjuncts(expression):
        match disjunct:
            case Apply(">=" | ">" | "==" as operator, (left, right)):
                yield left, operator, right
                if operator == "==":
                    yield right, operator, left
            case Apply("<=", (left, right)):
                yield right, ">=", left
            case Apply("<", (left, right)):
                yield right, ">", left
            case _:
                pass


def _counted(program: Program, expression: Expression, reports: frozenset[str]) -> int | None:
    """If the expression counts the steps with these reports: how many more can be made when it reaches its limit."""
    match expression:
        case CellValue(name):
            cell = program.cell(name)
            return 0 if isinstance(cell.keep, AllSteps) and not cell.binders and _counts(cell, reports) else None
        case Apply("length", (CellValue(name),)):
            keep = program.cell(name).keep
            # this step is not yet in the history, and the report may be made in it
            return 1 if isinstance(keep, AtReports) and reports == {keep.report} else None
        case _:
            return None


def _counts(cell: Cell, reports: frozenset[str]) -> bool:
    match cell.operator:
        case "count" if cell.where is None:
            counted = cell.body
        case "sum" if cell.body == Number(ONE.value) and cell.where is not None:
            counted = cell.where
        case _:
            return False
    return all(Reported(report) in disjuncts(counted) for report in reports)


def _first_whole(limit: Formula, operator: str, signs: Signs) -> Formula:
    """The first of 1, 2, .. that is >= limit (> limit, == limit); infinite if a count can step over it."""
    whole = is_whole(limit, signs)
    match operator:
        case ">=":
            first = limit if whole else function("ceil", limit)
        case ">":
            first = function("floor", limit) + 1 if not whole else limit + 1
        case _:
            first = limit if whole and signs.at_least(limit, ONE) else INFINITY
    return first if signs.at_least(first, ONE) else maximum(first, ONE)


def least(ends: list[Formula], signs: Signs) -> Formula:
    """The smallest, chosen at the parameter values; a `min` only where that cannot be decided."""
    best: Formula = INFINITY
    for end in ends:
        if end.is_infinite:
            continue
        if best.is_infinite or signs.at_least(best, end):
            best = end
        elif not signs.at_least(end, best):
            best = minimum(best, end)
    return best
