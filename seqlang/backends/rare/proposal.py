"""A mixture from which weighted runs are drawn.

Each component tilts the law of the data and has its own probabilities of the bins of the noises that are drawn once. A
run is drawn from one component, and weighted by the law over the whole mixture (Veach and Guibas 1995, the balance
heuristic): it counts for little where any component would have drawn it easily.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.rare.bins import Bins
from seqlang.backends.rare.fields import Shape, blank
from seqlang.record import record

Array = NDArray[np.float64]


@record
class Component:
    """`tilts`: by field, weights in the exponent for each letter, or the shift of a normal law in its standard
    deviations. `bins`: by noise, probabilities. What is missing is not changed. `rate`: the chance, in each step apart,
    that a normal law is shifted; below 1 for events that one entry decides at an unknown time."""

    tilts: Mapping[str, Array]
    bins: Mapping[str, Array]
    rate: float = 1.0


@record
class Proposal:
    """Components with their shares of the runs."""

    shares: Array
    components: tuple[Component, ...]

    def tilts(self, field: str, shape: Shape) -> Array:
        """(components, letters), or (components, 1) shifts."""
        return np.array([c.tilts.get(field, blank(shape)) for c in self.components])

    @property
    def rates(self) -> Array:
        """(components,)."""
        return np.array([c.rate for c in self.components])

    def bins(self, noise: str, own: Bins) -> Array:
        """(components, bins)."""
        return np.array([c.bins.get(noise, own.own) for c in self.components])


def mixed(*parts: tuple[float, Proposal]) -> Proposal:
    """Proposals with shares."""
    shares = np.concatenate([share * proposal.shares for share, proposal in parts])
    return Proposal(shares / shares.sum(), tuple(c for _, proposal in parts for c in proposal.components))
