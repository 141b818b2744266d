"""A frontier as one vector: mass by state."""

from __future__ import annotations

import numpy as np

from seqlang.analyses.weak.profile import Array
from seqlang.record import record


@record
class Vector:
    """The runs that have not stopped after `step` steps: `mass` by state, before the chance of what is known of
    persistent noises (`chances`, by state) is counted. See `Frontier`."""

    step: int
    mass: Array
    chances: Array
    lost: float

    @property
    def survivors(self) -> Array:
        return np.array([self.mass @ self.chances])

    @property
    def size(self) -> int:
        return int(self.mass.size)
