"""Public quantities that only rise, such as counts of reports and budgets in memory, and by how much.

A counter's value at its place in step t is at least `start` plus the sum of `rise(fired)` over the earlier steps and,
if it is not `late`, this step; `fired` are the outcomes of a step, of those that are counted. Read off the program
alone: what a test says is decided by what fired, or else both branches count. Recognised, with a sign of 1 or -1:
counts and sums of public parts over all steps, lengths of histories, `previous` of these, memory, and sums of counters
with constant factors. What is left for a counter of sign -1 is what falls: `m - 1 when above`.
"""

from __future__ import annotations

from collections.abc import Callable

from seqlang.arithmetic.formula import ONE, ZERO, Formula
from seqlang.model.expression import Apply, CellValue, Expression, Local, MemoryValue, Number, Reported
from seqlang.model.program import AllSteps, AtReports, Cell, Previous, Program, Update
from seqlang.record import record, replace
from seqlang.rules.reading.steps import Fired, Steps, gained
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of


@record
class Counter:
    """`rise` is None where nothing is known; it may be below 0, which is for the reader to exclude."""

    start: Formula
    rise: Callable[[Fired], Formula | None]
    late: bool


def counter_of(steps: Steps, expression: Expression, place: int, sign: int = 1) -> Counter | None:
    """sign * expression as a counter, read at this place of the body."""
    return _counter(steps, expression, place, sign, frozenset())


def _counter(steps: Steps, expression: Expression, place: int, sign: int, inside: frozenset[str]) -> Counter | None:
    """The same in the bodies of the cells `inside`: one that reads itself, a step ago, is no counter."""
    program = steps.program
    constant = formula_of(program, expression)
    if constant is not None:
        return None if constant.is_infinite else Counter(constant * sign, lambda _: ZERO, False)
    match expression:
        case Local(name) if (inner := steps.define(name)) is not None and not _reads_memory(program, inner):
            return _counter(steps, inner, place, sign, inside)
        case Apply("negate", (a,)):
            return _counter(steps, a, place, -sign, inside)
        case Apply("+" | "-" as operator, (a, b)):
            return _sum(steps, (a, sign), (b, sign if operator == "+" else -sign), place, inside)
        case Apply("*" | "/" as operator, (a, b)):
            if operator == "*" and formula_of(program, a) is not None:
                a, b = b, a
            by = formula_of(program, b)
            turn = None if by is None or by.is_infinite else steps.signs.of(by)
            if by is None or turn not in (1, -1):
                return None
            one = _counter(steps, a, place, sign * turn, inside)
            return None if one is None else _scaled(one, by * turn if operator == "*" else ONE / (by * turn))
        case Apply("length", (CellValue(name),)) if sign == 1 and isinstance(program.cell(name).keep, AtReports):
            keep = program.cell(name).keep
            assert isinstance(keep, AtReports)
            report = Reported(keep.report)
            return Counter(ZERO, lambda fired: ONE if steps.truth(report, fired) else ZERO, True)
        case MemoryValue(name):
            return _memory(steps, name, place, sign)
        case CellValue(name):
            return None if name in inside else _cell(steps, program.cell(name), sign, inside | {name})
        case _:
            return None


def _scaled(one: Counter, factor: Formula) -> Counter:
    def rise(fired: Fired) -> Formula | None:
        found = one.rise(fired)
        return None if found is None else factor * found

    return Counter(factor * one.start, rise, one.late)


def _sum(
    steps: Steps, a: tuple[Expression, int], b: tuple[Expression, int], place: int, inside: frozenset[str]
) -> Counter | None:
    one, other = (_counter(steps, part, place, sign, inside) for part, sign in (a, b))
    if one is None or other is None:
        rest, late = (b, one) if one is not None else (a, other)
        return None if late is None or not late.late else _completed(steps, late, rest)
    still = formula_of(steps.program, a[0]) is not None or formula_of(steps.program, b[0]) is not None
    if not still and one.late != other.late:
        return None  # one that sees this step and one that does not are no counter together

    def rise(fired: Fired) -> Formula | None:
        x, y = one.rise(fired), other.rise(fired)
        return None if x is None or y is None else x + y

    return Counter(one.start + other.start, rise, one.late or other.late)


def _completed(steps: Steps, late: Counter, rest: tuple[Expression, int]) -> Counter:
    """A counter of the steps before, plus what this step adds to it: `length(history(..)) + (if R then 1 else 0)`."""

    def rise(fired: Fired) -> Formula | None:
        before, now = late.rise(fired), steps.lowest(rest[0], fired, rest[1])
        return before if before is not None and now is not None and steps.signs.at_least(now, before) else None

    return Counter(late.start, rise, False)


def _cell(steps: Steps, cell: Cell, sign: int, inside: frozenset[str]) -> Counter | None:
    if cell.binders:
        return None
    steps = replace(steps, unmoved=frozenset())
    match cell.keep, cell.operator:
        case Previous(initial), _:
            first = formula_of(steps.program, initial)
            own = next(i for i, s in enumerate(steps.program.body) if s == cell)
            inner = _counter(steps, cell.body, own, sign, inside)
            if first is None or inner is None or inner.late or first.is_infinite:
                return None
            lower = [v for v in (first * sign, inner.start) if steps.signs.at_least(first * sign, v)]
            start = next((v for v in lower if steps.signs.at_least(inner.start, v)), None)
            return None if start is None else Counter(start, inner.rise, True)
        case AllSteps(), "count" if sign == 1:
            return Counter(ZERO, lambda fired: ONE if _counted(steps, cell, fired) else ZERO, False)
        case AllSteps(), "sum":
            return Counter(ZERO, lambda fired: _added(steps, cell, fired, sign), False)
        case _:
            return None


def _counted(steps: Steps, cell: Cell, fired: Fired) -> bool:
    return steps.truth(cell.body, fired) is True and (cell.where is None or steps.truth(cell.where, fired) is True)


def _added(steps: Steps, cell: Cell, fired: Fired, sign: int) -> Formula | None:
    holds = True if cell.where is None else steps.truth(cell.where, fired)
    if holds is False:
        return ZERO
    low = steps.lowest(cell.body, fired, sign)
    if holds or low is None:
        return low
    return ZERO if steps.signs.at_least(low, ZERO) else low


def _memory(steps: Steps, name: str, place: int, sign: int) -> Counter | None:
    program = steps.program
    start = formula_of(program, next(m.initial for m in program.memories if m.name == name))
    at = next((i for i, s in enumerate(program.body) if isinstance(s, Update) and s.memory == name), None)
    if start is None or start.is_infinite:
        return None
    if at is None:
        return Counter(start * sign, lambda _: ZERO, False)
    update = program.body[at]
    assert isinstance(update, Update)
    here = replace(steps, known=steps.known | {condition for memory, condition in steps.unmoved if memory == name})

    def rise(fired: Fired) -> Formula | None:
        holds = True if update.when is None else here.truth(update.when, fired)
        if holds is False:
            return ZERO
        more = gained(here, update.value, name, fired, sign)
        if holds or more is None:
            return more
        return ZERO if here.signs.at_least(more, ZERO) else more

    return Counter(start * sign, rise, place < at)


def difference(left: Expression, right: Expression) -> Expression:
    """left - right; a truth value counts as 0 or 1."""
    return left if right == Number(ZERO.value) else Apply("-", (left, right))


def _reads_memory(program: Program, expression: Expression) -> bool:
    """A let stands above the place where it is read: its memory may have been updated between."""
    return any(isinstance(leaf, MemoryValue) for leaf in facts_of(program).leaves(expression))
