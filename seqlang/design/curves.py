"""What a design does against the chance of a 1, and how long it takes: what its pictures show."""

from __future__ import annotations

import numpy as np

from seqlang.design.blocks import Blocks
from seqlang.design.design import Design, mixed_law
from seqlang.design.worst import at
from seqlang.results.design import SIDES, Curves

PLACES = 33
"""Chances of a 1 that are looked at."""


def curves(design: Design, blocks: Blocks) -> Curves:
    """Chances to reject and expected entries from half as far beyond the hypotheses as they are apart, for coins; the
    law of the number of entries under both."""
    lengths = {side: tuple(mixed_law(design, blocks, blocks.laws(i)).tolist()) for i, side in enumerate(SIDES)}
    sides = design.problem.null, design.problem.alternative
    if any(len(side.chances) != 2 for side in sides):
        return Curves((), (), (), lengths)
    low, high = sorted(float(side.chances[1]) for side in sides)
    beyond = (high - low) / 2
    places = np.linspace(max(low - beyond, low / 10), min(high + beyond, 1 - (1 - high) / 10), PLACES)
    found = [at(design, blocks, float(p)) for p in places]
    return Curves(tuple(places.tolist()), tuple(e.reject for e in found), tuple(e.steps for e in found), lengths)
