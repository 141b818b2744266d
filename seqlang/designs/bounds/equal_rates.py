"""The largest chance to reject of a design of two arms where both arms have one rate, over all rates from 0 to 1.

Let p = sin^2(t / 2) be the rate of both arms, q = 1 - p, 0 < t < pi. The score of an entry x in t is
(x - p) / sqrt(p q), with mean 0 and variance 1. Its derivative in t is -1 - score * cot t. Let S be the sum of the
scores of the N entries of a run. What is released and decided depends on the entries, and on noise and coins whose laws
do not change with t. So, for every bounded function G of what is released,

    d/dt E[G] = E[G S],    d^2/dt^2 E[G] = E[G M],    M = S^2 - N - S cot t,    E[M] = 0.

Where E[N] is finite, E[S^2] = E[N] (Wald 1945, Annals of Mathematical Statistics 16, 117-186), and hence
E|M| <= 2 E[N] + |cot t| sqrt(E[N]). Two bounds follow.

(a) If the values of G lie in an interval of length d, |d^2/dt^2 E[G]| <= d (E[N] + |cot t| sqrt(E[N]) / 2): take G less
    the middle of the interval. Where the second derivative is at most K between two places at the distance w, E[G] is
    at most the chord plus K u (1 - u) w^2 / 2 at the part u of the way, which is at most K w^2 / 8.
(b) For f = P(reject), (f')^2 <= f (1 - f) E[N] (Cauchy and Schwarz). So 2 arcsin sqrt(f) changes by at most
    w sqrt(E[N]) over a distance w, where E[N] is its largest value on the way.

For f the smaller one of both bounds is taken. They need an upper end of E[N] between two places x and y at the distance
w. A policy with an end has one. For another policy let V(s) be the expected number of further entries from score s at
x, and K_t V(s) the expectation of V after the next block, of m entries, at t. At x it is V(s) - m. At t it is larger
than that by at most either of

- the increase from x to y, or 0 if there is none, plus the K w^2 / 8 of (a) for a run of m entries, where d is the
  range of V after the block;
- d sqrt(1 - cos(w / 2)^(2 m)), as the total variation between two laws is at most sqrt(1 - A^2), A their affinity,
  which is at least cos(w / 2)^m for m entries.

If the smaller one is at most k m for every score, and k < 1, then V / (1 - k) >= m + K_t (V / (1 - k)), and V / (1 - k)
is no less than the expected number of further entries at t.

Chances at single places are computed in floats: their errors are far below ROUNDING, which is added to the bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.evaluation import Chain, Seen, chain_of, evaluate
from seqlang.designs.blocks.policy import Policy
from seqlang.designs.blocks.visits import absorbed
from seqlang.designs.design import Design
from seqlang.designs.problem.entry import Array
from seqlang.process.time_limit import over
from seqlang.record import record
from seqlang.results.design import EqualRates

PLACES = 33
"""Places at first, evenly spaced in t."""
MOST = 400
"""Places that are looked at."""
NEAR = 0.02
"""The bound is within this part of the largest chance that was found."""
ROUNDING = 1e-9


@record
class _Place:
    """At `t`: the chance to reject, and by plan the chain, if it has no end, with the expected further entries by
    score, which are infinite where some runs never end."""

    t: float
    reject: float
    chains: tuple[Chain | None, ...]
    further: tuple[Array, ...]

    @property
    def rate(self) -> float:
        return math.sin(self.t / 2) ** 2


class _Plan:
    """A policy; where no end for futility is heeded, if it has such ends."""

    def __init__(self, policy: Policy, scores: Seen) -> None:
        self.policy, self.scores = policy.ignoring or policy, scores
        self.sizes = np.array(self.policy.rows[0].sizes if self.policy.rows else (), dtype=np.float64)

    def at(self, laws: Seen) -> tuple[float, Chain | None, Array]:
        """The chance to reject, the chain, and the expected further entries by score; of a policy with an end the
        largest number, and no chain."""
        if self.policy.endless or self.policy.most is not None:
            most = math.inf if self.policy.most is None else float(self.policy.most)
            return evaluate(self.policy, laws, self.scores).reject, None, np.array([most])
        chain = chain_of(self.policy.rows[0], laws, self.scores)
        if not _all_end(chain):
            return _rejected(chain), chain, np.full(len(chain.sizes), math.inf)
        found = absorbed(chain.moves, np.column_stack([chain.ends[:, 0], chain.sizes]))
        return float(found[chain.start, 0]), chain, found[:, 1]

    def entries_between(self, further: Array, there: Chain | None, width: float, steep: float) -> float:
        """An upper end of E[N] between a place x, where `further` is expected by score, and y, whose chain is `there`,
        at the distance `width`. `steep`: |cot t| is at most that between them."""
        if there is None:
            return float(further[0])
        if not np.isfinite(further).all():
            return math.inf
        ranges = self._ranges(further)
        rise = np.maximum(0.0, self.sizes + there.moves @ further - further)
        bend = ranges * (self.sizes + steep * np.sqrt(self.sizes) / 2) * width**2 / 8
        differ = np.sqrt(1 - np.cos(width / 2) ** (2 * self.sizes))
        part = float((np.minimum(rise + bend, ranges * differ) / self.sizes).max())
        return float(further[there.start]) / (1 - part) if part < 1 else math.inf

    def _ranges(self, further: Array) -> Array:
        """By score, the range of what may be expected after the next block; nothing is after a stop."""
        found = np.zeros(len(further))
        for size in self.policy.sizes:
            of_size = np.flatnonzero(self.sizes == size)
            low, high = int(self.scores(size).min()), int(self.scores(size).max())
            ahead = np.pad(further, (max(0, -low), max(0, high)))
            windows = sliding_window_view(ahead, high - low + 1)[of_size + max(0, low)]
            found[of_size] = np.ptp(windows, axis=1)
        return found


def _all_end(chain: Chain) -> bool:
    """Whether a run may end from every score. Without noise, where all entries are alike, it may come back for ever."""
    ends = chain.ends.sum(axis=1) > 0
    while not ends.all():
        more = ends | ((chain.moves > 0) @ ends)
        if (more == ends).all():
            return False
        ends = more
    return True


def _rejected(chain: Chain) -> float:
    """The chance to reject where all entries are alike, and each move is sure."""
    mass, rejected = np.eye(len(chain.sizes))[chain.start], 0.0
    for _ in chain.sizes:
        rejected += float(mass @ chain.ends[:, 0])
        mass = mass @ chain.moves
    return rejected


class EqualArms:
    """A design of two arms that have one rate."""

    def __init__(self, design: Design, blocks: Blocks) -> None:
        self.blocks = blocks
        self.chances = [float(c) for c in design.chances]
        self.plans = [_Plan(c.policy, blocks.scores(c.policy.lattice)) for c in design.columns]

    def at(self, t: float) -> _Place:
        """What it does at the rate sin^2(t / 2)."""
        rate = Fraction(math.sin(t / 2) ** 2)
        law = cache(lambda size: self.blocks.law_at(((1 - rate, rate),) * 2, size))
        rejects, chains, further = zip(*(plan.at(law) for plan in self.plans), strict=True)
        return _Place(t, sum(c * r for c, r in zip(self.chances, rejects, strict=True)), chains, further)

    def most_between(self, x: _Place, y: _Place) -> float:
        """No rate between these places has a larger chance to reject. The chains at y are used."""
        width = abs(y.t - x.t)
        steep = max(abs(math.cos(t)) / math.sin(t) if 0 < t < math.pi else math.inf for t in (x.t, y.t))
        parts = zip(self.chances, self.plans, x.further, y.chains, strict=True)
        entries = sum(c * plan.entries_between(v, chain, width, steep) for c, plan, v, chain in parts)
        if entries == math.inf:
            return 1.0
        angles = [2 * math.asin(math.sqrt(min(1.0, max(0.0, place.reject)))) for place in (x, y)]
        moved = math.sin(min(math.pi, (sum(angles) + math.sqrt(entries) * width) / 2) / 2) ** 2
        curved = entries + steep * math.sqrt(entries) / 2
        return min(moved, _above_chord(x.reject, y.reject, curved * width**2 / 2)) + ROUNDING


def _above_chord(start: float, end: float, bend: float) -> float:
    """The largest start + (end - start) u + bend u (1 - u) for u in [0, 1]."""
    if bend == 0 or bend == math.inf:
        return max(start, end) if bend == 0 else 1.0
    u = min(1.0, max(0.0, 0.5 + (end - start) / (2 * bend)))
    return start + (end - start) * u + bend * u * (1 - u)


def _without_chains(place: _Place) -> _Place:
    """They are used once, and large."""
    return _Place(place.t, place.reject, (), place.further)


def largest_at_equal_rates(design: Design, blocks: Blocks) -> EqualRates:
    """The largest chance to reject that was found, and a bound on that at all rates. Places are added where the bound
    is largest. There is no bound where the time limit is over before the first places are known, and where some runs
    never end, as in a test of power one."""
    arms = EqualArms(design, blocks)
    places = list(_first(arms))
    best = max(places, key=lambda place: place.reject)
    finite = all(np.isfinite(further).all() for place in places for further in place.further)
    if len(places) < PLACES or not finite:
        return EqualRates(best.rate, best.reject, None, len(places))
    places.sort(key=lambda place: place.t)
    waiting = [(-arms.most_between(a, b), a.t, _without_chains(a), _without_chains(b)) for a, b in pairwise(places)]
    del places
    heapify(waiting)
    count = PLACES
    while -waiting[0][0] > best.reject * (1 + NEAR) + ROUNDING and count < MOST and not over():
        _, _, a, b = heappop(waiting)
        middle = arms.at((a.t + b.t) / 2)
        count += 1
        best = max(best, middle, key=lambda place: place.reject)
        kept = _without_chains(middle)
        heappush(waiting, (-arms.most_between(a, middle), a.t, a, kept))
        heappush(waiting, (-arms.most_between(b, middle), kept.t, kept, b))
    return EqualRates(best.rate, best.reject, min(1.0, -waiting[0][0]), count)


def _first(arms: EqualArms) -> Iterator[_Place]:
    """The first places, those far apart first, until the time limit is over; there is at least one."""
    spaced, known = np.linspace(0.0, math.pi, PLACES).tolist(), set[int]()
    for step in (PLACES >> k for k in range(1, PLACES.bit_length())):
        for i in range(0, PLACES, step):
            if i in known or (known and over()):
                continue
            known.add(i)
            yield arms.at(spaced[i])
