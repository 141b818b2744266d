"""The privacy that a design is asked to keep."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from seqlang.designs.problem.decimal import decimal
from seqlang.record import record

Notion = Literal["pure", "zcdp", "dp", "rdp", "none"]


@record
class Privacy:
    """`pure(eps)`, `zcdp(rho)`, `dp(eps, delta)`, `rdp(order, eps)`, or none."""

    notion: Notion
    arguments: tuple[Fraction, ...] = ()

    @property
    def text(self) -> str:
        """As the language writes it."""
        return f"{self.notion}({', '.join(map(decimal, self.arguments))})" if self.arguments else self.notion
