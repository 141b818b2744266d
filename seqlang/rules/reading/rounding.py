"""Whether a run, which computes with doubles, decides a public comparison as exact arithmetic does.

Lemma. Let left - right start at `gap` below 0 and rise by additions. Let C be the largest constant that enters and u =
2^-53. (a) If no number of the data and no noise on a continuous scale enters either side, the engines decide the
comparison exactly, or the run ends with an error (`model/jumps.py`). If each side is one rounded value, the comparison
as run is the exact one too, since rounding keeps the order. (b) Otherwise k <= 2^22 rises that count, from constants
C <= 2^8 gap, are added up with an error of at most 2^-20 gap: each addition loses at most u (2 C + gap), and an
addition of a number >= 0 that does not count makes no sum smaller. A comparison farther than that from a tie is decided
alike.

What rules count by comparisons (steps, reports, budgets) is exact under (a); under (b) they allow for one more step
wherever the threshold is that near to a tie.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, enclose, number
from seqlang.model.expression import Expression
from seqlang.model.grids import Grid, Grids, Rounding
from seqlang.model.program import Program
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

SLACK = 2.0**-20
"""A threshold that is nearer to a tie than this, relative to its size, may be decided either way under (b)."""


def decided(program: Program, left: Expression, right: Expression) -> bool:
    """Runs decide the comparison of these two as exact arithmetic does, by (a)."""
    a, b = _grid(program, left), _grid(program, right)
    return (a.exact and b.exact) or a.rounding == b.rounding == Rounding.ONCE


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
    """A threshold that sums of these rises pass in doubles once they pass `gap` exactly, under (b); None where there is
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
    if all(_grid(program, side).exact for side in sides):
        return True
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
