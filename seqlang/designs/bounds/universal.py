"""The universal program: a lower bound on the criterion for every eps-private test of coin flips.

For a test that sees flips one by one let a_d(n, s) be the chance that it stops after n flips with decision d, given
that s of them are ones, and c(n, s) that it goes on. The number of ones is sufficient, so averaging over orders changes
neither errors nor expectations, and

    f(s) <= e^eps f(s - 1), f(s - 1) <= e^eps f(s)      for f = a_0(n, .), a_1(n, .), c(n, .),
    a_0 + a_1 + c at (n, s)  =  s/n c(n - 1, s - 1) + (1 - s/n) c(n - 1, s),        c(0, 0) = 1:

the first because one flip is one entry (average the test's own inequalities over all pairs of sequences that differ in
one flip), the second because the first n - 1 of n flips with s ones hold s - 1 or s ones with these chances. E[N] is
the sum over n of E[c(n, S_n)], and errors are sums of E[a_d(n, S_n)]. What happens after the horizon is free, so that
the linear program's value is a bound at every horizon. Where a test has an end, nothing goes on after it; where it
looks at given times only, it stops at no other.

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

from seqlang.arithmetic.rounding import exp_up, fraction_up
from seqlang.designs.problem.criterion import Limits
from seqlang.designs.problem.problem import Problem
from seqlang.record import record

ROUNDING = 1e-14
"""More than 30 units in the last place, relatively."""
ACCEPT, REJECT, ON = 0, 1, 2
Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Rows, columns and values of a sparse matrix."""


def why_none(problem: Problem) -> str:
    """Why there is no universal program for the problem; empty where there is one."""
    if problem.reading is not None or problem.arms:
        return "the universal program is about flips of one coin"
    if problem.privacy.notion != "pure":
        return "the universal program is about pure privacy"
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
    size = _column(horizon + 1, 0)
    private = _matrix(_ratios(horizon, exp_up(fraction_up(problem.privacy.arguments[0]))), size)
    flow = _matrix(_flow(horizon), size)
    costs, wrong, most = np.zeros(size), np.zeros((2, size)), np.ones(size)
    for n in range(1, horizon + 1):
        laws = [_binomial(n, side.chances[1]) for side in (problem.null, problem.alternative)]
        costs[_part(n, ON)] = _cost(problem, n, laws)
        wrong[0, _part(n, REJECT)], wrong[1, _part(n, ACCEPT)] = laws
        if ends is not None and n not in ends:
            most[_part(n, ACCEPT)] = most[_part(n, REJECT)] = 0.0
        if ends is not None and n == max(ends):
            most[_part(n, ON)] = 0.0
        elif problem.course == "one-sided":
            most[_part(n, ACCEPT)] = 0.0
    ones = np.zeros(flow.shape[0])
    ones[:2] = 1.0
    errors = [fraction_up(error) for error in (problem.alpha, problem.beta)]
    limits: Any = vstack([private, csr_matrix(wrong)])
    program = Program(costs, limits, np.r_[np.zeros(private.shape[0]), errors], flow, ones, most)
    found = program.bound()
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
        than 30 entries, each within a unit in the last place: the sum of it is within ROUNDING of the sum of what
        its terms are in size."""
        left = self.costs - self.limits.T @ y - self.flow.T @ z
        size = self.costs + abs(self.limits).T @ -y + abs(self.flow).T @ np.abs(z)
        short = self.most * np.minimum(0.0, left - ROUNDING * size)
        parts = [*(self.right * y).tolist(), *(self.ones * z).tolist(), *short.tolist()]
        return math.fsum(parts) - ROUNDING * math.fsum(map(abs, parts))


def _column(n: int, kind: int) -> int:
    """Where the variables of step n and that kind begin: three kinds of n + 1 each, for n = 1, 2, .."""
    return 3 * (n * (n + 1) // 2 - 1) + kind * (n + 1)


def _part(n: int, kind: int) -> slice:
    return slice(_column(n, kind), _column(n, kind) + n + 1)


def _ratios(horizon: int, most: float) -> Iterator[Entries]:
    """One inequality f(x) - most * f(y) <= 0 for neighbours x, y."""
    row = 0
    for n in range(1, horizon + 1):
        low = np.arange(n)
        for kind in (ACCEPT, REJECT, ON):
            for x, y in ((low, low + 1), (low + 1, low)):
                rows = row + low
                row += n
                yield rows, _column(n, kind) + x, np.ones(n)
                yield rows, _column(n, kind) + y, np.full(n, -most)


def _flow(horizon: int) -> Iterator[Entries]:
    """One equation for each (n, s); the right side is 1 for n = 1 and 0 for others."""
    row = 0
    for n in range(1, horizon + 1):
        s = np.arange(n + 1)
        for kind in (ACCEPT, REJECT, ON):
            yield row + s, _column(n, kind) + s, np.ones(n + 1)
        if n > 1:
            before = _column(n - 1, ON) + np.arange(n)
            yield row + s[1:], before, -s[1:] / n
            yield row + s[:-1], before, (s[:-1] - n) / n
        row += n + 1


def _matrix(parts: Iterator[Entries], columns: int) -> Any:  # a sparse matrix: what the types of `linprog` do not know
    rows, places, values = (np.concatenate(found) for found in zip(*parts, strict=True))
    return coo_matrix((values, (rows, places)), shape=(int(rows.max()) + 1, columns)).tocsr()
