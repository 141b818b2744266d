"""The exact law of a policy: an absorbing chain on whole scores.

evaluate(policy, laws, scores) -> Evaluation    one linear system
law_of_steps(policy, laws, scores) -> (steps,)  forward in time
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from seqlang.design.entry import Array
from seqlang.design.policy import Policy
from seqlang.design.visits import absorbed
from seqlang.record import record

Seen = Callable[[int], Array]
"""For a size: the chances of what can be seen, or the scores, (values,)."""


@record
class Evaluation:
    """Under one law of the entries: the chances of both decisions, expected entries and expected looks."""

    reject: float
    accept: float
    steps: float
    looks: float


@record
class Chain:
    """The moves of a policy under one law: `moves` (scores, scores) among the scores that go on, `ends` (scores, 2) to
    reject and to accept, `sizes` (scores,); the chain begins at `start`."""

    moves: Array
    ends: Array
    sizes: Array
    start: int


def chain_of(policy: Policy, laws: Seen, scores: Seen) -> Chain:
    """The chain of a policy that goes on at every score that it lists."""
    sizes = np.array(policy.sizes)
    count = len(sizes)
    moves, ends = np.zeros((count, count)), np.zeros((count, 2))
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        law, gained = laws(int(size)), scores(int(size)).astype(np.int64)
        after = np.clip(rows[:, None] + gained, -1, count) + 1
        at = np.arange(len(rows))[:, None] * (count + 2) + after
        mass = np.broadcast_to(law, after.shape)
        whole = np.bincount(at.ravel(), mass.ravel(), minlength=len(rows) * (count + 2)).reshape(len(rows), count + 2)
        moves[rows] = whole[:, 1:-1]
        ends[rows, 0], ends[rows, 1] = whole[:, -1], whole[:, 0]
    return Chain(moves, ends, sizes.astype(float), -policy.low)


def evaluate(policy: Policy, laws: Seen, scores: Seen) -> Evaluation:
    """Errors and expectations of a policy."""
    if policy.at_once is not None:
        rejects = float(policy.at_once == "reject")
        return Evaluation(rejects, 1 - rejects, 1.0, 0.0)
    chain = chain_of(policy, laws, scores)
    count = len(chain.sizes)
    known = np.column_stack([chain.ends, chain.sizes, np.ones(count)])
    found = absorbed(chain.moves, known)[chain.start]
    return Evaluation(*(float(value) for value in found))


def law_of_steps(policy: Policy, laws: Seen, scores: Seen, left: float = 1e-4, most: int = 200_000) -> Array:
    """P(N = n) for n = 0, 1, .. until less than `left` goes on. At most `most` entries are followed."""
    if policy.at_once is not None:
        return np.array([0.0, 1.0])
    chain = chain_of(policy, laws, scores)
    count, longest = len(chain.sizes), int(chain.sizes.max())
    waiting = np.zeros((longest + 1, count))  # a ring: the mass that stands at each score after n entries
    waiting[0, chain.start] = 1.0
    groups = [(int(m), np.flatnonzero(chain.sizes == m)) for m in np.unique(chain.sizes)]
    stops = chain.ends.sum(axis=1)
    law: list[float] = []
    ended = np.zeros(longest + 1)
    going = 1.0
    for n in range(most):
        place = n % (longest + 1)
        law.append(float(ended[place]))
        going -= float(ended[place])
        ended[place] = 0.0
        if going < left:
            break
        mass = waiting[place].copy()
        waiting[place] = 0.0
        for size, rows in groups:
            part = mass[rows]
            if part.any():
                later = (n + size) % (longest + 1)
                waiting[later] += part @ chain.moves[rows]
                ended[later] += float(part @ stops[rows])
    return np.array(law)
