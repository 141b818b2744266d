"""The best policy at given prices where a test may look whenever it likes and has no end.

Its sizes are from a menu, at first a geometric one; once prices have settled, sizes that are not on the menu are tried,
and those that would do better somewhere are added."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.policy import Policy, always
from seqlang.designs.problem.entry import Array
from seqlang.designs.search.master import Column
from seqlang.designs.search.pricing import Prices, Table, best_values, decide, knots_for, stopping

KNOTS = 0.06
"""Distance of two knots, in log-odds. Values between them are interpolated, with an error of its square."""
MOST_KNOTS = 400
"""Where the errors are so small that there would be more knots, they are further apart."""
SIZES = 30
"""Sizes of the first, geometric menu, and sizes that are added at once."""
TRIED = 120
"""Sizes beyond the menu that are tried."""
BEYOND = 3.0
"""Log-odds of the last knots beyond those of the smaller error."""
GAIN = 1e-4
"""A size is added that saves this part of the whole cost somewhere."""
NEARLY = 1e-3
"""The menu keeps the sizes of policies that cost at most this part more than the best: those that were met on the way
to the prices would make its tables long."""
STICKY = 1e-4
"""A schedule keeps a block size while another would save less than this part of the whole cost."""


class Free:
    """The tables of the menu. `most` is the largest size that is tried."""

    def __init__(
        self, blocks: Blocks, most: int, lattice: float, knots: float | None = None, beyond: float = BEYOND
    ) -> None:
        self.blocks, self.most, self.lattice = blocks, most, lattice
        reach = float(np.log(1 / min(blocks.problem.errors))) + beyond
        self.knots = knots_for(reach, max(KNOTS, 2 * reach / MOST_KNOTS) if knots is None else knots)
        self.scores = knots_for(reach, lattice)
        self.values: Array | None = None
        self._tabulate(blocks.problem.limits.fit(geometric_menu(self.least_size(), most, SIZES)))

    def least_size(self) -> int:
        """The least size of which some score reaches three steps of the lattice: smaller blocks would be lost in
        rounding."""
        size = turns = self.blocks.problem.turns
        while np.abs(self.blocks[size].ratio).max() < 3 * self.lattice and size < self.most:
            size += turns
        return size

    def _tabulate(self, menu: tuple[int, ...], coarse: Table | None = None, fine: Table | None = None) -> None:
        """With what is known of sizes that stay on the menu."""
        self.menu = menu
        self.coarse = Table(self.blocks, menu, self.knots, self.knots, coarse)
        self.fine = Table(self.blocks, menu, self.scores, self.knots, fine)

    @property
    def about(self) -> str:
        return f"{len(self.menu)} block sizes"

    def best(self, prices: Prices, places: tuple[Fraction, ...] = ()) -> tuple[Policy, float]:
        """A policy that is best at these prices, nearly, and a bound from below on what any costs at them."""
        prices = self._balanced(prices)
        doubled = Prices(2 * prices.null, 2 * prices.alternative)
        self.values = best_values(self.coarse, doubled, self.values)
        middle = len(self.knots) // 2
        at_once = 1 + float(stopping(doubled, np.zeros(1)).min())
        at_start = min(at_once, float(self.coarse.continued(self.values)[:, middle].min()))
        choice = decide(self.fine, self.values, doubled, STICKY * at_start)
        return always(self.lattice, choice, self.blocks.problem.symmetric), at_start

    def _balanced(self, prices: Prices) -> Prices:
        """Where both hypotheses look alike, so do their prices: only their sum matters to mirrored policies."""
        if not self.blocks.problem.symmetric:
            return prices
        mean = (prices.null + prices.alternative) / 2
        return Prices(mean, mean)

    def finer(self, columns: Sequence[Column], prices: Prices) -> bool:
        """Adds the sizes that would do better somewhere than all of the menu, and tells whether there were any."""
        prices = self._balanced(prices)
        doubled = Prices(2 * prices.null, 2 * prices.alternative)
        values = best_values(self.coarse, doubled, self.values)
        used = sorted({m for column in _nearly_best(columns, prices) for m in column.policy.sizes})
        tried = set(self.blocks.problem.limits.fit(neighbours(used, self.menu, TRIED))) - set(self.menu)
        gains = {}
        for size in sorted(tried):
            table = Table(self.blocks, (size,), self.knots[::3], self.knots)
            gain = float((values[::3] - table.continued(values)[0]).max())
            if gain > GAIN * values[len(values) // 2]:
                gains[size] = gain
        better = sorted(gains, key=lambda size: -gains[size])[:SIZES]
        if better:
            self._tabulate(tuple(sorted({*used, *better})), self.coarse, self.fine)
        return bool(better)

    def bound(self, known: float, prices: Prices, places: tuple[Fraction, ...]) -> float:
        return known


def _nearly_best(columns: Sequence[Column], prices: Prices) -> list[Column]:
    """Those that cost next to as little as the best one at these prices."""
    costs = [c.cost + prices.null * c.errors[0] + prices.alternative * c.errors[1] for c in columns]
    return [c for c, cost in zip(columns, costs, strict=True) if cost <= min(costs) * (1 + NEARLY)]


def neighbours(used: list[int], menu: tuple[int, ...], count: int) -> list[int]:
    """At most about `count` sizes that are not on the menu, spread over all between the sizes next to those used."""
    places = {menu.index(m) for m in used if m in menu}
    lows = [(menu[max(0, i - 1)], menu[min(len(menu) - 1, i + 1)]) for i in places]
    found = sorted({m for low, high in lows for m in range(low, high + 1)} - set(menu))
    return found[:: max(1, len(found) // count)]


def geometric_menu(least: int, most: int, count: int) -> tuple[int, ...]:
    """About `count` sizes, in equal proportions."""
    return tuple(sorted({int(m) for m in np.rint(np.geomspace(least, max(least, most), count))}))
