"""Walks between sharp ends, as one matrix at Gauss nodes, against composite rules with many more nodes, Wald's identity
and the panels that they replace."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

import seqlang
from seqlang.backends.solve import Solution, solve
from seqlang.backends.solve.noises.legendre import gauss
from seqlang.backends.solve.recursion import follow
from seqlang.backends.solve.spaces import space_of
from seqlang.model.program import Program

NAME = "density at nodes"


def _program(law: str, *stops: str) -> Program:
    lines = ["algorithm a", "stream x in real", f"model null: x ~ {law}", "statistic s = sum(x over steps)"]
    program = seqlang.load("\n".join([*lines, *stops])).loaded.program
    assert program is not None
    return program


def _between(law: str, low: float, high: float) -> Program:
    return _program(law, f"stop when s >= {high} return up", f"stop when s <= {low} return down")


def _ends(found: Solution) -> tuple[np.ndarray, float]:
    """Chances of the outcomes and the expected step."""
    steps = float(np.arange(1, len(found.table) + 1) @ found.table.sum(axis=1))
    outcomes = found.table.sum(axis=0)
    return (outcomes, steps) if found.tail is None else (outcomes + found.tail.outcomes, steps + found.tail.steps)


def _composite(mean: float, sd: float, alive: list[tuple[float, float]]) -> tuple[np.ndarray, float, np.ndarray]:
    """What is left after 1, 2, .. steps; the expected step; chances to be above the last end and below the first at the
    stop. Panels of 2 standard deviations with 24 nodes each."""
    at, share = np.polynomial.legendre.leggauss(24)
    ends = [np.linspace(a, b, 1 + math.ceil((b - a) / sd / 2)) for a, b in alive]
    x = np.concatenate([(e[:-1, None] + np.diff(e)[:, None] * (at + 1) / 2).ravel() for e in ends])
    w = np.concatenate([(np.diff(e)[:, None] * share / 2).ravel() for e in ends])
    density = lambda y: np.exp(-(((y - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))  # noqa: E731
    matrix, first = density(x - x[:, None]) * w, density(x) * w
    visits = np.linalg.solve(np.eye(len(x)) - matrix.T, first)
    up, down = alive[-1][1], alive[0][0]
    above = ndtr((mean - up) / sd) + visits @ ndtr((mean + x - up) / sd)
    below = ndtr((down - mean) / sd) + visits @ ndtr((down - mean - x) / sd)
    left = []
    for _ in range(150):
        left.append(first.sum())
        first = first @ matrix
    return np.array(left), 1 + float(visits.sum()), np.array([above, below])


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("seed", range(8))
def test_the_error_bounds_hold(seed: int, tolerance: float) -> None:
    random = np.random.default_rng(seed)
    sd = float(random.choice([0.3, 1.0, 2.5]))
    mean = round(float(random.normal() * random.choice([0.0, 0.05, 0.3, 1.0])), 4)
    low, high = (round(float(side * sd * random.uniform(0.2, 25)), 4) for side in (-1, 1))
    program = _between(f"normal({mean}, {sd})", low, high)
    assert space_of(program, "null").name == NAME
    found = solve(program, "null", tolerance=tolerance)
    outcomes, steps = _ends(found)
    left, expected, chances = _composite(mean, sd, [(low, high)])
    assert found.outcome_error <= tolerance
    assert np.abs(outcomes - chances).max() <= found.outcome_error + found.unresolved
    assert abs(steps - expected) <= found.steps_error
    after = 1 - np.cumsum(found.table.sum(axis=1))[: len(left)]
    assert np.abs(after - left[: len(after)]).max() <= found.error


@pytest.mark.parametrize(
    ("stops", "alive"),
    [
        (("stop when abs(s) >= 3 return up",), [(-3.0, 3.0)]),
        (("stop when s >= 3 or s <= -2 return up",), [(-2.0, 3.0)]),
        (("stop when clip(s, -3, 3) >= 3 return up", "stop when s <= -4 return up"), [(-4.0, 3.0)]),
        (("stop when s >= 3 or s <= -4 return up", "stop when s * s <= 1 return inner"), [(-4.0, -1.0), (1.0, 3.0)]),
    ],
)
def test_intervals_where_nobody_stops(stops: tuple[str, ...], alive: list[tuple[float, float]]) -> None:
    program = _program("normal(0.1, 1)", *stops)
    assert space_of(program, "null").name == NAME
    outcomes, steps = _ends(solve(program, "null", tolerance=1e-10))
    _, expected, chances = _composite(0.1, 1.0, alive)
    assert steps == pytest.approx(expected, rel=1e-11)
    assert outcomes[0] == pytest.approx(chances.sum(), abs=1e-11)


def test_a_flip_on_the_return() -> None:
    flip = "attach randomized_response(0.8) to return"
    program = _program("normal(0.1, 1)", "stop when s >= 3 return up", "stop when s <= -3 return down", flip)
    outcomes, _ = _ends(solve(program, "null", tolerance=1e-10))
    _, _, chances = _composite(0.1, 1.0, [(-3.0, 3.0)])
    assert outcomes == pytest.approx(0.8 * chances + 0.2 * chances[::-1], abs=1e-11)


def test_the_start_beyond_an_end() -> None:
    """The start is not tested: the first sum is."""
    outcomes, steps = _ends(solve(_between("normal(2, 1)", 1, 4), "null", tolerance=1e-10))
    _, expected, chances = _composite(2.0, 1.0, [(1.0, 4.0)])
    assert (steps, *outcomes) == pytest.approx((expected, *chances), abs=1e-11)


@pytest.mark.parametrize(
    "stops",
    [
        ("stop when s >= 3 return up",),  # nothing below
        ("stop when s >= 3 and step >= 4 return up", "stop when s <= -3 return down"),
        ("stop when s >= 3 return up", "stop when s <= -3 return down", "attach gaussian(1) to s"),
        ("stop when s >= -3 return up", "stop when s <= -3 return down"),  # nobody is left
    ],
)
def test_what_panels_are_for(stops: tuple[str, ...]) -> None:
    assert space_of(_program("normal(0.5, 1)", *stops), "null").name == "density on panels"


@pytest.mark.parametrize("law", ["laplace(1)", "uniform(-1, 1)", "exponential(1)"])
def test_increments_with_kinks_keep_their_panels(law: str) -> None:
    assert space_of(_between(law, -3, 4), "null").name == "density on panels"


def test_smooth_increments_of_another_law_against_panels() -> None:
    """Gaussian and Laplace: smooth on the scale of the smaller, with heavier tails."""
    space = space_of(_between("convolve(gaussian(0.5), laplace(1))", -3, 4), "null")
    assert space.name == NAME and space.unforced is not None
    nodes, panels = follow(space.unforced(1)), follow(space.make(1))
    steps = min(len(nodes.table), len(panels.table))
    assert np.abs(nodes.table[:steps] - panels.table[:steps]).sum() < 1e-9
    assert nodes.steps == pytest.approx(panels.steps, rel=1e-9)


def test_walds_identity_over_thousands_of_steps() -> None:
    """E[S_T^2] = E[T] for a walk without drift, and by symmetry both ends have the chance 1/2."""
    found = solve(_between("normal(0, 1)", -60, 60), "null", tolerance=1e-9)
    outcomes, steps = _ends(found)
    assert outcomes == pytest.approx([0.5, 0.5], abs=1e-11)
    # Wald: E[T] = E[(h + R)^2] with the overshoot R, whose law depends on h by an exponentially small part only;
    # its mean is -zeta(1/2) / sqrt(2 pi) (Siegmund 1985)
    rho = 0.5825971579390107
    assert steps - (60 + rho) ** 2 == pytest.approx(_constant(), abs=1e-6)


def _constant() -> float:
    """E[T] - (h + rho)^2 for a smaller h, by many nodes: it does not depend on h."""
    _, expected, _ = _composite(0.0, 1.0, [(-12.0, 12.0)])
    return expected - (12 + 0.5825971579390107) ** 2


@pytest.mark.parametrize("count", [1, 2, 9, 40])
def test_gauss_rules_to_the_last_digit(count: int) -> None:
    points, weights = gauss(count)
    with mpmath.workdps(30):
        for point, weight in zip(points.tolist(), weights.tolist(), strict=True):
            root = mpmath.findroot(lambda z: mpmath.legendre(count, z), mpmath.mpf(2 * point - 1))
            slope = mpmath.diff(lambda z: mpmath.legendre(count, z), root)
            assert abs((root + 1) / 2 - point) < 2e-16
            assert abs(weight * (1 - root**2) * slope**2 - 1) < 1e-15
