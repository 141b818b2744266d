"""The exact law of a policy: an absorbing chain on whole scores.

evaluate(policy, laws, scores) -> Evaluation    one linear system, or forward where the policy has an end
law_of_steps(policy, laws, scores) -> (steps,)  forward in time
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.blocks.visits import absorbed, is_thin
from seqlang.designs.problem.entry import Array
from seqlang.record import record

FAINT = 1e-20
"""Chances of so many entries and a size after them; rarer ones are not followed."""
Seen = Callable[[int], Array]
"""For a size: the chances of what can be seen, or the scores, (values,)."""


@record
class Evaluation:
    """Under one law of the entries: the chances of both decisions, expected entries and expected looks, which are
    infinite where some runs never end."""

    reject: float
    accept: float
    steps: float
    looks: float


SURE = 1e-9
"""A chance up to which runs that may never end do not count."""


@record
class Chain:
    """The moves of a policy under one law: `moves` (scores, scores) among the scores that go on, `ends` (scores, 2) to
    reject and to accept, `sizes` (scores,); the chain begins at `start`."""

    moves: Array
    ends: Array
    sizes: Array
    start: int


def chain_of(row: Row, laws: Seen, scores: Seen) -> Chain:
    """The chain of a policy that does the same at all times."""
    sizes = np.array(row.sizes)
    count = len(sizes)
    moves, ends = np.zeros((count, count)), np.zeros((count, 2))
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        whole = _moved_to(rows + 1, laws(int(size)), scores(int(size)), count + 2)
        moves[rows] = whole[:, 1:-1]
        ends[rows, 0], ends[rows, 1] = whole[:, -1], whole[:, 0]
    return Chain(moves, ends, sizes.astype(float), -row.low)


def _moved_to(rows: NDArray[np.intp], law: Array, gains: Array, width: int) -> Array:
    """(rows, width): where a block leads from these places; what leaves stands at the first and the last place."""
    after = np.clip(rows[:, None] + gains.astype(np.int64), 0, width - 1)
    at = np.arange(len(rows))[:, None] * width + after
    mass = np.broadcast_to(law, after.shape)
    whole = np.bincount(at.ravel(), mass.ravel(), minlength=len(rows) * width)
    return np.asarray(whole.reshape(len(rows), width), dtype=np.float64)


def evaluate(policy: Policy, laws: Seen, scores: Seen) -> Evaluation:
    """Errors and expectations of a policy."""
    if policy.at_once is not None:
        rejects = float(policy.at_once == "reject")
        return Evaluation(rejects, 1 - rejects, 1.0, 0.0)
    if policy.ends:
        ended, looks = walk(policy, laws, scores, 0.0, policy.rows[-1].used)
        rejected, accepted = ended.sum(axis=0).tolist()
        return Evaluation(rejected, accepted, float(np.arange(len(ended)) @ ended.sum(axis=1)), looks)
    chain = chain_of(policy.rows[0], laws, scores)
    count = len(chain.sizes)
    known = np.column_stack([chain.ends, chain.sizes, np.ones(count)])
    reject, below, steps, looks = (float(value) for value in absorbed(chain.moves, known)[chain.start])
    if not policy.endless:
        return Evaluation(reject, below, steps, looks)
    return Evaluation(reject, 0.0, *((steps, looks) if below <= SURE else (math.inf, math.inf)))


def longest(policy: Policy, laws: Seen, scores: Seen) -> float:
    """No score that goes on expects more further entries than this; infinite where some runs never end."""
    if policy.most is not None:
        return float(policy.most)
    chain = chain_of(policy.rows[0], laws, scores)
    if evaluate(policy, laws, scores).steps == math.inf:
        return math.inf
    return float(absorbed(chain.moves, chain.sizes).max())


def law_of_steps(policy: Policy, laws: Seen, scores: Seen, left: float = 1e-4, most: int = 200_000) -> Array:
    """P(N = n) for n = 0, 1, .. until less than `left` goes on. At most `most` entries are followed."""
    if policy.at_once is not None:
        return np.array([0.0, 1.0])
    if policy.ends:
        return np.asarray(walk(policy, laws, scores, left, most)[0].sum(axis=1))
    law = _in_windows(policy, laws, scores, left, most)
    last = int(np.searchsorted(np.cumsum(law), 1 - left))
    return law[: min(last, most) + 1]


def _in_windows(policy: Policy, laws: Seen, scores: Seen, left: float, most: int) -> Array:
    """P(N = n) of a policy without an end, at least until less than `left` goes on or `most` entries are followed. As
    many numbers of entries as the smallest block has are followed at once: none of them leads to another."""
    (row,), low = policy.rows, policy.lowest
    sizes, first, end = np.array(row.sizes), row.low - low, row.high + 1 - low
    window, width = int(sizes.min()), end + 1  # the last place holds all that lies beyond
    moves: list[tuple[int, NDArray[np.intp], Any]] = []
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size) + first
        to = _moved_to(rows, laws(size), scores(size), width)
        moves.append((size, rows, csr_matrix(to) if is_thin(to) else to))
    around = window * math.ceil((int(sizes.max()) + window) / window)
    waiting, ended, going = np.zeros((around, width)), [], 1.0
    waiting[0, -low] = 1.0
    for n in range(0, most + 1, window):
        mass = waiting[n % around : n % around + window]
        above, below = mass[:, end:].sum(axis=1), mass[:, :first].sum(axis=1)
        ended.append(above if policy.endless else above + below)
        going -= float((above + below).sum())
        if going <= left:
            break
        for size, rows, to in moves:
            part = mass[:, rows]
            some = np.flatnonzero(part.sum(axis=1) > FAINT)
            if len(some):
                waiting[(n + size + some) % around] += part[some] @ to
        mass[:] = 0.0
    return np.concatenate(ended)


def walk(policy: Policy, laws: Seen, scores: Seen, left: float, most: int) -> tuple[Array, float]:
    """Of a policy with an end, forward in time: the chances of (n entries, rejected) and (n entries, accepted),
    (entries, 2), and the expected looks, until at most `left` goes on or `most` entries are followed."""
    low = policy.lowest
    width = max(row.high for row in policy.rows) + 2 - low  # the last place holds all that lies beyond
    rows = {row.used: row for row in policy.rows}
    steps = {size: by_gain(laws(size), scores(size)) for size in policy.sizes}
    start = np.zeros(width)
    start[-low] = 1.0
    waiting, ended = {0: start}, []
    going, looks = 1.0, 0.0
    for n in range(most + 1):
        if not waiting:
            break
        mass = waiting.pop(n, None)
        if mass is None:
            ended.append((0.0, 0.0))
            continue
        row = rows[n]
        first, end = row.low - low, row.high + 1 - low
        ended.append((float(mass[end:].sum()), float(mass[:first].sum())))
        going -= sum(ended[-1])
        looks += float(mass[first:end].sum())
        if going <= left:
            break
        listed = np.array(row.sizes)
        for size in np.unique(listed).tolist():
            part = np.where(listed == size, mass[first:end], 0.0)
            if part.any():
                waiting[n + size] = waiting.get(n + size, 0.0) + _moved(part, first, steps[size], width)
    return np.array(ended), looks


def by_gain(law: Array, gains: Array) -> tuple[int, Array]:
    """The least gain, and the chances of all gains from there."""
    whole: NDArray[np.int64] = gains.astype(np.int64)
    return int(whole.min()), np.asarray(np.bincount(whole - whole.min(), law), dtype=np.float64)


def _moved(part: Array, first: int, step: tuple[int, Array], width: int) -> Array:
    """The mass that stood from the place `first` on, moved by a step; what leaves stands at the ends."""
    spread = np.convolve(part, step[1])
    low = first + step[0]
    places = np.clip(np.arange(low, low + len(spread)), 0, width - 1)
    return np.asarray(np.bincount(places, spread, minlength=width), dtype=np.float64)
