"""What every law on arrays can do."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import CannotVectorise, Value, shape_of
from seqlang.backends.interpret.values import EvaluationError

Array: TypeAlias = NDArray[Any]


class VectorLaw:
    """A law whose parameters are numbers, or arrays with one entry a run."""

    joint = False
    parameters: tuple[Value, ...] = ()

    @property
    def by_parameters(self) -> bool:
        """Whether `at` makes the law anew from other parameters."""
        return False

    def at(self, parameters: tuple[float, ...]) -> VectorLaw:
        """The same law with these numbers as its parameters."""
        raise CannotVectorise(f"other parameters of {type(self).__name__.lower()}")

    def shape(self) -> tuple[int, ...]:
        """() for numbers, (d,) for vectors."""
        return max((shape_of(p) for p in self.parameters), key=len, default=())

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        """One value for each run of `source`, for a value of that shape: an array (*shape, runs)."""
        raise CannotVectorise(f"drawing from {type(self).__name__.lower()}")

    def formula(self, method: str, x: Value) -> Value:
        """`method` is pmf, pdf or cdf. Raises CannotVectorise for a law that has none here."""
        raise CannotVectorise(f"the {method} of {type(self).__name__.lower()}")

    def pmf(self, x: Value) -> Value:
        """The chance of each x."""
        return self.formula("pmf", x)

    def pdf(self, x: Value) -> Value:
        """The density at each x."""
        return self.formula("pdf", x)

    def cdf(self, x: Value) -> Value:
        """The chance of at most x."""
        return self.formula("cdf", x)

    def quantile(self, u: Array) -> Array | None:
        """The value below which this share lies; None where it is not known."""
        return None

    def support(self) -> tuple[Value, ...] | None:
        """All values, if they are finitely many and known; else None."""
        return None


def require(ok: Value, message: str) -> None:
    if not np.all(ok):
        raise EvaluationError(message)
