"""The weights of the runs of one batch, and what they have contributed.

Logarithms throughout: chances of 1e-300 are products of many. All arrays have the runs last; finished runs are dropped
with the engine's (`keep`), while `total` and the snapshots have a place for every run of the batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


class Weights:
    """`ratios` (components, runs): log of each component over the law, up to now. `left` (runs,): log of the chance
    that no stop has fired yet (and of what roulette made of it)."""

    def __init__(self, shares: Array, chosen: Rows, count: int, watched: bool) -> None:
        self.log_shares = np.log(shares)[:, None]
        self.chosen = chosen
        self.ratios = np.zeros((len(shares), count))
        self.mixture: Array | None = None
        self.left = np.zeros(count)
        self.places = np.arange(count)
        self.total = np.full(count, -np.inf)
        self.watched = watched
        self.counts: dict[str, Array] = {}
        """By field: how often each letter was drawn (letters, runs), or the sum of standard normal numbers."""
        self.exposures: dict[str, Array] = {}
        """By field: the sums of the chances of the letters, or the number of draws (1, runs)."""
        self.kept: dict[str, Array] = {}
        """Snapshots of the arrays above at one contribution of each run, chosen in proportion."""

    def keep(self, rows: Rows) -> None:
        """Forgets all other runs."""
        self.chosen, self.left, self.places = self.chosen[rows], self.left[rows], self.places[rows]
        self.ratios = np.ascontiguousarray(self.ratios[:, rows])
        self.mixture = None
        for table in (self.counts, self.exposures):
            for name, value in table.items():
                table[name] = np.ascontiguousarray(value[:, rows])

    def ratio(self, more: Array) -> None:
        """Further draws: their logarithms of component over law."""
        self.ratios += more
        self.mixture = None

    def log_weights(self) -> Array:
        """Law over mixture, times the chance to be still going."""
        if self.mixture is None:
            terms = self.log_shares + self.ratios
            top = np.maximum.reduce(terms, axis=0)
            terms -= top
            np.exp(terms, out=terms)
            self.mixture = top + np.log(np.add.reduce(terms, axis=0))
        return np.asarray(self.left - self.mixture)

    def contribute(self, chance: Array, alive: NDArray[np.bool_], uniform: Any) -> None:
        """Adds weight * chance (runs,) to the totals; `uniform(rows)` gives random numbers for the snapshots."""
        rows = np.flatnonzero(alive & (chance > 0))
        if not len(rows):
            return
        new = self.log_weights()[rows] + np.log(chance[rows])
        places = self.places[rows]
        total = np.logaddexp(self.total[places], new)
        self.total[places] = total
        if self.watched:
            with np.errstate(invalid="ignore"):
                fresh = np.log(uniform(rows)) < new - total
            self._snapshot(rows[fresh], places[fresh])

    def _snapshot(self, rows: Rows, places: Rows) -> None:
        size = len(self.total)
        sources = {("ratios", ""): self.ratios}
        sources |= {("counts", f): v for f, v in self.counts.items()}
        sources |= {("exposures", f): v for f, v in self.exposures.items()}
        for (kind, name), value in sources.items():
            table = self.kept.setdefault(f"{kind} {name}", np.zeros((value.shape[0], size)))
            table[:, places] = value[:, rows]
