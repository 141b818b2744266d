"""The search for the best mixture of policies: column generation.

Policies are columns of a linear program (`master.py`); its prices of the two errors ask for the next policy
(`pricing.py`), until the best Lagrangian bound is near the value of the mixture. Then sizes that are not on the menu
are tried, and the search goes on with those that would do better somewhere."""

from __future__ import annotations

import numpy as np

from seqlang.design.blocks import Blocks
from seqlang.design.entry import Array
from seqlang.design.evaluation import evaluate
from seqlang.design.master import Column, Mixture, best_mixture
from seqlang.design.policy import Policy, policy_of
from seqlang.design.pricing import Prices, Table, best_values, decide, knots_for, stopping
from seqlang.process.doing import doing
from seqlang.process.time_limit import over
from seqlang.record import record

KNOTS = 0.06
"""Distance of two knots, in log-odds. Values between them are interpolated, with an error of its square."""
SIZES = 30
"""Sizes of the first, geometric menu, and sizes that are added at once."""
TRIED = 120
"""Sizes beyond the menu that are tried."""
NEAR = 1e-3
"""The search ends when the mixture is within this part of the best bound."""
STICKY = 1e-4
"""A schedule keeps a block size while another would save less than this part of the whole cost."""
ROUNDS = 60
SPARE = 1e-9
"""The errors aimed at are smaller by this part, so that both are kept whatever rounding does."""


@record
class Found:
    """All columns, the mixture, and the bound: no policy with the sizes of the menu, mixed or not, costs less."""

    columns: tuple[Column, ...]
    mixture: Mixture
    bound: float


class Search:
    """What the rounds share: the menu of sizes and its tables, the columns so far, the best bound. `most` is the
    largest size that is tried."""

    def __init__(self, blocks: Blocks, most: int, lattice: float, near: float = NEAR, knots: float = KNOTS) -> None:
        self.blocks, self.most, self.near, self.lattice = blocks, most, near, lattice
        alpha, beta = blocks.problem.errors
        self.errors = (alpha * (1 - SPARE), beta * (1 - SPARE))
        reach = float(np.log(1 / min(alpha, beta))) + 3
        self.knots = knots_for(reach, knots)
        self.scores = knots_for(reach, lattice)
        self.columns: list[Column] = []
        self.bound = 0.0
        self.values: Array | None = None
        self._tabulate(geometric_menu(self.least_size(), most, SIZES))

    def least_size(self) -> int:
        """The least size of which some score reaches three steps of the lattice: smaller blocks would be lost in
        rounding."""
        size = 1
        while np.abs(self.blocks[size].ratio).max() < 3 * self.lattice and size < self.most:
            size += 1
        return size

    def _tabulate(self, menu: tuple[int, ...]) -> None:
        self.menu = menu
        self.coarse = Table(self.blocks, menu, self.knots, self.knots)
        self.fine = Table(self.blocks, menu, self.scores, self.knots)

    def run(self) -> Found:
        """The best mixture. Raises ValueError where none keeps both errors."""
        prices = Prices(self.most / self.errors[0], self.most / self.errors[1])
        mixture: Mixture | None = None
        for _ in range(ROUNDS):
            doing(f"policy {len(self.columns) + 1}, {len(self.menu)} block sizes")
            count = len(self.columns)
            bound = self.add_best(prices)
            mixture = best_mixture(self.columns, self.errors)
            if mixture is None:
                prices = Prices(prices.null * 3, prices.alternative * 3)
                continue
            self.bound = max(self.bound, bound)
            prices = self._balanced(mixture.prices)
            if over():
                break
            settled = len(self.columns) == count  # the same policy again: what is left is rounding of scores
            if settled or mixture.cost - self.bound <= self.near * mixture.cost:
                if not self._more_sizes(prices):
                    break
                self.bound = 0.0
        if mixture is None:
            raise ValueError("no policy keeps both errors")
        return Found(tuple(self.columns), mixture, self.bound)

    def _balanced(self, prices: Prices) -> Prices:
        """Where both hypotheses look alike, so do their prices: only their sum matters to mirrored policies."""
        if not self.blocks.problem.symmetric:
            return prices
        mean = (prices.null + prices.alternative) / 2
        return Prices(mean, mean)

    def add_best(self, prices: Prices) -> float:
        """Adds the best policy at these prices, if it is new; returns the Lagrangian bound."""
        doubled = Prices(2 * prices.null, 2 * prices.alternative)
        self.values = best_values(self.coarse, doubled, self.values)
        middle = len(self.knots) // 2
        at_once = 1 + float(stopping(doubled, np.zeros(1)).min())
        at_start = min(at_once, float(self.coarse.continued(self.values)[:, middle].min()))
        sizes = decide(self.fine, self.values, doubled, STICKY * at_start)
        policy = policy_of(sizes, self.lattice, self.blocks.problem.symmetric)
        if all(policy != column.policy for column in self.columns):
            self.columns.append(self.column(policy))
        return at_start - prices.null * self.errors[0] - prices.alternative * self.errors[1]

    def column(self, policy: Policy) -> Column:
        """The policy with its exact evaluations."""
        sides = [evaluate(policy, self.blocks.laws(side), self.blocks.scores(self.lattice)) for side in (0, 1)]
        w0, w1 = self.blocks.problem.weights
        return Column(policy, sides[0], sides[1], w0 * sides[0].steps + w1 * sides[1].steps)

    def _more_sizes(self, prices: Prices) -> bool:
        """Adds the sizes that would do better somewhere than all of the menu, and tells whether there were any."""
        doubled = Prices(2 * prices.null, 2 * prices.alternative)
        values = best_values(self.coarse, doubled, self.values)
        used = sorted({m for column in self.columns for m in column.policy.sizes if m > 0})
        gains = {}
        for size in neighbours(used, self.menu, TRIED):
            table = Table(self.blocks, (size,), self.knots[::3], self.knots)
            gain = float((values[::3] - table.continued(values)[0]).max())
            if gain > self.near * values[len(values) // 2] / 10:
                gains[size] = gain
        better = sorted(gains, key=lambda size: -gains[size])[:SIZES]
        if better:
            self._tabulate(tuple(sorted({*used, *better})))
        return bool(better)


def neighbours(used: list[int], menu: tuple[int, ...], count: int) -> list[int]:
    """At most about `count` sizes that are not on the menu, spread over all between the sizes next to those used."""
    places = {menu.index(m) for m in used if m in menu}
    lows = [(menu[max(0, i - 1)], menu[min(len(menu) - 1, i + 1)]) for i in places]
    found = sorted({m for low, high in lows for m in range(low, high + 1)} - set(menu))
    return found[:: max(1, len(found) // count)]


def geometric_menu(least: int, most: int, count: int) -> tuple[int, ...]:
    """About `count` sizes, in equal proportions."""
    return tuple(sorted({int(m) for m in np.rint(np.geomspace(least, max(least, most), count))}))
