"""Other designs for the same problem, with their exact figures: what a planner would otherwise take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Literal

import numpy as np

from seqlang.designs.blocks.blocks import LATTICE, Blocks
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds.spending import classic_bounds
from seqlang.designs.design import Design, mixed_law, quantiles
from seqlang.designs.problem.criterion import Criterion, Limits
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.designs.search.master import Column
from seqlang.process.doing import doing
from seqlang.record import replace
from seqlang.results.design import ComparedDesign

LOOKS = 3
"""Of the group-sequential designs."""
PARTS = (0.4, 0.5, 0.6, 0.7, 0.85)
"""Constant blocks that are tried first, as parts of the best fixed size."""
TIMES = (1.0, 1.1, 1.25, 1.4, 1.6)
"""Ends of group-sequential designs that are tried, as multiples of the best fixed size."""

Made = tuple[Design, Blocks, int]
Kind = Literal["obrien_fleming", "pocock"]
CLASSIC: tuple[tuple[Kind, str], ...] = (("obrien_fleming", "O'Brien & Fleming"), ("pocock", "Pocock"))


def compared(
    design: Design, blocks: Blocks, fixed: int, design_for: Callable[[Problem], Made]
) -> tuple[ComparedDesign, ...]:
    """This design and others with the same hypotheses, errors and privacy, and the best without privacy."""
    turns = design.problem.turns
    plain = replace(design.problem, criterion=Criterion(), limits=Limits(unit=turns))
    rows = [told("this design", design, blocks)]
    doing("other designs")
    rows.append(told("one block", *design_for(replace(plain, limits=Limits(looks=(fixed,), unit=turns)))[:2]))
    blocks_of = [turns * max(1, round(part * fixed / turns)) for part in PARTS]
    constant = [Limits(every=every, unit=turns) for every in blocks_of]
    looks_after = [turns * max(1, round(t * fixed / LOOKS / turns)) for t in TIMES]
    ended = [Limits(most=every * LOOKS, every=every, unit=turns) for every in looks_after]
    for name, limits in (("blocks of {}", constant), (f"{LOOKS} looks, every {{}}, best boundaries", ended)):
        found = min(_designs(plain, limits, design_for), key=lambda made: made[0].cost, default=None)
        if found is not None:
            rows.append(told(name.format(found[0].problem.limits.every), *found[:2]))
    for kind, title in CLASSIC:
        classic = classic_design(blocks.at(LATTICE), kind, fixed)
        size = classic.columns[0].policy.sizes[0]
        rows.append(told(f"{LOOKS} looks, every {size}, {title}", classic, blocks.at(LATTICE)))
    if plain.privacy.notion != "none":
        best = design_for(replace(plain, privacy=Privacy("none"), public_coin=True, reading=None))
        rows.append(told("the best without privacy", *best[:2]))
    return tuple(rows)


def _designs(plain: Problem, limits: list[Limits], design_for: Callable[[Problem], Made]) -> Iterator[Made]:
    for one in limits:
        with suppress(Infeasible):
            yield design_for(replace(plain, limits=one))


def classic_design(blocks: Blocks, kind: Kind, fixed: int) -> Design:
    """Looks after equal blocks, the smallest with which the alternative is missed rarely enough: the test rejects where
    the score, standardised under the null, is above the published boundary of a normal score, and accepts at the end.
    Its error under the null is what it is: the score is not normal."""
    problem = blocks.problem
    alpha, beta = problem.errors
    bounds = classic_bounds([k / LOOKS for k in range(1, LOOKS + 1)], 2 * alpha, kind)
    turns = problem.turns
    low, high = 0, max(1, fixed // LOOKS // turns)  # in turns
    while _classic(blocks, turns * high, bounds).errors[1] > beta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _classic(blocks, turns * middle, bounds).errors[1] <= beta else (middle, high)
    return Design(problem, (_classic(blocks, turns * high, bounds),), (Fraction(1),), None)


def _classic(blocks: Blocks, size: int, bounds: tuple[float, ...]) -> Column:
    block, gains = blocks[size], blocks[size].scores(LATTICE)
    mean = float(block.laws[0] @ gains)
    sd = float(np.sqrt(block.laws[0] @ (gains - mean) ** 2))
    least = int(gains.min())
    rows = [Row(0, 0, (size,))]
    for look, bound in enumerate(bounds, 1):
        first = int(np.ceil(look * mean + bound * np.sqrt(look) * sd))  # the first score that rejects
        going = (size,) * (first - look * least) if look < len(bounds) else ()
        rows.append(Row(look * size, look * least if going else first, going))
    policy = Policy(LATTICE, tuple(rows), ends=True)
    sides = [evaluate(policy, blocks.laws(side), blocks.scores(LATTICE)) for side in (0, 1)]
    return Column(policy, sides[0], sides[1], ((sides[0].steps + sides[1].steps) / 2,))


def told(name: str, design: Design, blocks: Blocks) -> ComparedDesign:
    """The figures of a design."""
    laws = [quantiles(mixed_law(design, blocks, blocks.laws(side))) for side in (0, 1)]
    return ComparedDesign(
        name, design.problem.privacy.text,
        {"null": design.mean("null", "reject"), "alternative": design.mean("alternative", "accept")},
        {side: design.mean(side, "steps") for side in ("null", "alternative")},
        dict(zip(("null", "alternative"), laws, strict=True)), design.most,
    )  # fmt: skip
