"""Between which values an expression stays, as a value. Derived in `ranges`, read by every rule."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.record import record
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO


@record
class Range:
    """low <= value <= high (a vector: every coordinate). `norm` bounds the l2 norm of a vector; `values` are all values
    if they are known and finitely many; `note` says what is missing for a bound."""

    low: Formula | None = None
    high: Formula | None = None
    integer: bool = False
    values: tuple[Formula, ...] | None = None
    norm: Formula | None = None
    note: str = ""

    @property
    def is_bounded(self) -> bool:
        return self.low is not None and self.high is not None


ANYTHING = Range()
BIT = Range(ZERO, ONE, True, (ZERO, ONE))
NOTHING = Range(note="it may be of no element at all, and then it has no value")
