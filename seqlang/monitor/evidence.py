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
LAWS = tuple[Array, Array]
"""Values and their chances."""


def chances_of(one: LAWS, other: LAWS, value: float) -> tuple[float, float]:
    """The chances of a released value under two laws. Beyond what both tables hold, those of their last common value:
    there the ratio of two laws with geometric noise is constant, and other noise comes next to never."""
    held = float(np.clip(value, max(one[0][0], other[0][0]), min(one[0][-1], other[0][-1])))
    first, second = (float(chances[np.searchsorted(values, held)]) for values, chances in (one, other))
    return first, second


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
        """The chances that the released counts (size, value) do not exclude: the ends of the hull of the set."""
        total = sum((self.log_likelihood(*block) for block in blocks), start=np.zeros(GRID))
        mean = np.log(np.mean(np.exp(total - total.max()))) + total.max()
        inside = np.flatnonzero(total >= np.log(1 - level) + mean)
        half = 0.5 / GRID
        return float(self.places[inside[0]] - half), float(self.places[inside[-1]] + half)
