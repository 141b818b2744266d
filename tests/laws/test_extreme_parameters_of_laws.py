"""Laws with huge and tiny parameters, against their definitions in mpmath."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest

from seqlang.laws.law import NotInArrays, law

STAIRCASES = [(1e-20, 1.0, 0.3), (1e-300, 1.0, 0.5), (1000.0, 1.0, 7e-218), (2000.0, 1.0, 0.0), (750.0, 1e-5, 1.0),
              (3.0, 1e300, 0.2), (1e-5, 1e-300, 0.9)]  # fmt: skip
PLACES = (0.0, 0.1, 0.29, 0.31, 0.95, 1.0, 1.2, 7.6, 1e9, 1e19)
"""In widths."""


def _staircase(x: float, eps: float, width: float, gamma: float) -> tuple[Any, Any]:
    """The density and P(X >= x) of x >= 0, by the definition: stairs of gamma and 1 - gamma widths."""
    e, d, g = mpmath.mpf(eps), mpmath.mpf(width), mpmath.mpf(gamma)
    b = mpmath.exp(-e)
    stair = mpmath.floor(mpmath.mpf(x) / d)
    inside = mpmath.mpf(x) / d - stair
    top = (1 - b) / (2 * d * (g + b * (1 - g)))
    density = top * b**stair * (1 if inside < g else b)
    left = (g - inside + b * (1 - g)) if inside < g else b * (1 - inside)
    return density, d * top * b**stair * left + b ** (stair + 1) / 2


@pytest.mark.parametrize("arguments", STAIRCASES)
def test_staircase(arguments: tuple[float, float, float]) -> None:
    found = law("staircase")
    scalar, arrays = found.scalar, found.arrays
    assert scalar.density and scalar.cdf and scalar.log_density and scalar.log_above
    assert arrays.densities and arrays.tails
    for place in PLACES:
        x = min(place * arguments[1], 1e307)
        with mpmath.workdps(1200):
            density, above = _staircase(x, *arguments)
            log_density, log_above = float(mpmath.log(density)), float(mpmath.log(above))
        near = {"rel": 1e-12, "abs": 1e-12}
        assert scalar.log_density(x, *arguments) == pytest.approx(log_density, **near)
        assert scalar.log_above(x, *arguments) == pytest.approx(log_above, **near)
        chance = float(above)
        assert 1 - scalar.cdf(x, *arguments) == pytest.approx(chance, abs=1e-15)
        assert scalar.cdf(-x, *arguments) == pytest.approx(chance if x else 0.5, rel=1e-12)
        assert float(arrays.tails(np.float64(x), *arguments)) == pytest.approx(chance, rel=1e-12)
        if 1e-290 < density < 1e290:
            assert scalar.density(x, *arguments) == pytest.approx(float(density), rel=1e-12)
            assert float(arrays.densities(np.float64(x), *arguments)) == pytest.approx(float(density), rel=1e-12)


@pytest.mark.parametrize("sd", [999.0, 1001.0, 20000.0])
@pytest.mark.parametrize("place", [-6.0, -1.0, 0.0, 0.5, 3.0, 9.0])
def test_sums_of_many_masses(sd: float, place: float) -> None:
    """P(X <= k) where the masses are added up one by one, and where they are not."""
    cdf, k = law("discrete_gaussian").scalar.cdf, math.floor(place * sd)
    assert cdf is not None
    masses = np.exp(-0.5 * (np.arange(-40 * int(sd), 40 * int(sd) + 1) / sd) ** 2)
    exact = math.fsum(masses[: k + 40 * int(sd) + 1]) / math.fsum(masses)
    assert cdf(float(k), sd) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("sd", [1e17, 1e154, 1e299])
def test_huge_discrete_gaussians(sd: float) -> None:
    """Far beyond where its steps are seen it is the normal law: in chances, and in the middle of draws."""
    scalar = law("discrete_gaussian").scalar
    assert scalar.cdf and scalar.density and scalar.sample
    for z in (-2.0, 0.0, 1.0):
        assert scalar.cdf(math.floor(z * sd), sd) == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), rel=1e-12)
    assert scalar.density(0.0, sd) == pytest.approx(1 / sd / math.sqrt(2 * math.pi), rel=1e-12)
    random = Random(1)
    draws = [scalar.sample(random, sd) / sd for _ in range(400)]
    assert abs(math.fsum(draws) / 400) < 0.3 and 0.8 < math.sqrt(math.fsum(d * d for d in draws) / 400) < 1.2


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("geometric", (1 - 1e-16,)), ("discrete_gaussian", (1e300,)), ("poisson", (1e18,)), ("binomial", (1e15, 0.5))],
)
def test_laws_of_too_many_values(name: str, arguments: tuple[float, ...]) -> None:
    atoms = law(name).arrays.atoms
    assert atoms is not None
    with pytest.raises(NotInArrays, match="values"):
        atoms(1e-30, *arguments)
