"""The states of an explored chain between two steps, as the recursion sees them."""

from __future__ import annotations

import numpy as np

from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.states.end_of_step import States
from seqlang.record import record

NANOSECONDS = 5.0
"""The time that `recursion.py` allows for one number, in nanoseconds."""


@record
class ExploredFrontier:
    """The states after `step` steps; nothing in it is changed by a step. `lost` is the mass of rare states dropped so
    far, `size` the time of the step that led here, in nanoseconds."""

    step: int
    states: States
    lost: float
    size: int = 0

    @property
    def cost(self) -> float:
        return self.size / NANOSECONDS

    @property
    def terms(self) -> float:
        """In how many terms a probability of the step that led here was summed at most."""
        return float(self.states.count)

    @property
    def survivors(self) -> Array:
        return np.asarray(self.states.chances().sum(axis=1))
