"""The bound on expected entries between the hypotheses, against a recursion of this file's own over all that blocks
showed, without a grid, and in plain sums."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.mechanism import mechanism_for
from seqlang.designs.find import best_design
from seqlang.designs.problem.criterion import Course, Criterion, Limits
from seqlang.designs.problem.entry import coin
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.designs.search import third_law
from seqlang.designs.search.calendar import Calendar
from seqlang.designs.search.pricing import Prices
from seqlang.designs.search.third_law import FINE, Grid, ThirdLaw

PLACES = 0.2, 0.7, 0.45


@cache
def shown(size: int, eps: float, p: float) -> tuple[float, ...]:
    """The chances of a clamped count with two-sided geometric noise."""
    q, found = math.exp(-eps), [0.0] * (size + 1)
    for ones in range(size + 1):
        for noise in range(-120, 121):
            chance = math.comb(size, ones) * p**ones * (1 - p) ** (size - ones) * (1 - q) / (1 + q) * q ** abs(noise)
            found[min(size, max(0, ones + noise))] += chance
    return tuple(found)


def least(calendar: Calendar, eps: float, prices: Prices, one_sided: bool = False) -> float:
    """Over all policies that remember everything: masses of the three laws, from block to block. One-sided ones accept
    at the last time only."""

    def value(used: int, masses: tuple[float, float, float]) -> float:
        accepts = not one_sided or used == calendar.most
        decided = min(prices.null * masses[0], prices.alternative * masses[1] if accepts else math.inf)
        ways = [decided] if used else [] if calendar.forced else [1 + decided]
        for size in calendar.sizes(used):
            laws = [shown(size, eps, p) for p in PLACES]
            after = (tuple(m * law[y] for m, law in zip(masses, laws, strict=True)) for y in range(size + 1))
            ways.append(size * masses[2] + sum(value(used + size, (a, b, c)) for a, b, c in after))
        return min(ways)

    return value(0, (1.0, 1.0, 1.0))


CALENDARS = [
    (Calendar((0, 3, 5), forced=True), 1.0, Prices(9.0, 14.0)),
    (Calendar((0, 2, 4, 6), (2, 4, 6)), 2.0, Prices(30.0, 25.0)),
    (Calendar((0, 1, 2, 3, 4), (1, 2, 3)), 0.7, Prices(22.0, 60.0)),
    (Calendar((0, 4, 8), (4, 8)), 3.0, Prices(400.0, 90.0)),
]


def blocks_of(eps: float, **more: object) -> Blocks:
    sides = coin(Fraction("0.2")), coin(Fraction("0.7"))
    errors = Fraction("0.05"), Fraction("0.05")
    problem = Problem(*sides, *errors, Privacy("pure", (Fraction(str(eps)),)), **more)
    return Blocks(problem, mechanism_for(problem.privacy, 1))


@pytest.mark.parametrize("course", ["both ends", "one-sided"])
@pytest.mark.parametrize(("calendar", "eps", "prices"), CALENDARS)
def test_the_program_is_just_below_that_of_all_policies(
    calendar: Calendar, eps: float, prices: Prices, course: Course
) -> None:
    best = least(calendar, eps, prices, course == "one-sided")
    found = ThirdLaw(blocks_of(eps, course=course), calendar, Fraction("0.45"), FINE).least(prices)
    assert best * 0.985 <= found <= best * (1 + 1e-9)


def test_values_beyond_the_last_point_and_below_the_first() -> None:
    """Beyond it they are that of the last point, below in proportion to the mass, and to both in a corner."""
    wide = Grid(3, 2, 0.5).widened(np.array([[1.0, 2.0, 3.0]] * 3))
    half = math.exp(-0.5)
    assert wide[3] == pytest.approx([half**2, half, 1, 2, 3, 3, 3]) and (wide[5:] == wide[3]).all()
    assert wide[0] == pytest.approx(half**2 * wide[3]) and wide[1] == pytest.approx(half * wide[3])


def test_values_interpolated_in_the_logarithm_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    calendar, eps, prices = CALENDARS[0]
    monkeypatch.setattr(third_law.np, "expm1", lambda x: x)
    wrong = ThirdLaw(blocks_of(eps), calendar, Fraction("0.45"), 0.4).least(prices)
    assert wrong > least(calendar, eps, prices) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("criterion", "privacy", "limits"),
    [
        (Criterion("at p=0.45", (0.0, 0.0), (Fraction("0.45"),)), Privacy("pure", (Fraction(2),)), Limits()),
        (Criterion("minimax", (0.5, 0.5), (Fraction("0.45"),), True), Privacy("zcdp", (Fraction(1),)), Limits(most=9)),
        (Criterion("quantile", (1.0, 0.0), level=0.8), Privacy("pure", (Fraction(2),)), Limits()),
    ],
)
def test_designs_are_near_their_bounds(criterion: Criterion, privacy: Privacy, limits: Limits) -> None:
    sides = coin(Fraction("0.2")), coin(Fraction("0.7"))
    problem = Problem(*sides, Fraction("0.15"), Fraction("0.15"), privacy, criterion, limits=limits)
    design, _, _ = best_design(problem)
    assert 0.97 * design.cost <= design.bound <= design.cost
