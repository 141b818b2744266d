"""Which component of a proposal each run is drawn from.

    allocation(shares, runs, seed, purpose) -> Allocation

The number of runs of a component is a whole number, its share of the runs is not. The weights must therefore contain
the shares that the runs really have (Veach and Guibas 1995, the balance heuristic for fixed numbers of runs): with n_k
of n runs from the component q_k, the mean of p / sum_k (n_k / n) q_k over all runs has the right expectation, whatever
the numbers are. With other shares in the weights, the mean is off by sum_k (n_k / n - share_k) E_k[weight]: up to about
1 / n for each component, which is not small beside the standard error where the weights hardly vary.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.streams import Streams
from seqlang.record import record

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
LEAST = 2
"""Runs of every component: a variance needs two."""


@record
class Allocation:
    """`chosen` (runs,): the component of each run. `shares` (components,): those that the weights contain. `strata`
    (runs,): runs with the same number are independent draws from one law, and how many there are was fixed before."""

    chosen: Rows
    shares: Array
    strata: Rows


def allocation(shares: Array, runs: int, seed: int, purpose: str) -> Allocation:
    """The components of `runs` runs in a fixed order, evenly spread: every component gets LEAST runs, and the others
    are divided in proportion to `shares` (positive, with sum 1). Where there are too few runs for that, the component
    of each run is drawn at random, and the weights contain the shares themselves."""
    if runs < LEAST * len(shares):
        u = Streams(seed, np.arange(runs, dtype=np.int64), f"{purpose} components").uniform()
        ends = np.cumsum(shares)
        at = np.searchsorted(ends, u * ends[-1], side="right")
        chosen = np.minimum(at, len(shares) - 1).astype(np.intp)
        return Allocation(chosen, shares / shares.sum(), np.zeros(runs, dtype=np.intp))
    numbers = LEAST + _divided(runs - LEAST * len(shares), shares)
    component = np.repeat(np.arange(len(shares)), numbers)
    place = np.concatenate([(np.arange(n) + 0.5) / n for n in numbers])  # of the runs of one component among all runs
    chosen = component[np.argsort(place, kind="stable")].astype(np.intp)
    return Allocation(chosen, numbers / runs, chosen)


def _divided(count: int, shares: Array) -> NDArray[np.int64]:
    """Whole numbers with sum `count`, in proportion to `shares` up to one (by the largest remainders)."""
    exact = count * shares / shares.sum()
    numbers: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    left = count - int(numbers.sum())
    numbers[np.argsort(numbers - exact, kind="stable")[:left]] += 1
    return numbers
