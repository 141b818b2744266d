"""The watched expressions at the stops. A label in such an expression says whether the run returns it; the label
`stops` is true at every stop."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.model import expression as ir
from seqlang.model.outcomes import for_outcome


class Watched:
    """`at(step, environment, rows)`: (expressions, stops, rows), mixed over what a stop may return."""

    def __init__(self, chances: Chances, watch: tuple[ir.Expression, ...]) -> None:
        self.chances = chances
        self.count = len(watch)
        self._variants = tuple(for_outcome(e, outcome) for e in watch for outcome in chances.outcomes)
        self._distinct = tuple(dict.fromkeys(self._variants))
        self._places = [self._distinct.index(v) for v in self._variants]

    def at(self, step: Any, environment: Environment, rows: int) -> Array:
        values = self.chances.values(step, environment, self._distinct)
        values = np.broadcast_to(values, (len(self._distinct), rows))[self._places]
        values = values.reshape(self.count, len(self.chances.outcomes), rows)
        return np.asarray(np.einsum("so,wor->wsr", self.chances.mixing, values))
