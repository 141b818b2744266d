"""A bound for every private test, from the best private tests of n entries for each n.

Let a test err with chances alpha and beta. One that stops at n at the latest, and then rejects, errs with chance
alpha + P(N > n) at most under the null and beta under the alternative. Let a_n be the least error under the null of any
private test of n entries that errs with chance beta under the alternative (`best_tests.py`). So P(N > n) >= a_n - alpha
under the null, and E[N] is the sum of P(N > n) over n = 0, 1, .. The alternative likewise. If N <= n with chance q
under the null, a_n is at most alpha + 1 - q, which bounds quantiles.

A test with an end, or with looks at given times, is one of the tests spoken of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from seqlang.designs.bounds.best_tests import BestTests, Coupled, Flips
from seqlang.designs.bounds.events import lines, slopes_for
from seqlang.designs.bounds.lower_bounds import distances
from seqlang.designs.problem.entry import Array
from seqlang.designs.problem.problem import Problem

SLOPES = {"flips": 16, "others": 8}
"""Lines of zcdp and rdp."""
LENGTHS = 30
"""Numbers of entries at which chances to go on are bounded."""
LONGEST = 2_048
"""Entries at most: what a bound leaves out makes it smaller."""
SPARE = 1e-9
"""More than what chances are off by."""


def why_none(problem: Problem) -> str:
    """Why there is no such bound, or none that tells anything; empty where there is one."""
    if problem.criterion.level is not None:
        known = problem.privacy.notion != "none" or _one_coin(problem)
        return "" if known else "without privacy the best tests are known for flips of one coin"
    if problem.privacy.notion == "none":
        return "without privacy the best test is known"
    if problem.privacy.notion == "pure":
        return "for a pure notion kl / D_eps tells more"
    if problem.criterion.places and not problem.criterion.worst:
        return "the chance to go on is bounded under the hypotheses, and not elsewhere"
    return ""


def ended_early_bound(problem: Problem) -> float | None:
    """On the criterion; None where there is none."""
    if why_none(problem):
        return None
    tests, criterion = _tests(problem), problem.criterion
    if criterion.level is not None:
        side = criterion.weights.index(max(criterion.weights))
        return float(_least_size(problem, tests, side, 1 - criterion.level))
    found = [_expected(problem, tests, side) for side in (0, 1)]
    if criterion.worst:
        return max(found)
    return sum(w * n for w, n in zip(criterion.weights, found, strict=True))


def _one_coin(problem: Problem) -> bool:
    return problem.null.law is None and not problem.arms


def _tests(problem: Problem) -> BestTests:
    if _one_coin(problem):
        return Flips(problem, lines(problem.privacy, slopes_for(problem.privacy, SLOPES["flips"])))
    known = lines(problem.privacy, slopes_for(problem.privacy, SLOPES["others"]))
    return Coupled(distances(problem.null, problem.alternative), known)


def _beyond(problem: Problem, tests: BestTests, side: int, lengths: Sequence[int]) -> Array:
    """P(N > n) under a hypothesis, from below, where the other one's error is kept."""
    error, missed = problem.errors[side], problem.errors[1 - side]
    return np.asarray(np.maximum(0.0, tests.errors(side, lengths, missed + SPARE) - error - SPARE))


def _expected(problem: Problem, tests: BestTests, side: int) -> float:
    """E[N]: between two lengths at least as much goes on as after the second."""
    longest = 8
    while longest < LONGEST and _beyond(problem, tests, side, [longest])[0] > 0:
        longest *= 2
    lengths = sorted({0, *np.rint(np.linspace(1, longest, LENGTHS)).astype(int).tolist()})
    going = _beyond(problem, tests, side, lengths)
    return math.nextafter(float(np.diff([-1, *lengths]) @ going) * (1 - SPARE), 0.0)


def _least_size(problem: Problem, tests: BestTests, side: int, more: float) -> int:
    """The least n after which so little may go on; LONGEST where it is not less."""

    def fits(n: int) -> bool:
        return bool(_beyond(problem, tests, side, [n])[0] <= more)

    return least_where(fits, LONGEST)


def least_where(holds: Callable[[int], bool], most: int) -> int:
    """The least n from 1 at which it holds, if it holds from there on; `most` if it does not before."""
    high = 1
    while high < most and not holds(high):
        high *= 2
    low, high = high // 2, min(high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
