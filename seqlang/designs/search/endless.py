"""The best policy at given prices where a test stops to reject only, and has no end: of power one.

It rejects the null with a chance that has a price, and is as cheap as can be where the alternative holds, whose entries
alone count. So far down that runs of the alternative hardly come there, blocks have one size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.policy import NEVER, Policy, Row
from seqlang.designs.search.free import Free
from seqlang.designs.search.master import Column
from seqlang.designs.search.pricing import Prices
from seqlang.record import replace

LARGER = 2
"""Sizes up to so many times the best fixed size are tried: from far below, a large block is the best way back."""
BEYOND, STEADY = 5.0, 2.0
"""Log-odds of the last knots beyond those of the error, and from how far above the last knots blocks have one size:
there what lies beyond the knots, and is taken to cost nothing, has an influence."""


class Endless:
    """A `Pricer`: `Free` where it never pays to accept."""

    def __init__(self, blocks: Blocks, most: int, lattice: float, knots: float | None = None) -> None:
        self.free = Free(blocks, LARGER * most, lattice, knots, BEYOND)
        self.lattice, self.most = lattice, self.free.most

    @property
    def about(self) -> str:
        return self.free.about

    def best(self, prices: Prices, places: tuple[Fraction, ...] = ()) -> tuple[Policy, float]:
        """A policy that is best at these prices, nearly, and a bound from below on what any costs at them."""
        policy, at_start = self.free.best(_never_accepting(prices), places)
        return self._extended(policy), at_start

    def _extended(self, policy: Policy) -> Policy:
        if policy.at_once is not None:
            return policy
        (row,) = policy.rows
        steady = max(0, math.ceil((self.free.knots[0] + STEADY) / self.lattice) - row.low)
        size = row.sizes[min(steady, len(row.sizes) - 1)]
        low = -math.ceil(NEVER / self.lattice)
        sizes = (size,) * (row.low + steady - low) + row.sizes[steady:]
        return replace(policy, rows=(Row(0, low, sizes),), endless=True)

    def finer(self, columns: Sequence[Column], prices: Prices) -> bool:
        """Adds the sizes that would do better somewhere than all of the menu, and tells whether there were any."""
        return self.free.finer(columns, _never_accepting(prices))

    def bound(self, known: float, prices: Prices, places: tuple[Fraction, ...]) -> float:
        return known


def _never_accepting(prices: Prices) -> Prices:
    return replace(prices, alternative=math.inf)
