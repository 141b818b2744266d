"""The recursion V -> the largest of V + gain - loss V over many lines, rounded up: the worst levels of a test."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from seqlang.arithmetic.rounding import up
from seqlang.process.time_limit import poll

_SLACK = 1e-13
_LOSS, _GAIN = itemgetter(0), itemgetter(1)  # of a line: sorting by them calls no Python


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


Envelope = list[tuple[float, Line]]
"""Lines in the order in which they are met as V grows (the loss falls), each with the V from which it is the highest;
that of the first says nothing."""


def envelope(lines: Iterable[Line]) -> Envelope:
    """The lines that are highest somewhere."""
    kept: Envelope = []
    falling = sorted(lines, key=_GAIN)
    falling.sort(key=_LOSS, reverse=True)  # stable: of equal losses the smallest gain stays first
    for line in falling:
        loss, gain = line[:2]
        while kept and kept[-1][1][1] <= gain:
            kept.pop()
        crossing = 0.0
        while kept:
            begins, last = kept[-1]
            fall = last[0] - loss
            crossing = (last[1] - gain) / fall if fall > 0 else math.inf
            if len(kept) == 1 or begins < crossing:
                break
            kept.pop()
        kept.append((crossing, line))
    return kept


def from_value(upper: Envelope, value: float) -> list[Line]:
    """The lines of an envelope that are the highest at some V from `value` on."""
    first = max(1, bisect_right(upper, value, lo=min(1, len(upper)), key=itemgetter(0)))
    return [line for _, line in upper[first - 1 :]]


def climb(upper: Envelope, start: float, looks: int) -> tuple[float, list[tuple[Line, float]]]:
    """V after `looks` steps of V -> max over the envelope, rounded up, with the lines met and V there.

    A little is added to each increment for the rounding of the crossings. Along one line the increments shrink, so
    (crossing - V) / increment steps stay below the crossing; m of them at once add increment * (1 + (1-loss) + .. +
    (1-loss)^(m-1)).
    """
    value, left, at = start, looks, 0
    ends = [begins for begins, _ in upper[1:]] + [math.inf]
    met: list[tuple[Line, float]] = []
    poll()
    while left > 0:
        while ends[at] <= value:
            at += 1
        line, end = upper[at][1], ends[at]
        loss, gain = line[:2]
        met.append((line, value))
        room = end * (1 - _SLACK)
        while left > 0 and value < end:
            lost = loss * value
            increment = gain - lost + _SLACK * (gain + lost) + 1e-15 * value
            fit = (room - value) / increment
            if fit < 2:  # as for most lines: they are left after a step
                value = up(value + increment, 2)
                left -= 1
                continue
            steps = int(min(left, fit))
            value = up(value + increment * _series(loss, steps), 2)
            left -= steps
    return value, met


def _series(loss: float, steps: int) -> float:
    """1 + (1-loss) + .. for `steps` terms, rounded up."""
    if steps == 1 or loss == 1:
        return 1.0
    return (-math.expm1(steps * math.log1p(-loss)) / loss if loss else float(steps)) * (1 + _SLACK)
