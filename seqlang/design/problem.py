"""What is asked for: two hypotheses, errors, privacy, a criterion, constraints.

A `Problem` is what the command and the Python function make from their arguments, already checked.
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.design.criterion import Criterion, Limits
from seqlang.design.data.readings import Reading
from seqlang.design.entry import Entry
from seqlang.design.privacy import Privacy
from seqlang.record import record

ALIKE = Fraction(1, 10**12)
"""Chances that differ by less are the same: they may come from functions that are computed."""


@record
class Problem:
    """`stream` is its name in the spec. `reading`: how an entry becomes a level; None for a coin."""

    null: Entry
    alternative: Entry
    alpha: Fraction
    beta: Fraction
    privacy: Privacy
    criterion: Criterion = Criterion()
    stream: str = "x"
    public_coin: bool = True
    reading: Reading | None = None
    limits: Limits = Limits()

    @property
    def errors(self) -> tuple[float, float]:
        """The nominal error under the null and under the alternative."""
        return float(self.alpha), float(self.beta)

    @property
    def weights(self) -> tuple[float, float]:
        """Those of E[N] under the null and under the alternative: of their sum, the criterion is never less."""
        return self.criterion.weights

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the hypotheses is the same as reading each entry from its other end."""
        return (
            self.alpha == self.beta
            and self.weights[0] == self.weights[1]
            and len(self.null.chances) == len(self.alternative.chances)
            and all(
                abs(p - q) <= ALIKE for p, q in zip(self.null.chances, reversed(self.alternative.chances), strict=True)
            )
        )
