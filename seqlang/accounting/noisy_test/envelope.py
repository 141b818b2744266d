"""The recursion V -> the largest of V + gain - loss V over many lines, rounded up: the worst levels of a test."""

from __future__ import annotations

import math
from typing import NamedTuple

from seqlang.arithmetic.rounding import up
from seqlang.time_limit import poll

_SLACK = 1e-13


class Line(NamedTuple):
    """V -> V + gain - loss V. The largest of a cell's lines is above the true bracket for all x of the cell
    [left, left + width]. `spare`, `spare_slope`: what the cubic terms add; `bend`, `bend_slope`: the quadratic ones."""

    loss: float
    gain: float
    left: float
    width: float
    spare: float = 0.0
    spare_slope: float = 0.0
    bend: float = 0.0
    bend_slope: float = 0.0


def envelope(lines: list[Line]) -> list[Line]:
    """The lines that are highest somewhere, in the order in which they are met as V grows (the loss falls)."""
    kept: list[Line] = []
    for line in sorted(lines, key=lambda one: (-one.loss, one.gain)):
        while kept and kept[-1].gain <= line.gain:
            kept.pop()
        while len(kept) > 1 and _crossing(kept[-2], kept[-1]) >= _crossing(kept[-1], line):
            kept.pop()
        kept.append(line)
    return kept


def _crossing(first: Line, second: Line) -> float:
    """The V from which the second line, of the smaller loss, is the higher one."""
    fall = first.loss - second.loss
    return (first.gain - second.gain) / fall if fall > 0 else math.inf


def climb(upper: list[Line], start: float, looks: int) -> tuple[float, list[tuple[Line, float]]]:
    """V after `looks` steps of V -> max over the envelope, rounded up, with the lines met and V there.

    A little is added to each increment for the rounding of the crossings. Along one line the increments shrink, so
    (crossing - V) / increment steps stay below the crossing; m of them at once add increment * (1 + (1-loss) + .. +
    (1-loss)^(m-1)).
    """
    value, left, at = start, looks, 0
    met: list[tuple[Line, float]] = []
    while left > 0:
        poll()
        while at + 1 < len(upper) and _crossing(upper[at], upper[at + 1]) <= value:
            at += 1
        line = upper[at]
        if not met or met[-1][0] is not line:
            met.append((line, value))
        increment = line.gain - line.loss * value + _SLACK * (line.gain + line.loss * value) + 1e-15 * value
        room = _crossing(line, upper[at + 1]) * (1 - _SLACK) - value if at + 1 < len(upper) else math.inf
        steps = max(1, int(min(left, room / increment)))
        value = up(value + increment * _series(line.loss, steps), 2)
        left -= steps
    return value, met


def _series(loss: float, steps: int) -> float:
    """1 + (1-loss) + .. for `steps` terms, rounded up."""
    if steps == 1 or loss == 1:
        return 1.0
    return (-math.expm1(steps * math.log1p(-loss)) / loss if loss else float(steps)) * (1 + _SLACK)
