"""What everything that was found says from below: every witness in every line that it bounds.

A witness is two neighbours and an event: it bounds the pure loss, epsilon at every delta, and Renyi divergences of all
orders. What one entry tells on average, it tells in the worst case, under models for which a strong bound holds on
average (`rules/average_case`): the exact laws of weak privacy bound the strong numbers too, where they are enclosed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from seqlang.analyses.refute import ORDERS, length_of
from seqlang.analyses.witnesses.confirm import epsilon_at, renyi
from seqlang.model.program import Program
from seqlang.proof.witness import Witness
from seqlang.record import record
from seqlang.rules.average_case import not_on_average
from seqlang.rules.claims import longest_run

if TYPE_CHECKING:
    from seqlang.analyses.weak.summary import Least


@record
class Lowers:
    """Lower bounds of strong privacy; 0 where nothing is known. `horizon` is that of the proved bound beside it: what
    was seen in longer runs does not speak of it (None: runs of every length)."""

    program: Program
    witnesses: tuple[Witness, ...]
    weak: tuple[Least, ...] = ()

    @property
    def best(self) -> Witness | None:
        """The witness with the largest loss, the first of these."""
        return max(self.witnesses, key=lambda w: w.lower, default=None)

    @property
    def pure(self) -> float:
        return max((*(w.lower for w in self.witnesses), *(w.pure.lower for w in self._average(None))), default=0.0)

    @property
    def by_average(self) -> str:
        """The model whose exact law says more of the pure loss than every witness; "" if none does."""
        witnessed = 0.0 if self.best is None else self.best.lower
        return next((w.model for w in self._average(None) if witnessed < w.pure.lower == self.pure), "")

    def dp(self, delta: Fraction, horizon: int | None = None) -> float:
        """Of epsilon at `delta`."""
        seen = [epsilon_at(w, float(delta)) for w in self._within(horizon)]
        seen += [w.epsilon.lower for w in self._average(horizon) if delta <= w.delta]
        return max(seen, default=0.0)

    def rdp(self, order: Fraction, horizon: int | None = None) -> float:
        """Of the Renyi divergence of `order` > 1."""
        return max((renyi(w, float(order)) for w in self._within(horizon)), default=0.0) if order > 1 else 0.0

    def zcdp(self, horizon: int | None = None) -> float:
        """Of rho: the largest Renyi divergence over its order."""
        ratios = (renyi(w, order) / order for w in self._within(horizon) for order in ORDERS)
        return max(ratios, default=0.0)

    def _within(self, horizon: int | None) -> list[Witness]:
        return [w for w in self.witnesses if horizon is None or length_of(w) <= horizon]

    def _average(self, horizon: int | None) -> list[Least]:
        end = longest_run(self.program)
        if horizon is not None and (end is None or end > horizon):
            return []
        return [w for w in self.weak if w.enclosed and not_on_average(self.program, w.model) is None]
