"""The law of the entries between the hypotheses at which a design expects the most of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.optimize import minimize_scalar

from seqlang.design.blocks import Blocks
from seqlang.design.design import Design, quantiles
from seqlang.design.entry import Array
from seqlang.design.evaluation import Evaluation, evaluate, law_of_steps
from seqlang.results.design import Worst


def between(design: Design, at: float) -> tuple[Fraction, ...]:
    """The chances of an entry at chance `at` of a 1."""
    p = Fraction(at)
    return (1 - p, p)


def seen_at(blocks: Blocks, chances: tuple[Fraction, ...], size: int) -> Array:
    """The law of what a block shows where the entries have these chances."""
    return blocks.law_at(chances, size)


def at(design: Design, blocks: Blocks, place: float) -> Evaluation:
    """What the design does where an entry is 1 with chance `place`."""
    chances, known = between(design, place), {}

    def laws(size: int) -> Array:
        if size not in known:
            known[size] = seen_at(blocks, chances, size)
        return known[size]

    parts = [evaluate(c.policy, laws, blocks.scores(c.policy.lattice)) for c in design.columns]
    weights = [float(c) for c in design.chances]
    means = [
        sum(w * getattr(part, name) for w, part in zip(weights, parts, strict=True))
        for name in ("reject", "accept", "steps", "looks")
    ]
    return Evaluation(*means)


def worst_between(design: Design, blocks: Blocks) -> Worst:
    """Where the expected number of entries is largest: it has one peak between the hypotheses."""
    ends = sorted(float(side.chances[1]) for side in (design.problem.null, design.problem.alternative))
    found = minimize_scalar(
        lambda p: -at(design, blocks, float(p)).steps,
        bounds=(ends[0], ends[1]),
        method="bounded",
        options={"xatol": 1e-3},
    )
    place = (ends[0] + ends[1]) / 2 if design.problem.symmetric else float(found.x)
    chances = between(design, place)
    laws = [
        law_of_steps(c.policy, lambda size: seen_at(blocks, chances, size), blocks.scores(c.policy.lattice), 1e-3)
        for c in design.columns
    ]
    whole = np.zeros(max(map(len, laws)))
    for chance, law in zip(design.chances, laws, strict=True):
        whole[: len(law)] += float(chance) * law
    return Worst(place, at(design, blocks, place).steps, quantiles(whole))
