"""The universal program: a lower bound on the criterion for every private test of coin flips.

For a test that sees flips one by one let a_d(n, s) be the chance that it stops after n flips with decision d, given
that s of them are ones, and c(n, s) that it goes on. The number of ones is sufficient, so averaging over orders changes
neither errors nor expectations, and

    f(s) <= slope f(s - 1) + offset, f(s - 1) <= slope f(s) + offset    for f = a_0(n, .), a_1(n, .), c(n, .),
    a_0 + a_1 + c at (n, s)  =  s/n c(n - 1, s - 1) + (1 - s/n) c(n - 1, s),        c(0, 0) = 1:

the first for every line of the notion of privacy (`events.py`; of slope e^eps and without offset for a pure one),
because one flip is one entry (average the test's own inequalities over all pairs of sequences that differ in one flip),
the second because the first n - 1 of n flips with s ones hold s - 1 or s ones with these chances. E[N] is the sum over
n of E[c(n, S_n)], and errors are sums of E[a_d(n, S_n)]. What happens after the horizon is free, so that the linear
program's value is a bound at every horizon. Where a test has an end, nothing goes on after it; where it looks at given
times only, it stops at no other.

Lines with an offset say little of rare events, but as much of each union and complement. So where there are any, the
same holds of d_i(n, .), the chances that the test has ended by then with decision i,

    d_i(n, s)  =  a_i(n, s) + s/n d_i(n - 1, s - 1) + (1 - s/n) d_i(n - 1, s),

and of the complements of d_0, d_1 and c. Without offsets both follow from the inequalities above.

The program is solved in floats; what is told is certain. Every y <= 0 for the inequalities and every z for the
equations give the bound b y + z_1 + z_2 + sum of min(0, c - A'y - B'z), as no variable is above 1 (Neumaier &
Shcherbina 2004): with the y and z that were found, rounded against the bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, vstack

from seqlang.arithmetic.rounding import fraction_up
from seqlang.designs.bounds.events import Line, lines, slopes_for
from seqlang.designs.bounds.folded import fold, folded
from seqlang.designs.problem.criterion import Limits
from seqlang.designs.problem.problem import Problem
from seqlang.record import record

ROUNDING = 2e-14
"""More than 60 units in the last place, relatively."""
SLOPES = 5
"""Lines of zcdp and rdp."""
ACCEPT, REJECT, ON, ACCEPTED, REJECTED = 0, 1, 2, 3, 4
Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Rows, columns and values of a sparse matrix."""


def why_none(problem: Problem) -> str:
    """Why there is no universal program for the problem; empty where there is one."""
    if problem.reading is not None or problem.arms:
        return "the universal program is about flips of one coin"
    if problem.privacy.notion == "none":
        return "without privacy the best test is known"
    if problem.criterion.level is not None:
        return "the universal program is about expectations"
    return ""


def universal_bound(problem: Problem, horizon: int) -> float | None:
    """A bound that is certain, about the value of the program; None where it is not solved, or where there is none. The
    largest expectation between the hypotheses is at least that at a place there."""
    if why_none(problem):
        return None
    ends = _ends(problem.limits)
    if ends is not None:
        horizon = min(horizon, max(ends))
    known = lines(problem.privacy, slopes_for(problem.privacy, SLOPES))
    layout = Layout(5 if any(line.offset for line in known) else 3)
    size, part = layout.column(horizon + 1, 0), layout.part
    private, above = layout.private(horizon, known, size)
    flow = _matrix(layout.flow(horizon), size)
    costs, wrong, most = np.zeros(size), np.zeros((2, size)), np.ones(size)
    for n in range(1, horizon + 1):
        laws = [_binomial(n, side.chances[1]) for side in (problem.null, problem.alternative)]
        costs[part(n, ON)] = _cost(problem, n, laws)
        wrong[0, part(n, REJECT)], wrong[1, part(n, ACCEPT)] = laws
        if ends is not None and n not in ends:
            most[part(n, ACCEPT)] = most[part(n, REJECT)] = 0.0
        if ends is not None and n == max(ends):
            most[part(n, ON)] = 0.0
        elif problem.course == "one-sided":
            most[part(n, ACCEPT)] = 0.0
    ones = np.zeros(flow.shape[0])
    ones[:2] = 1.0  # both numbers of ones after one flip
    errors = [fraction_up(error) for error in (problem.alpha, problem.beta)]
    limits: Any = vstack([private, csr_matrix(wrong)])
    program = Program(costs, limits, np.r_[above, errors], flow, ones, most)
    found = program.folded(layout.mirror(horizon)).bound()
    return None if found is None else math.nextafter(1 + found, 0.0)


def _cost(problem: Problem, n: int, laws: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """What going on after n flips costs, by the number of ones."""
    if problem.criterion.places:
        return _binomial(n, problem.criterion.places[0])
    return np.asarray(sum(w * law for w, law in zip(problem.weights, laws, strict=True)))


def _ends(limits: Limits) -> frozenset[int] | None:
    """After how many entries a test may end, the last one among them; None where it may end at any time."""
    if limits.looks:
        return frozenset(limits.looks)
    if limits.most is None:
        return None  # where it looks after every so many entries, the bound for all times holds
    return frozenset(range(limits.every or 1, limits.most + 1, limits.every or 1))


def _binomial(n: int, p: Fraction) -> NDArray[np.float64]:
    """The chances of 0 .. n, each the float that is next to it."""
    a, b = p.numerator, p.denominator - p.numerator
    return np.array([float(Fraction(math.comb(n, s) * a**s * b ** (n - s), p.denominator**n)) for s in range(n + 1)])


@record
class Program:
    """min costs x subject to limits x <= right, flow x = ones, 0 <= x <= most, where all of `most` is 0 or 1."""

    costs: NDArray[np.float64]
    limits: Any
    right: NDArray[np.float64]
    flow: Any
    ones: NDArray[np.float64]
    most: NDArray[np.float64]

    def folded(self, places: NDArray[np.intp]) -> Program:
        """The half of it, where exchanging each variable with that in `places` maps it to itself: four times as
        fast."""
        even = (self.costs[places] == self.costs).all() and (self.most[places] == self.most).all()
        limits = folded((self.limits, self.right), places, limits=True) if even else None
        flow = folded((self.flow, self.ones), places, limits=False) if limits is not None else None
        if limits is None or flow is None:
            return self
        pairs = fold(places)
        most = np.minimum(pairs.T @ self.most, 1.0)
        return Program(pairs.T @ self.costs, *limits, *flow, most)

    def bound(self) -> float | None:
        """A number that is certainly not above the least cost."""
        found = linprog(
            self.costs, A_ub=self.limits, b_ub=self.right, A_eq=self.flow, b_eq=self.ones,
            bounds=[(0.0, None) if most > 0 else (0.0, 0.0) for most in self.most.tolist()],
            method="highs-ipm",
        )  # fmt: skip
        if found.status != 0 or found.x is None:
            return None
        return self.certain(np.minimum(0.0, found.ineqlin.marginals), np.asarray(found.eqlin.marginals, dtype=float))

    def certain(self, y: NDArray[np.float64], z: NDArray[np.float64]) -> float:
        """The bound that these prices of the inequalities, none above 0, and of the equations give. A column has fewer
        than 50 entries, each within a unit in the last place: the sum of it is within ROUNDING of the sum of what
        its terms are in size."""
        left = self.costs - self.limits.T @ y - self.flow.T @ z
        size = self.costs + abs(self.limits).T @ -y + abs(self.flow).T @ np.abs(z)
        short = self.most * np.minimum(0.0, left - ROUNDING * size)
        parts = [*(self.right * y).tolist(), *(self.ones * z).tolist(), *short.tolist()]
        return math.fsum(parts) - ROUNDING * math.fsum(map(abs, parts))


@record
class Layout:
    """`kinds` of n + 1 variables each for the steps n = 1, 2, .."""

    kinds: int

    def column(self, n: int, kind: int) -> int:
        """Where the variables of step n and that kind begin."""
        return self.kinds * (n * (n + 1) // 2 - 1) + kind * (n + 1)

    def part(self, n: int, kind: int) -> slice:
        return slice(self.column(n, kind), self.column(n, kind) + n + 1)

    def mirror(self, horizon: int) -> NDArray[np.intp]:
        """For each variable that of the test which reads every flip from its other side, and decides the other way."""
        found = [
            self.column(n, (REJECT, ACCEPT, ON, REJECTED, ACCEPTED)[kind]) + n - np.arange(n + 1)
            for n in range(1, horizon + 1)
            for kind in range(self.kinds)
        ]
        return np.concatenate(found)

    def private(self, horizon: int, known: Sequence[Line], size: int) -> tuple[Any, NDArray[np.float64]]:
        """The inequalities of all lines, and their right sides."""
        events = (ACCEPT, REJECT, ON, ACCEPTED, REJECTED)[: self.kinds]
        found = [self._below(horizon, events, line.slope, 1.0, line.offset) for line in known]
        if self.kinds > 3:
            whole = (ON, ACCEPTED, REJECTED)
            found += [self._below(horizon, whole, -1.0, -line.slope, _complement(line)) for line in known]
        parts = [(_matrix(entries, size), right) for entries, right in found]
        right = [np.full(matrix.shape[0], above) for matrix, above in parts]
        return vstack([matrix for matrix, _ in parts]), np.concatenate(right)

    def _below(
        self, horizon: int, kinds: Sequence[int], much: float, times: float, right: float
    ) -> tuple[Iterator[Entries], float]:
        """times * f(x) - much * f(y) <= right for neighbours x, y and the events f of these kinds."""

        def entries() -> Iterator[Entries]:
            row = 0
            for n in range(1, horizon + 1):
                low = np.arange(n)
                for kind in kinds:
                    for x, y in ((low, low + 1), (low + 1, low)):
                        rows = row + low
                        row += n
                        yield rows, self.column(n, kind) + x, np.full(n, times)
                        yield rows, self.column(n, kind) + y, np.full(n, -much)

        return entries(), right

    def flow(self, horizon: int) -> Iterator[Entries]:
        """One equation for each (n, s) and sum; the right side is 1 for that of n = 1 and 0 for others."""
        row = 0
        for n in range(1, horizon + 1):
            s = np.arange(n + 1)
            for sign, kinds, before in self._sums():
                for kind in kinds:
                    yield row + s, self.column(n, kind) + s, np.full(n + 1, sign)
                if before != ON:
                    yield row + s, self.column(n, before) + s, np.ones(n + 1)
                if n > 1:
                    places = self.column(n - 1, before) + np.arange(n)
                    yield row + s[1:], places, -s[1:] / n
                    yield row + s[:-1], places, (s[:-1] - n) / n
                row += n + 1

    def _sums(self) -> tuple[tuple[float, tuple[int, ...], int], ...]:
        """(sign, kinds, what of the step before): of `ON` the kinds are the parts, to the others one is added."""
        ended = ((-1.0, (ACCEPT,), ACCEPTED), (-1.0, (REJECT,), REJECTED))
        return ((1.0, (ACCEPT, REJECT, ON), ON), *ended[: self.kinds - 3])


def _complement(line: Line) -> float:
    """slope - 1 + offset, not below."""
    return (line.slope - 1 + line.offset) + ROUNDING * line.slope


def _matrix(parts: Iterator[Entries], columns: int) -> Any:  # a sparse matrix: what the types of `linprog` do not know
    rows, places, values = (np.concatenate(found) for found in zip(*parts, strict=True))
    return coo_matrix((values, (rows, places)), shape=(int(rows.max()) + 1, columns)).tocsr()
