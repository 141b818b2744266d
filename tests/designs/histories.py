"""The best private test with looks at given times that may use all entries again at every look: a linear program.

A test of coin flips that looks after n_1 < .. < n_k flips is told by what it does after every history of counts, (k_1,
.., k_j) of ones in the flips between two looks: nothing else tells the hypotheses apart, and averaging over the orders
within a part keeps privacy, errors and expectations. With a_d(h) the chance to stop with the decision d exactly after
the history h, and c(h) the chance to go on,

    a_0(h) + a_1(h) + c(h) = c(h without its last count),      c() = 1, and c = 0 at the last look,
    f(h) <= e^eps f(h')     for f = a_0, a_1 and h, h' that differ by one in one count,

and each solution is a test: it stops at h with chance a_d(h) / c(before). What is shown is when it stops and how, so
that the inequalities are all that eps-privacy says: unlike the universal program of `designs/bounds`, this is no
relaxation. With the symmetry of p against 1 - p the decision 1 after h is the decision 0 after the flipped history."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, vstack
from scipy.stats import binom

Array = NDArray[np.float64]
ACCEPT, ON = 0, 1


class Histories:
    """For p against 1 - p, p < 1/2, and blocks of these sizes between two looks. Variables are a_0 and c of every
    history after every look."""

    def __init__(self, sizes: Sequence[int], p: float, eps: float) -> None:
        self.sizes, self.p, self.ratio = tuple(sizes), p, math.exp(eps)
        self.shapes = [tuple(m + 1 for m in sizes[: j + 1]) for j in range(len(sizes))]
        self.starts = [0, *accumulate(2 * math.prod(shape) for shape in self.shapes)]

    def place(self, kind: int, history: tuple[int, ...]) -> int:
        """Of a variable."""
        shape = self.shapes[len(history) - 1]
        return self.starts[len(history) - 1] + kind * math.prod(shape) + int(np.ravel_multi_index(history, shape))

    def flipped(self, history: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(m - k for m, k in zip(self.sizes, history, strict=False))

    def law(self, look: int, p: float) -> Array:
        """Of the histories up to a look, from 0, in the order of the variables."""
        found = np.ones(1)
        for m in self.sizes[: look + 1]:
            found = np.outer(found, binom.pmf(np.arange(m + 1), m, p)).ravel()
        return found

    def least(self, error: float) -> tuple[float, Array]:
        """The least expected number of flips where neither error is above `error`, and the variables."""
        size = self.starts[-1]
        wrong, cost, most = np.zeros(size), np.zeros(size), np.ones(size)
        for j, start in enumerate(self.starts[:-1]):
            count = math.prod(self.shapes[j])
            wrong[start : start + count] = self.law(j, 1 - self.p)
            if j + 1 < len(self.sizes):
                cost[start + count : start + 2 * count] = self.law(j, self.p) * self.sizes[j + 1]
            else:
                most[start + count :] = 0.0
        private, (flow, ones) = self._private(), self._flow()
        limits = vstack([private, coo_matrix(np.atleast_2d(wrong))]).tocsr()
        found = linprog(cost, A_ub=limits, b_ub=np.r_[np.zeros(private.shape[0]), error], A_eq=flow, b_eq=ones,
                        bounds=np.c_[np.zeros(size), most], method="highs-ipm")  # fmt: skip
        if found.status != 0:
            return math.inf, np.zeros(0)
        return self.sizes[0] + float(found.fun), np.asarray(found.x)

    def _private(self) -> Any:
        """One row for each ordered pair of neighbouring histories and each kind."""
        rows: list[list[tuple[int, float]]] = []
        for history in self.histories():
            for i, top in enumerate(self.shapes[len(history) - 1]):
                if history[i] + 1 < top:
                    other = (*history[:i], history[i] + 1, *history[i + 1 :])
                    for kind in (ACCEPT, ON):
                        one, two = self.place(kind, history), self.place(kind, other)
                        rows += [[(a, 1.0), (b, -self.ratio)] for a, b in ((one, two), (two, one))]
        return self._matrix(rows)

    def _flow(self) -> tuple[Any, Array]:
        rows, ones = [], []
        for history in self.histories():
            here = [(ACCEPT, history), (ACCEPT, self.flipped(history)), (ON, history)]
            before = [(self.place(ON, history[:-1]), -1.0)] if len(history) > 1 else []
            rows.append([*((self.place(*one), 1.0) for one in here), *before])
            ones.append(1.0 if len(history) == 1 else 0.0)
        return self._matrix(rows), np.array(ones)

    def histories(self) -> Iterator[tuple[int, ...]]:
        """All, after every look."""
        for shape in self.shapes:
            yield from product(*map(range, shape))

    def _matrix(self, rows: Sequence[Sequence[tuple[int, float]]]) -> Any:
        numbers = [i for i, row in enumerate(rows) for _ in row]
        places, values = zip(*(entry for row in rows for entry in row), strict=True)
        return coo_matrix((values, (numbers, places)), shape=(len(rows), self.starts[-1])).tocsr()
