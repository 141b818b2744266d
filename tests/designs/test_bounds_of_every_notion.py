"""Lower bounds for (eps, delta), zCDP and RDP against linear programs over all tests of a few entries, sequence by
sequence, against tests whose privacy is known exactly, and against coins that were drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from seqlang.designs.bounds import best_tests
from seqlang.designs.bounds.best_tests import Coupled, Flips
from seqlang.designs.bounds.ended_early import ended_early_bound
from seqlang.designs.bounds.events import Line, lines, slopes_for
from seqlang.designs.bounds.universal import universal_bound
from seqlang.designs.problem.criterion import Criterion, Limits
from seqlang.designs.problem.entry import coin
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem

Law = Sequence[float]
Word = tuple[int, ...]


def asked(p0: float, p1: float, errors: tuple[float, float], privacy: Privacy, **more: object) -> Problem:
    sides = (coin(Fraction(str(p))) for p in (p0, p1))
    return Problem(*sides, *(Fraction(e) for e in errors), privacy, **more)


def chance(word: Word, law: Law) -> float:
    return math.prod(law[letter] for letter in word)


def neighbours(words: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    known = set(words)
    for word in words:
        for place, letter in product(range(len(word)), range(3)):
            other = (*word[:place], letter, *word[place + 1 :])
            if other != word and other in known:
                yield word, other


class Rows:
    """A linear program, row by row."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, int, float]] = []
        self.right: list[float] = []

    def add(self, parts: dict[int, float], right: float) -> None:
        self.entries += [(len(self.right), column, value) for column, value in parts.items()]
        self.right.append(right)

    def matrix(self, columns: int) -> object:
        rows, places, values = zip(*self.entries, strict=True)
        return coo_matrix((values, (rows, places)), shape=(len(self.right), columns)).tocsr()


def least_error(n: int, laws: tuple[Law, Law], missed: float, eps: float, delta: float) -> float:
    """Of any (eps, delta) test of n letters: the least chance to reject under the first law, where it is at least
    1 - missed under the second; over the chances to reject of every word."""
    words = list(product(range(len(laws[0])), repeat=n))
    at, rows = {word: i for i, word in enumerate(words)}, Rows()
    for word, other in neighbours(words):
        rows.add({at[word]: 1, at[other]: -math.exp(eps)}, delta)
        rows.add({at[word]: -1, at[other]: math.exp(eps)}, math.exp(eps) - 1 + delta)
    rows.add({at[word]: -chance(word, laws[1]) for word in words}, missed - 1)
    found = linprog([chance(w, laws[0]) for w in words], rows.matrix(len(words)), rows.right, bounds=(0, 1))
    return float(found.fun)


CASES = [(1.0, 0.0), (0.4, 0.05), (2.0, 0.001)]


@pytest.mark.parametrize(("eps", "delta"), CASES)
@pytest.mark.parametrize(("p0", "p1"), [(0.2, 0.7), (0.9, 0.35)])
def test_the_best_private_test_of_flips_is_that_of_all_tests(eps: float, delta: float, p0: float, p1: float) -> None:
    tests = Flips(asked(p0, p1, (0.1, 0.1), Privacy("none")), (Line(math.exp(eps), delta),))
    for missed in (0.1, 0.4):
        for side, laws in enumerate([((1 - p0, p0), (1 - p1, p1)), ((1 - p1, p1), (1 - p0, p0))]):
            best = [least_error(n, laws, missed, eps, delta) for n in (1, 2, 5)]
            assert tests.errors(side, [1, 2, 5], missed) == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize(("eps", "delta"), CASES)
def test_marks_bound_all_tests_of_letters_from_below(eps: float, delta: float) -> None:
    draw, known = np.random.default_rng(1), (Line(math.exp(eps), delta),)
    for n in (1, 3, 4):
        p, q = draw.dirichlet([1, 1, 1], size=2).tolist()
        apart = sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
        found = float(Coupled((apart,), known).errors(0, [n], 0.3)[0])
        marks = least_error(n, ((1 - apart, apart, 0.0), (1 - apart, 0.0, apart)), 0.3, eps, delta)
        assert found <= marks + 1e-7 <= least_error(n, (p, q), 0.3, eps, delta) + 2e-7
        assert found >= 0.5 * marks


def least_average(p0: float, p1: float, error: float, eps: float, delta: float, most: int) -> float:
    """Of the expected flips of any (eps, delta) test with an end: over the chances to stop with either decision at
    every word, and for every pair of streams and transcript how much the budget of delta pays for it."""
    starts = [word for n in range(1, most + 1) for word in product((0, 1), repeat=n)]
    ends = [(word, said) for word in starts for said in (0, 1)]
    at, rows, equal = {end: i for i, end in enumerate(ends)}, Rows(), Rows()
    count, streams = len(ends), list(product((0, 1), repeat=most))
    for one, other in neighbours(streams):
        paid = {}
        for n, said in product(range(1, most + 1), (0, 1)):
            if one[:n] != other[:n]:
                paid[count] = 1.0
                rows.add({at[one[:n], said]: 1, at[other[:n], said]: -math.exp(eps), count: -1}, 0)
                count += 1
        rows.add(paid, delta)
    for stream in streams:
        equal.add({at[stream[:n], said]: 1 for n in range(1, most + 1) for said in (0, 1)}, 1)
    for p, said in ((p0, 1), (p1, 0)):
        rows.add({at[word, said]: chance(word, (1 - p, p)) for word in starts}, error)
    costs = np.zeros(count)
    for (word, _), place in at.items():
        costs[place] = len(word) * (chance(word, (1 - p0, p0)) + chance(word, (1 - p1, p1))) / 2
    found = linprog(costs, rows.matrix(count), rows.right, equal.matrix(count), equal.right, bounds=(0, None))
    return float(found.fun)


@pytest.mark.parametrize(("eps", "delta"), [(1.0, 0.0), (1.0, 0.02), (0.3, 0.2)])
def test_the_universal_program_is_below_all_tests_with_a_budget_of_delta(eps: float, delta: float) -> None:
    notion = Privacy("dp", (Fraction(eps), Fraction(delta))) if delta else Privacy("pure", (Fraction(eps),))
    problem = asked(0.1, 0.9, (0.25, 0.25), notion, limits=Limits(most=5))
    found, best = universal_bound(problem, 5), least_average(0.1, 0.9, 0.25, eps, delta, 5)
    assert found is not None and found <= best + 1e-7
    assert found >= 0.85 * best


def divergences(x: np.ndarray, y: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """The larger one of two coins from each other, by order."""
    logs = [np.log(side) for side in (x, y, 1 - x, 1 - y)]
    found = [
        np.logaddexp(orders * logs[i] + (1 - orders) * logs[j], orders * logs[i + 2] + (1 - orders) * logs[j + 2])
        for i, j in ((0, 1), (1, 0))
    ]
    return np.asarray(np.maximum(*found) / (orders - 1))


@pytest.mark.parametrize("notion", ["zcdp", "rdp"])
@pytest.mark.parametrize("loss", [0.01, 0.5, 2.0])
def test_lines_lie_above_all_coins_that_keep_to_the_notion(notion: str, loss: float) -> None:
    """And near some: coins on the edge, found by halving at orders of this test's own."""
    privacy = Privacy("zcdp", (Fraction(loss),)) if notion == "zcdp" else Privacy("rdp", (Fraction(3), Fraction(loss)))
    orders = np.geomspace(1.0005, 300, 400) if notion == "zcdp" else np.array([3.0])
    allowed = loss * (orders if notion == "zcdp" else 1)
    y = 1 / (1 + np.exp(-np.linspace(-20, 14, 120)))[:, None]
    low, high = y, np.full(y.shape, 1 - 1e-15)
    for _ in range(25):
        kept = (divergences((low + high) / 2, y, orders) <= allowed).all(axis=1)[:, None]
        low, high = np.where(kept, (low + high) / 2, low), np.where(kept, high, (low + high) / 2)
    for line in lines(privacy, slopes_for(privacy, 7)):
        most = float((low - line.slope * y).max())
        assert most <= line.offset * (1 + 1e-3) and line.offset <= 1.05 * most + 2e-3 * loss


def told(p: float, truly: float, width: int, most: int) -> tuple[float, float]:
    """The chance to reject and E[N] of a test that is told every flip truly with a certain chance: it ends where the
    told ones and zeros differ by `width`, or after an odd number of flips by majority."""
    up = p * truly + (1 - p) * (1 - truly)
    waiting, reject, mean = {0: 1.0}, 0.0, 0.0
    for n in range(1, most + 1):
        after: dict[int, float] = {}
        for score, mass in waiting.items():
            for to, part in ((score + 1, mass * up), (score - 1, mass * (1 - up))):
                if n == most or abs(to) >= width:
                    reject, mean = reject + part * (to > 0), mean + n * part
                else:
                    after[to] = after.get(to, 0.0) + part
        waiting = after
    return reject, mean


@pytest.mark.parametrize(("eps", "width"), [(0.7, 1), (2.5, 3)])
def test_no_bound_is_above_a_test_that_is_told_of_flips(eps: float, width: int) -> None:
    """Each flip is told truly with chance e^eps / (1 + e^eps): eps-private; Renyi divergences are those of two coins;
    delta at another eps is the rest."""
    truly = 1 / (1 + math.exp(-eps))
    (wrong, steps), (right, more) = (told(p, truly, width, 15) for p in (0.2, 0.8))
    errors = wrong * (1 + 1e-9), (1 - right) * (1 + 1e-9)
    orders = np.r_[np.geomspace(1.0001, 100, 400), 4.0]
    lost = divergences(np.array(truly), np.array(1 - truly), orders)
    rho = float((lost / orders).max()) * 1.001
    tenth = truly - math.exp(eps * 0.9) * (1 - truly)
    notions = [
        Privacy("zcdp", (Fraction(rho),)), Privacy("dp", (Fraction(eps * 0.9), Fraction(tenth))),
        Privacy("rdp", (Fraction(4), Fraction(float(lost[-1])))),
    ]  # fmt: skip
    costs = (0.5, 0.5, (steps + more) / 2), (1.0, 0.0, steps), (0.0, 1.0, more)
    for privacy, (*weights, cost) in zip(notions, costs, strict=True):
        problem = asked(0.2, 0.8, errors, privacy, criterion=Criterion("average", (weights[0], weights[1])))
        for bound in (ended_early_bound(problem), universal_bound(problem, 5)):
            assert bound is not None and bound <= cost


def test_a_line_that_is_too_low_would_be_seen() -> None:
    """The best test of flips with nine tenths of the slope errs more often than the best one of all."""
    laws, eps = ((0.8, 0.2), (0.3, 0.7)), 1.0
    tests = Flips(asked(0.2, 0.7, (0.1, 0.1), Privacy("none")), (Line(0.9 * math.exp(eps), 0.0),))
    assert tests.errors(0, [4], 0.2)[0] > least_error(4, laws, 0.2, eps, 0.0) + 1e-3


def test_marks_are_repeated_as_neighbours_are() -> None:
    """Three steps of x = 2 y + 0.01 by hand: 8 y + 0.07."""
    assert best_tests._repeated(Line(2.0, 0.01), 3) == pytest.approx((8.0, 0.07))
    assert best_tests._repeated(Line(1.0, 0.2), 3) == pytest.approx((1.0, 0.6))
