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
the third derivatives puts g V + h below the largest of four lines in V (`_cell`). Facts used, with r = F'/(1-F) the
hazard: 0 < r' < 1 and 0 < r'' < 1 (Sampford 1953; r'' = r'(2r-x) - r). So for log h the first derivative changes by at
most a k on the cell and the third is at most a; for log g, with e = r(-x) at the left edge, the derivatives are at most
a e, a e (e + x) and a e (e + x)(2e + x) for x >= 0, and the first is not negative. Left of the grid g is at most its
value there and h at most (1-F)/(1-F(.+d)) to the power a-1, both increasing; right of it g <= 1 and h falls, since
(log h)' <= -r(x) + (a-1) d. The recursion then runs over the upper envelope of the lines; cells that it meets are cut
finer. V grows without limit in N: Gaussian looks have no bound free of the horizon.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import chain

from seqlang.accounting import arguments
from seqlang.accounting.interval import Interval, exp, interval, log
from seqlang.accounting.noisy_test import small_moves
from seqlang.accounting.noisy_test.envelope import Line, climb, envelope, from_value
from seqlang.accounting.normal import hazard, log_tail

_FINE = 2.0**-10
_LOOSENESS = 3e-3
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
    blocks = [_cell(a, d, scale, left + i * coarse, coarse) for i in range(n)]  # by the cells of the first round
    highest = [from_value(envelope(block), start) for block in blocks]  # V never is below the start
    while True:
        value, met = climb(envelope(chain(ends, *highest)), start, looks)
        wide: dict[tuple[float, float], int] = {}
        for line, v in met:
            cell = (line.left, line.width)
            wide[cell] = max(wide.get(cell, 1), _pieces(line, v))
        wide = {cell: pieces for cell, pieces in wide.items() if pieces > 1}
        if not wide:
            return value
        of_block: dict[int, list[tuple[float, float]]] = {}
        for cell in wide:
            of_block.setdefault(math.floor((cell[0] + cell[1] / 2 - left) / coarse), []).append(cell)
        for i, cells in of_block.items():
            block = [line for line in blocks[i] if (line.left, line.width) not in wide]
            for cell_left, width in cells:
                pieces = wide[cell_left, width]
                for k in range(pieces):
                    block += _cell(a, d, scale, cell_left + k * width / pieces, width / pieces)
            blocks[i], highest[i] = block, from_value(envelope(block), start)


def _pieces(line: Line, value: float) -> int:
    """In how many cells to cut the line's cell so that its Taylor remainder becomes small beside the increment of V."""
    spare = line.spare + line.spare_slope * value + max(0.0, -line.bend - line.bend_slope * value)
    allowed = _LOOSENESS * (line.gain - line.loss * value)
    if line.width <= _FINE or spare <= allowed:
        return 1
    wanted = math.sqrt(spare / allowed) if allowed > 0 else math.inf
    return 1 << math.ceil(math.log2(min(32.0, max(2.0, 1.5 * wanted), line.width / _FINE)))


def _cell(a: float, d: float, scale: float, left: float, width: float) -> list[Line]:
    """Lines whose maximum is above g V + h, both divided by e^scale, on the whole cell: the Taylor polynomial of second
    order lies below its values at the two ends, with or without the quadratic term; the cubic remainder is added."""
    k = width / 2 * (1 + 1e-12)
    x, right = left + k, left + width
    sf, sf_error = log_tail(x)
    moved, moved_error = log_tail(x + d)
    near, far = hazard(x, sf), hazard(x + d, moved)
    slope = (a - 1) * far - a * near
    second = (a - 1) * far * (far - x - d) - a * near * (near - x)
    error = a * sf_error + (a - 1) * moved_error + 1e-15 * (a * abs(sf) + (a - 1) * abs(moved) + abs(scale))
    h = math.exp(min(700.0, a * sf - (a - 1) * moved - scale)) * (1 + 2 * error) + 5e-324
    steep = abs(slope) + a * k
    cubic = h * math.exp(min(700.0, steep * k)) * (a + 3 * a * steep + steep**3) * k**3 / 6
    reach = (1 + abs(x) + d) * k
    h_error = h * (error + 1e-11 * a * (1 + reach) ** 2 * (1 + near + far) ** 2 * (1 + k) ** 2)
    bend = h * (second + slope * slope) * k * k / 2

    cdf, cdf_error = log_tail(-x)
    cdf_moved, cdf_moved_error = log_tail(-x - d)
    close, distant = hazard(-x, cdf), hazard(-x - d, cdf_moved)
    log_g = a * cdf - (a - 1) * cdf_moved
    lost = -math.expm1(log_g)
    g = 1 - lost
    rise = a * close - (a - 1) * distant
    turn = (a - 1) * distant * (distant + x + d) - a * close * (close + x)
    bend_slope = g * (turn + rise * rise) * k * k / 2
    edge = hazard(-left, log_tail(-left)[0]) * (1 + 1e-9)
    curve = min(1.0, edge * (edge + right)) if left >= 0 else 1.0
    twist = min(1.0, edge * (edge + right) * (2 * edge + right)) if left >= 0 else 1.0
    ceiling = math.exp(min(0.0, log_g + a * edge * k))
    cubic_slope = ceiling * a * (twist + 3 * a * edge * curve + a * a * edge**3) * k**3 / 6
    g_error = a * cdf_error + (a - 1) * cdf_moved_error + 1e-15 * (a * abs(cdf) + (a - 1) * abs(cdf_moved))
    g_error = (
        2 * g_error + 1e-11 * (lost + g * a * a * (close + distant) * (1 + close + distant) * (1 + reach) ** 2) + 1e-300
    )

    pairs = []
    for side in (-k, k):
        for quadratic in (0, 1):
            gain = h + side * h * slope + quadratic * bend + cubic + h_error
            loss = lost - side * g * rise - quadratic * bend_slope - cubic_slope - g_error
            pairs.append((min(1.0, loss), max(5e-324, gain * (1 + 1e-14))))
    if min(loss for loss, _ in pairs) < 0:  # too coarse to see that g < 1: then one line for the cell
        pairs = [(0.0, max(gain for _, gain in pairs))]
    return [Line(loss, gain, left, width, cubic, cubic_slope, bend, bend_slope) for loss, gain in pairs]


def _left_end(a: float, d: float, scale: float, x: float) -> Line:
    """All levels below x: g <= g(x), h <= ((1-F(x))/(1-F(x+d)))^(a-1)."""
    g = math.exp(a * log_tail(-x)[0] - (a - 1) * log_tail(-x - d)[0]) * (1 + 1e-9)
    gain = math.exp((a - 1) * (log_tail(x)[0] - log_tail(x + d)[0]) - scale) * (1 + 1e-13 * a)
    return Line(1 - g - 1e-15, gain + 5e-324, x, 0.0)


def _right_end(a: float, d: float, scale: float, x: float) -> Line:
    """All levels above x: g <= 1, h <= h(x)."""
    (sf, error), (moved, moved_error) = log_tail(x), log_tail(x + d)
    log_h = a * (sf + error) - (a - 1) * (moved - moved_error) - scale
    return Line(0.0, math.exp(min(700.0, log_h)) * (1 + 1e-9) + 5e-324, x, 0.0)
