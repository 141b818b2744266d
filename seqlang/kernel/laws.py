"""What it costs to translate a draw: c(u) with log f(z) - log f(z + u) <= c(u) for every z.

    laplace(b)       |u| / b                       |z + u| <= |z| + |u|
    logistic(b)      |u| / b                       the slope of log f is at most 1 / b
    exponential(m)   u / m for u >= 0              z >= 0 must stay so; log f(z) = -z / m there
    geometric(r)     |u| log(1 / r), whole u       two-sided: f(k) is proportional to r^|k|

A law without an entry here cannot be translated; its draws are the same in both runs.
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.kernel.core import Draw, Op
from seqlang.kernel.enclosures import closed_value
from seqlang.kernel.refused import Refused
from seqlang.kernel.terms import Formula, Linear, at_least, number
from seqlang.kernel.values import Space


def cost(space: Space, draw: Draw, move: Linear) -> tuple[Linear, tuple[Formula, ...]]:
    """What the move costs at most, and what must hold of it. Raises Refused if the draw cannot be moved."""
    if move == number(0):
        return move, ()
    match draw.law, draw.arguments:
        case (("laplace" | "logistic"), (scale,)):
            return space.size(move).times(1 / _positive(closed_value(scale).low)), ()
        case "exponential", (mean,):
            return move.times(1 / _positive(closed_value(mean).low)), (at_least(move, number(0)),)
        case "geometric", (ratio,):
            if not space.is_whole(move):
                raise Refused("a draw on whole numbers is moved by what may be no whole number")
            value = closed_value(ratio)
            _positive(value.low), _positive(1 - value.high)
            rate = closed_value(Op("negate", (Op("log", (ratio,)),))).high
            return space.size(move).times(rate), ()
    raise Refused(f"draws of the law `{draw.law}` cannot be moved")


def _positive(value: Fraction) -> Fraction:
    if value <= 0:
        raise Refused("a parameter of a law is outside its range")
    return value
