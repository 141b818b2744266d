"""Down: the value falls by c in (0, D] from some look k on; Gaussian fresh noise of standard deviation s, N looks.

Given the persistent noise, a look at level x (in units of s) goes on with probability F(x), F the normal cdf, and with
F(x + c/s) under the neighbour; the adversary picks the levels. With m looks left let V_m bound the Renyi integral
sum P^a Q^(1-a) over the outputs still to come. Then V_0 = 1 ("never" within the horizon) and

    V_m = sup_x [ g(x) V_(m-1) + h(x) ],   g = F(x)^a F(x+d)^(1-a),   h = (1-F(x))^a (1-F(x+d))^(1-a),   d = D/s;

mixing over the persistent noise and adding the equal outputs before k gives at most V_N (joint convexity, V_N >= 1).

Smaller c is covered. d/dd of the bracket is (a-1) F'(x+d) [ ((1-F(x))/(1-F(x+d)))^a - V (F(x)/F(x+d))^a ], and what is
in brackets grows with d: as a function of the move the value first falls, then rises, so on [0, d] it is largest at an
end; at 0 it is a mean of V_(m-1) and 1, below V_(m-1) <= V_m.

The supremum is taken rigorously: on a cell of half width k around x0, Taylor expansion to second order with a bound on
the third derivatives puts g V + h below the largest of four lines in V (`cells.lines_on`). Facts used, with
r = F'/(1-F) the hazard: 0 < r' < 1 and 0 < r'' < 1 (Sampford 1953; r'' = r'(2r-x) - r). So for log h the first
derivative changes by at most a k on the cell and the third is at most a; for log g, with e = r(-x) at the left edge,
the derivatives are at most a e, a e (e + x) and a e (e + x)(2e + x) for x >= 0, and the first is not negative. Left of
the grid g is at most its value there and h at most (1-F)/(1-F(.+d)) to the power a-1, both increasing; right of it g <=
1 and h falls, since (log h)' <= -r(x) + (a-1) d. The recursion then runs over the upper envelope of the lines; cells
that it meets are cut finer. V grows without limit in N: Gaussian looks have no bound free of the horizon.

Rounding. u = 2^-53; a d <= 120, (a-1) d <= 60 and |x| + d <= 250 here, by `renyi`. Every operation is off by u
relatively, exp, expm1 and log by 4 u; `log_tail` states its own error e (at most 6 x^2 2^-52 absolutely).
  * A power, `cells.power`: a L - (a-1) L' with errors e, e' of the logarithms is off by a e + (a-1) e', and by 4 u of
    each product for a-1, the products and the difference: together below `error`, which has 1e-15 > 8 u there.
  * A hazard r is off by rho r, rho = e + 4 u (x^2 + |L| + 2); as |L| < x^2 + 8 and x < r for x >= 0, and r falls as
    exp(-x^2/2) for x < 0, rho r < 1e-14 r (1 + r)^2 + 1e-14 in each case.
  * The cells meet up to rounding: x and its ends are off by w < 2^-44 = 6e-14, which changes log h by less than
    (|slope| + a k) w and log g by less than a (r(-x) + r(-x-d)) w.
  * So the slope of log h is off by 2e-14 a (1+R)^3 with R = near + far, but |slope| itself by less than (a-1) d + near
    <= 60 + R, as (a-1) (far - near) < (a-1) d. With z = k (1 + |x| + d), k R <= 2 z + 2: relative to h the line is
    off by k times that, the parabola by at most k^2 (60 + R) times that and 4e-14 a k^2 R^2 (1+R), the cubic term by a
    part of it as small as the slope's. The sum of all is below 1e-13 a (1+z)^2 (1+R)^2 (1+k)^2; `h_error` takes 1e-11
    for 1e-13, which also holds the 20 u of exp and of the sums.
  * For g the same holds with the hazards r(-x) and r(-x-d), with a^2 for a: its slope is not bounded by a d. As g is
    1 - lost to an absolute u, and |slope| k < 20, |slope|^2 k^2 < 400 for g, u of these is below 1e-11 lost wherever
    g is less than a half. What is left over of the error of log g in the cubic term is at most the cubic term times
    that: the error is taken twice, and where the cubic term is above 1 - g the line is not used.
Where log h changes by more than 700 on a cell, and at most anyway, h e^-scale is taken to be its largest value, 1
but for the width of the interval around the peak (`cells.MOST`). The tests hold the lines against ball arithmetic.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import chain

from seqlang.accounting import arguments
from seqlang.accounting.interval import Interval, exp, interval, log
from seqlang.accounting.noisy_test import small_moves
from seqlang.accounting.noisy_test.cells import MOST, lines_on, power
from seqlang.accounting.noisy_test.envelope import Cell, Line, climb, envelope, from_value
from seqlang.accounting.normal import log_tail

_FINE = 2.0**-10
_LOOSENESS = 3e-3
_GROUP = 16
_WIDEST = 60.0


@lru_cache(maxsize=512)
def renyi(order: float, mu: float, looks: int) -> float:
    """D_order(P || Q), rounded up, for at most `looks` looks; mu = D / s. Finite for every finite number of looks.

    Errors: an order not above 1, mu not above 0, looks no positive integer.
    """
    a, d, n = arguments.renyi_order("order", order), arguments.positive("mu", mu), arguments.count("looks", looks)
    peak = _peak(a, d)
    plain = ((peak + log(interval(n) + exp(-peak))) / (interval(a) - 1)).high
    if (a - 1) * d > _WIDEST or a * d > 2 * _WIDEST:
        return plain
    if small_moves.small(a, d):
        return max(0.0, min(plain, small_moves.renyi(a, d, n)))
    value = _refined(a, d, n, peak.low)
    sharp = ((log(value) + peak.low) / (interval(a) - 1)).high
    return max(0.0, min(plain, sharp))


def _peak(order: float, mu: float) -> Interval:
    """a (a-1) d^2 / 2: h is at most e to this (the Gaussian mechanism's integral), and V is kept in units of it."""
    a = interval(order)
    return a * (a - 1) * interval(mu) * mu * 0.5


def _refined(a: float, d: float, looks: int, scale: float) -> float:
    """V_looks / e^scale, rounded up."""
    left = -7.0 - d
    coarse = 2.0 ** round(math.log2(min(0.125, max(0.03125, d / 2))))
    right = (a - 1) * d + math.sqrt(2 * (math.log(looks) + 34))
    n = math.ceil((right - left) / coarse)
    ends = [_left_end(a, d, scale, left), _right_end(a, d, scale, left + n * coarse)]
    start = exp(-interval(scale)).high
    blocks = [lines_on(a, d, scale, left + i * coarse, coarse) for i in range(n)]  # by the cells of the first round
    highest = list(blocks)
    groups = [_group(highest, first, start) for first in range(0, n, _GROUP)]
    while True:
        value, met = climb(envelope(chain(ends, *groups)), start, looks)
        wide: dict[Cell, int] = {}
        for line, v in met:
            if line[2].width > _FINE and (pieces := _pieces(line, v)) > 1:
                wide[line[2]] = max(wide.get(line[2], 1), pieces)
        if not wide:
            return value
        of_block: dict[int, list[Cell]] = {}
        for cell in wide:
            of_block.setdefault(math.floor((cell.left + cell.width / 2 - left) / coarse), []).append(cell)
        for i, cells in of_block.items():
            block = [line for line in blocks[i] if line[2] not in wide]
            for cell in cells:
                pieces = wide[cell]
                for k in range(pieces):
                    block += lines_on(a, d, scale, cell.left + k * cell.width / pieces, cell.width / pieces)
            blocks[i], highest[i] = block, from_value(envelope(block), start)
        for first in {i - i % _GROUP for i in of_block}:
            groups[first // _GROUP] = _group(highest, first, start)


def _group(highest: list[list[Line]], first: int, start: float) -> list[Line]:
    """The highest lines of some blocks beside each other: most rounds change few of them."""
    return from_value(envelope(chain(*highest[first : first + _GROUP])), start)


def _pieces(line: Line, value: float) -> int:
    """In how many cells to cut the line's cell so that its Taylor remainder becomes small beside the increment of V."""
    loss, gain, cell = line
    spare = cell.spare + cell.spare_slope * value + max(0.0, -cell.bend - cell.bend_slope * value)
    allowed = _LOOSENESS * (gain - loss * value)
    if spare <= allowed:
        return 1
    wanted = math.sqrt(spare / allowed) if allowed > 0 else math.inf
    return 1 << math.ceil(math.log2(min(32.0, max(2.0, 1.5 * wanted), cell.width / _FINE)))


def _left_end(a: float, d: float, scale: float, x: float) -> Line:
    """All levels below x: g <= g(x), h <= ((1-F(x))/(1-F(x+d)))^(a-1). The four units of exp and those of the product
    are below 1e-14, those of 1 - g below 1e-15, as g <= F(x) < 1e-11 there."""
    log_g, g_error = power(a, log_tail(-x), log_tail(-x - d))
    g = min(1.0, math.exp(min(0.0, log_g + g_error)) * (1 + 1e-14))
    (near, near_error), (far, far_error) = log_tail(x), log_tail(x + d)
    log_h = (a - 1) * (near - far + near_error + far_error) - scale
    log_h += 1e-15 * ((a - 1) * (abs(near) + abs(far)) + abs(scale))
    return (max(0.0, 1 - g - 1e-15), min(MOST, math.exp(min(1.0, log_h)) * (1 + 1e-14) + 5e-324), Cell(x, 0.0))


def _right_end(a: float, d: float, scale: float, x: float) -> Line:
    """All levels above x: g <= 1, h <= h(x); the units of exp are below 1e-14."""
    log_h, error = power(a, log_tail(x), log_tail(x + d), scale)
    return (0.0, min(MOST, math.exp(min(1.0, log_h + error)) * (1 + 1e-14) + 5e-324), Cell(x, 0.0))
