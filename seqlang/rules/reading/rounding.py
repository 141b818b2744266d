"""Whether a run, which computes with doubles, decides a public comparison as exact arithmetic does.

Lemma. Let left - right start at `gap` below 0 and rise by additions. Let C be the largest constant that enters and u =
2^-53. (a) If doubles make no error on either side (dyadic constants, sums below 2^53), or each side is one rounded
value, the comparison as run is the exact one, since rounding keeps the order. (b) If both sides are multiples of 1/D,
the engines compare whole numbers (`model/grids.py`). Every addition that counts is at least 1/D, so that there are at
most k = D gap + 2 of them if one memory or sum is read (the errors of two that cancel would grow for ever), and the
error k^2 C D u is below 1/2: exact again. (c) Otherwise k <= 2^22 rises that count,
from constants C <= 2^8 gap, are added up with an error of at most 2^-20 gap: each addition loses at most u (2 C + gap),
and an addition of a number >= 0 that does not count makes no sum smaller. A comparison farther than that from a tie is
decided alike.

What rules count by comparisons (steps, reports, budgets) is exact under (a) and (b); under (c) they allow for one more
step wherever the threshold is that near to a tie.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm

from seqlang.arithmetic.formula import ONE, ZERO, Formula, absolute, enclose, maximum, number
from seqlang.model.expression import COMPARISONS, Apply, Expression, walk
from seqlang.model.grids import FINEST, Grid, Grids, Rounding
from seqlang.model.program import Program
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import formula_of
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

SLACK = 2.0**-20
"""A threshold that is nearer to a tie than this, relative to its size, may be decided either way under (c)."""
MOST_ADDED = 2.0**20
"""Where no threshold bounds the additions, which make no error, as many are reckoned with."""


def decided(program: Program, left: Expression, right: Expression, signs: Signs, gap: Formula | None = ZERO) -> bool:
    """Runs decide the comparison of these two as exact arithmetic does, by (a) or (b). `gap`: by how much left - right
    may rise before the comparison turns; None: nothing bounds that."""
    a, b = _grid(program, left), _grid(program, right)
    if a.rounding == b.rounding == Rounding.ONCE:
        return True
    least = min(a.rounding, b.rounding)
    if least == Rounding.COMPUTED and (a.denominator is None or b.denominator is None):
        return False
    sums = a.sums | b.sums
    if len(sums) > 1 or (sums and gap is None):
        return False
    by = lcm(*(g.denominator for g in (a, b) if g.denominator is not None))
    if by > FINEST:
        return False
    largest = max(1.0, float(a.largest), float(b.largest))
    added = MOST_ADDED if gap is None else by * _size(gap, signs) + 2
    return added * by * largest * (added if least == Rounding.COMPUTED else 1) <= 2.0**50


def decided_at(program: Program, test: Expression, here: Callable[[Expression], Expression], signs: Signs) -> bool:
    """Runs decide a test of the step alone as exact arithmetic does, in one step: `here` puts the step's number in."""

    def value(e: Expression) -> Formula | None:
        return formula_of(program, here(e))

    def never_rounded(*parts: Expression) -> bool:
        return all(_grid(program, part).rounding == Rounding.NEVER for part in parts)

    def far_from_whole(x: Formula | None) -> bool:
        return x is not None and not near_whole(x, signs)

    for e in walk(test):
        match e:
            case Apply(operator, (a, b)) if operator in COMPARISONS and not decided(program, a, b, signs):
                x, y = value(a), value(b)
                sure = x is not None and y is not None and margin((x - y) / maximum(ONE, absolute(x)), signs)
            case Apply("floor" | "ceil", (a,)) if not never_rounded(a):
                sure = far_from_whole(value(a))
            case Apply("%", (a, b)) if not never_rounded(a, b):
                sure = far_from_whole(value(Apply("/", (a, b))))
            case _:
                sure = True
        if not sure:
            return False
    return True


def near_whole(ratio: Formula, signs: Signs) -> bool:
    """The number, which is at least 0, is nearer to a whole number than what doubles may lose on the way there."""
    value = _size(ratio, signs)
    return value > 2.0**22 or abs(value - round(value)) <= SLACK * max(1.0, value)


def margin(formula: Formula, signs: Signs) -> bool:
    """The difference is farther from 0 than what doubles may lose where its parts are about as large as 1."""
    return _size(formula, signs) > SLACK


def widened(
    program: Program, sides: tuple[Expression, Expression], gap: Formula, rises: list[Formula], signs: Signs
) -> Formula | None:
    """A threshold that sums of these rises pass in doubles once they pass `gap` exactly, under (c); None where there is
    no such bound."""
    size, smallest = _size(gap, signs), min(_size(rise, signs) for rise in rises)
    grids = [_grid(program, side) for side in sides]
    largest = max(float(grid.largest) for grid in grids)
    if len(grids[0].sums | grids[1].sums) > 1 or largest > 2.0**8 * size or size > 2.0**22 * smallest:
        return None
    return gap * (number(1) + number(1) / number(1 << 20))


def keeps_count(program: Program, sides: tuple[Expression, ...], room: Formula, signs: Signs) -> bool:
    """Amounts that add up to `room` are not lost beside the constants of these expressions, which are not much larger:
    1e17 + 1 is 1e17 in doubles, and an account that starts there never fills."""
    largest = max(float(_grid(program, side).largest) for side in sides)
    return largest <= 2.0**8 * _size(room, signs)


def _grid(program: Program, expression: Expression) -> Grid:
    return _grids(program).of(expression)


@remembered_of_program
def _grids(program: Program) -> Grids:
    return Grids(program)


def _size(formula: Formula, signs: Signs) -> float:
    ends = enclose(formula, signs.values)
    return max(abs(ends.low), abs(ends.high))
