"""How the sum of a block is released: the law of what is seen under a law of the entries.

For counts and pure privacy a release is the sum plus two-sided geometric noise. A design reads it clamped to the sums
that are possible, which loses nothing: beyond both ends of the range the likelihood ratio is constant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.signal import lfilter

from seqlang.design.entry import Array, law_of_sum
from seqlang.design.problem import Privacy
from seqlang.record import record


@record
class Geometric:
    """Noise of law P(k) proportional to ratio^|k|; ratio 0 is no noise."""

    ratio: float

    def seen(self, chances: Sequence[Fraction], size: int) -> Array:
        """The chances of 0 .. n for the clamped release of a block of `size` entries, n = size * range.

        Two one-pole filters: f[s] = b[s] + r f[s-1] and g[s] = b[s] + r g[s+1] hold the noise from below and from
        above; the ends take all that the noise moves beyond them."""
        law = law_of_sum(chances, size)
        r = self.ratio
        if r == 0:
            return law
        below = lfilter([1.0], [1.0, -r], law)
        above = lfilter([1.0], [1.0, -r], law[::-1])[::-1]
        seen = (1 - r) / (1 + r) * (below + above - law)
        seen[0], seen[-1] = above[0] / (1 + r), below[-1] / (1 + r)
        return np.asarray(seen)


def mechanism_for(privacy: Privacy, sensitivity: int) -> Geometric:
    """The noise that gives a release of that sensitivity the privacy asked for."""
    if privacy.notion == "none":
        return Geometric(0.0)
    return Geometric(math.exp(-float(privacy.arguments[0]) / sensitivity))
