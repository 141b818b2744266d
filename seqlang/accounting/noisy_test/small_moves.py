"""`looks` for small moves: a bound that costs the same however small the move is.

`looks` bounds g and h one by one, to a part of what one look adds, which is of order d^2: its cells shrink with d.
Here the sum is bounded. With p = (F(x), 1 - F(x)), q = (F(x+d), 1 - F(x+d)) and v = V - 1 the recursion reads

    v_m = sup_x [ r(x) + g(x) v_(m-1) ],    r = g + h - 1 = sum_i q_i psi(p_i / q_i - 1),  psi(y) = (1+y)^a - 1 - a y,

as both p and q add up to 1. By Taylor's theorem psi(y) <= a (a-1) / 2 y^2 max(1, (1+y)^(a-2)), so that

    r <= a (a-1) / 2 * (F(x+d) - F(x))^2 / (q_0 q_1) * M,
    M = (p_1 / q_1)^(a-2) for a >= 2, where the second outcome is the one with p_i > q_i; else (q_0 / p_0)^(2-a).

On a cell [x, x + k] the difference is at most d times the largest density on [x, x + k + d], 1 / (q_0 q_1) is largest
at an end, M and g are monotone: p_1 / q_1 and g rise with x, q_0 / p_0 falls (the normal law's hazard is increasing).
Beyond both ends of the grid (|x| >= 3) the bound on r falls outwards: the squared density over the smaller tail has a
logarithmic slope of at least |x| - 1 / |x| - d inwards, and M one of at most |a - 2| d, below 1.
"""

from __future__ import annotations

import math

from seqlang.accounting.interval import interval, log
from seqlang.accounting.noisy_test.envelope import Cell, Line, climb, envelope
from seqlang.accounting.normal import log_tail

SMALL, TIMES_ORDER = 2.0**-8, 2.0**-4
"""Moves (in units of the noise) below the first, with the order below the second, are bounded here."""
WIDTH = 2.0**-8
_UP = 1 + 1e-9
"""Far above the relative errors of the logarithms of tails, which are some 1e-12, and of the few operations on them."""


def small(a: float, d: float) -> bool:
    return d < SMALL and a * d < TIMES_ORDER


def renyi(a: float, d: float, looks: int) -> float:
    """D_a, rounded up, of at most `looks` looks after which the value falls by at most d."""
    left, right = -8.0, 4 + math.sqrt(2 * (math.log(looks) + 34))
    cells = math.ceil((right - left) / WIDTH)
    lines = [_line(a, d, left + i * WIDTH, left + (i + 1) * WIDTH) for i in range(cells)]
    right = left + cells * WIDTH
    lines.append((1 - _goes_on(a, d, left), _added(a, d, left, left), Cell(left, 0.0)))
    lines.append((0.0, _added(a, d, right, right), Cell(right, 0.0)))
    excess, _ = climb(envelope(lines), 0.0, looks)
    return (log(1 + interval(excess)) / (interval(a) - 1)).high


def _line(a: float, d: float, left: float, right: float) -> Line:
    return (max(0.0, 1 - _goes_on(a, d, right)), _added(a, d, left, right), Cell(left, right - left))


def _goes_on(a: float, d: float, x: float) -> float:
    """At least g(x)."""
    return min(1.0, math.exp(a * log_tail(-x)[0] - (a - 1) * log_tail(-x - d)[0]) * _UP)


def _added(a: float, d: float, left: float, right: float) -> float:
    """At least r on the cell, and beyond it if it is an end of the grid."""
    top = 0.0 if left <= 0.0 <= right + d else min(abs(left), abs(right + d))
    moved = d * math.exp(-top * top / 2) / math.sqrt(2 * math.pi)
    both = [log_tail(x + d)[0] + log_tail(-x - d)[0] for x in (left, right)]
    worse = math.exp((a - 2) * (log_tail(right)[0] - log_tail(right + d)[0])) if a >= 2 else (
        math.exp((2 - a) * (log_tail(-left - d)[0] - log_tail(-left)[0]))
    )  # fmt: skip
    return a * (a - 1) / 2 * moved * moved * math.exp(-min(both)) * max(1.0, worse) * _UP
