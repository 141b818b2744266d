"""Lines above what one Gaussian look does to the Renyi integral, for all levels of a cell. `looks` has the proof."""

from __future__ import annotations

from functools import lru_cache
from math import exp, expm1

from seqlang.accounting.noisy_test.envelope import Cell, Line
from seqlang.accounting.normal import hazard, log_tail, log_tails

MOST = 1 + 1e-11
"""h is at most e^peak, and scale is the lower end of the peak, which is below 3600: five units in its last place."""
_STEEPEST = 700.0
_CELLS = 1 << 13


Tail = tuple[float, float]
"""The log of a tail of the normal law, and a bound on its error."""


_Place = tuple[
    float, float, tuple[Tail, Tail, Tail, Tail], tuple[float, float, float, float], float, float, float, float, float
]
"""What the lines of the cell of half-width k around x take of the normal law, whatever the order: k, x; the upper tails
at x and x + d, and the lower ones there; their hazards; that of the lower tail at the left end; the curve and the twist
of its logarithm; and of h and g, what to multiply with powers of the order for the rounding of all else than the tails.
A plain tuple, as a bound takes some thousand of them."""


@lru_cache(maxsize=_CELLS)
def _place(d: float, left: float, width: float) -> _Place:
    k = width / 2 * (1 + 1e-12)
    x, right = left + k, left + width
    (sf, cdf), (moved, cdf_moved) = log_tails(x), log_tails(x + d)
    near, far = hazard(x, sf[0]), hazard(x + d, moved[0])
    close, distant = hazard(-x, cdf[0]), hazard(-x - d, cdf_moved[0])
    edge = hazard(-left, log_tail(-left)[0]) * (1 + 1e-9)
    curve = min(1.0, edge * (edge + right)) if left >= 0 else 1.0
    twist = min(1.0, edge * (edge + right) * (2 * edge + right)) if left >= 0 else 1.0
    reach = (1 + (1 + abs(x) + d) * k) ** 2
    h_margin = 1e-11 * reach * (1 + near + far) ** 2 * (1 + k) ** 2
    g_margin = reach * (close + distant) * (1 + close + distant)
    hazards = near, far, close, distant
    return k, x, (sf, moved, cdf, cdf_moved), hazards, edge, curve, twist, h_margin, g_margin


def lines_on(a: float, d: float, scale: float, left: float, width: float) -> list[Line]:
    """Lines whose maximum is above g V + h, both divided by e^scale, on the whole cell: the Taylor polynomial of second
    order lies below its values at the two ends, with or without the quadratic term; the cubic remainder is added."""
    k, x, tails, (near, far, close, distant), edge, curve, twist, h_margin, g_margin = _place(d, left, width)
    b, k3 = a - 1, k**3
    slope = b * far - a * near
    second = b * far * (far - x - d) - a * near * (near - x)
    log_h, error = power(a, tails[0], tails[1], scale)
    h = min(MOST, exp(min(1.0, log_h + error)) + 5e-324)
    steep = abs(slope) + a * k
    cubic = h * exp(steep * k) * (a + 3 * a * steep + steep**3) * k3 / 6 if steep * k < _STEEPEST else MOST
    h_error = h * (error + a * h_margin)
    bend = h * (second + slope * slope) * k * k / 2

    log_g, g_error = power(a, tails[2], tails[3])
    lost = -expm1(log_g)
    g = 1 - lost
    rise = a * close - b * distant
    turn = b * distant * (distant + x + d) - a * close * (close + x)
    bend_slope = g * (turn + rise * rise) * k * k / 2
    ceiling = exp(min(0.0, log_g + a * edge * k))
    cubic_slope = ceiling * a * (twist + 3 * a * edge * curve + a * a * edge**3) * k3 / 6
    g_error = 2 * g_error + 1e-11 * (lost + g * a * a * g_margin) + 1e-300

    tilt, lean = k * h * slope, k * g * rise
    ends: tuple[tuple[float, float], ...] = ((h - tilt, lost + lean), (h + tilt, lost - lean))
    if bend > 0 or bend_slope > 0:
        bent = ((h - tilt + bend, lost + lean - bend_slope), (h + tilt + bend, lost - lean - bend_slope))
        ends = bent if bend >= 0 and bend_slope >= 0 else (*ends, *bent)  # the one is above the other for all V >= 0
    cell = Cell(left, width, cubic, cubic_slope, bend, bend_slope)
    lines = []
    coarse = False
    for gain, loss in ends:
        gain = gain + cubic + h_error
        gain = (gain if gain < MOST else MOST) * (1 + 1e-14)
        loss = loss - cubic_slope - g_error
        coarse = coarse or loss < 0
        lines.append((loss if loss < 1 else 1.0, gain if gain > 0 else 5e-324, cell))
    # too coarse to see that g < 1: then one line for the cell
    return [(0.0, max([gain for _, gain, _ in lines]), cell)] if coarse else lines


def power(a: float, first: Tail, second: Tail, scale: float = 0.0) -> Tail:
    """a L - (a-1) L' - scale for two logarithms with their errors, and its error: see `looks`."""
    (one, error), (other, other_error) = first, second
    rounding = 1e-15 * (a * abs(one) + (a - 1) * abs(other) + abs(scale))
    return a * one - (a - 1) * other - scale, a * error + (a - 1) * other_error + rounding
