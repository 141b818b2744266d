"""The frontier of a chain on a lattice."""

from __future__ import annotations

import numpy as np

from seqlang.backends.solve.solution import Array
from seqlang.record import record


@record
class Band:
    """The runs that have not stopped after `step` steps; row j of `mass` is k = low + j."""

    step: int
    low: int
    mass: Array
    lost: float
    cost: float = 0.0

    @property
    def survivors(self) -> Array:
        return np.asarray(self.mass.sum(axis=0))

    @property
    def size(self) -> int:
        return int(self.mass.size)

    @property
    def terms(self) -> float:
        """In how many terms a probability was summed at most."""
        return float(len(self.mass))
