"""Errors of a design at all chances of a hypothesis such as `p <= 0.3`, and not only at its end.

With x the chance of the outcome that is rarer the further the hypothesis goes, 0 <= x <= e, and G(x, 1 - x) the chance
of the wrong decision (`weighted.py`), an interval [a, b] of x is done with if

- G(b, 1 - a) is at most the allowed error: G rises in both weights; or
- the error is allowed at b, and the derivative G_1(x, 1 - x) - G_2(x, 1 - x) is surely not below 0 on [a, b]: since G
  is convex in each weight and its derivatives rise in both, G_1 is at least (G(a, 1 - b) - G(a - h, 1 - b)) / h there,
  and G_2 at most (G(b, 1 - a + h) - G(b, 1 - a)) / h.

Otherwise it is halved, until it is too narrow."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from seqlang.arithmetic.rounding import fraction_up
from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.places import between
from seqlang.designs.blocks.policy import Decision
from seqlang.designs.bounds.weighted import Ends, Mixed, is_followed
from seqlang.designs.design import Design
from seqlang.designs.problem.decimal import decimal
from seqlang.process.time_limit import poll
from seqlang.record import record

NARROWEST = 1e-6
"""An interval that is not halved any more."""
STEP = 0.05
"""A difference is taken over this part of the width of its interval."""
MOST = 500
"""Intervals that are looked at."""
POINTS = 99
"""Chances at which the chance to reject is looked at where nothing is proved, evenly spaced in (0, 1)."""
ROUNDING = 1e-12
"""More than what quotients and products of a few floats are off by, relatively."""


@record
class Proof:
    """`intervals` that were done with; `failed`: where no interval was narrow enough, None if the error is allowed
    everywhere."""

    intervals: int
    failed: float | None


def prove(weighted: Callable[[float, float], Ends], end: float, allowed: float) -> Proof:
    """Whether the error G(x, 1 - x) is at most `allowed` for all 0 <= x <= end."""
    waiting, done = [(0.0, end)], 0
    while waiting:
        poll()
        a, b = waiting.pop()
        if _below(weighted, a, b, allowed) or _rising(weighted, a, b, allowed):
            done += 1
        elif b - a < NARROWEST or done + len(waiting) > MOST or weighted(b, _least(b))[0] > allowed:
            return Proof(done, b)
        else:
            waiting += [(a, (a + b) / 2), ((a + b) / 2, b)]
    return Proof(done, None)


def _below(weighted: Callable[[float, float], Ends], a: float, b: float, allowed: float) -> bool:
    return weighted(b, _rest(a))[1] <= allowed


def _rising(weighted: Callable[[float, float], Ends], a: float, b: float, allowed: float) -> bool:
    before, above = a - STEP * (b - a), _rest(a) + STEP * (b - a)
    if 2 * before <= a or weighted(b, _rest(b))[1] > allowed:  # differences of floats that are near are exact
        return False
    first = (weighted(a, _least(b))[0] - weighted(before, _least(b))[1]) / (a - before)
    second = (weighted(b, above)[1] - weighted(b, _rest(a))[0]) / (above - _rest(a))
    return first * (1 - ROUNDING) >= second * (1 + ROUNDING) > 0


def _rest(x: float) -> float:
    """1 - x, not below."""
    return math.nextafter(1 - x, 2.0)


def _least(x: float) -> float:
    """1 - x, not above."""
    return math.nextafter(1 - x, 0.0)


def said_of(design: Design, blocks: Blocks) -> tuple[str, ...]:
    """What is known of the errors at all chances of the hypotheses, in words."""
    problem = design.problem
    sizes = [m for column in design.columns for m in column.policy.sizes]
    if problem.endless or not is_followed(blocks, sizes):
        return (looked_at(design, blocks),)
    found = [_side(design, blocks, side) for side in (0, 1)]
    failed = [text for text, proof in found if proof.failed is not None]
    return tuple(text for text, _ in found) + ((looked_at(design, blocks),) if failed else ())


def _side(design: Design, blocks: Blocks, side: int) -> tuple[str, Proof]:
    problem = design.problem
    ends = [entry.chances[1] for entry in (problem.null, problem.alternative)]
    wrong: tuple[Decision, Decision] = ("reject", "accept")
    end, decision = ends[side], wrong[side]
    upwards = ends[side] > ends[1 - side]  # the hypothesis holds the chances above its end
    weighted = weighted_mixture(design, blocks, decision)
    proof = prove(
        (lambda x, y: weighted(y, x)) if upwards else weighted,
        fraction_up(1 - end if upwards else end), problem.errors[side],
    )  # fmt: skip
    where = f"at all chances {'from' if upwards else 'up to'} {decimal(end)}"
    if proof.failed is None:
        error, many = decimal((problem.alpha, problem.beta)[side]), "s" * (proof.intervals != 1)
        said = f"the chance to {decision} is at most {error} {where}: enclosed on {proof.intervals} interval{many}"
        return said, proof
    place = 1 - proof.failed if upwards else proof.failed
    return f"no proof was found that the chance to {decision} is small enough {where}, near {place:.6g}", proof


def weighted_mixture(design: Design, blocks: Blocks, decision: Decision) -> Callable[[float, float], Ends]:
    """F(u, v) of the whole design."""
    plans = [(chance, column.policy) for chance, column in zip(design.chances, design.columns, strict=True)]
    return Mixed(plans, blocks, decision).at


def looked_at(design: Design, blocks: Blocks) -> str:
    """Whether the chance to reject is monotone at the points, in words, with the largest errors if it is not."""
    problem = design.problem
    ends = [entry.chances[1] for entry in (problem.null, problem.alternative)]
    places = sorted({*ends, *(Fraction(i, POINTS + 1) for i in range(1, POINTS + 1))}, reverse=ends[0] > ends[1])
    rejects = [_rejects(design, blocks, p) for p in places]
    between_them = "between them nothing is proved"
    if all(after >= before - ROUNDING for before, after in pairwise(rejects)):
        return f"the chance to reject is monotone at {len(places)} chances; {between_them}"
    null = max(rejects[: places.index(ends[0]) + 1])
    alternative = 1 - min(rejects[places.index(ends[1]) :])
    return (f"the chance to reject is not monotone: the largest errors at {len(places)} chances are {null:.6g} and "
            f"{alternative:.6g}; {between_them}")  # fmt: skip


def _rejects(design: Design, blocks: Blocks, place: Fraction) -> float:
    laws = blocks.laws_at(between(place))
    parts = zip(design.chances, design.columns, strict=True)
    return sum(float(c) * evaluate(k.policy, laws, blocks.scores(k.policy.lattice)).reject for c, k in parts)
