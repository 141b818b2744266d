"""When the shape of a density no longer changes: every node of the persistent noises then decays by its own factor.

The mass that has not stopped approaches (for each node) a fixed shape times lambda^n. Once two successive shapes agree
to rounding, later steps are one multiplication a node, and what remains is a sum of geometric series.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.solution import Array, Tail
from seqlang.record import record

SETTLED = 5e-14
"""Change of the shapes in one step, summed over the nodes by their share of the mass, that counts as none."""
EACH = 1e-7
"""The same for one node, relatively,"""
MATTERS = 1e-8
"""if it has at least this share of the mass: the ends of the band are cut for all nodes together."""


@record
class Settled:
    """`mass` (theta,) left; in each step a node loses `fired` (outcomes, theta) of it. `shape` is the frontier from
    which it started; `watched` (expressions, theta) a step, for a unit of mass."""

    step: int
    mass: Array
    fired: Array
    watched: Array
    shape: Any
    lost: float

    @property
    def survivors(self) -> Array:
        return self.mass

    @property
    def size(self) -> int:
        return self.mass.size

    def after(self) -> tuple[Settled, Stopped]:
        """One step."""
        stopped = Stopped(self.fired * self.mass, self.watched @ self.mass)
        left = self.mass * (1 - self.fired.sum(axis=0))
        return Settled(self.step + 1, left, self.fired, self.watched, self.shape, self.lost), stopped

    def rest(self) -> Tail:
        """All later steps in closed form."""
        here = self.mass > 0
        mass, fired = self.mass[here], self.fired[:, here]
        rate = fired.sum(axis=0)
        waits = 1 / rate
        n = float(self.step)
        by_node = np.zeros_like(self.mass)
        by_node[here] = mass * (n + waits)
        squares = mass * (n * n + 2 * n * waits + (2 - rate) * waits**2)
        return Tail((mass * fired * waits).sum(axis=1), float(by_node.sum()), float(squares.sum()), by_node)


def settled(before: Any, moved: Array, after: Any, stopped: Array, watched: Array) -> Settled | None:
    """`before` and `after` a step are frontiers of one layout and the same live nodes, `moved` (live,) the mass before
    the stops; None as long as the shape changes, or where some node never stops."""
    left = after.mass.sum(axis=(1, 2))
    total = float(left.sum())
    if not total > 0:
        return None
    matter = left > MATTERS * total
    start = max(before.first, after.first)
    end = min(before.first + before.mass.shape[1], after.first + after.mass.shape[1])
    if start >= end:
        return None
    old = before.mass[:, start - before.first : end - before.first]
    new = after.mass[:, start - after.first : end - after.first]
    earlier = before.mass.sum(axis=(1, 2))
    with np.errstate(all="ignore"):
        fired = np.where(moved > 0, stopped / moved, 0.0)
        ratio = left / earlier
        change = np.abs(new - ratio[:, None, None] * old).sum(axis=(1, 2)) / left
        outside = (np.abs(left - new.sum(axis=(1, 2))) + ratio * np.abs(earlier - old.sum(axis=(1, 2)))) / left
        change = np.where(left > 0, change + outside, 0.0)
    if not np.all(change[matter] <= EACH) or not float(change @ left) <= SETTLED * total:
        return None
    rate = fired.sum(axis=0)
    if not np.all(rate[matter] > 0):
        return None
    mass = np.where((left > 0) & (rate > 0) & (rate < 1), left, 0.0)
    each = watched / np.where(moved > 0, moved, 1.0)
    lost = after.lost + total - float(mass.sum())
    return Settled(after.step, spread(mass, after), spread(fired, after), spread(each, after), after, lost)


def spread(values: Array, frontier: Any) -> Array:
    """Values of the frontier's live nodes (the last axis) among all nodes."""
    if len(frontier.live) == frontier.theta:
        return values
    found = np.zeros((*values.shape[:-1], frontier.theta))
    found[..., frontier.live] = values
    return found
