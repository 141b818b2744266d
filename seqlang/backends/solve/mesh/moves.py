"""The step of a density on panels: from the panels before to those after, and how mass moves between them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.mesh.breakpoints import BreakpointFinder
from seqlang.backends.solve.mesh.frontier import MeshFrontier
from seqlang.backends.solve.mesh.increments import Increments
from seqlang.backends.solve.mesh.panel_plan import PanelPlan, columns_of
from seqlang.backends.solve.mesh.periods import Layout, Move
from seqlang.backends.solve.solution import Array

K = TypeVar("K")
V = TypeVar("V")
REMEMBERED = 2
"""Steps for which the places of moving thresholds stay ends of panels."""
KEPT = 16
"""Matrices and tables that are kept: forced entries make new ones."""


class Moves:
    """The steps of one chain; those that come again are made once."""

    def __init__(self, increments: Increments, finder: BreakpointFinder, panel_plan: PanelPlan, theta: int) -> None:
        self.increments, self.finder, self.panel_plan, self.theta = increments, finder, panel_plan, theta
        self._known: dict[tuple[int, float | None], Move | Same] = {}  # by the source, which they keep alive

    def free(self, frontier: MeshFrontier) -> Move | Same:
        """Every run moves by an increment."""
        source = frontier.layout
        if self.panel_plan.moving:
            target = self._cut_now(frontier.step + 1, source.origin)
            return Move(source, target, self.increments, points_only=source.sites and not self.panel_plan.sites)
        known = self._known.get((id(source), None))
        if known is None:
            at_start = source.sites and not self.panel_plan.sites
            target = self.panel_plan.without_sites(source) if at_start else source
            known = Move(source, target, self.increments, points_only=at_start)
            remember(self._known, (id(source), None), known)
        return known

    def _cut_now(self, step: int, origin: float, more: tuple[Array, ...] = ()) -> Layout:
        """New panels for thresholds that change from step to step. What they cut off in the steps before left jumps, of
        which the jumps of the increments made kinks."""
        now = columns_of(self.finder.at(step), self.theta)
        if self.increments.edges:
            for before in range(max(1, step - REMEMBERED), step):
                now += columns_of(self.finder.at(before), self.theta)
        return self.panel_plan.layout(origin, (*(c - origin for c in now), *more), sites=False)

    def forced(self, frontier: MeshFrontier, value: float) -> Move | Same:
        """All mass moves by one value, and the panels with it; new panels where the thresholds cut them."""
        source = frontier.layout
        known = self._known.get((id(source), value))
        if known is not None and not self.panel_plan.moving:
            return known
        old = [column * source.period for column in source.cuts.T]
        if self.panel_plan.moving:
            target = self._cut_now(frontier.step + 1, source.origin + value, tuple(old))
            if source.sites and not target.sites:
                target = self.panel_plan.layout(target.origin, tuple(target.left.T), sites=True)
        else:
            target = self.panel_plan.layout(source.origin + value, tuple(old), sites=source.sites)
        point = Increments(((value, 1.0),), ())
        made = Same(source, target) if source.even else Move(source, target, point)
        remember(self._known, (id(source), value), made)
        return made


class Same:
    """A step that moves the origin of the panels and leaves the mass of all rows as it is."""

    first = 0

    def __init__(self, source: Layout, target: Layout) -> None:
        self.source, self.target = source, target

    def __call__(self, mass: Array, live: NDArray[np.intp]) -> Array:
        return mass


def remember(known: dict[K, V], key: K, value: V) -> None:
    """Keeps the first two entries, which every run needs, and the latest of the others."""
    if key not in known and len(known) >= KEPT:
        del known[list(known)[2]]
    known[key] = value
