"""Compared quantities that move together: the vertices of their joint shift, and differences that lie outside them.

True pairs of neighbours are mixtures of vertices, up to a smaller difference before the deciding step. So in every
direction no pair reaches farther than the farthest vertex; single quantities and pairs of them are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from seqlang.analyses.trials.fits import Seen
from seqlang.analyses.trials.quantities import Compared
from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.moves import moves

MOST = 4  # quantities of which the pairs are looked at


@record
class Direction:
    """sum of weight * (difference before, at the deciding step) is at most `limit`; (number of the quantity, weight
    of what was before, weight of what is there). `size` is the sum of the weights' sizes."""

    weights: tuple[tuple[int, float, float], ...]
    limit: float
    size: float


def directions(program: Program, compared: Sequence[Compared], revealed: frozenset[str]) -> tuple[Direction, ...]:
    """What the vertices allow; empty where there are none."""
    if not compared:
        return ()
    found = moves(program, [c.margin for c in compared], revealed=revealed)
    if isinstance(found, str):
        return ()
    values = parameter_values(program)

    def number(formula: Formula) -> tuple[float, float]:
        box = enclose(formula, values)
        return box.low, box.high

    vertices = [
        [(number(step.before), number(step.at)) for step in steps] for m in found for steps in (m.within, m.after)
    ]
    sizes = [max([abs(x) for v in vertices for x in v[j][1]], default=0.0) or 1.0 for j in range(len(compared))]
    return tuple(_with_limit(weights, vertices) for weights in _weights(sizes))


def _weights(sizes: Sequence[float]) -> Iterator[tuple[tuple[int, float, float], ...]]:
    for j, sign in product(range(len(sizes)), (1.0, -1.0)):
        yield ((j, 0.0, sign),)
        yield ((j, 1.0, sign),)
    if len(sizes) > MOST:
        return
    for (i, j), one, other in product(combinations(range(len(sizes)), 2), (1.0, -1.0), (1.0, -1.0)):
        yield (i, 0.0, one / sizes[i]), (j, 0.0, other / sizes[j])


def _with_limit(weights: tuple[tuple[int, float, float], ...], vertices: Sequence[Any]) -> Direction:
    def reach(vertex: Any) -> float:
        total = 0.0
        for j, before, at in weights:
            (_, before_high), (low, high) = vertex[j]
            total += before * before_high + (at * high if at > 0 else at * low)
        return total

    size = sum(abs(before) + abs(at) for _, before, at in weights)
    return Direction(weights, max([0.0, *map(reach, vertices)]), size)


def outside(
    known: Sequence[Direction], seen: Mapping[int, Sequence[Seen]], numbers: Sequence[int], slack: float
) -> tuple[int, str] | None:
    """The first step in which the quantities (by their numbers) are outside; None: nowhere."""
    by_step = [{s.step: s for s in seen.get(number, ())} for number in numbers]
    earlier: dict[int, float] = dict.fromkeys(range(len(numbers)), 0.0)
    scale = max((abs(v) for steps in by_step for s in steps.values() for v in (s.first, s.second)), default=0.0)
    for step in sorted(set[int]().union(*by_step)):
        moved = {j: float(steps[step].second - steps[step].first) for j, steps in enumerate(by_step) if step in steps}
        first_segment = not any(steps[step].renewed for steps in by_step if step in steps)
        for direction in known:
            reached = 0.0
            for j, before, at in direction.weights:
                if j not in moved or (before and not first_segment):
                    break
                reached += before * earlier[j] + at * moved[j]
            else:
                limit = direction.limit
                if reached > limit + slack * (direction.size * scale + limit):
                    words = f"in one direction they are {reached:.10g} apart, {limit:.10g} at most is claimed"
                    return step, words
        for j, d in moved.items():
            earlier[j] = max(earlier[j], d)
    return None
