"""The recursion V -> the largest of V + gain - loss V over many lines, rounded up: the worst levels of a test."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
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


Envelope = list[tuple[float, Line]]
"""Lines in the order in which they are met as V grows (the loss falls), each with the V from which it is the highest;
that of the first says nothing."""


def envelope(lines: Iterable[Line]) -> Envelope:
    """The lines that are highest somewhere."""
    kept: Envelope = []
    for line in sorted(lines, key=_by_loss):
        loss, gain = line.loss, line.gain
        while kept and kept[-1][1].gain <= gain:
            kept.pop()
        crossing = 0.0
        while kept:
            begins, last = kept[-1]
            fall = last.loss - loss
            crossing = (last.gain - gain) / fall if fall > 0 else math.inf
            if len(kept) == 1 or begins < crossing:
                break
            kept.pop()
        kept.append((crossing, line))
    return kept


def _by_loss(line: Line) -> tuple[float, float]:
    return -line.loss, line.gain


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
        line = upper[at][1]
        loss, gain = line.loss, line.gain
        met.append((line, value))
        room = ends[at] * (1 - _SLACK)
        while left > 0 and value < ends[at]:
            increment = gain - loss * value + _SLACK * (gain + loss * value) + 1e-15 * value
            steps = max(1, int(min(left, (room - value) / increment)))
            value = up(value + increment * _series(loss, steps), 2)
            left -= steps
    return value, met


def _series(loss: float, steps: int) -> float:
    """1 + (1-loss) + .. for `steps` terms, rounded up."""
    if steps == 1 or loss == 1:
        return 1.0
    return (-math.expm1(steps * math.log1p(-loss)) / loss if loss else float(steps)) * (1 + _SLACK)
