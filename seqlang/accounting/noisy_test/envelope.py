"""The recursion V -> the largest of V + gain - loss V over many lines, rounded up: the worst levels of a test."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from math import expm1, inf, log1p, nextafter
from operator import itemgetter
from typing import NamedTuple

from seqlang.process.time_limit import poll

_SLACK = 1e-13
_LOSS = itemgetter(0)  # sorting by it calls no Python


class Cell(NamedTuple):
    """The levels [left, left + width]. `spare`, `spare_slope`: what the cubic terms add to its lines' gain and take off
    their loss; `bend`, `bend_slope`: the quadratic ones."""

    left: float
    width: float
    spare: float = 0.0
    spare_slope: float = 0.0
    bend: float = 0.0
    bend_slope: float = 0.0


Line = tuple[float, float, Cell]
"""(loss, gain, cell): V -> V + gain - loss V. The largest of a cell's lines is above the true bracket for all its
levels. A plain tuple, as a bound takes some ten thousand of them."""

Envelope = tuple[list[float], list[Line]]
"""The V from which each line is the highest (that of the first says nothing), and the lines, in the order in which they
are met as V grows: their losses fall."""


def envelope(lines: Iterable[Line]) -> Envelope:
    """The lines that are highest somewhere."""
    begins: list[float] = []
    kept: list[Line] = []
    last_loss = last_gain = -inf
    for line in sorted(lines, key=_LOSS, reverse=True):
        loss, gain, _ = line
        while begins:
            if last_gain > gain:
                crossing = (last_gain - gain) / (last_loss - loss) if last_loss > loss else inf
                if begins[-1] < crossing:
                    break
            kept.pop()
            begins.pop()
            if begins:
                last_loss, last_gain, _ = kept[-1]
        else:
            crossing = -inf
        if crossing < inf:
            kept.append(line)
            begins.append(crossing)
            last_loss, last_gain = loss, gain
    return begins, kept


def from_value(upper: Envelope, value: float) -> list[Line]:
    """The lines of an envelope that are the highest at some V from `value` on."""
    begins, lines = upper
    return lines[max(1, bisect_right(begins, value, lo=min(1, len(begins)))) - 1 :]


def climb(upper: Envelope, start: float, looks: int) -> tuple[float, list[tuple[Line, float]]]:
    """V after `looks` steps of V -> max over the envelope, rounded up, with the lines met and V there.

    A little is added to each increment for the rounding of the crossings. Along one line the increments shrink, so
    (crossing - V) / increment steps stay below the crossing; m of them at once add increment * (1 + (1-loss) + .. +
    (1-loss)^(m-1)).
    """
    value, left, at = start, looks, 0
    begins, lines = upper
    ends = [*begins[1:], inf]
    met: list[tuple[Line, float]] = []
    poll()
    while left > 0:
        while ends[at] <= value:
            at += 1
        line, end = lines[at], ends[at]
        loss, gain, _ = line
        met.append((line, value))
        room = end * (1 - _SLACK)
        while left > 0 and value < end:
            lost = loss * value
            increment = gain - lost + _SLACK * (gain + lost) + 1e-15 * value
            fit = (room - value) / increment
            if fit < 2:  # as for most lines: they are left after a step
                value = nextafter(nextafter(value + increment, inf), inf)
                left -= 1
                continue
            steps = int(fit) if fit < left else left
            value += increment * _series(loss, steps)
            value = nextafter(nextafter(value, inf), inf) if value == value else inf
            left -= steps
    return value, met


def _series(loss: float, steps: int) -> float:
    """1 + (1-loss) + .. for `steps` terms, rounded up."""
    if steps == 1 or loss == 1:
        return 1.0
    return (-expm1(steps * log1p(-loss)) / loss if loss else float(steps)) * (1 + _SLACK)
