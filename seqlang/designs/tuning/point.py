"""What was found at one choice of the free parameters."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf

from seqlang.record import record

UNKNOWN = (-inf, inf)
"""An objective of which nothing is known."""


@record
class Point:
    """`objective` is an interval that holds its value. `excess`: by how much each constraint is missed, about the
    logarithm of a ratio; it is proved where this is 0 or less. `possible`: the spec allows these values."""

    values: Mapping[str, Fraction]
    objective: tuple[float, float]
    excess: tuple[float, ...]
    possible: bool = True

    @property
    def feasible(self) -> bool:
        """Every constraint is proved, and the objective has an upper bound."""
        return self.possible and all(e <= 0 for e in self.excess) and self.objective[1] < inf

    @property
    def violation(self) -> float:
        """How far it is from feasible; infinite where that cannot be told."""
        if not self.possible:
            return inf
        return sum(max(0.0, e) for e in self.excess)


def better(first: Point, second: Point | None) -> bool:
    """Feasible before infeasible, then the lower objective (its upper end), or the smaller violation."""
    if second is None:
        return True
    if first.feasible or second.feasible:
        return first.feasible and (not second.feasible or first.objective[1] < second.objective[1])
    return first.violation < second.violation
