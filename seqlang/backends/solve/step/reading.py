"""What the tests of a step read of the states in which they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from seqlang.backends.arrays.frame import Run
from seqlang.backends.arrays.values import Value
from seqlang.backends.solve.step.rounding_of_sums import RoundingBound
from seqlang.source import Span

Array = NDArray[Any]


class Reading(Protocol):
    """`count` states at one place of a step, one a row: `body.Stage` has the states of `solve`, the estimate of rare
    returns has its weighted runs. `strict`: what is not a number is an error where it is compared; otherwise the
    comparison is false there, and the rows are noted."""

    @property
    def count(self) -> int: ...

    @property
    def strict(self) -> bool: ...

    @property
    def held(self) -> Mapping[str, Value]:
        """The values of noises that are known, one a row."""

    def value(self, run: Run) -> Value:
        """The value of a compiled expression on all rows."""

    def numbers(self, run: Run) -> Array:
        """The value as an array (rows,) or (1,); raises an error for vectors."""

    def drift(self, run: Run, bound: Mapping[int, float]) -> Array:
        """See `rounding_of_sums.size_of`."""

    def off(self, name: str) -> RoundingBound:
        """How far the sum in this cell or memory may be off."""

    def check(self, bad: Value, what: str, span: Span) -> None:
        """Raises an error if `what` is not a number in a row that counts; `bad` marks the rows where it is not."""
