"""The quasi-stationary law: the density of the runs that go on no longer changes its shape, only its mass.

For each node of the persistent noises the mass that has not stopped approaches a fixed shape times lambda^n. Once two
successive shapes agree up to rounding, a later step is one multiplication for each node, and all later steps together
are a geometric series.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.solution import Array, Tail, tail_after
from seqlang.record import record, replace

STATIONARY = 5e-14
"""The change of the shapes in one step (the mass that differs, over all nodes, as a share of the mass) that counts as
rounding."""
EACH = 1e-7
"""The change of the shape of one node, as a share of its mass, that counts as rounding."""
MATTERS = 1e-8
"""Only nodes with at least this share of the mass are asked for EACH: the ends of the band are dropped for all nodes
together, so that light nodes lose a larger share."""


@record
class QuasiStationary:
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

    def after(self) -> tuple[QuasiStationary, Stopped]:
        """One step."""
        stopped = Stopped(self.fired * self.mass, self.watched @ self.mass)
        left = self.mass * (1 - self.fired.sum(axis=0))
        return QuasiStationary(self.step + 1, left, self.fired, self.watched, self.shape, self.lost), stopped

    def rest(self) -> Tail:
        """All later steps in closed form."""
        here = self.mass > 0
        mass, fired = self.mass[here], self.fired[:, here]
        waits = 1 / fired.sum(axis=0)
        tail = tail_after(self.step, mass, mass * waits, mass * waits**2, (mass * fired * waits).sum(axis=1))
        by_node = np.zeros_like(self.mass)
        by_node[here] = tail.by_node
        return replace(tail, by_node=by_node)


def quasi_stationary(before: Any, moved: Array, after: Any, stopped: Array, watched: Array) -> QuasiStationary | None:
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
    if not np.all(change[matter] <= EACH) or not float(change @ left) <= STATIONARY * total:
        return None
    rate = fired.sum(axis=0)
    if not np.all(rate[matter] > 0):
        return None
    mass = np.where((left > 0) & (rate > 0) & (rate < 1), left, 0.0)
    each = watched / np.where(moved > 0, moved, 1.0)
    lost = after.lost + total - float(mass.sum())
    return QuasiStationary(after.step, spread(mass, after), spread(fired, after), spread(each, after), after, lost)


def spread(values: Array, frontier: Any) -> Array:
    """Values of the frontier's live nodes (the last axis) as values of all nodes, with 0 for the others."""
    if len(frontier.live) == frontier.theta:
        return values
    found = np.zeros((*values.shape[:-1], frontier.theta))
    found[..., frontier.live] = values
    return found
