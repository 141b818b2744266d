"""The best policy at given prices for a test with an end: backward induction over entries used and score.

The state is (entries used, score). With h the chance of a state under each law on some way there, the best choice in it
is the one with the least sum over laws of h times what is still to pay under that law. Without noise the state holds
all that was seen, h is the likelihood up to a common factor, and the induction is exact. With noise a score forgets
which counts it is made of; h is then taken on the way on which all sizes are equally likely and nothing stops, and for
the two hypotheses, of which the score is the likelihood ratio, a bound comes from a second induction over posterior
chances (`pricing.py`), between them from one of three laws (`third_law.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import expit

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.places import between
from seqlang.designs.blocks.policy import Policy, Row, row_of
from seqlang.designs.problem.entry import Arms, Array
from seqlang.designs.search.calendar import Calendar
from seqlang.designs.search.pricing import Prices, Table, Whole, knots_for, steady, stopping
from seqlang.designs.search.third_law import bound_between

FEW = 8
"""Kernels of at most so many points are added up one by one."""
KNOTS = 0.06
WINDOW = 41
"""Scores over which the chances of states are averaged where there are many."""
DEEP = 2.0
"""Log-odds below log(1 / error) at which scores have a floor, where a test goes on below."""
FEWEST = 60
"""Scores from 0 to the floor, at least."""
STICKY = 5e-4
"""A schedule keeps a block size while another would save less than this part of the whole cost."""


class Under:
    """What a law of the entries does on the lattice: the gains of a block of each size with their chances, and the
    chances of the states, by entries used, on the way on which all sizes are equally likely and nothing stops."""

    def __init__(self, laws: Callable[[int], Array], scores: Callable[[int], Array], calendar: Calendar, middle: int):
        self.width = 2 * middle + 1
        self.steps: dict[int, tuple[Whole, Array]] = {}
        for size in calendar.all_sizes:
            gains, which = np.unique(np.clip(scores(size), -self.width, self.width), return_inverse=True)
            self.steps[size] = gains.astype(np.int64), np.asarray(np.bincount(which, laws(size)), dtype=np.float64)
        self.reach = max(int(np.abs(gains).max()) for gains, _ in self.steps.values())
        self.few = max(len(gains) for gains, _ in self.steps.values()) <= FEW
        self.length = next_fast_len(self.width + 2 * self.reach, real=True)
        self.hats = {} if self.few else {m: rfft(self.spread(m), self.length).conj() for m in self.steps}
        self.chances = self._way(calendar, middle)

    def spread(self, size: int) -> Array:
        """The chances of the gains -reach .. reach."""
        gains, chances = self.steps[size]
        whole = np.zeros(2 * self.reach + 1)
        whole[gains + self.reach] = chances
        return whole

    def _way(self, calendar: Calendar, middle: int) -> dict[int, Array]:
        found = {used: np.zeros(self.width) for used in calendar.times}
        found[0][middle] = 1.0
        for used in calendar.times:
            sizes = calendar.sizes(used)
            for size in sizes:
                moved = np.convolve(found[used], self.spread(size))[self.reach : self.reach + self.width]
                found[used + size] += moved / len(sizes)
        if self.few:
            return found
        window = np.hanning(WINDOW)  # with noise, neighbouring scores are made of other counts by chance of rounding
        return {used: np.convolve(mass, window, "same") if used else mass for used, mass in found.items()}

    def ahead(self, values: Array, size: int) -> Array:
        """What is expected after a block of that size: by score, of values at all scores from `reach` beyond."""
        gains, chances = self.steps[size]
        parts = (c * values[self.reach + g : self.reach + g + self.width] for g, c in zip(gains, chances, strict=True))
        return np.asarray(sum(parts, np.zeros(self.width)))


class Staged:
    """Policies for the times of a calendar. Beyond the scores of the lattice every policy decides."""

    def __init__(self, blocks: Blocks, calendar: Calendar, lattice: float) -> None:
        self.blocks, self.calendar, self.lattice = blocks, calendar, lattice
        self.most = calendar.most
        reach = 2 * float(np.log(1 / min(blocks.problem.errors))) + 4  # twice: between the hypotheses both errors count
        deep = float(np.log(1 / min(blocks.problem.errors))) + DEEP
        self.middle = below = int(np.ceil(reach / lattice))
        if blocks.problem.course != "both ends":
            self.middle = max(self.middle, FEWEST)
            below = min(self.middle, max(FEWEST, int(np.ceil(deep / lattice))))
        self.width, self.floor = 2 * self.middle + 1, -below  # the floor of the scores that rows list
        seen = blocks.problem.privacy.notion == "none" and calendar.all_sizes == (1,)
        walk = seen and blocks.problem.course == "both ends"  # a floor forgets
        self.exact = walk or not blocks.problem.criterion.places
        self.bounding = None if walk or not self.exact else Bounding(blocks, calendar)
        self.scale = float(self.most)
        self._under: dict[Arms, Under] = {}

    @property
    def about(self) -> str:
        return f"{len(self.calendar.times)} times to look"

    def under(self, arms: Arms) -> Under:
        if arms not in self._under:
            laws, scores = self.blocks.laws_at(arms), self.blocks.scores(self.lattice)
            self._under[arms] = Under(laws, scores, self.calendar, self.middle)
        return self._under[arms]

    def best(self, prices: Prices, places: tuple[Fraction, ...]) -> tuple[Policy, float]:
        """The policy, and what it costs at these prices, or a bound from below on what any costs."""
        policy, self.scale = Induction(self, prices, places).run()
        return policy, self.scale if self.bounding is None else self.bounding.least(prices)

    def finer(self, columns: object, prices: Prices) -> bool:
        return False

    def bound(self, known: float, prices: Prices, places: tuple[Fraction, ...]) -> float:
        """Where `best` tells none: the largest of several expectations is at least that which weighs most."""
        if self.exact:
            return known
        place = places[prices.weights.index(max(prices.weights))]
        return bound_between(self.blocks, self.calendar, place, prices)


class Induction:
    """One induction from the last time to the first. `values[used]`: what is still to pay in each state under each law,
    (laws, scores)."""

    def __init__(self, staged: Staged, prices: Prices, places: tuple[Fraction, ...]) -> None:
        problem = staged.blocks.problem
        self.staged, self.calendar, self.criterion = staged, staged.calendar, problem.criterion
        self.course = problem.course
        futile = self.course == "futility"  # the last law is then the null's where no end for futility is heeded
        entries = (problem.null.arms, problem.alternative.arms, *map(between, places), *[problem.null.arms] * futile)
        self.unders = [staged.under(arms) for arms in entries]
        weights = (0.0, 0.0, *prices.weights) if places else self.criterion.weights
        self.weights = np.array((*weights, *[0.0] * futile))[:, None]
        self.rejected, self.accepted = np.zeros((2, len(entries), 1))
        self.rejected[-1 if futile else 0], self.accepted[1] = prices.null, prices.alternative
        self.values: dict[int, Array] = {}
        self.ahead: dict[int, Any] = {}

    def run(self) -> tuple[Policy, float]:
        """The policy, and the sum of all costs from the start."""
        rows = [self._row(used) for used in reversed(self.calendar.times)][::-1]
        lattice, at_start = self.staged.lattice, self.values[0][:, self.staged.middle]
        once = float(self.criterion.cost(np.ones(1))[0] * self.weights.sum())
        decided = once + float(self.rejected.sum()), once + float(self.accepted.sum())
        if self.course != "both ends":
            decided = decided[0], math.inf
        if not self.calendar.forced and min(decided) <= at_start.sum():
            return Policy(lattice, (), at_once="reject" if decided[0] <= decided[1] else "accept"), min(decided)
        return self._policy(rows), float(at_start.sum())

    def _policy(self, rows: list[Row]) -> Policy:
        lattice, floor = self.staged.lattice, self.staged.floor
        if self.course != "futility":
            kept = self._smoothed(reached(rows))
            return Policy(lattice, kept, ends=True, floor=None if self.course == "both ends" else floor)
        times = {row.used for row in reached([self._unheeded(row) for row in rows])}
        kept = self._smoothed(tuple(row for row in rows if row.used in times))
        ignoring = Policy(lattice, tuple(map(self._unheeded, kept)), ends=True, floor=floor)
        return Policy(lattice, kept, ends=True, floor=floor, ignoring=ignoring)

    def _unheeded(self, row: Row) -> Row:
        """The row where no end for futility is heeded: below its scores the size that is next to them."""
        sizes = self.calendar.sizes(row.used)
        if not sizes:
            return row
        below = [_next_to(row, sizes)] * (row.low - self.staged.floor)
        return Row(row.used, self.staged.floor, (*below, *row.sizes))

    def _smoothed(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """Boundaries are moved among scores that cannot be, so that they are the same for as long as possible."""
        middle = self.staged.middle
        highs, lows = [], []
        for row in rows:
            scores = np.flatnonzero(self._possible(row.used)) - middle
            above, below = scores[scores > row.high], scores[scores < row.low]
            highs.append((row.high, int(above.min(initial=middle + 1)) - 1))
            lows.append((max(int(below.max(initial=-middle - 1)) + 1, self.staged.floor), row.low))
        return tuple(map(_stretched, rows, steadied(lows), steadied(highs)))

    def _row(self, used: int) -> Row:
        """The best row after so many entries, given those after more."""
        staged, sizes = self.staged, self.calendar.sizes(used)
        mass = self._mass(used)
        later = self._later(used, sizes) if sizes else np.zeros((0, *mass.shape))
        accepted = np.broadcast_to(self.accepted, mass.shape).copy()
        if sizes and self.course == "futility":
            accepted[-1] = later[:, -1].min(axis=0)
        ends = np.stack([(mass * self.rejected).sum(axis=0), (mass * accepted).sum(axis=0)])
        if sizes and self.course == "one-sided":
            ends[0, : staged.middle] = ends[1] = np.inf
        choice = np.where(ends[0] <= ends[1], 0, -1)
        values = np.where(choice == 0, self.rejected, accepted)
        if sizes:
            further = np.where(self._possible(used), (later * mass).sum(axis=1), np.inf)
            goes_on = (further.min(axis=0) < ends.min(axis=0)) | np.isinf(ends.min(axis=0))
            goes_on[staged.middle] |= used == 0
            kept = steady(further, STICKY * staged.scale / len(mass))
            choice = np.where(goes_on, np.array(sizes)[kept], choice)
            values = np.where(goes_on, later[kept, :, np.arange(len(kept))].T, values)
        least = staged.middle + staged.floor
        if sizes and self.course != "both ends":
            choice[:least] = -1
        row = row_of(choice, staged.middle, used)
        if sizes and self.course == "futility":
            below = row.low + staged.middle
            values[-1, :below] = later[sizes.index(_next_to(row, sizes)), -1, :below]
        if self.course != "both ends":
            values[:, :least] = values[:, least : least + 1]
        self._keep(used, values)
        return row

    def _possible(self, used: int) -> Any:
        return sum(under.chances[used] for under in self.unders) > 0

    def _mass(self, used: int) -> Array:
        """The chances of each state by law, as parts of their sum; of states that cannot be, by their score alone."""
        mass = np.stack([under.chances[used] for under in self.unders])
        total = mass.sum(axis=0)
        odds = self.staged.lattice * np.arange(-self.staged.middle, self.staged.middle + 1)
        by_score = np.zeros_like(mass)
        by_score[0], by_score[1] = expit(-odds), expit(odds)
        if self.course == "futility":
            by_score[-1] = by_score[0]
        return np.where(total > 0, mass / np.where(total > 0, total, 1.0), by_score)

    def _keep(self, used: int, values: Array) -> None:
        """Values at all scores that a block can lead to: beyond those of the lattice every policy decides, or its
        scores have a floor there."""
        self.values[used] = values
        reach = self.unders[0].reach
        shape, below = (len(values), reach), self.accepted if self.course == "both ends" else values[:, :1]
        whole = np.hstack([np.broadcast_to(below, shape), values, np.broadcast_to(self.rejected, shape)])
        self.ahead[used] = whole if self.unders[0].few else rfft(whole, self.unders[0].length)

    def _later(self, used: int, sizes: tuple[int, ...]) -> Array:
        """What is still to pay by size, law and score, if a block of that size is next."""
        ends = np.array([used, *(used + m for m in sizes)], dtype=float)
        costs = self.criterion.cost(ends)
        paid = self.weights * (costs[1:] - costs[0])[:, None, None]
        if self.unders[0].few:
            found = [[u.ahead(self.ahead[used + m][i], m) for i, u in enumerate(self.unders)] for m in sizes]
            return np.asarray(paid + np.array(found))
        hats = np.stack([self.ahead[used + m] * np.stack([u.hats[m] for u in self.unders]) for m in sizes])
        return np.asarray(paid + irfft(hats, self.unders[0].length)[:, :, : self.staged.width])


def _next_to(row: Row, sizes: tuple[int, ...]) -> int:
    """The size that is taken below a row's scores if it goes on there, too."""
    return row.sizes[0] if row.sizes else sizes[-1]


def reached(rows: list[Row]) -> tuple[Row, ...]:
    """The rows to which blocks lead."""
    times = {0}
    for row in rows:
        if row.used in times:
            times.update(row.used + size for size in set(row.sizes))
    return tuple(row for row in rows if row.used in times)


def steadied(ranges: list[tuple[int, int]]) -> list[int]:
    """A number of each range, the same for as many in a row as have one in common."""
    found: list[int] = []
    low, high, since = *ranges[0], 0
    for place, (least, most) in enumerate([*ranges, (1, 0)]):
        if max(low, least) > min(high, most):
            found += [low] * (place - since)
            low, high, since = least, most, place
        low, high = max(low, least), min(high, most)
    return found


def _stretched(row: Row, low: int, high: int) -> Row:
    if not row.sizes:
        return Row(row.used, low, ())
    sizes = (*[row.sizes[0]] * (row.low - low), *row.sizes, *[row.sizes[-1]] * (high - row.high))
    return Row(row.used, low, sizes)


class Bounding:
    """A bound from below on what any policy for the times of a calendar costs: backward induction over the posterior,
    with values between knots interpolated from below."""

    def __init__(self, blocks: Blocks, calendar: Calendar) -> None:
        self.calendar, self.places = calendar, {m: i for i, m in enumerate(calendar.all_sizes)}
        self.one_sided = blocks.problem.course == "one-sided"
        self.criterion = blocks.problem.criterion
        knots = knots_for(float(np.log(1 / min(blocks.problem.errors))) + 3, KNOTS)
        self.table = Table(blocks, calendar.all_sizes, knots, knots)

    def least(self, prices: Prices) -> float:
        """At these prices."""
        table = self.table
        values: dict[int, Array] = {}
        doubled = Prices(2 * prices.null, 2 * prices.alternative)
        decided = stopping(doubled, table.places)
        for used in reversed(self.calendar.times):
            ends = decided[0] if self.one_sided and used < self.calendar.most else decided.min(axis=0)
            ways = [ends] if used else []
            for size in self.calendar.sizes(used):
                place = self.places[size]
                paid = float(np.diff(self.criterion.cost(np.array([used, used + size], dtype=float)))[0]) / size
                ways.append(paid * table.costs[place] + table.moves[place] @ values[used + size])
            values[used] = np.min(ways, axis=0)
        middle, ends = len(table.places) // 2, decided[0] if self.one_sided else decided.min(axis=0)
        started = float(values[0][middle])
        once = float(self.criterion.cost(np.ones(1))[0])
        return started if self.calendar.forced else min(once + float(ends[middle]), started)
