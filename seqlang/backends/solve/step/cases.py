"""A case: a weight together with bounds on variables whose values are not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.noises.scalar_law import CLEARLY, FAINT, ScalarLaw
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


_SEEN: ContextVar[list[float] | None] = ContextVar("faint chances", default=None)


@contextmanager
def watching(seen: list[float]) -> Iterator[None]:
    """Within, each law of which a faint chance was computed adds to `seen` below which chance its own are faint."""
    token = _SEEN.set(seen)
    try:
        yield
    finally:
        _SEEN.reset(token)


def between(law: ScalarLaw, ends: Bounds) -> Array:
    """P(the variable lies in its bounds)."""
    low, high = ends
    if low is None:
        found = np.ones((1, 1)) if high is None else _by_distinct(law.below, high)
    else:
        found = _by_distinct(law.above, low) if high is None else law.between(low, high)
    seen = _SEEN.get()
    faint = max(FAINT, law.cut * CLEARLY)
    if seen is not None and faint not in seen and _is_faint(law, low, high, found, faint):
        seen.append(faint)
    return found


def _is_faint(law: ScalarLaw, low: Array | None, high: Array | None, chance: Array, faint: float) -> bool:
    """Whether a chance is not clearly 0, and below that. A law on finitely many points has its chances listed."""
    thin = np.asarray(chance) < faint
    if law.cut and thin.any():
        return True
    if not thin.any() or (law.discrete and np.all(np.isfinite(law.support))):
        return False
    least = np.maximum(-np.inf if low is None else low, law.support[0])
    most = np.minimum(np.inf if high is None else high, law.support[1])
    inside = np.floor(most) >= np.ceil(least) if law.discrete else most > least
    return bool(np.any(thin & inside))


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
