"""Quadrature over persistent noises: exact moments, scipy's integrals, and honest differences between levels."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from seqlang.backends.solve.noises.gauss_rules import rule
from seqlang.backends.solve.noises.laws import law_of, sum_of
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.quadrature.nodes import LAST, ORDERS, Kink, nodes, start

Array = Any


def made(family: str, *arguments: Any) -> ScalarLaw:
    found = law_of((family, *arguments))
    assert found is not None
    return found


def value(laws: dict[str, ScalarLaw], kinks: list[Kink], level: int, f: Callable[..., Array]) -> float:
    found = nodes(laws, kinks, level)
    assert found.weights.sum() == pytest.approx(1, abs=1e-13)
    assert np.all(found.weights > 0) and all(v.shape == (found.count,) for v in found.values.values())
    return float(np.sum(found.weights * f(**found.values)))


def errors_are_bounded(
    laws: dict[str, ScalarLaw], kinks: list[Kink], f: Callable[..., Array], exact: float, first: int, last: int
) -> float:
    """The difference of two levels bounds the error of the finer one (up to rounding); returns the last error."""
    before = value(laws, kinks, first, f)
    error = math.inf
    for level in range(first + 1, last + 1):
        now = value(laws, kinks, level, f)
        error = abs(now - exact)
        assert error <= abs(now - before) + 2e-13, level
        before = now
    return error


def test_no_noise_is_one_node() -> None:
    found = nodes({})
    assert found.count == 1 and found.weights.tolist() == [1.0] and found.exact


@pytest.mark.parametrize("n", [4, 40, 400])
def test_rules_integrate_polynomials(n: int) -> None:
    x, w = rule(made("gaussian", 1.0), -math.inf, math.inf, n)
    assert [np.sum(w * x**k) for k in range(8)] == pytest.approx([1, 0, 1, 0, 3, 0, 15, 0], rel=1e-10, abs=1e-10)
    x, w = rule(made("laplace", 2.0), 0.0, math.inf, n)
    assert [np.sum(w * x**k) for k in range(8)] == pytest.approx([math.factorial(k) * 2**k / 2 for k in range(8)])
    x, w = rule(made("uniform", -1, 3), -1, 3, n)
    assert [np.sum(w * x**k) for k in range(5)] == pytest.approx([1, 1, 7 / 3, 5, 61 / 5])
    half = made("conditioned", ("gaussian", 1.0), 0.5, 2.0)
    x, w = rule(half, 0.5, 2.0, n)
    reference = stats.truncnorm(0.5, 2.0)
    assert [np.sum(w * x**k) for k in range(1, 6)] == pytest.approx([reference.moment(k) for k in range(1, 6)])


def cdfs(thresholds: Array, scale: float, family: Any) -> Callable[[Array], Array]:
    """A product of many survival chances, as a solver integrates."""
    return lambda z: np.prod([family.cdf((t + z) / scale) for t in thresholds], axis=0)


def by_scipy(f: Callable[[Array], Array], density: Any, low: float, high: float, cuts: Any) -> float:
    ends = sorted({low, high, *(c for c in cuts if low < c < high), *np.linspace(low, high, 400)})
    x, w = np.polynomial.legendre.leggauss(30)
    total = 0.0
    for a, b in pairwise(ends):
        z = a + (b - a) / 2 * (1 + x)
        total += float(np.sum(w * f(z) * density(z))) * (b - a) / 2
    return total


@pytest.mark.parametrize("scale, accuracy", [(2.0, 1e-13), (0.5, 1e-12), (0.05, 1e-10), (0.03, 1e-5)])
def test_gaussian_with_steps_of_any_width(scale: float, accuracy: float) -> None:
    f = cdfs([0.3, 1.1, -0.4], scale, stats.norm)
    exact = by_scipy(f, stats.norm.pdf, -9, 9, [-0.3, -1.1, 0.4])
    laws = {"z": made("gaussian", 1.0)}
    assert errors_are_bounded(laws, [], f, exact, LAST - 1, LAST) < accuracy
    assert nodes(laws, [], LAST).count <= 2 * ORDERS[LAST]


@pytest.mark.parametrize("name, arguments, density, low, high, ends", [
    ("laplace", (1.5,), stats.laplace(scale=1.5).pdf, -60, 60, [0]),
    ("exponential", (2.0,), stats.expon(scale=2).pdf, 0, 90, []),
    ("uniform", (-1.0, 2.0), stats.uniform(-1, 3).pdf, -1, 2, []),
    ("conditioned", (("laplace", 1.0), -2.0, 3.0),
     lambda z: stats.laplace.pdf(z) / (stats.laplace.cdf(3) - stats.laplace.cdf(-2)), -2, 3, [0]),
])  # fmt: skip
def test_other_laws(name: str, arguments: Any, density: Any, low: float, high: float, ends: Any) -> None:
    laws = {"z": made(name, *arguments)}
    f = cdfs([1.0, 2.0, 0.5, 3.0], 2.0, stats.norm)
    exact = by_scipy(f, density, low, high, ends)
    assert errors_are_bounded(laws, [], f, exact, 1, 7) < 1e-12
    steps = [1.0, 1.25, 0.75, 1.5]
    bends = [Kink({"z": 1.0}, s) for s in steps]
    g = cdfs(steps, 2.0, stats.laplace)
    exact = by_scipy(g, density, low, high, [*ends, *(-s for s in steps)])
    assert errors_are_bounded(laws, bends, g, exact, 1, 7) < 1e-12
    jump = by_scipy(lambda z: (z > 0.7) + 0.0, density, low, high, [0.7])
    assert value(laws, [Kink({"z": 2.0}, -1.4)], 0, lambda z: z > 0.7) == pytest.approx(jump, abs=1e-12)


def test_a_numeric_sum_as_noise() -> None:
    noise = sum_of([(made("uniform", 0, 1), 1.0), (made("laplace", 1.0), 1.0)])
    f = cdfs([1.0, 2.0], 1.0, stats.norm)
    exact = value({"u": made("uniform", 0, 1), "z": made("laplace", 1.0)}, [], 6, lambda u, z: f(u + z))
    assert value({"s": noise}, [], 6, lambda s: f(s)) == pytest.approx(exact, abs=1e-11)


def test_discrete_noises_are_their_points() -> None:
    laws = {"k": made("geometric", 0.6), "c": made("bernoulli", 0.3)}
    found = nodes(laws)
    assert found.exact
    ks = np.arange(-200, 201)
    mass = 0.6 ** np.abs(ks) * 0.4 / 1.6
    expected = sum(p * np.sum(mass * (2 * ks + c >= 3)) for c, p in ((0, 0.7), (1, 0.3)))
    assert value(laws, [], 0, lambda k, c: 2 * k + c >= 3) == pytest.approx(expected, abs=1e-14)
    mixed = {**laws, "z": made("laplace", 1.0)}
    cut = [Kink({"z": 1.0, "k": 1.0}, -0.5)]  # z + k >= 0.5
    expected = float(np.sum(mass * stats.laplace.sf(0.5 - ks)))
    assert value(mixed, cut, 2, lambda k, c, z: z + k >= 0.5) == pytest.approx(expected, abs=1e-13)


def test_gaussians_that_cross() -> None:
    laws = {"a": made("gaussian", 1.0), "b": made("normal", 0.5, 2.0)}
    cross = [Kink({"a": 2.0, "b": -1.0}, 0.7)]
    m, sd = 0.7 - 0.5, math.hypot(2, 2)
    exact = m * special.ndtr(m / sd) + sd * stats.norm.pdf(m / sd)  # E max(0, N(m, sd^2))
    assert value(laws, cross, 3, lambda a, b: np.maximum(2 * a - b + 0.7, 0)) == pytest.approx(exact, abs=1e-12)
    assert value(laws, cross, 0, lambda a, b: 2 * a - b + 0.7 > 0) == pytest.approx(special.ndtr(m / sd), abs=1e-13)
    both = [*cross, Kink({"a": 1.0}, -0.25)]  # a wedge of the plane: the second line is not at a right angle
    wedge = stats.multivariate_normal([m, -0.25], [[8, 2], [2, 1]]).cdf([0, 0])
    found = value(laws, both, 7, lambda a, b: (2 * a - b + 0.7 < 0) & (a < 0.25))
    assert found == pytest.approx(wedge, abs=1e-8)


def test_laplace_noises_that_cross() -> None:
    laws = {"a": made("laplace", 1.0), "b": made("laplace", 2.0)}
    cross = [Kink({"a": 1.0, "b": 1.0}, 1.5)]
    exact = float(sum_of([(laws["a"], 1.0), (laws["b"], 1.0)]).above(-1.5))
    assert errors_are_bounded(laws, cross, lambda a, b: a + b > -1.5, exact, 0, 6) < 1e-12

    def smooth(a: Array, b: Array) -> Array:
        return stats.norm.cdf(a - b / 3)

    x = np.arange(-40, 40, 0.04) + 0.02  # the midpoint rule, with the density's kink between nodes

    def weight(z: Array, b: float) -> Array:
        return np.diff(stats.laplace.cdf(np.append(z - 0.02, z[-1] + 0.02), scale=b))

    found = weight(x, 1.0) @ smooth(x[:, None], x) @ weight(x, 2.0)
    assert value(laws, [], 4, smooth) == pytest.approx(float(found), abs=1e-5)
    assert value(laws, [], 4, smooth) == pytest.approx(value(laws, cross, 6, smooth), abs=1e-12)


def test_three_noises() -> None:
    laws = {n: made("gaussian", s) for n, s in (("a", 1.0), ("b", 2.0), ("c", 0.5))}
    kink = [Kink({"a": 1.0, "b": 1.0, "c": 1.0}, -1.0)]
    sd = math.sqrt(5.25)
    assert value(laws, kink, 0, lambda a, b, c: a + b + c > 1) == pytest.approx(special.ndtr(-1 / sd), abs=1e-13)
    mixed = {**laws, "c": made("laplace", 0.5)}
    exact = float(sum_of([(made("gaussian", math.sqrt(5)), 1.0), (mixed["c"], 1.0)]).above(1.0))
    found = value(mixed, kink, 2, lambda a, b, c: a + b + c > 1)
    assert found == pytest.approx(exact, abs=1e-6)
    assert start(laws) == 0


def two_barriers(threshold: float, level: int) -> tuple[float, float, float]:
    """P(reject), P(accept), E[steps] of a walk of +-0.5 (up with 0.7): drawn ends, one fresh noise for both tests."""
    laws = {"z": made("gaussian", 10.0), "y": made("gaussian", 10.0)}
    found = nodes(laws, [Kink({"z": 1.0, "y": 1.0}, 2 * threshold)], level)
    upper, lower = threshold + found.values["z"][:, None], -threshold - found.values["y"][:, None]
    fresh = made("gaussian", 20.0)
    mass = found.weights[:, None]
    levels = np.zeros(1)
    reject = accept = steps = 0.0
    step = 0
    while mass.sum() > 1e-12:
        step += 1
        mass = np.pad(0.7 * mass, ((0, 0), (1, 0))) + np.pad(0.3 * mass, ((0, 0), (0, 1)))
        # the band that holds any mass: the columns are the walk's values, two moves apart
        levels = np.append(levels - 0.5, levels[-1] + 0.5)
        if len(levels) > 1 and step > 1:
            keep = mass.max(axis=0) > 1e-26
            first, last = int(np.argmax(keep)), len(keep) - int(np.argmax(keep[::-1]))
            mass, levels = mass[:, first:last], levels[first:last]
        up = fresh.above(upper - levels)
        down = fresh.below(np.minimum(lower, upper) - levels)
        reject += float(np.sum(mass * up))
        accept += float(np.sum(mass * down))
        steps += step * float(np.sum(mass * (up + down)))
        mass = mass * np.maximum(1 - up - down, 0.0)
    return reject, accept, steps


def test_walk_between_distant_ends() -> None:
    _, accept, steps = two_barriers(100.0, 1)
    assert accept == pytest.approx(9.8431808917e-05, abs=1e-13)
    assert steps == pytest.approx(288.880740841, abs=1e-8)


def test_walk_between_ends_that_cross() -> None:
    coarse, fine = two_barriers(16.0, 1), two_barriers(16.0, 2)
    assert fine[0] == pytest.approx(0.51666697931316, abs=2e-9)
    assert fine[2] == pytest.approx(2.612052391583, abs=5e-8)
    assert abs(fine[0] - 0.51666697931316) <= abs(fine[0] - coarse[0])
    assert abs(fine[2] - 2.612052391583) <= abs(fine[2] - coarse[2])
