"""The exact simplex against scipy's, against its own duality, and against all square subsystems."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from seqlang.arithmetic.linear import minimise


def instance(seed: int) -> tuple[list[Fraction], list[list[Fraction]], list[Fraction]]:
    dice = random.Random(seed)
    n, m = dice.randint(1, 6), dice.randint(1, 8)
    density = dice.choice([0.4, 0.8, 1.0])

    def entry(low: int, high: int) -> Fraction:
        return Fraction(dice.randint(low, high), dice.randint(1, 3)) if dice.random() < density else Fraction(0)

    low = dice.choice([-3, 0])
    return (
        [entry(low, 5) for _ in range(n)],
        [[entry(-3, 4) for _ in range(n)] for _ in range(m)],
        [entry(-4, 4) for _ in range(m)],
    )


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_agrees_with_scipy(first: int) -> None:
    for seed in range(first, first + 25):
        _agrees_with_scipy(seed)


def _agrees_with_scipy(seed: int) -> None:
    c, a, b = instance(seed)
    mine = minimise(c, a, b)
    theirs = linprog(
        np.array(c, float), -np.array(a, float), -np.array(b, float), bounds=[(0, None)] * len(c), method="highs-ds"
    )
    if theirs.status == 4:  # highs could not tell infeasible from unbounded
        assert mine.status != "optimal"
        return
    assert mine.status == {0: "optimal", 2: "infeasible", 3: "unbounded"}[theirs.status]
    if mine.status == "optimal":
        assert mine.value is not None
        assert float(mine.value) == pytest.approx(theirs.fun, abs=1e-7)


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_optimum_is_certified_by_its_duals(first: int) -> None:
    for seed in range(first, first + 25):
        _is_certified_by_its_duals(seed)


def _is_certified_by_its_duals(seed: int) -> None:
    c, a, b = instance(seed)
    found = minimise(c, a, b)
    if found.status != "optimal":
        return
    assert all(x >= 0 for x in found.x) and all(y >= 0 for y in found.duals)
    for row, need in zip(a, b, strict=True):
        assert sum(p * q for p, q in zip(row, found.x, strict=True)) >= need
    for j, cost in enumerate(c):
        assert sum(row[j] * y for row, y in zip(a, found.duals, strict=True)) <= cost
    assert sum(p * q for p, q in zip(c, found.x, strict=True)) == found.value
    assert sum(p * q for p, q in zip(b, found.duals, strict=True)) == found.value


def test_small_programs_by_hand() -> None:
    # the diet problem: 2x + y >= 4, x + 3y >= 6
    found = minimise([3, 2], [[2, 1], [1, 3]], [4, 6])
    assert (found.value, found.x, found.duals) == (
        Fraction(34, 5),
        (Fraction(6, 5), Fraction(8, 5)),
        (Fraction(7, 5), Fraction(1, 5)),
    )
    assert minimise([1], [[1], [-1]], [2, -1]).status == "infeasible"
    assert minimise([-1], [[1]], [0]).status == "unbounded"


def test_degenerate_program_does_not_cycle() -> None:
    # Beale's example, on which Dantzig's rule cycles
    c = [Fraction(-3, 4), 150, Fraction(-1, 50), 6]
    a = [
        [Fraction(-1, 4), 60, Fraction(1, 25), -9],
        [Fraction(-1, 2), 90, Fraction(1, 50), -3],
        [0, 0, -1, 0],
    ]
    assert minimise(c, a, [0, 0, -1]).value == Fraction(-1, 20)
