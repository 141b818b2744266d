"""Queries without memory, against integrals over the threshold's noise."""

from __future__ import annotations

from itertools import pairwise
from math import erfc, exp, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from seqlang.backends.solve import Solution, Unsolved, solve
from seqlang.backends.solve.spaces import space_of
from seqlang.driver import load
from seqlang.model.program import Program
from seqlang.source import Source


def program(text: str) -> Program:
    return load(Source("test.seq", text)).program


def expected(solution: Solution) -> float:
    steps = float(np.arange(1, len(solution.table) + 1) @ solution.table.sum(axis=1))
    return steps + (solution.tail.steps if solution.tail is not None else 0.0)


def laplace_above(x: float, b: float) -> float:
    return 0.5 * exp(-x / b) if x >= 0 else 1 - 0.5 * exp(x / b)


def above(x: float, sd: float) -> float:
    return 0.5 * erfc(x / (sd * sqrt(2)))


def test_above_threshold_against_quadrature() -> None:
    spec = program(
        "algorithm a\nparam T = 10\nstream q in real\nadjacent every q within 1\nmodel flat: q ~ point(5)\n"
        "stop when q >= T\nattach laplace(2) to T once\nattach laplace(4) to q"
    )
    found = solve(spec, "flat")

    def density(z: float) -> float:
        return exp(-abs(z) / 2) / 4

    def integral(f) -> float:
        parts = [
            quad(lambda z: density(z) * f(z), a, b, epsabs=1e-14, epsrel=1e-12)[0]
            for a, b in pairwise([-60, -5, 0, 60, 200])
        ]
        return sum(parts)

    for t in (1, 2, 5, 40):
        wanted = integral(lambda z, t=t: laplace_above(5 + z, 4) * (1 - laplace_above(5 + z, 4)) ** (t - 1))
        assert abs(found.table[t - 1, 0] - wanted) <= found.error
    steps = integral(lambda z: 1 / laplace_above(5 + z, 4))
    assert abs(expected(found) - steps) <= found.steps_error
    assert found.error < 1e-8 and found.steps_error < 1e-6


def test_an_infinite_expectation_is_told() -> None:
    # E[T | z] grows as e^z, the density falls as e^(-z / 2)
    spec = program(
        "algorithm a\nparam T = 3\nstream q in real\nadjacent every q within 1\nmodel flat: q ~ point(0)\n"
        "stop when q >= T\nattach laplace(2) to T once\nattach laplace(1) to q"
    )
    found = solve(spec, "flat")
    assert found.steps_error == float("inf")
    assert any("infinite" in note for note in found.notes)


def test_data_with_a_density_is_taken_as_noise() -> None:
    # 2 x - 1 with x normal, plus Gaussian noise: P(stop) = P(N(3, 4 + 9) >= 4) in every step
    spec = program(
        "algorithm a\nstream x in real\nmodel m: x ~ normal(2, 1)\nstatistic s = 2 * x - 1\n"
        "stop when s >= 4 return up\nstop when s <= -50 return down\nattach gaussian(3) to s"
    )
    p = above(1, sqrt(13))
    down = above(53, sqrt(13))
    found = solve(spec, "m")
    for t in range(1, 6):
        assert found.table[t - 1, 0] == pytest.approx(p * (1 - p - down) ** (t - 1), abs=1e-13)
    assert expected(found) == pytest.approx(1 / (p + down), rel=1e-12)


def test_a_given_entry_in_place_of_one_with_a_density() -> None:
    spec = program(
        "algorithm a\nparam T = 1\nstream x in real\nmodel m: x ~ normal(0, 1)\nstop when x >= T\n"
        "attach gaussian(1) to T once\nattach gaussian(1) to x"
    )
    chain = space_of(spec, "m").make(4)
    _, stopped = chain.advance(chain.advance(chain.begin())[0], {"x": 5.0})

    def integrand(z: float) -> float:
        return exp(-z * z / 2) / sqrt(2 * pi) * (1 - above(1 + z, sqrt(2))) * above(1 + z - 5, 1)

    assert abs(float(stopped.by_outcome.sum()) - quad(integrand, -12, 12, epsabs=1e-13)[0]) < 1e-12


def test_discrete_queries_and_a_flipped_return() -> None:
    spec = program(
        "algorithm a\nstream x in {0, 1, 2}\nmodel m: x ~ {0: 0.5, 1: 0.3, 2: 0.2}\n"
        "stop when x >= 2 return high\nstop when x >= 1 return middle\nattach randomized_response(0.75) to return"
    )
    found = solve(spec, "m")
    law = dict(zip(found.outcomes, found.table.sum(axis=0) + found.tail.outcomes if found.tail else 0, strict=True))
    assert law["high"] == pytest.approx((0.2 * 0.75 + 0.3 * 0.25) / 0.5, abs=1e-9)
    assert expected(found) == pytest.approx(2, abs=1e-8)


def test_no_chance_to_stop() -> None:
    spec = program("algorithm a\nstream x in {0, 1}\nmodel m: x ~ point(0)\nstop when x >= 1")
    found = solve(spec, "m")
    assert found.never == 1.0 and found.unresolved == 1.0 and found.steps_error == float("inf")


def test_what_is_not_affine_is_refused_with_its_reason() -> None:
    spec = program(
        "algorithm a\nstream x in real\nmodel m: x ~ normal(0, 1)\nparam T = 1\n"
        "stop when x ^ 2 >= T\nattach gaussian(1) to T"
    )
    with pytest.raises(Unsolved):
        solve(spec, "m")
