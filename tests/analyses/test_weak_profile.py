"""Distances of two tables, against enumeration of all sets and against formulas."""

from __future__ import annotations

from itertools import chain, combinations
from math import exp, inf, log

import numpy as np
import pytest

from seqlang.analyses.weak import profile
from seqlang.analyses.weak.profile import Law

P = [[0.2, 0.1], [0.05, 0.25], [0.3, 0.1]]
Q = [[0.1, 0.15], [0.3, 0.05], [0.2, 0.2]]


def _law(
    table: list[list[float]], *, error: float = 0.0, beyond: float = 0.0, lost: float = 0.0, never: float = 0.0
) -> Law:
    middle = np.array(table)
    return Law(
        first=1, head=(0.0, 0.0), low=np.maximum(middle - error, 0.0), high=middle + error, beyond=beyond,
        never=(never, beyond), lost=lost,
    )  # fmt: skip


def _subsets(size: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(size), k) for k in range(size + 1)))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 1.7])
def test_delta_is_the_largest_gap_over_all_sets(epsilon: float) -> None:
    p, q = np.ravel(P), np.ravel(Q)
    expected = max(p[list(s)].sum() - exp(epsilon) * q[list(s)].sum() for s in _subsets(6))
    low, high = profile.delta(_law(P), _law(Q), epsilon)
    assert low <= expected <= high
    assert high - low < 1e-13


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_delta_per_step_takes_sets_of_returns_at_one_step(epsilon: float) -> None:
    expected = max(
        sum(P[k][o] for o in s) - exp(epsilon) * sum(Q[k][o] for o in s) for k in range(3) for s in _subsets(2)
    )
    low, high = profile.delta_per_step(_law(P), _law(Q), epsilon)
    assert low <= max(expected, 0.0) <= high
    assert high - low < 1e-13


def test_errors_widen_both_ends() -> None:
    """Any true laws within the bounds must give a delta between the ends."""
    rng = np.random.default_rng(1)
    error, lost = 0.004, 0.01
    p, q = (_law(t, error=error, lost=lost, beyond=0.01) for t in (P, Q))
    for _ in range(200):
        epsilon = float(rng.uniform(0, 2))
        true = []
        for table in (P, Q):
            entries = np.maximum(np.ravel(table) + rng.uniform(-error, error, 6), 0.0)
            entries += lost * rng.dirichlet(np.ones(6) / 4)
            true.append(np.append(entries, rng.uniform(0, 0.01)))  # one more outcome, past the table
        expected = float(np.maximum(true[0] - exp(epsilon) * true[1], 0).sum())
        low, high = profile.delta(p, q, epsilon)
        assert low <= expected <= high
        order = float(rng.uniform(1.1, 6))
        divergence = log(max(float((true[0] ** order * true[1] ** (1 - order)).sum()), 1e-300)) / (order - 1)
        assert profile.renyi(p, q, order)[0] <= max(divergence, 0.0)
        assert profile.pure(p, q)[0] <= float(np.log(true[0] / true[1]).max())


def test_never_stopping_is_an_outcome() -> None:
    p, q = _law([[0.5]], beyond=0.5, never=0.5), _law([[0.8]], beyond=0.2, never=0.2)
    low, high = profile.delta(p, q, 0.0)
    assert low == pytest.approx(0.3, abs=1e-12)
    assert high == pytest.approx(0.3, abs=1e-12)
    assert profile.pure(p, q) == pytest.approx((log(2.5), log(2.5)))
    assert profile.delta_per_step(p, q, 0.0)[0] == 0.0
    assert profile.pure_per_step(p, q)[1] < 1e-9


def test_mass_past_the_table_may_be_anything() -> None:
    p, q = _law([[0.9]], beyond=0.1), _law([[0.9]], beyond=0.1)
    low, high = profile.delta(p, q, 5.0)
    assert low == 0.0
    assert high == pytest.approx(0.1, abs=1e-12)
    assert profile.pure(p, q) == (0.0, inf)
    assert profile.renyi(p, q, 2.0)[1] == inf
    assert profile.renyi(p, q, 2.0, lambda mass: 3 * mass)[1] == pytest.approx(log(0.9 + 0.3))


def test_pure_loss() -> None:
    low, high = profile.pure(_law(P), _law(Q))
    assert low == pytest.approx(log(5), abs=1e-12)
    assert low <= log(5) <= high
    assert profile.pure(_law([[0.5, 0.5]]), _law([[1.0, 0.0]])) == (inf, inf)
    # what is lost may be in the entry that looks empty; a mass of rounding size proves nothing
    assert profile.pure(_law([[0.5, 0.5]]), _law([[1.0, 0.0]], lost=1e-6))[0] == pytest.approx(log(0.5 / 1e-6))
    assert profile.pure(_law([[1.0, 1e-15]]), _law([[1.0, 0.0]]))[0] < 1e-9


@pytest.mark.parametrize("order", [1.01, 2.0, 8.0, 40.0])
def test_renyi_against_the_definition(order: float) -> None:
    p, q = np.ravel(P), np.ravel(Q)
    expected = log(float((p**order * q ** (1 - order)).sum())) / (order - 1)
    low, high = profile.renyi(_law(P), _law(Q), order)
    assert low <= expected <= high
    assert high - low < 1e-9


def test_renyi_counts_what_happens_before_the_table() -> None:
    p = Law(3, (0.5, 0.5), np.array([[0.3, 0.2]]), np.array([[0.3, 0.2]]), 0.0)
    q = Law(3, (0.5, 0.5), np.array([[0.1, 0.4]]), np.array([[0.1, 0.4]]), 0.0)
    low, high = profile.renyi(p, q, 2.0)
    expected = log(0.5 + 0.09 / 0.1 + 0.04 / 0.4)
    assert low <= expected <= high < expected + 1e-9


def test_lost_mass_in_a_renyi_sum_by_enumeration() -> None:
    """The worst place for lost mass is one entry (the sum is convex in where it is): the bound must cover all."""
    p, q, lost, order = np.ravel(P), np.ravel(Q), 0.01, 3.0
    upper = profile.renyi(_law(P, lost=lost), _law(Q), order, lambda mass: 0.0 if mass <= lost else inf)[1]
    for place in range(6):
        true = p + lost * (np.arange(6) == place)
        assert log(float((true**order * q ** (1 - order)).sum())) / (order - 1) <= upper


def test_least_epsilon() -> None:
    p, q = _law(P), _law(Q)
    for target in (0.0, 0.05, 0.2):
        low, high = profile.epsilon_at(p, q, target)
        assert low <= high < low + 1e-6 or target == 0.0
        assert profile.delta(p, q, high)[1] <= target + 2e-14
        assert profile.delta(p, q, low * (1 - 1e-9))[0] >= target - 1e-9
    assert profile.epsilon_at(p, p, 0.01) == (0.0, 0.0)
    empty = _law([[0.5, 0.5], [0.0, 0.0], [0.0, 0.0]])
    assert profile.epsilon_at(p, empty, 0.1) == (inf, inf)
    assert profile.epsilon_at(p, empty, 0.8)[1] < inf
