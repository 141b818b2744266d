"""The search for the best mixture of policies: column generation.

Policies are columns of a linear program (`master.py`); its prices of the two errors ask for the next policy, until the
best Lagrangian bound is near the value of the mixture. Who answers is a pricer: `free.py` for tests that may look at
any time, `staged.py` for tests with an end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.evaluation import evaluate, law_of_steps
from seqlang.designs.blocks.places import steps_at, worst_place
from seqlang.designs.blocks.policy import DECISIONS, Policy
from seqlang.designs.in_time import in_time
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.search.master import Column, Mixture, best_mixture
from seqlang.designs.search.pricing import Prices
from seqlang.process.doing import doing
from seqlang.process.time_limit import over
from seqlang.record import record, replace

NEAR = 1e-4
"""The search ends when the mixture is within this part of the best bound."""
ROUNDS = 120
SPARE = 1e-9
"""The errors aimed at are smaller by this part, so that both are kept whatever rounding does."""
SURE = 1e-3
"""A chance is met, or cannot be met, with so much to spare."""
WORSE = 2e-4
"""Another place between the hypotheses counts if it is worse by this part."""


@record
class Found:
    """All columns, the mixture, and the bound: no policy of the same kind, mixed or not, costs less; None where the
    time limit left none."""

    columns: tuple[Column, ...]
    mixture: Mixture
    bound: float | None


class Pricer(Protocol):
    """Knows the best policy where a wrong decision has a price."""

    lattice: float
    most: int

    @property
    def about(self) -> str: ...

    def best(self, prices: Prices, places: tuple[Fraction, ...]) -> tuple[Policy, float]:
        """A policy, and the least cost at these prices, from below where no places count. `places`: which count."""
        ...

    def finer(self, columns: Sequence[Column], prices: Prices) -> bool:
        """Refines what policies it knows, if there is anything to gain."""
        ...

    def bound(self, known: float, prices: Prices, places: tuple[Fraction, ...]) -> float:
        """On the optimum; `known` is the best one by `best`, and `prices` are near the best ones."""
        ...


class Search:
    """What the rounds share: the columns so far, the best bound, the places between the hypotheses that count."""

    def __init__(self, blocks: Blocks, pricer: Pricer) -> None:
        self.blocks, self.pricer, self.lattice = blocks, pricer, pricer.lattice
        alpha, beta = blocks.problem.errors
        self.errors = (alpha * (1 - SPARE), beta * (1 - SPARE))
        self.columns: list[Column] = []
        self.places = blocks.problem.criterion.places
        self.bound = 0.0

    def run(self) -> Found:
        """The best mixture. Raises Infeasible where none keeps both errors."""
        most = float(self.blocks.problem.criterion.cost(np.array([float(self.pricer.most)]))[0])
        prices = Prices(most / self.errors[0], most / self.errors[1])
        mixture: Mixture | None = None
        for _ in range(ROUNDS):
            doing(f"policy {len(self.columns) + 1}, {self.pricer.about}")
            count = len(self.columns)
            bound = self.add_best(prices)
            mixture = best_mixture(self.columns, self.errors)
            if mixture is None:
                prices = self._dearer(prices, len(self.columns) == count)
                continue
            self.bound = max(self.bound, bound)
            prices = mixture.prices
            if over() or self._known(mixture.cost):
                break
            settled = len(self.columns) == count  # the same policy again: what is left is rounding of scores
            if settled or mixture.cost - self.bound <= NEAR * mixture.cost:
                if self._another_place(mixture):
                    again = best_mixture(self.columns, self.errors)
                    prices = prices if again is None else again.prices
                    continue
                if not self.pricer.finer(self.columns, prices):
                    break
                self.bound = 0.0
        if mixture is None:
            raise Infeasible("no policy keeps both errors within these constraints")
        prices = mixture.prices
        least = in_time("a bound on the optimum", [], lambda: self.pricer.bound(self.bound, prices, self.places))
        return Found(tuple(self.columns), mixture, least)

    def _known(self, cost: float) -> bool:
        """Whether it is known that the chance asked for is met, or cannot be."""
        level = self.blocks.problem.criterion.level
        return level is not None and (cost <= 1 - level - SURE or self.bound > 1 - level + SURE)

    def _dearer(self, prices: Prices, same: bool) -> Prices:
        """Higher prices of the errors that the last policy does not keep; of both if it keeps them, or if it is the
        `same` again: where the other error is cheap, no price of one leads to a policy that looks for long."""
        broken = [error > most for error, most in zip(self.columns[-1].errors, self.errors, strict=True)]
        up = [3 if wrong or same or not any(broken) else 1 for wrong in broken]
        return replace(prices, null=prices.null * up[0], alternative=prices.alternative * up[1])

    def add_best(self, prices: Prices) -> float:
        """Adds the best policy at these prices, if it is new; returns the Lagrangian bound."""
        policy, at_start = self.pricer.best(prices, self.places)
        labels = DECISIONS if self.blocks.problem.course == "both ends" else DECISIONS[:1]
        same = [policy] if policy.at_once is None else [replace(policy, at_once=label) for label in labels]
        for one in same:  # whoever decides without looking may decide either way
            if all(one != column.policy for column in self.columns):
                self.columns.append(self.column(one))
        return at_start - prices.null * self.errors[0] - prices.alternative * self.errors[1]

    def column(self, policy: Policy) -> Column:
        """The policy with its exact evaluations."""
        scores = self.blocks.scores(self.lattice)
        sides = [evaluate(policy, self.blocks.laws(side), scores) for side in (0, 1)]
        if policy.ignoring is not None:
            sides[0] = replace(sides[0], reject=evaluate(policy.ignoring, self.blocks.laws(0), scores).reject)
        criterion = self.blocks.problem.criterion
        if criterion.beyond is not None:
            laws = [law_of_steps(policy, self.blocks.laws(side), scores, 0.0) for side in (0, 1)]
            means = [float(law @ criterion.cost(np.arange(float(len(law))))) for law in laws]
        else:
            means = [side.steps for side in sides]
        costs = tuple(self._steps(policy, place) for place in self.places)
        mean = sum(weight * n for weight, n in zip(criterion.weights, means, strict=True) if weight)  # 0 times infinity
        return Column(policy, sides[0], sides[1], costs or (float(mean),))

    def _steps(self, policy: Policy, place: Fraction) -> float:
        return steps_at([(1.0, policy)], self.blocks, place)

    def _another_place(self, mixture: Mixture) -> bool:
        """Lets another place count where the mixture expects more entries, if the worst is asked for."""
        if not self.blocks.problem.criterion.worst:
            return False
        plans = [(x, c.policy) for x, c in zip(mixture.chances, self.columns, strict=True) if x > 0]
        place = worst_place(plans, self.blocks)
        if place in self.places or steps_at(plans, self.blocks, place) <= mixture.cost * (1 + WORSE):
            return False
        self.places = (*self.places, place)
        self.columns = [replace(c, costs=(*c.costs, self._steps(c.policy, place))) for c in self.columns]
        return True
