"""A number that was computed, but not enclosed. An `Enclosure` is another type: only that proves or refutes."""

from __future__ import annotations

from seqlang.record import record


@record
class Estimate:
    """`value` seems to lie between `low` and `high`. Nothing proves it: the ends come from the difference of several
    computations, or from what an extrapolation supposes. An end is infinite where not even that is known."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """How far the value seems to be from the true one at most."""
        return max(self.high - self.value, self.value - self.low)
