"""Exact signs of formulas at the program's parameter values, remembered: alignments ask for the same few again and
again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from seqlang.arithmetic.compare import compare
from seqlang.arithmetic.formula import ZERO, Formula
from seqlang.arithmetic.nodes import ONE, split_coefficient


class Signs:
    """-1, 0 or 1 of a formula at fixed parameter values; None if it cannot be decided. Nothing is rounded."""

    def __init__(self, values: Mapping[str, Fraction]) -> None:
        self.values = values
        self._known: dict[Formula, int | None] = {ONE: 1}

    def of(self, formula: Formula) -> int | None:
        coefficient, rest = split_coefficient(formula)
        if coefficient == 0:
            return 0
        if rest not in self._known:
            self._known[rest] = _sign(rest, self.values)
        known = self._known[rest]
        return None if known is None else known if coefficient > 0 else -known

    def at_least(self, a: Formula, b: Formula) -> bool:
        """Certainly a >= b."""
        return self.of(a - b) in (0, 1)

    def equal(self, a: Formula, b: Formula) -> bool:
        """Certainly a = b."""
        return a == b or self.of(a - b) == 0


def _sign(formula: Formula, values: Mapping[str, Fraction]) -> int | None:
    match compare(formula, ZERO, values):
        case "less":
            return -1
        case "equal":
            return 0
        case "greater":
            return 1
        case _:
            return None
