"""What released sums say of the hypotheses, whenever one looks.

p-value. Let E_k be the likelihood ratio of what the first k blocks released, alternative against null. Under the null
it is a martingale with mean 1, whatever rule chooses the sizes from what was released, so that P(E_k >= 1/a for some k)
<= a (Ville 1939): the least 1/E_j of all j <= k is a p-value at every k, and at every stop.

Interval. With L_k(t) the likelihood where the open number is t, and M_k its mean over a prior of t, M_k / L_k(t) is
such a martingale under t: {t: L_k(t) >= a M_k} holds the true t at all k together with probability at least 1 - a
(Darling & Robbins 1967; Robbins 1970). The prior is even on the places of a grid; the set is told by the places next to
it. In two arms the product of such martingales is one: {(t, u): L_k(t) L'_k(u) >= a M_k M'_k}.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from scipy.stats import binom

from seqlang.backends.solve.solution import Array
from seqlang.monitoring.released import LAWS, LEAST, Released, chance
from seqlang.record import record

GRID = 4001
"""Places of the prior of one chance of a 1: (i + 1/2) / GRID."""
COARSE = 401
"""Those of another number, and of each of two chances."""
Blocks = Sequence[tuple[int, float]]
"""The size of each block, and what it released."""


def p_value(chances: Sequence[tuple[float, float]]) -> float:
    """From the chances of what the blocks released under the null and the alternative, block by block."""
    ratios = np.cumsum([np.log(alternative) - np.log(null) for null, alternative in chances])
    return float(min(1.0, np.exp(-ratios.max(initial=0.0))))


class Mixture(ABC):
    """The likelihoods of what blocks released at the places of the prior, and what they exclude. `ends` of the range of
    the open number."""

    def __init__(self, places: Array, ends: tuple[float, float]) -> None:
        self.places, self.ends = places, ends
        self._known: dict[tuple[int, float], Array] = {}

    def log_likelihood(self, size: int, value: float) -> Array:
        """Of what one block released, at every place, (places,)."""
        if (size, value) not in self._known:
            self._known[size, value] = self._log_likelihood(size, value)
        return self._known[size, value]

    @abstractmethod
    def _log_likelihood(self, size: int, value: float) -> Array: ...

    def log_evidence(self, blocks: Blocks) -> Array:
        """log(L_k / M_k) at every place, (places,)."""
        logs = sum((self.log_likelihood(*block) for block in blocks), start=np.zeros(len(self.places)))
        return np.asarray(logs - logs.max() - np.log(np.mean(np.exp(logs - logs.max()))))

    def interval(self, blocks: Blocks, level: float) -> tuple[float, float]:
        """The places next to the set of all that is not excluded; the ends where it reaches the last place."""
        kept = np.flatnonzero(self.log_evidence(blocks) >= np.log(1 - level))
        low = self.ends[0] if kept[0] == 0 else float(self.places[kept[0] - 1])
        high = self.ends[1] if kept[-1] == len(self.places) - 1 else float(self.places[kept[-1] + 1])
        return low, high


class ByChance(Mixture):
    """Of released counts of coins, by the chance of a 1. `noise`: (values, chances) of what is added to the count of
    ones; `clamped`: the count is read within 0 .. size, where geometric noise tells no more."""

    def __init__(self, noise: LAWS, clamped: bool, grid: int = GRID) -> None:
        super().__init__((np.arange(grid) + 0.5) / grid, (0.0, 1.0))
        self.noise, self.clamped = noise, clamped

    def log_likelihood(self, size: int, value: float) -> Array:
        return super().log_likelihood(size, float(np.clip(value, 0, size)) if self.clamped else value)

    def _log_likelihood(self, size: int, value: float) -> Array:
        ones = np.arange(size + 1)
        values, chances = self.noise
        at = np.rint(value - ones - values[0]).astype(int)
        inside = (at >= 0) & (at < len(values))
        noise = np.where(inside, chances[np.clip(at, 0, len(values) - 1)], 0.0)
        law = binom.pmf(ones[:, None], size, self.places)
        return np.asarray(np.log(np.maximum(noise @ law, LEAST)))


class ByNumber(Mixture):
    """By another open number: `laws` of what blocks release at every place, all of one sum."""

    def __init__(self, laws: Sequence[Released], places: Array, ends: tuple[float, float]) -> None:
        super().__init__(places, ends)
        self.laws = laws
        self._tables: dict[int, list[LAWS]] = {}

    def _log_likelihood(self, size: int, value: float) -> Array:
        (name,) = self.laws[0].names
        if size not in self._tables:
            self._tables[size] = [law.law(name, size) for law in self.laws]
        pairs = zip(self._tables[size], self.laws, strict=True)
        return np.log([chance(table, value, law.ratio(name)) for table, law in pairs])


@record
class Pair:
    """What was released of two arms: `blocks` of each."""

    first: ByChance
    second: ByChance
    blocks: tuple[Blocks, Blocks]

    def difference(self, level: float) -> tuple[float, float]:
        """The differences of two chances, second minus first, that are not excluded; both have the same grid."""
        one, other = self._kept(level)
        low, high = float((other - one).min()), float((other - one).max())
        return max(low - self._step, -1.0), min(high + self._step, 1.0)

    def mean(self, level: float) -> tuple[float, float]:
        """The means of both chances that are not excluded."""
        one, other = self._kept(level)
        low, high = float((one + other).min()) / 2, float((one + other).max()) / 2
        return max(low - self._step / 2, 0.0), min(high + self._step / 2, 1.0)

    @property
    def likely_mean(self) -> float:
        """Of the most likely chances."""
        pairs = zip((self.first, self.second), self.blocks, strict=True)
        return float(sum(arm.places[arm.log_evidence(blocks).argmax()] for arm, blocks in pairs)) / 2

    @property
    def _step(self) -> float:
        return 2 / len(self.first.places)

    def _kept(self, level: float) -> tuple[Array, Array]:
        one, other = (a.log_evidence(b) for a, b in zip((self.first, self.second), self.blocks, strict=True))
        rows, columns = np.nonzero(one[:, None] + other >= np.log(1 - level))
        return self.first.places[rows], self.first.places[columns]
