"""All states of one step side by side: their mass, and what is known of the noises that are only compared.

A `Batch` is worked through the body of a step by `explored_chain.py`. It is changed in place, the arrays in it are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays import laws as vector_laws
from seqlang.backends.arrays.values import shape_of
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.step.body import Rows, Stage
from seqlang.backends.solve.step.cases import Bounds, Case, merged
from seqlang.backends.solve.unsolved import Unsolved

Array = NDArray[Any]


class Batch:
    """`mass` (theta, rows) times the chance of the cases is the chance of a row. `due[name]`: the rows in which the
    enumerated noise is still to be drawn in its present life."""

    def __init__(self, stage: Stage, mass: Array, cases: list[Case], due: Mapping[str, Array]) -> None:
        self.stage = stage
        self.mass = mass
        self.cases = cases
        self.due = dict(due)

    @property
    def count(self) -> int:
        return self.stage.count

    def take(self, rows: Rows) -> None:
        before = self.count
        self.stage = self.stage.take(rows)
        self.mass = self.mass[:, rows]
        self.cases = [
            Case(_taken(c.weight, rows, before), {n: _ends(e, rows, before) for n, e in c.bounds.items()})
            for c in self.cases
        ]
        self.due = {name: due[rows] for name, due in self.due.items()}

    def integrate_out(self, keep: frozenset[str], laws: Mapping[str, ScalarLaw]) -> None:
        """Integrates out the variables outside `keep`, which no later statement reads: their chance becomes a factor of
        the cases' weights, and the weight of a single case a factor of the mass. Rows without mass are dropped."""
        closed = [c.closed(keep, laws) for c in self.cases]
        self.cases = [*merged([c for c in closed if not c.bounds]), *(c for c in closed if c.bounds)]
        if len(self.cases) == 1 and self.cases[0].weight is not None:
            self.mass = self.mass * self.cases[0].weight
            self.cases = [Case(None, self.cases[0].bounds)]
        self.drop_empty(laws)

    def drop_empty(self, laws: Mapping[str, ScalarLaw]) -> None:
        """Drops the rows that have no chance."""
        if not self.cases or not self.count:
            self.take(np.zeros(0, dtype=np.intp))
            return
        alive = np.zeros(self.count, dtype=bool)
        for case in self.cases:
            alive |= (np.broadcast_to(case.chance(laws), (len(self.mass), self.count)) * self.mass > 0).any(axis=0)
        if not alive.all():
            self.take(np.flatnonzero(alive))

    def draw(self, name: str, which: Array | None, values: Array, chances: Array, allowed: float = 0.0) -> float:
        """Draws the noise `name` in the rows where it is due (and `which` holds): each becomes one row for every value.
        `values` and `chances` have the shape (values, rows or 1). Rare rows are left out as long as they have less mass
        than `allowed` together; their mass is returned."""
        due = self.due[name] if which is None else self.due[name] & which
        rows = np.flatnonzero(due)
        others = np.flatnonzero(~due)
        size = values.shape[0]
        if name not in self.stage.held:
            self.stage.held[name] = np.full(self.count, np.nan)
        if not len(rows):
            return 0.0
        values = np.broadcast_to(values, (size, self.count))[:, rows].ravel()
        chances = np.broadcast_to(chances, (size, self.count))[:, rows].ravel()
        keep, lost = chances > 0, 0.0
        if allowed > 0:
            mass = np.tile(self.mass[:, rows].sum(axis=0), size) * chances
            rare = mass < rarest(mass, allowed)
            keep &= ~rare
            lost = float(mass[rare].sum())
        index = np.concatenate([others, np.tile(rows, size)[keep]])
        self.take(index)
        held = np.array(self.stage.held[name])
        held[len(others) :] = values[keep]
        self.stage.held[name] = held
        self.mass = self.mass.copy()
        self.mass[:, len(others) :] *= chances[keep]
        done = self.due[name].copy()
        done[len(others) :] = False
        self.due[name] = done
        return lost


def rarest(mass: Array, allowed: float) -> float:
    """A power of two such that the masses below it add up to less than `allowed`."""
    exponents = np.frexp(mass)[1]  # mass < 2^exponent
    least = int(exponents.min())
    sums = np.cumsum(np.bincount(exponents - least, weights=mass))
    few = int(np.searchsorted(sums, allowed, side="left"))
    return float(np.ldexp(1.0, least + few - 1)) if few else 0.0


def _taken(array: Array | None, rows: Rows, count: int) -> Array | None:
    if array is None or array.shape[-1] != count:
        return array
    return array[..., rows]


def _ends(ends: Bounds, rows: Rows, count: int) -> Bounds:
    return _taken(ends[0], rows, count), _taken(ends[1], rows, count)


def joined(parts: Sequence[Case | None], sizes: Sequence[int]) -> Case:
    """One case over the rows of several parts, put behind one another; a part that is None has no chance."""
    names = {name for part in parts if part is not None for name in part.bounds}
    weight = None
    if any(part is None or part.weight is not None for part in parts):
        weight = _beside([np.zeros((1, 1)) if p is None else p.weight for p in parts], sizes, 1.0)
    bounds: dict[str, Bounds] = {}
    for name in names:
        ends = [(None, None) if p is None else p.bounds.get(name, (None, None)) for p in parts]
        bounds[name] = (_beside([e[0] for e in ends], sizes, -np.inf), _beside([e[1] for e in ends], sizes, np.inf))
    return Case(weight, bounds)


def _beside(arrays: Sequence[Array | None], sizes: Sequence[int], filler: float) -> Array | None:
    if all(a is None for a in arrays):
        return None
    theta = max(1 if a is None else a.shape[0] for a in arrays)
    whole = [
        np.broadcast_to(np.full((1, 1), filler) if a is None else a, (theta, size))
        for a, size in zip(arrays, sizes, strict=True)
    ]
    return np.concatenate(whole, axis=1)


def points_of(law: Any, count: int) -> tuple[Array, Array]:
    """(values, chances), each (values, rows or 1), of a law with finitely many values. Unsolved for others."""
    if isinstance(law, vector_laws.Table):
        values, weights = law.values, [np.asarray(w, dtype=np.float64) / law.total for w in law.weights]
    else:
        found = law.support() if isinstance(law, vector_laws.VectorLaw) else None
        if found is None:
            raise Unsolved("a choice from a law with infinitely many values")
        values, weights = list(found), [law.pmf(v) for v in found]
    if any(shape_of(v) for v in values) or any(shape_of(w) for w in weights):
        raise Unsolved("a random vector")
    return _table(values, count), _table(weights, count)


def _table(rows: Sequence[Any], count: int) -> Array:
    arrays = [np.atleast_1d(np.asarray(r, dtype=np.float64)) for r in rows]
    width = max(len(a) for a in arrays)
    if width not in (1, count):
        raise Unsolved("a random choice of another shape")
    return np.array([np.broadcast_to(a, (width,)) for a in arrays])
