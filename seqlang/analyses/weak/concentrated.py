"""zCDP from Renyi divergences at finitely many orders: sup over a > 1 of D_a / a.

D_a does not fall with a (van Erven & Harremoes 2014, Theorem 3). Between two orders a < b of a grid D/order is hence at
most D_b / a, up to the first order b at most D_b, and past the last order b at most (pure loss) / b.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from seqlang.analyses.weak.later import Everywhere

if TYPE_CHECKING:
    from seqlang.analyses.weak.profile import Law, Range

FINENESS = 1.02
"""Ratio of neighbouring Renyi orders at which zCDP is looked at."""
LAST = 200.0
"""The grid of orders ends just above this."""


def orders() -> tuple[float, ...]:
    """The grid: dense, as its fineness is what the upper end is too high by."""
    found = [FINENESS]
    while found[-1] < LAST:
        found.append(found[-1] * FINENESS)
    return tuple(found)


def rho(p: Law, q: Law, grid: tuple[float, ...], known: Everywhere) -> Range:
    """(lower, upper) of the supremum."""
    from seqlang.analyses.weak import profile

    lower = upper = 0.0
    before = 1.0
    for order in grid:
        below, above = profile.renyi(p, q, order, lambda mass, order=order: known.beyond(order, mass))  # type: ignore[misc]
        lower, upper = max(lower, below / order), max(upper, above / before)
        before = order
    return lower, max(upper, min(profile.pure(p, q)[1], known.pure) / before)


def later_concentrated(grid: tuple[float, ...], known: Everywhere, reach: float) -> float:
    """The supremum at any position n with P(T >= n) <= reach."""
    before = (1.0, *grid)
    steps = [known.later_renyi(order, reach) / last for order, last in zip(grid, before, strict=False)]
    return max(*steps, known.pure / grid[-1]) if known.pure < inf else inf
