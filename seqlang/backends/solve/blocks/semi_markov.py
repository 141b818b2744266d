"""What follows after the last step of the table, for a chain whose moves take several steps.

With moves A_d that take d steps and stops b_d, the chances of the outcomes from each state solve o = b + A o, the
expected steps r = sum of d (A_d 1 + b_d 1) + A r, and their squares s = sum of d^2 (..) + sum of 2 d A_d r + A s; A and
b are the sums over d. Howard (1971), Dynamic Probabilistic Systems, volume 2, chapter 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seqlang.backends.solve.solution import Array, Tail
from seqlang.record import record


@record
class Rows:
    """Moves that take `steps` steps, from the states `rows`: `to` (rows, states), sparse or not, `stops` (rows,
    outcomes); `cost` of a product with them, in numbers."""

    steps: int
    rows: Any
    to: Any
    stops: Array
    missing: float
    cost: float


def tail_of(
    step: int, starts: Mapping[int, Array], stops: Mapping[int, Array], rows: Sequence[Rows], count: int, width: int
) -> Tail | None:
    """The rest of a chain of `count` states and `width` outcomes whose moves are all known, from the mass that waits
    for its start or its stop. None where the equations have no solution: some runs never stop."""
    moves, ends = np.zeros((count, count)), np.zeros((count, width))
    once, twice, weighted = np.zeros(count), np.zeros(count), np.zeros((count, count))
    for block in rows:
        mass = block.to.sum(axis=1) + block.stops.sum(axis=1)
        for place, wanted in (  # a state may stand in several rows
            (moves, block.to), (weighted, block.steps * block.to), (ends, block.stops),
            (once, block.steps * mass), (twice, block.steps**2 * mass),
        ):  # fmt: skip
            np.add.at(place, block.rows, wanted)
    system = np.eye(count) - moves
    try:
        solved = np.linalg.solve(system, np.column_stack([ends, once]))
        outcomes, mean = solved[:, :-1], solved[:, -1]
        squares = np.linalg.solve(system, twice + 2 * weighted @ mean)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(squares).all() or np.abs(outcomes.sum(axis=1) - 1).max() > 1e-9:
        return None
    total, first, second = np.zeros(width), 0.0, 0.0
    for at, mass in starts.items():
        size = len(mass)
        total += mass @ outcomes[:size]
        first += float(mass @ (at + mean[:size]))
        second += float(mass @ (at * at + 2 * at * mean[:size] + squares[:size]))
    for at, ended in stops.items():
        total[: len(ended)] += ended
        first += at * float(ended.sum())
        second += at * at * float(ended.sum())
    return Tail(total, first, second, np.array([first]))
