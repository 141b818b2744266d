"""What it costs to translate a draw: c(u) with log f(z) - log f(z + u) <= c(u) for every z.

    laplace(b)       |u| / b                       |z + u| <= |z| + |u|
    logistic(b)      |u| / b                       the slope of log f is at most 1 / b
    exponential(m)   u / m for u >= 0              z >= 0 must stay so; log f(z) = -z / m there
    geometric(r)     |u| log(1 / r), whole u       two-sided: f(k) is proportional to r^|k|

    pick             see `chance_price`

A law without an entry here cannot be translated; its draws are the same in both runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from seqlang.kernel.core import Draw, Number, Op
from seqlang.kernel.enclosures import closed_value
from seqlang.kernel.refused import Refused
from seqlang.kernel.terms import Formula, Linear, at_least, equal, holds_all, holds_one, number
from seqlang.kernel.values import Space


@dataclass(frozen=True, slots=True)
class Weighed:
    """The weights of a pick and their sum, and the logarithms of these."""

    weights: tuple[Linear, ...]
    logs: tuple[Linear, ...]
    total: Linear
    log_total: Linear


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


def losses(space: Space, first: Weighed, second: Weighed) -> list[Linear]:
    """log(p / p') for the chances of each value: of constants as one logarithm."""
    found: list[Linear] = []
    for w, a, v, b in zip(first.weights, first.logs, second.weights, second.logs, strict=True):
        if all(term.is_constant and term.constant > 0 for term in (w, v, first.total, second.total)):
            ratio = w.constant * second.total.constant / (v.constant * first.total.constant)
            found.append(space.constant(Op("log", (Number(ratio),))))
        else:
            found.append(a - b + second.log_total - first.log_total)
    return found


def chance_price(space: Space, paid: Linear, first: Weighed, second: Weighed) -> Formula:
    """That `paid` is at least log(p / p') for the chances of each value. With weights w and sums s of them,
    log(p / p') = log(w / w') + log(s' / s); and s' / s is at most the largest w' / w (bounded range: Dong, Durfee &
    Rogers 2020)."""
    moves = [one - other for one, other in zip(first.logs, second.logs, strict=True)]
    return holds_one((
        holds_all((equal(first.total, second.total), *(at_least(paid, move) for move in moves))),
        holds_all(at_least(paid, loss) for loss in losses(space, first, second)),
        holds_all(at_least(paid, a - b) for a in moves for b in moves),
    ))  # fmt: skip


def _positive(value: Fraction) -> Fraction:
    if value <= 0:
        raise Refused("a parameter of a law is outside its range")
    return value
