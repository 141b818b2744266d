"""The choice of space, error bounds, moments, and models at the edge."""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, inf, log, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from seqlang.backends.solve import Solution, Unsolved, solve
from seqlang.backends.solve.spaces import space_of
from seqlang.driver import load, read
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.source import Source


def program(text: str) -> Program:
    return load(Source("test.seq", text)).program


def law_of(solution: Solution) -> dict[object, float]:
    found = solution.table.sum(axis=0)
    if solution.tail is not None:
        found = found + solution.tail.outcomes
    return dict(zip(solution.outcomes, found.tolist(), strict=True))


def expected(solution: Solution) -> float:
    steps = float(np.arange(1, len(solution.table) + 1) @ solution.table.sum(axis=1))
    return steps + (solution.tail.steps if solution.tail is not None else 0.0)


def by_counting(p: float, up: float, down: float, lower: float, upper: float, steps: int) -> tuple[float, float]:
    """P(reject) and E[T] of an SPRT on a coin: the state is the number of ones."""
    mass, reject, mean = {0: 1.0}, 0.0, 0.0
    for t in range(1, steps):
        moved: dict[int, float] = {}
        for k, m in mass.items():
            moved[k + 1] = moved.get(k + 1, 0.0) + m * p
            moved[k] = moved.get(k, 0.0) + m * (1 - p)
        mass = {}
        for k, m in moved.items():
            value = k * up + (t - k) * down
            if value >= upper or value <= lower:
                mean += t * m
                reject += m if value >= upper else 0.0
            else:
                mass[k] = m
    return reject, mean


@pytest.mark.parametrize(("p0", "p1"), [("0.2", "0.7"), ("0.1", "0.15"), ("0.35", "0.6")])
def test_sprt_against_counting(p0: str, p1: str) -> None:
    a, b = float(p0), float(p1)
    spec = load(read("@wald1945/sprt"), {"p0": Fraction(p0), "p1": Fraction(p1)}).program
    found = solve(spec, "null")
    reject, mean = by_counting(a, log(b / a), log((1 - b) / (1 - a)), -log(19), log(19), 9000)
    assert abs(law_of(found)["reject"] - reject) <= found.outcome_error + found.unresolved
    assert abs(expected(found) - mean) <= found.steps_error
    assert found.outcome_error + found.unresolved < 2e-9 and found.steps_error < 1e-6


def test_moments_of_the_expected_step_given_the_threshold() -> None:
    spec = program(
        "algorithm a\nparam T = 2\nstream q in real\nadjacent every q within 1\nmodel m: q ~ point(0)\n"
        "stop when q >= T\nattach gaussian(1) to T once\nattach gaussian(3) to q"
    )
    found = solve(spec, "m")

    def square(z: float) -> float:
        return exp(-z * z / 2) / sqrt(2 * pi) / (0.5 * erfc((2 + z) / (3 * sqrt(2)))) ** 2

    wanted = quad(square, -12, 12, epsabs=1e-12, epsrel=1e-12)[0]
    moment = found.moments["expected steps squared"]
    assert wanted <= moment * (1 + 1e-13) and moment == pytest.approx(wanted, rel=1e-6)


def test_an_infinite_moment() -> None:
    # E[T | z] grows as e^(z / 4), its square times the density e^(-z / 2) does not fall
    found = solve(load(read("@dwork2014/above_noisy_threshold")).program, "flat")
    assert found.moments["expected steps squared"] == inf
    assert found.steps_error < 1e-6


def test_watched_expressions() -> None:
    spec = program(
        "algorithm a\nstream x in {-1, 1}\nmodel m: x ~ {1: 0.6, -1: 0.4}\nstatistic s = sum(x over steps)\n"
        "stop when s >= 3 return up\nstop when s <= -2 return down"
    )
    both = ir.Apply("and", (ir.Label("up"), ir.Apply(">=", (ir.StepNumber(), ir.Number(Fraction(5))))))
    found = solve(spec, "m", watch=(ir.Local("s"), both, ir.StepNumber()))
    law = law_of(found)
    assert found.watched is not None
    assert found.watched[0] == pytest.approx(3 * law["up"] - 2 * law["down"], abs=1e-9)
    assert found.watched[1] == pytest.approx(found.table[4:, found.outcomes.index("up")].sum(), abs=1e-12)
    assert found.watched[2] == pytest.approx(expected(found), rel=1e-9)


def test_a_walk_that_drifts_away_is_answered_in_part() -> None:
    spec = program(
        "algorithm a\nstream x in {-1, 1}\nmodel m: x ~ {1: 0.3, -1: 0.7}\nstatistic s = sum(x over steps)\n"
        "stop when s >= 2"
    )
    found = solve(spec, "m", work=3e7)
    assert found.unresolved == pytest.approx(1 - (0.3 / 0.7) ** 2, abs=1e-6)
    assert found.steps_error == inf and found.notes


def test_what_no_space_takes() -> None:
    with pytest.raises(Unsolved):
        solve(load(read("@dwork2014/laplace")).program, "even")
    with pytest.raises(Unsolved):
        solve(load(read("@wald1945/sprt")).program, "other")


def test_the_chain_alone() -> None:
    chain = space_of(load(read("@zhang2022/privsprt_bernoulli")).program, "null").make(1)
    frontier = chain.begin()
    assert frontier.survivors.sum() == pytest.approx(1, abs=1e-12)
    after, stopped = chain.advance(frontier)
    again, _ = chain.advance(frontier, {"x": 1})
    assert after.step == again.step == 1 and frontier.step == 0
    assert stopped.by_outcome.shape == (2, len(frontier.survivors))
    total = stopped.by_outcome.sum() + after.survivors.sum()
    assert total == pytest.approx(frontier.survivors.sum(), abs=1e-14)
