"""What released sums say of the hypotheses, whenever one looks.

p-value. Let E_k be the likelihood ratio of the first k released values, alternative against null. Under the null it is
a martingale with mean 1, whatever rule chooses the sizes from what was released, so that P(E_k >= 1/a for some k) <= a
(Ville 1939): the least 1/E_j of all j <= k is a p-value at every k, and at every stop.

Interval, for coins. With L_k(p) the likelihood at the chance p, and M_k its mean over a grid of chances, M_k / L_k(p)
is such a martingale under p: {p: L_k(p) >= a M_k} holds the true chance at all k together with probability at least
1 - a (Darling & Robbins 1967; Robbins 1970).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

Array = NDArray[np.float64]
GRID = 4001
"""Chances of a 1 in the prior: (i + 1/2) / GRID."""
LEAST = 1e-300
"""No chance is taken to be smaller."""
LAWS = tuple[Array, Array]
"""Values and their chances."""


def chances_of(one: LAWS, other: LAWS, value: float, ratio: float) -> tuple[float, float]:
    """The chances of a released value under two laws, at least LEAST. Beyond a table the chance falls by `ratio` from
    value to value, which geometric noise does beyond the possible sums; 1 where next to nothing lies beyond the table.
    Beyond both tables the likelihood ratio hence stays what it is at the last value of either."""
    held = float(np.clip(value, min(one[0][0], other[0][0]), max(one[0][-1], other[0][-1])))
    return _chance(one, held, ratio), _chance(other, held, ratio)


def _chance(law: LAWS, value: float, ratio: float) -> float:
    values, chances = law
    held = float(np.clip(value, values[0], values[-1]))
    at = int(np.searchsorted(values, held))
    chance = float(chances[at]) if values[at] == held else 0.0
    return max(chance * float(ratio ** abs(value - held)), LEAST)


def p_value(chances: Sequence[tuple[float, float]]) -> float:
    """From the chances of the released values under the null and the alternative, block by block."""
    ratios = np.cumsum([np.log(alternative) - np.log(null) for null, alternative in chances])
    return float(min(1.0, np.exp(-ratios.max(initial=0.0))))


class ByChance:
    """Likelihoods of released counts of coins. `noise`: (values, chances) of what is added to the count of ones;
    `clamped`: the count is read within 0 .. size, where geometric noise tells no more."""

    def __init__(self, noise: LAWS, clamped: bool) -> None:
        self.noise, self.clamped = noise, clamped
        self.places = (np.arange(GRID) + 0.5) / GRID
        self._known: dict[tuple[int, float], Array] = {}

    def log_likelihood(self, size: int, value: float) -> Array:
        """At every chance of the grid, (places,)."""
        value = float(np.clip(value, 0, size)) if self.clamped else value
        if (size, value) not in self._known:
            ones = np.arange(size + 1)
            values, chances = self.noise
            at = np.rint(value - ones - values[0]).astype(int)
            inside = (at >= 0) & (at < len(values))
            noise = np.where(inside, chances[np.clip(at, 0, len(values) - 1)], 0.0)
            law = binom.pmf(ones[:, None], size, self.places)
            self._known[size, value] = np.log(np.maximum(noise @ law, 1e-300))
        return self._known[size, value]

    def interval(self, blocks: Sequence[tuple[int, float]], level: float) -> tuple[float, float]:
        """The chances that the released counts (size, value) do not exclude: the set lies between the places that are
        excluded next to it."""
        total = sum((self.log_likelihood(*block) for block in blocks), start=np.zeros(GRID))
        mean = np.log(np.mean(np.exp(total - total.max()))) + total.max()
        inside = np.flatnonzero(total >= np.log(1 - level) + mean)
        ends = self.places[inside[[0, -1]]] + np.array([-1, 1]) / GRID
        return float(max(ends[0], 0.0)), float(min(ends[1], 1.0))
