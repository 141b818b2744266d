"""A case: a weight together with bounds on variables whose values are not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.step.distinct import distinct
from seqlang.record import record

Array = NDArray[Any]
Bounds = tuple[Array | None, Array | None]
"""Low and high end; None: no bound. No variable equals an end with positive probability: where a bound is a point of a
discrete law, it is moved past the point by less than the distance to the next."""


@record
class Case:
    """`weight` (None: 1) times the chance that every variable lies in its bounds."""

    weight: Array | None
    bounds: Mapping[str, Bounds]

    def chance(self, laws: Mapping[str, ScalarLaw]) -> Array:
        """The probability of the case, weight included."""
        found = self.weight
        for name, ends in self.bounds.items():
            inside = between(laws[name], ends)
            found = inside if found is None else found * inside
        return np.ones((1, 1)) if found is None else found

    def at(self, where: Array) -> Case:
        """The case at those places of a table (theta, rows) where `where` is true: its arrays are then (places,)."""

        def some(array: Array | None) -> Array | None:
            return None if array is None else np.broadcast_to(array, where.shape)[where]

        return Case(some(self.weight), {name: (some(low), some(high)) for name, (low, high) in self.bounds.items()})

    def closed(self, keep: frozenset[str], laws: Mapping[str, ScalarLaw]) -> Case:
        """The same case with the bounds on variables outside `keep` turned into a factor of the weight."""
        over = {name: ends for name, ends in self.bounds.items() if name not in keep}
        if not over:
            return self
        kept = {name: ends for name, ends in self.bounds.items() if name in keep}
        return Case(Case(self.weight, over).chance(laws), kept)


def between(law: ScalarLaw, ends: Bounds) -> Array:
    """P(the variable lies in its bounds)."""
    low, high = ends
    if low is None:
        return np.ones((1, 1)) if high is None else _by_distinct(law.below, high)
    return _by_distinct(law.above, low) if high is None else law.between(low, high)


def _by_distinct(chance: Any, bound: Array) -> Array:
    """A tail at a bound (theta, rows). On a product of axes of nodes a bound often depends on one axis only: then it is
    computed once for each distinct row, as tails take most of the time."""
    if bound.ndim != 2 or bound.shape[0] < 32:
        return np.asarray(chance(bound))
    first, place = distinct(bound[:, 0])
    if 4 * len(first) > bound.shape[0]:
        return np.asarray(chance(bound))
    different = bound[first]
    if not np.array_equal(different[place], bound, equal_nan=True):
        return np.asarray(chance(bound))
    return np.asarray(np.asarray(chance(different))[place])


def merged(cases: Sequence[Case]) -> list[Case]:
    """The cases with those that have no bounds added up to one."""
    free = [c for c in cases if not c.bounds]
    if len(free) < 2:
        return list(cases)
    weight: Any = sum((np.ones((1, 1)) if c.weight is None else c.weight) for c in free)
    return [Case(weight, {}), *(c for c in cases if c.bounds)]
