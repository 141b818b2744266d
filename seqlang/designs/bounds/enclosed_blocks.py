"""What is certain of a block: the chances of the scores that it earns, from those of the levels of an entry."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.mechanism import DiscreteGaussian, Geometric, Mechanism, NoNoise
from seqlang.designs.bounds.enclosed import (
    BITS,
    ONE,
    Ends,
    Pair,
    convolved,
    divided,
    exponential,
    law_by,
    law_of_sum,
    outer,
    times,
    zeros,
)

Gains = tuple[NDArray[np.int64], Pair]
"""Scores, and their chances."""
NEXT_TO_NOTHING = 1 << 20
"""Masses of Gaussian noise are listed down to this, in units of 2^-BITS."""


class EnclosedBlocks:
    """The gains of blocks by size, where the levels of an entry have the chances `arms`, by arm; made when they are
    asked for."""

    def __init__(self, blocks: Blocks, lattice: float, arms: Sequence[Pair]) -> None:
        self.blocks, self.lattice, self.arms = blocks, lattice, arms
        self._made: dict[int, Gains] = {}

    def __getitem__(self, size: int) -> Gains:
        if size not in self._made:
            block, share = self.blocks[size], size // len(self.arms)
            laws = [released(arm, share, self.blocks.mechanism) for arm in self.arms]
            if block.merging is not None:
                merged = [law_by(which.tolist(), law)[1] for which, law in zip(block.merging.arms, laws, strict=True)]
                laws = [law_by(block.merging.places.tolist(), reduce(outer, merged))[1]]
            self._made[size] = law_by(block.scores(self.lattice).astype(np.int64).tolist(), laws[0])
        return self._made[size]


def released(levels: Pair, size: int, mechanism: Mechanism) -> Pair:
    """The clamped release of a block of `size` entries."""
    law = law_of_sum(levels, size)
    match mechanism:
        case NoNoise():
            return law
        case Geometric(eps=eps, sensitivity=most):
            return _geometric(law, exponential(eps / most))
        case DiscreteGaussian(sd=sd, margin=margin):
            return _gaussian(law, sd, margin)
    raise ValueError("noise of a kind that is not enclosed")


def _geometric(law: Pair, q: Ends) -> Pair:
    """Noise of law P(k) proportional to q^|k|; the ends take all that it moves beyond them."""
    below = _filtered(law, q)
    above = _filtered((law[0][::-1], law[1][::-1]), q)
    above = above[0][::-1], above[1][::-1]
    least = ((ONE - q[1]) << BITS) // (ONE + q[1])
    most = divided((ONE - q[0]) << BITS, ONE + q[0])
    seen = (
        np.maximum(0, (least * (below[0] + above[0] - law[1])) >> BITS),
        -((-most * (below[1] + above[1] - law[0])) >> BITS),
    )
    for place, sums in ((0, above), (-1, below)):
        seen[0][place] = (sums[0][place] << BITS) // (ONE + q[1])
        seen[1][place] = divided(sums[1][place] << BITS, ONE + q[0])
    return seen


def _filtered(law: Pair, q: Ends) -> Pair:
    """f[s] = b[s] + q f[s - 1]."""
    low, high = law[0].copy(), law[1].copy()
    for s in range(1, len(low)):
        low[s] += (q[0] * low[s - 1]) >> BITS
        high[s] += -((-q[1] * high[s - 1]) >> BITS)
    return low, high


def _gaussian(law: Pair, sd: Fraction, margin: int) -> Pair:
    """Noise of law P(k) proportional to exp(-k^2 / (2 sd^2)). Its masses are listed until next to nothing is left, and
    at least up to the margin; what is left may fall anywhere."""
    masses, rest = _gaussian_masses(sd, margin)
    whole = convolved(law, masses)
    cut = len(masses[0]) // 2 - margin
    seen = tuple(side[cut : len(side) - cut].copy() for side in whole)
    for side, found in zip(whole, seen, strict=True):
        found[0], found[-1] = side[: cut + 1].sum(), side[len(side) - cut - 1 :].sum()
    return seen[0], seen[1] + rest


def _gaussian_masses(sd: Fraction, least: int) -> tuple[Pair, int]:
    """Those of -n .. n, and what is beyond, from above. With t = exp(-1 / (2 sd^2)) the weight of k is t^(k^2), the
    product of t, t^3, .., t^(2k-1); beyond n weights fall at least by the factor t^(2n+1) from one to the next."""
    t = exponential(1 / (2 * sd**2))
    square, factor, weight = times(t, t), t, (ONE, ONE)
    weights = [weight]
    while len(weights) <= least or weight[1] > NEXT_TO_NOTHING:
        weight, factor = times(weight, factor), times(factor, square)
        weights.append(weight)
    beyond = divided(2 * weight[1] * factor[1], ONE - factor[1])  # on both sides
    low, high = ([w[end] for w in weights] for end in (0, 1))
    total = 2 * sum(low) - low[0], 2 * sum(high) - high[0] + beyond
    law = zeros(2 * len(weights) - 1)
    law[0][:] = [(w << BITS) // total[1] for w in (*low[:0:-1], *low)]
    law[1][:] = [divided(w << BITS, total[0]) for w in (*high[:0:-1], *high)]
    return law, divided(beyond << BITS, total[0])
