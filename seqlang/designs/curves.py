"""What a design does against the chance of a 1, and how long it takes: what its pictures show."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.places import DIGITS, between
from seqlang.designs.design import Design
from seqlang.designs.problem.entry import Array
from seqlang.results.design import Curves

PLACES = 33
"""Chances of a 1 that are looked at."""


def curves(design: Design, blocks: Blocks, lengths: Mapping[str, Array]) -> Curves:
    """Chances to reject and expected entries from half as far beyond the hypotheses as they are apart, for a coin; the
    law of the number of entries under both. `lengths`: P(N = n) by hypothesis, for n = 0, 1, .."""
    listed = {side: tuple(law.tolist()) for side, law in lengths.items()}
    sides = design.problem.null, design.problem.alternative
    if design.problem.reading is not None or design.problem.arms:
        return Curves((), (), (), listed)
    low, high = sorted(float(side.chances[1]) for side in sides)
    beyond = (high - low) / 2
    evenly = np.linspace(max(low - beyond, low / 10), min(high + beyond, 1 - (1 - high) / 10), PLACES)
    places = np.unique(np.r_[evenly, low, high])
    found = [_at(design, blocks, Fraction(round(p * DIGITS), DIGITS)) for p in places]
    return Curves(tuple(places.tolist()), tuple(r for r, _ in found), tuple(n for _, n in found), listed)


def _at(design: Design, blocks: Blocks, place: Fraction) -> tuple[float, float]:
    """The chance to reject, and the expected entries, where an entry is 1 with chance `place`."""
    laws = blocks.laws_at(between(place))
    found = [evaluate(c.policy, laws, blocks.scores(c.policy.lattice)) for c in design.columns]
    weights = [float(c) for c in design.chances]
    reject = sum(w * e.reject for w, e in zip(weights, found, strict=True))
    return reject, sum(w * e.steps for w, e in zip(weights, found, strict=True))
