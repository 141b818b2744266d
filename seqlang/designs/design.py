"""A design: at most a few policies, a public coin between them, and what they do."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.evaluation import Seen, law_of_steps
from seqlang.designs.problem.entry import Array
from seqlang.designs.problem.problem import Problem
from seqlang.designs.search.master import Column, best_mixture
from seqlang.designs.search.search import SPARE, Found
from seqlang.record import record

DIGITS = 8
"""Decimals of the coin's chances, at least."""
FINER = 5
"""The coin has so many decimals more than the smaller error has zeros."""
QUANTILES = (0.5, 0.95, 0.99)


@record
class Design:
    """`chances` of the columns, in the order of the coin's faces, add up to 1; `bound`: no mixture of policies of the
    same kind costs less; None where no bound is known."""

    problem: Problem
    columns: tuple[Column, ...]
    chances: tuple[Fraction, ...]
    bound: float | None

    @property
    def cost(self) -> float:
        """What is minimised."""
        if self.problem.criterion.beyond is not None:
            return float(self.problem.criterion.beyond)
        costs = zip(*(column.costs for column in self.columns), strict=True)
        return max(float(sum(float(c) * x for c, x in zip(self.chances, found, strict=True))) for found in costs)

    @property
    def most(self) -> int | None:
        """The largest number of entries; None where there is none."""
        found = [column.policy.most for column in self.columns]
        return None if None in found else max(n for n in found if n is not None)

    def mean(self, side: str, what: str) -> float:
        """The mean over the coin of `reject`, `accept`, `steps` or `looks` under `null` or `alternative`."""
        found = (getattr(getattr(column, side), what) for column in self.columns)
        return float(sum(float(c) * value for c, value in zip(self.chances, found, strict=True)))


def single(problem: Problem, column: Column, bound: float | None) -> Design:
    """One schedule, and no coin."""
    return Design(problem, (column,), (Fraction(1),), bound)


def mixed(problem: Problem, found: Found) -> Design | None:
    """The mixture that was found, with a coin of few decimals; None where rounding does not leave it feasible."""
    alpha, beta = _aims(problem)
    digits = max(DIGITS, FINER + math.ceil(-math.log10(min(alpha, beta))))
    room = 4 * 10.0**-digits
    again = best_mixture(found.columns, (alpha - room, beta - room))
    if again is None:
        return None
    pairs = [(c, x) for c, x in zip(found.columns, again.chances, strict=True) if x > 10.0**-digits]
    return _rounded(problem, pairs, found.bound, 10**digits)


def _aims(problem: Problem) -> tuple[float, float]:
    alpha, beta = problem.errors
    return alpha * (1 - SPARE), beta * (1 - SPARE)


def _rounded(problem: Problem, pairs: list[tuple[Column, float]], bound: float | None, unit: int) -> Design | None:
    """Rounds the chances to parts of `unit`; what is left over goes to one of the columns, the cheapest with which both
    errors hold."""
    whole = [int(np.floor(x * unit)) for _, x in pairs]
    rest = unit - sum(whole)
    best: Design | None = None
    for place in range(len(pairs)):
        counts = [n + (rest if i == place else 0) for i, n in enumerate(whole)]
        listed = [(c, Fraction(n, unit)) for (c, _), n in zip(pairs, counts, strict=True) if n]
        made = Design(problem, tuple(c for c, _ in listed), tuple(x for _, x in listed), bound)
        errors = made.mean("null", "reject"), made.mean("alternative", "accept")
        if all(e <= a for e, a in zip(errors, _aims(problem), strict=True)) and (best is None or made.cost < best.cost):
            best = made
    return best


def mixed_law(design: Design, blocks: Blocks, laws: Seen) -> Array:
    """P(N = n) where blocks show these laws, for n = 0, 1, .. until next to nothing goes on."""
    parts = [law_of_steps(c.policy, laws, blocks.scores(c.policy.lattice), 1e-3) for c in design.columns]
    whole = np.zeros(max(map(len, parts)))
    for chance, law in zip(design.chances, parts, strict=True):
        whole[: len(law)] += float(chance) * law
    return whole


def quantiles(law: Array) -> dict[str, int | None]:
    """The least n with P(N <= n) >= level, by level."""
    below = np.cumsum(law)
    places = [int(np.searchsorted(below, q - 1e-12)) for q in QUANTILES]
    return {str(q): n if n < len(law) else None for q, n in zip(QUANTILES, places, strict=True)}
