"""Chooses the panels of a program: their width, where they must end, and how many nodes they have.

Ends of panels are the start's images under the jumps and atoms of the increments (multiples of one period), sharp
thresholds, kinks of the noise, and bounds of a recursion. Smooth increments with smooth noise need none.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from seqlang.backends.solve.mesh.breakpoints import BreakpointFinder, Breakpoints
from seqlang.backends.solve.mesh.increments import Increments
from seqlang.backends.solve.mesh.periods import Layout, joined
from seqlang.backends.solve.mesh.private_number import Reading
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.record import record

MOST_FITTED = 1000
"""Panels are fitted to the kinks of each node of the persistent noises while nodes * kinks^2 is at most this."""
MOST_JUMPS = 3000
"""Nodes of the persistent noises that may have panels of their own."""


@record
class PanelPlan:
    """How layouts are made: the period, the cuts that stay, the nodes of a panel; `moving`: there are other cuts in
    every step."""

    period: float
    cuts: list[Array]
    groups: int
    count: int
    sites: bool
    even: bool
    moving: bool

    def layout(self, origin: float, more: tuple[Array, ...], sites: bool) -> Layout:
        """Cut at the fixed places and at origin + `more`."""
        columns = [(c - origin) / self.period for c in self.cuts] + [m / self.period for m in more]
        return Layout(origin, self.period, joined(columns, self.groups), self.count, sites or self.sites, self.even)

    def without_sites(self, layout: Layout) -> Layout:
        return Layout(layout.origin, layout.period, layout.cuts, layout.count, False, layout.even)


def columns_of(cuts: Breakpoints, theta: int) -> list[Array]:
    """The places at which panels must end, each (theta or 1,). With many nodes of the persistent noises, kinks that
    differ between them are left alone: the two levels then differ by more, and say so."""
    fitted = cuts.kinks.shape[0] == 1 or theta * cuts.kinks.shape[1] ** 2 <= MOST_FITTED
    kinks = list(cuts.kinks.T) if fitted else []
    return [np.asarray(c) for c in (*cuts.jumps.T, *kinks) if np.all(np.isfinite(c))]


def panel_plan_of(
    increments: Increments, finder: BreakpointFinder, reading: Reading, level: int, theta: int
) -> PanelPlan:
    first = finder.at(1)
    seen = [first, finder.at(10), finder.at(100)] if finder.moves else [first]
    bounds = [np.full(1, b) for b in (reading.floor, reading.ceiling) if math.isfinite(b)]
    columns = [c for cuts in seen for c in columns_of(cuts, theta)]
    groups = max([len(c) for c in columns], default=1)
    if groups > MOST_JUMPS:
        raise Unsolved("too many nodes for drawn thresholds without fresh noise")
    edges = increments.edges
    scale = min([part.scale for part in increments.parts] + [cuts.scale for cuts in seen])
    if not math.isfinite(scale):
        scale = increments.high - increments.low
    if not edges and not columns and not bounds:
        spacing = max(0.3, 0.62 * 0.93**level) * scale
        return PanelPlan(spacing * 8, [], 1, 8, sites=False, even=True, moving=False)
    period = 1.25 * scale
    if any(edges):
        unit = _common(edges)
        if unit is None or unit < (increments.high - increments.low) / 400:
            raise Unsolved("increments whose jumps have no common measure")
        period = unit / max(1, math.ceil(unit / (1.5 * scale) - 1e-9))
    count = 4 + math.ceil(4 * period / scale) + level
    moving = finder.moves and bool(columns)
    places = bounds if moving else bounds + columns
    return PanelPlan(
        period, places, groups, count, sites=bool(increments.atoms or bounds), even=False, moving=moving
    )  # fmt: skip


def _common(values: tuple[float, ...]) -> float | None:
    """The largest u of which all values are multiples, if they have a simple one."""
    sizes = [abs(v) for v in values if abs(v) > 1e-300]
    if not sizes:
        return None
    largest = max(sizes)
    unit = Fraction(0)
    for size in sizes:
        ratio = Fraction(size / largest).limit_denominator(2000)
        if abs(float(ratio) - size / largest) > 1e-13:
            return None
        unit = ratio if unit == 0 else Fraction(
            math.gcd(unit.numerator * ratio.denominator, ratio.numerator * unit.denominator),
            unit.denominator * ratio.denominator,
        )  # fmt: skip
    return float(unit) * largest
