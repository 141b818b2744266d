"""The universal program: a lower bound on the criterion for every eps-private test of coin flips.

For a test that sees flips one by one let a_d(n, s) be the chance that it stops after n flips with decision d, given
that s of them are ones, and c(n, s) that it goes on. The number of ones is sufficient, so averaging over orders changes
neither errors nor expectations, and

    f(s) <= e^eps f(s - 1), f(s - 1) <= e^eps f(s)      for f = a_0(n, .), a_1(n, .), c(n, .),
    a_0 + a_1 + c at (n, s)  =  s/n c(n - 1, s - 1) + (1 - s/n) c(n - 1, s),        c(0, 0) = 1:

the first because one flip is one entry (average the test's own inequalities over all pairs of sequences that differ in
one flip), the second because the first n - 1 of n flips with s ones hold s - 1 or s ones with these chances. E[N] is
the sum over n of E[c(n, S_n)], and errors are sums of E[a_d(n, S_n)]. What happens after the horizon is free, so that
the linear program's value is a bound at every horizon. It is solved in floats."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, vstack

from seqlang.designs.problem.entry import law_of_sum
from seqlang.designs.problem.problem import Problem

ACCEPT, REJECT, ON = 0, 1, 2
Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Rows, columns and values of a sparse matrix."""


def universal_bound(problem: Problem, horizon: int) -> float | None:
    """The value of the program; None where it is not solved. A problem about a coin, with pure privacy."""
    sides = (problem.null, problem.alternative)
    if problem.reading is not None or problem.arms or problem.privacy.notion != "pure":
        return None
    size = _column(horizon + 1, 0)
    private = _matrix(_ratios(horizon, math.exp(float(problem.privacy.arguments[0]))), size)
    flow = _matrix(_flow(horizon), size)
    costs, wrong = np.zeros(size), np.zeros((2, size))
    for n in range(1, horizon + 1):
        laws = [law_of_sum(side.chances, n) for side in sides]
        for weight, law in zip(problem.weights, laws, strict=True):
            costs[_part(n, ON)] += weight * law
        wrong[0, _part(n, REJECT)], wrong[1, _part(n, ACCEPT)] = laws
    ones = np.zeros(flow.shape[0])
    ones[:2] = 1.0
    limits: Any = vstack([private, csr_matrix(wrong)])
    found = linprog(
        costs, A_ub=limits, b_ub=np.r_[np.zeros(private.shape[0]), problem.errors],
        A_eq=flow, b_eq=ones, bounds=(0, None), method="highs-ipm",
    )  # fmt: skip
    return 1 + float(found.fun) if found.status == 0 and found.fun is not None else None


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
            yield row + s[:-1], before, s[:-1] / n - 1
        row += n + 1


def _matrix(parts: Iterator[Entries], columns: int) -> Any:  # a sparse matrix: what the types of `linprog` do not know
    rows, places, values = (np.concatenate(found) for found in zip(*parts, strict=True))
    return coo_matrix((values, (rows, places)), shape=(int(rows.max()) + 1, columns)).tocsr()
