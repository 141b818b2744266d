"""The law of the entries between the hypotheses at which a design expects the most of them. It is found by a search,
in the middle where exchanging the hypotheses changes nothing: that there is one peak is taken for granted."""

from __future__ import annotations

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.places import between, steps_at, worst_place
from seqlang.designs.design import Design, mixed_law, quantiles
from seqlang.results.design import Worst


def worst_between(design: Design, blocks: Blocks) -> Worst:
    """That place, the expected entries and their quantiles there."""
    plans = [(float(c), column.policy) for c, column in zip(design.chances, design.columns, strict=True)]
    place = worst_place(plans, blocks)
    law = mixed_law(design, blocks, blocks.laws_at(between(place)))
    return Worst(float(place), steps_at(plans, blocks, place), quantiles(law))
