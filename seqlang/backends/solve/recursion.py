"""The loop over the steps of a chain: it ends when the runs that go on no longer matter, or the work is used up.

`follow(chain, tolerance=.., work=..)` gives a `Course`, which says what is left; `solve` compares two of them. A step
costs `frontier.cost` (or `frontier.size`) numbers, and OVERHEAD for the calls; `work` bounds the sum, so that no
program makes the loop run for ever. What is counted are numbers and never time, so that the answer is the same on every
machine; computing one number takes about 5 nanoseconds.
"""

from __future__ import annotations

import math
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from seqlang.backends.solve.chain import Chain
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.process.time_limit import OutOfTime, poll
from seqlang.record import record

OVERHEAD = 6_000
"""The calls of one step, in numbers: about 30 microseconds."""
LOOK = 8
"""Steps between two checks of what is left, as adding it up takes as long as a short step."""
CLOSE_BELOW = 1e-4
"""A probability. The rest is solved in closed form when less than this is left: quantiles up to 0.9999 then lie in the
table."""
REST_FACTOR = 0.1
"""What is left may change the expected step by this many times the tolerance, relative to the expected step."""
LATE, LATER = 0.05, 1.25
"""After the part LATE of the work the rest is solved in closed form, if it can be, whatever is left; if it cannot be,
it is tried again each time that the work has grown by the factor LATER."""
MOST_PAST = 400
"""Checks that are remembered; where there are more, every second one is forgotten."""
SAFETY = 2.0
"""Factor on the estimated time that what is left would still take: decay slows down as the fast parts die."""
STEADY, FALLEN = 0.8, 0.1
"""Decay counts as geometric if its rate in the second half of all steps is at least STEADY times that in the second
quarter (for a power law it would be a half), and if the second half has left at most FALLEN of the mass."""
VAIN = 0.05
"""After this part of the work the loop asks whether more work would help."""
NOTHING_MORE = 1e-3
"""The second half of all steps resolved less than this part of what was left, and of what was resolved before."""
MANY_STEPS = 200
"""Steps that must have been taken before the loop may conclude from them that more work would not help."""
EXPLODES, MUCH, HOPELESS = 3.0, 0.25, 100.0
"""States explode: the last quarter of all steps took EXPLODES - 1 times the work of those before, or more. It then ends
after the part MUCH of the work if all of it would leave more than HOPELESS times the tolerance."""


@record
class Course:
    """`table` (steps, outcomes); `by_node` sum over stopping steps of step * chance by node (theta,), `weights` the
    nodes' weights; `unresolved` mass that is neither in the table nor in the tail, `rest_steps` an estimate (on the
    large side) of what it would add to the expected step (inf: no idea), `never` what is proved never to stop. `vain`:
    it was ended because more work would not have helped.
    `squares` sum of step^2 * chance. `finished` False: the bound on work ended it. `work` what was used."""

    outcomes: tuple[Outcome, ...]
    table: Array
    by_node: Array
    weights: Array
    unresolved: float
    never: float
    lost: float
    rest_steps: float
    tail: Tail | None
    watched: Array
    finished: bool
    work: float
    vain: bool = False

    @property
    def steps(self) -> float:
        """The sum of step * chance, tail included."""
        here = float(np.arange(1, len(self.table) + 1) @ self.table.sum(axis=1)) if len(self.table) else 0.0
        return here + (self.tail.steps if self.tail is not None else 0.0)


def follow(chain: Chain, *, tolerance: float = 1e-9, work: float = 2e9, partly: bool = False) -> Course:
    """Runs the chain until the unresolved mass is below `tolerance` and would change the expected step by less than
    `tolerance` relatively, or until `work` numbers were computed; `partly`: or until the time is over. Raises OutOfTime
    without it, or in the first step."""
    walk = _Walk(chain, tolerance, work)
    while True:
        try:
            walk.advance()
            if walk.is_time_to_look() and walk.is_over():
                return walk.course()
        except OutOfTime:
            if not partly or not walk.step:
                raise
            return walk.cut()


class _Walk:
    """The steps of a chain so far. `left` and `rest` are the mass that goes on, by node, and what it may add to the
    expected step; both as of the last look."""

    def __init__(self, chain: Chain, tolerance: float, work: float) -> None:
        self.chain, self.tolerance, self.work = chain, tolerance, work
        self.frontier: Any = chain.begin()
        self.weights = self.left = np.array(self.frontier.survivors, dtype=float)
        self.rest = inf
        self.never = 0.0
        self.rows: list[Array] = []
        self.waiting: list[Array] = []
        self.by_node = np.zeros_like(self.weights)
        self.watched: Array | float = 0.0
        self.used, self.step, self.done = 0.0, 0, 0
        self.past: list[_Mark] = []
        self.tail: Tail | None = None
        self.finished = self.vain = False
        self.ask_again, self.ask_late, self.ask_vain = CLOSE_BELOW, work * LATE, work * VAIN

    def advance(self) -> None:
        """One step, or several at once."""
        poll()
        if hasattr(self.frontier, "leap"):
            self.frontier, block = self.frontier.leap(self.ask_again)
            self.waiting.extend(block)
        else:
            self.frontier, stopped = self.chain.advance(self.frontier)
            self.waiting.append(stopped.by_outcome)
            if stopped.watched.size:
                self.watched = self.watched + stopped.watched
        self.done, self.step = self.frontier.step - self.step, self.frontier.step
        self.used += self.done * (getattr(self.frontier, "cost", self.frontier.size) + OVERHEAD)

    def is_time_to_look(self) -> bool:
        return self.used >= self.work or self.done != 1 or self.step % LOOK == 0 or self.step < 2 * LOOK

    def is_over(self) -> bool:
        """Looks at what is left: whether it no longer matters, is known in closed form, or the work is used up."""
        self.rows.append(_summed(self.waiting, self.step, self.by_node))
        before, self.left, gap = self.left, self.frontier.survivors, len(self.waiting)
        self.waiting = []
        mass = float(self.left.sum())
        self.never = max(self.never, self.chain.stuck(self.frontier)) if mass > self.tolerance / 4 else 0.0
        mark = _Mark(self.step, self.left, self.used, self.never)
        self.past = [*self.past[:: 2 if len(self.past) > MOST_PAST else 1], mark]
        if self.never > 0 and mass - self.never <= self.tolerance:
            self.finished, self.rest = True, inf
            return True
        self.rest = _time_left(self.left, before, gap, self.step, self.tolerance)
        slack = REST_FACTOR * self.tolerance * max(1.0, float(self.by_node.sum()))
        if mass == 0.0 or (mass <= self.tolerance and self.rest <= slack) or self._is_closed(mass):
            self.finished = True
            return True
        asks = self.used >= self.ask_vain
        self.vain = asks and len(self.left) == 1 and _in_vain(self.past, self.tolerance, self.work)
        if self.used >= self.work or self.vain:
            self.rest = _geometric(self.past, self.tolerance)
            return True
        self.ask_vain = max(self.ask_vain, 1.1 * self.used) if asks else self.ask_vain
        return False

    def _is_closed(self, mass: float) -> bool:
        """Whether all later steps have a closed form, which is asked now and then."""
        late = self.used >= self.ask_late
        if mass <= self.ask_again or late:
            self.tail = self.chain.close(self.frontier)
            self.ask_again = min(self.ask_again, mass) / 100
            self.ask_late = LATER * self.used if late else self.ask_late
        return self.tail is not None

    def cut(self) -> Course:
        """What is known before a step that was not completed."""
        self.work, self.ask_again = self.used, 0.0
        self.ask_late = self.ask_vain = inf  # nothing more is looked for
        if self.waiting:
            self.is_over()
        else:
            self.rest = _geometric(self.past, self.tolerance)
        return self.course()

    def course(self) -> Course:
        unresolved, rest, by_node = float(self.left.sum()), self.rest, self.by_node
        if self.tail is not None:
            far = self.step + abs(self.tail.steps) / max(1e-300, unresolved)
            unresolved = max(0.0, unresolved - float(self.tail.outcomes.sum()))
            rest = 0.0 if unresolved == 0 else unresolved * far
            by_node = by_node + self.tail.by_node
        width = len(self.chain.outcomes)  # it may have grown
        return Course(
            outcomes=tuple(self.chain.outcomes), table=np.concatenate([_wide(r, width) for r in self.rows]),
            by_node=by_node, weights=self.weights, unresolved=unresolved, never=self.never,
            lost=float(self.frontier.lost), rest_steps=rest, tail=self.tail, watched=np.atleast_1d(self.watched),
            finished=self.finished, work=self.used, vain=self.vain,
        )  # fmt: skip


def _wide(table: Array, width: int) -> Array:
    """The table with columns of zeros for outcomes that were first returned in later steps."""
    return table if table.shape[1] == width else np.pad(table, ((0, 0), (0, width - table.shape[1])))


def _summed(waiting: list[Array], step: int, by_node: Array) -> Array:
    """The last steps' (outcomes, theta), the last of which is `step`, as rows of the table; `by_node` grows."""
    block = np.stack([_wide(w.T, len(waiting[-1])).T for w in waiting])
    times = np.arange(step - len(waiting) + 1, step + 1, dtype=float)
    by_node += times @ block.sum(axis=1)
    return np.asarray(block.sum(axis=2))


def _time_left(left: Array, before: Array, gap: int, step: int, tolerance: float) -> float:
    """What those who are left would add to the expected step, if every node goes on decaying as it did in the last
    `gap` steps; inf where a node does not decay. Nodes of next to no weight (a threshold drawn far out, which the walk
    has not reached yet) are taken to need at most a hundred times as long as the walk has run."""
    alive = left > 0
    if not alive.any():
        return 0.0
    now, then = left[alive], before[alive]
    with np.errstate(all="ignore"):
        ratio = np.minimum(now / np.where(then > 0, then, np.inf), 1.0)
        hazard = -np.log(ratio) / gap
        waits = np.where(hazard > 0, 1.0 / -np.expm1(-hazard), inf)
        waits = np.where(now < 1e-4 * tolerance / len(left), np.minimum(waits, 100.0 * step), waits)
        total = float((now * (step + SAFETY * waits)).sum())
    return total if total == total else inf


@record
class _Mark:
    """After `step` steps: what was left by node, the work that it took, and how much was known never to stop."""

    step: int
    left: Array
    used: float
    never: float

    @property
    def open(self) -> float:
        """What was left and might stop, of all nodes."""
        return float(self.left.sum()) - self.never


def _marks(past: list[_Mark], parts: tuple[float, ...]) -> list[_Mark] | None:
    """Where these parts of all steps were done; None where too few steps are known."""
    last = past[-1].step
    marks = [min(past, key=lambda mark: abs(mark.step - part * last)) for part in parts]
    return marks if all(a.step < b.step for a, b in pairwise(marks)) else None


def _hazard(first: _Mark, second: _Mark) -> Array:
    """Decay in a step by node."""
    with np.errstate(all="ignore"):
        return np.asarray(np.log(first.left / second.left) / (second.step - first.step))


def _open_hazard(first: _Mark, second: _Mark) -> float:
    """Decay in a step of what might stop; no number where nothing was left."""
    if min(first.open, second.open) <= 0:
        return math.nan
    return math.log(first.open / second.open) / (second.step - first.step)


def _geometric(past: list[_Mark], tolerance: float) -> float:
    """What those who are left would add to the expected step if every node goes on decaying as it does; inf where the
    decay of a node is not geometric to the eye. Nodes of next to no weight as in `_time_left`."""
    marks = _marks(past, (0.25, 0.5, 1.0))
    if marks is None:
        return inf
    quarter, half, now = marks
    early, late = _hazard(quarter, half), _hazard(half, now)
    alive = now.left > 0
    steady = (late >= STEADY * early) & (late > 0) & (now.left <= FALLEN * half.left)
    few = now.left < 1e-4 * tolerance / len(now.left)
    with np.errstate(all="ignore"):
        waits = np.where(steady, 1.0 / -np.expm1(-late), np.where(few, 100.0 * now.step, inf))
        total = float((now.left * (now.step + SAFETY * waits))[alive].sum())
    return total if total == total else inf


def _in_vain(past: list[_Mark], tolerance: float, work: float) -> bool:
    """Whether all of the work would resolve next to nothing more, or far too little."""
    marks = _marks(past, (0.25, 0.5, 0.75, 1.0))
    if marks is None:
        return False
    quarter, half, later, now = marks
    left, lately = now.open, half.open - now.open
    many = now.step >= MANY_STEPS  # fewer steps show no trend
    if many and lately <= NOTHING_MORE * left and lately <= NOTHING_MORE * (1 - half.open):
        return True
    early, late = _open_hazard(quarter, half), _open_hazard(half, now)
    if many and 0 < late < STEADY * early:  # as slow as a power of the step
        power = late * (now.step - half.step) / math.log(now.step / half.step)
        return bool(left * (work / now.used) ** -power > tolerance)
    if now.used > EXPLODES * later.used and now.used > MUCH * work:  # a step takes more and more work
        growth = math.log(now.used / later.used) / (now.step - later.step)
        return left * math.exp(-late * math.log(work / now.used) / growth) > HOPELESS * tolerance
    return False
