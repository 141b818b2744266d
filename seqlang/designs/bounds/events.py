"""What each notion of privacy says of one event: lines above the chance of it.

Let y and x be the chances of an event, such as "it has rejected by then", for two neighbouring streams. They are laws
of a coin, and no function of what is released tells more (data processing):

- pure(eps): x <= e^eps y; dp(eps, delta): x <= e^eps y + delta; without privacy: x <= 1.
- rdp(order, eps) and zcdp(rho), which is rdp(a, a rho) for all orders a > 1: the divergences of both coins from each
  other are bounded at these orders. The best x is a concave function of y, since exp((a - 1) D_a) is convex in both
  laws (van Erven & Harremoes 2014), so that it lies under lines x <= slope y + offset; the offset is the largest of
  x - slope y, here from chords of the function at narrow points: between two points a concave function lies below the
  chords beyond both, prolonged.

Streams may be replaced by averages over pairs of neighbours, as lines are linear. The complement is an event, too, so
that y >= 1 - slope (1 - x) - offset, and h neighbours in a row give x <= slope^h y + offset (slope^h - 1) /
(slope - 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqlang.arithmetic.rounding import exp_up, fraction_up
from seqlang.designs.problem.entry import Array
from seqlang.designs.problem.privacy import Privacy
from seqlang.record import record

ORDERS = tuple(np.geomspace(1.02, 100, 40).tolist())
"""At which zcdp is asked; any orders give a bound."""
RARE, POINTS = 1e-9, 600
"""The least chance at which the best x is looked at, and how many chances are."""
LOOSE = 1e-7
"""Of an offset, for rounding."""


@record
class Line:
    """x <= slope * y + offset for the chances of any event at neighbours; slope >= 1, or 0 without privacy."""

    slope: float
    offset: float


def lines(privacy: Privacy, slopes: Sequence[float] = ()) -> tuple[Line, ...]:
    """Those that hold. `slopes`: of the lines for zcdp and rdp, which have one for each slope."""
    values = privacy.arguments
    match privacy.notion:
        case "none":
            return (Line(0.0, 1.0),)
        case "pure":
            return (Line(exp_up(fraction_up(values[0])), 0.0),)
        case "dp":
            return (Line(exp_up(fraction_up(values[0])), fraction_up(values[1])),)
        case "zcdp":
            rho = fraction_up(values[0])
            return _tangents([(a, a * rho) for a in ORDERS], slopes)
        case "rdp":
            return _tangents([(float(values[0]), fraction_up(values[1]))], slopes)


def slopes_for(privacy: Privacy, count: int) -> tuple[float, ...]:
    """So many slopes, from 1 to where an event must be rarer than one in a thousand; none where there is one line."""
    if privacy.notion not in ("zcdp", "rdp"):
        return ()
    rho = float(privacy.arguments[0] if privacy.notion == "zcdp" else privacy.arguments[1] / privacy.arguments[0])
    return tuple(np.exp(np.linspace(0, 1, count) * (rho + 4.5 * np.sqrt(2 * rho))).tolist())


def _tangents(losses: Sequence[tuple[float, float]], slopes: Sequence[float]) -> tuple[Line, ...]:
    """By (order, bound on the divergence)."""
    odds = np.linspace(np.log(RARE), -np.log(RARE), POINTS)
    inside = 1 / (1 + np.exp(-odds))
    best = np.min([_most(inside, *loss) for loss in losses], axis=0)
    at, best = np.r_[0.0, inside, 1.0], np.r_[best[0], best, 1.0]  # the function rises
    return tuple(Line(slope, _offset(at, best, slope)) for slope in slopes)


def _most(y: Array, order: float, loss: float) -> Array:
    """Not less than the largest x for which both divergences of the given order are at most `loss`."""
    low, high = y.copy(), np.ones(len(y))
    for _ in range(60):
        x = (low + high) / 2
        kept = ~(np.maximum(_divergence(x, y, order), _divergence(y, x, order)) > loss)
        low, high = np.where(kept, x, low), np.where(kept, high, x)
    return high


def _divergence(x: Array, y: Array, order: float) -> Array:
    """Of a coin of chance x from one of chance y, both between 0 and 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [order * np.log(a) + (1 - order) * np.log(b) for a, b in ((x, y), (1 - x, 1 - y))]
    return np.asarray(np.logaddexp(*logs) / (order - 1))


def _offset(at: Array, best: Array, slope: float) -> float:
    """Not less than the largest of best - slope y, a concave function of y that is known at some points."""
    height = best - slope * at
    rises = np.diff(height) / np.diff(at)
    ahead = height[1:-2] + np.maximum(0.0, rises[:-2]) * np.diff(at)[1:-1]
    back = height[2:-1] - np.minimum(0.0, rises[2:]) * np.diff(at)[1:-1]
    inside = float(np.minimum(ahead, back).max(initial=0.0))
    ends = max(float(best[1] - slope * at[0]), float(best[-1] - slope * at[-2]))
    return (max(inside, ends, float(height.max())) + 1e-15) * (1 + LOOSE)
