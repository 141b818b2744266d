"""Lower bounds against tests that reach them, private tests that were drawn at random, and a recursion of this file's
own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from thorough import several

from seqlang.designs.bounds.ended_early import ended_early_bound
from seqlang.designs.bounds.lower_bounds import lower_bounds
from seqlang.designs.bounds.universal import Program, universal_bound
from seqlang.designs.problem.criterion import Criterion, Limits
from seqlang.designs.problem.entry import Entry, coin, two_coins
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.designs.problem.request_limits import criterion_of
from seqlang.record import replace

Rule = Callable[[int, int], str]
"""By entries and how far the score is from 0: `on`, `reject` or `accept`."""


def asked(null: Entry, alternative: Entry, errors: tuple[float, float], eps: float | None, **more: object) -> Problem:
    privacy = Privacy("none") if eps is None else Privacy("pure", (Fraction(eps),))
    alpha, beta = (Fraction(e) for e in errors)
    return Problem(null, alternative, alpha, beta, privacy, **more)


def law(rule: Rule, ones: Callable[[int], float], most: int) -> tuple[float, np.ndarray]:
    """The chance to reject and P(N = n), where entry n moves the score up with chance `ones(n)`, else down."""
    waiting, reject, ended = {0: 1.0}, 0.0, np.zeros(most + 1)
    for n in range(1, most + 1):
        after: dict[int, float] = {}
        for score, mass in waiting.items():
            for move, chance in ((1, ones(n)), (-1, 1 - ones(n))):
                part, to = mass * chance, score + move
                said = rule(n, to)
                if said == "on":
                    after[to] = after.get(to, 0.0) + part
                else:
                    reject += part * (said == "reject")
                    ended[n] += part
        waiting = after
    assert sum(waiting.values()) < 1e-13
    return reject, ended


def mean(ended: np.ndarray) -> float:
    return float(np.arange(len(ended)) @ ended)


def walds(width: int) -> Rule:
    return lambda n, score: "reject" if score >= width else "accept" if score <= -width else "on"


def test_walds_bound_is_reached_where_nothing_overshoots() -> None:
    """Moves of +-log(7/3) between boundaries of three moves: E[N] is the bound (Wald 1945)."""
    reject, ended = law(walds(3), lambda n: 0.3, 400)
    (bound,) = lower_bounds(asked(coin(Fraction(3, 10)), coin(Fraction(7, 10)), (reject, reject), None))
    assert bound.value == pytest.approx(mean(ended), rel=1e-8) and bound.value <= mean(ended)


@pytest.mark.parametrize("telling", [0, 1, 2])
def test_the_bound_of_two_arms_in_turn_is_reached(telling: int) -> None:
    """Both arms tell as much as each other; only the first does, where N = 2 k - 1 after k of its entries; only the
    second, where N = 2 k. Entries of an arm that tells nothing are passed over."""
    null, alternative = [(0.3, 0.7), (0.3, 0.5), (0.5, 0.3)][telling], [(0.7, 0.3), (0.7, 0.5), (0.5, 0.7)][telling]
    reject, ended = law(walds(3), lambda n: 0.3, 600)
    steps = [mean(ended), 2 * mean(ended) - 1, 2 * mean(ended)][telling]
    arms = [two_coins(("a", "b"), *(Fraction(str(p)) for p in side)) for side in (null, alternative)]
    (bound,) = lower_bounds(asked(arms[0], arms[1], (reject, reject), None))
    assert bound.value == pytest.approx(steps, rel=1e-8) and bound.value <= steps


@pytest.mark.parametrize("eps", [None, 0.7, 2.5])
@pytest.mark.parametrize("seed", range(several(2, 4)))
def test_random_private_tests_are_not_below_any_bound(seed: int, eps: float | None) -> None:
    """Every flip is told truly with chance e^eps / (1 + e^eps), which is eps-private, and the rule follows what is
    told: boundaries that were drawn, with looks at some times only, and an end."""
    draw = np.random.default_rng(seed)
    p0, p1 = float(draw.choice([0.1, 0.2, 0.3])), float(draw.choice([0.6, 0.7, 0.8]))
    truly = 1.0 if eps is None else 1 / (1 + math.exp(-eps))
    most, every = 24, int(draw.choice([1, 3]))
    width = np.minimum(int(draw.integers(2, 6)) * np.ones(most + 1), np.maximum(0, most - np.arange(most + 1)) + 0.5)

    def rule(n: int, score: int) -> str:
        if n < most and (n % every or abs(score) < width[n]):
            return "on"
        return "reject" if score > 0 else "accept"

    def at(p: float) -> tuple[float, np.ndarray]:
        return law(rule, lambda n: p * truly + (1 - p) * (1 - truly), most)

    errors = at(p0)[0], 1 - at(p1)[0]
    for problem, true in costs(p0, p1, errors, eps, at, Limits(most=most, every=every)):
        for bound in lower_bounds(problem):
            assert bound.value <= true * (1 + 1e-12), problem.criterion.text
        assert (ended_early_bound(problem) or 0) <= true, problem.criterion.text
        if eps is not None and problem.criterion.level is None:
            found = universal_bound(problem, 12)
            assert found is not None and found <= true * (1 + 1e-12)


def costs(
    p0: float, p1: float, errors: tuple[float, float], eps: float | None,
    at: Callable[[float], tuple[float, np.ndarray]], limits: Limits,
) -> Iterator[tuple[Problem, float]]:  # fmt: skip
    """Problems that a test with these laws solves, and what it costs there."""
    null, alternative = (coin(Fraction(str(p))) for p in (p0, p1))
    base = asked(null, alternative, (errors[0] + 1e-12, errors[1] + 1e-12), eps, limits=limits)
    steps = [mean(at(p)[1]) for p in (p0, p1)]
    for weights in ((0.5, 0.5), (1.0, 0.0), (0.0, 1.0), (0.2, 0.8)):
        yield replace(base, criterion=Criterion("average", weights)), float(np.dot(weights, steps))
    for text, p in (("at p=0.45", 0.45), ("at p=0.05", 0.05)):
        yield replace(base, criterion=criterion_of(text, null, alternative, base.errors)), mean(at(p)[1])
    largest = max(mean(at(p)[1]) for p in np.linspace(p0, p1, 21))
    yield replace(base, criterion=criterion_of("minimax", null, alternative, base.errors)), largest
    for level in (0.5, 0.9):
        for name, p in (("null", p0), ("alternative", p1)):
            found = int(np.searchsorted(np.cumsum(at(p)[1]), level - 1e-12))
            text = f"quantile {level} under {name}"
            yield replace(base, criterion=criterion_of(text, null, alternative, base.errors)), float(found)


def most_power(n: int, eps: float, alpha: float) -> float:
    """Of any eps-private test of n flips, at 4/5, with error alpha at 1/4: a linear program over the chances to reject
    by the number of ones, of which neighbours differ by a factor e^eps at most, and so do the chances to accept."""
    laws = [np.array([math.comb(n, s) * p**s * (1 - p) ** (n - s) for s in range(n + 1)]) for p in (0.25, 0.8)]
    rows, right = [laws[0]], [alpha]
    for s, t in [(s, s + step) for s in range(n + 1) for step in (-1, 1) if 0 <= s + step <= n]:
        for sign in (1, -1):  # f(s) - e f(t) <= 0, and the same of 1 - f
            row = np.zeros(n + 1)
            row[s], row[t] = sign, -sign * math.exp(eps)
            rows.append(row)
            right.append(0.0 if sign == 1 else math.exp(eps) - 1)
    return -float(linprog(-laws[1], A_ub=np.array(rows), b_ub=right, bounds=(0, 1)).fun)


@pytest.mark.parametrize(("eps", "level"), [(1.0, 0.5), (0.5, 0.9), (3.0, 0.75)])
def test_quantiles_are_at_least_what_one_block_of_any_private_test_needs(eps: float, level: float) -> None:
    """The least n for which the program over all private tests of n flips keeps both errors, the null's 1 - level
    larger."""
    null, alternative = coin(Fraction(1, 4)), coin(Fraction(4, 5))
    problem = asked(null, alternative, (0.0625, 0.125), eps)
    criterion = criterion_of(f"quantile {level} under null", null, alternative, problem.errors)
    enough = next(n for n in range(1, 80) if most_power(n, eps, 0.0625 + 1 - level) >= 1 - 0.125 - 1e-9)
    assert ended_early_bound(replace(problem, criterion=criterion)) == enough


def best_average(p0: float, p1: float, error: float, times: set[int]) -> float:
    """The least average of any test that may stop after so many flips: the largest Lagrangian over prices, by backward
    induction over (flips, ones)."""

    def value(first: float, second: float) -> float:
        after = np.zeros(0)
        for n in range(max(times), 0, -1):
            ones = np.arange(n + 1)
            mass = [p**ones * (1 - p) ** (n - ones) for p in (p0, p1)]
            stop = np.minimum(first * mass[0], second * mass[1])
            if n < max(times):
                on = (mass[0] + mass[1]) / 2 + after[:-1] + after[1:]
                stop = np.minimum(stop, on) if n in times else on
            after = stop
        return 1 + float(after.sum()) - error * (first + second)

    found = minimize(
        lambda logs: -value(*np.exp(logs)), np.log([20, 20]), method="Nelder-Mead", options={"xatol": 1e-6}
    )
    return -float(found.fun)


@pytest.mark.parametrize(
    ("limits", "times"),
    [(Limits(most=9), {*range(1, 10)}), (Limits(looks=(3, 5, 9)), {3, 5, 9}), (Limits(most=9, every=3), {3, 6, 9})],
)
def test_with_an_end_the_universal_program_without_noise_is_the_best_test(limits: Limits, times: set[int]) -> None:
    """At a budget of 12 next to nothing is hidden, and the program with an end is exact."""
    problem = asked(coin(Fraction(1, 4)), coin(Fraction(4, 5)), (0.125, 0.125), 12.0, limits=limits)
    found, best = universal_bound(problem, 20), best_average(0.25, 0.8, 0.125, times)
    assert found is not None and best - 1e-6 <= found <= best * (1 + 1e-4)


def test_any_prices_give_a_bound_and_a_wrong_sign_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weak duality at prices that were drawn; the same prices with the penalty left out go above the value."""
    problem = asked(coin(Fraction(1, 4)), coin(Fraction(4, 5)), (0.125, 0.125), 1.0, limits=Limits(most=8))
    kept: list[Program] = []
    honest = Program.bound
    monkeypatch.setattr(Program, "bound", lambda self: kept.append(self) or honest(self))
    value = universal_bound(problem, 8)
    (program,) = kept
    assert value is not None
    draw, above = np.random.default_rng(2), 0
    for scale in (1e-3, 0.1, 1.0, 10.0) * 5:
        y = -scale * draw.random(len(program.right))
        z = 2 * scale * draw.standard_normal(len(program.ones))
        assert program.certain(y, z) <= value - 1 + 1e-9
        above += replace(program, most=0 * program.most).certain(y, z) > value - 1
    assert above > 0
