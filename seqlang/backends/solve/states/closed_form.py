"""The rest of an explored chain in closed form, and the states that never stop.

Where nothing depends on the step, every state is advanced by itself until no new states come up. That gives the
transitions A (theta, from, to) and the chances of the outcomes. With the mass x of the frontier, the expected visits V
of the states solve V = x + V A. A state from which no stop can be reached is never left.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.solution import Array, Outcome, Tail, tail_after
from seqlang.backends.solve.states.end_of_step import States, columns_of, shared_of
from seqlang.backends.solve.states.equal_rows import same_rows, together
from seqlang.backends.solve.states.frontier import ExploredFrontier
from seqlang.record import record, replace

STATES = 1_500
"""States of the frontier and all that can be reached from it; more are advanced step by step."""
NUMBERS = 4_000_000
"""Numbers in all transition matrices."""
OPERATIONS = 3e9
"""Operations of the linear systems, about a second."""


@record
class Transitions:
    """`moves` (theta, from, to), `stops` (outcomes, theta, from); the frontier's rows are the first states. `lost` is
    what was left out of the moves: where there is any, a way to a stop may be missing."""

    moves: Array
    stops: Array
    lost: float


class FromEachState(Protocol):
    """What is asked of an explored chain."""

    @property
    def outcomes(self) -> tuple[Outcome, ...]: ...

    def from_each(self, states: States, step: int) -> tuple[States, NDArray[np.intp], dict[int, Array], float]:
        """One step from every state with mass 1: the states after it, the index of the state that each came from, the
        mass that stopped as (theta, states) by the place of its outcome, and the mass that was lost."""
        ...


def transitions(chain: FromEachState, frontier: ExploredFrontier) -> Transitions | None:
    """The transitions among all states that can be reached; None where they are too many."""
    theta = frontier.states.mass.shape[0]
    moves: list[tuple[Any, Any, Array]] = []
    stops: list[tuple[int, int, dict[int, Array]]] = []
    shared = shared_of(frontier.states)
    known = columns_of(frontier.states)
    missing = 0.0
    waiting: States | None = frontier.states
    begin, count = 0, frontier.states.count
    while waiting is not None:
        size = waiting.count
        if size == 0 or count > STATES or theta * count * count > NUMBERS or theta * float(count) ** 3 > OPERATIONS:
            return None
        after, origins, ended, lost = chain.from_each(waiting, frontier.step)
        missing += lost
        stops.append((begin, size, ended))
        waiting, begin = None, count
        if not after.count:
            break
        if shared_of(after) != shared:
            return None
        columns = columns_of(after)
        if len(columns) != len(known):
            return None
        first, group = same_rows(together(known, columns), count + after.count)
        place = np.where(first < count, first, -1)
        new = np.flatnonzero(first >= count)
        place[new] = count + np.arange(len(new))
        target = place[group[count:]]
        moves.append((begin - size + origins, target, after.mass))
        if len(new):
            rows = first[new] - count
            waiting = after.some(np.ones((theta, len(rows))), rows)
            known = together(known, [replace(c, values=c.values[rows]) for c in columns])
            count += len(rows)
    return _assembled(chain, moves, stops, count, theta, missing)


def _assembled(chain: FromEachState, moves: Any, stops: Any, count: int, theta: int, lost: float) -> Transitions:
    whole = np.zeros((theta, count * count))
    for origin, target, mass in moves:
        places = origin * count + target
        for one, part in zip(whole, mass, strict=True):
            one += np.bincount(places, weights=part, minlength=count * count)
    ends = np.zeros((len(chain.outcomes), theta, count))
    for begin, size, ended in stops:
        for place, by_origin in ended.items():
            ends[place, :, begin : begin + size] += by_origin
    return Transitions(whole.reshape(theta, count, count), ends, lost)


def never_stopping(found: Transitions) -> NDArray[np.bool_]:
    """(theta, states): True for the states from which no stop can be reached."""
    can = np.asarray(found.stops.sum(axis=0) > 0)
    open_ = found.moves > 0
    while True:
        more = can | (open_ & can[:, None, :]).any(axis=2)
        if (more == can).all():
            return np.asarray(~can)
        can = more


def tail_of(frontier: ExploredFrontier, found: Transitions) -> Tail | None:
    """The law of all steps after that of the frontier; None where some runs never stop."""
    mass = frontier.states.mass
    theta, count = found.moves.shape[0], found.moves.shape[1]
    start = np.zeros((theta, count))
    start[:, : mass.shape[1]] = mass
    if (never_stopping(found) & (start > 0)).any():
        return None
    matrix = np.eye(count)[None] - found.moves.transpose(0, 2, 1)
    try:
        visits = np.linalg.solve(matrix, start[..., None])
        later = np.linalg.solve(matrix, visits)[..., 0]
    except np.linalg.LinAlgError:
        return None
    visits = visits[..., 0]
    outcomes = np.einsum("ots,ts->ot", found.stops, visits)
    total = mass.sum()
    balance = abs(outcomes.sum() - total)
    if not np.isfinite(balance) or balance > 1e-10 * total or visits.min() < -1e-9 * total:
        return None
    return tail_after(frontier.step, mass.sum(axis=1), visits.sum(axis=1), later.sum(axis=1), outcomes.sum(axis=1))
