"""Scalar laws against scipy.stats, mpmath and enumeration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats
from thorough import several

from seqlang import driver
from seqlang.backends.solve.noises.laws import law_of, noise_laws, sum_of
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.source import Source

XS = np.array([-30.0, -7.3, -2.0, -0.5, -1e-7, 0.0, 1e-9, 0.3, 1.0, 2.5, 8.0, 40.0])
CONTINUOUS: list[tuple[tuple[Any, ...], Any]] = [
    (("laplace", 1.7), stats.laplace(scale=1.7)),
    (("l2_laplace", 0.6), stats.laplace(scale=0.6)),
    (("gumbel", 1.3), stats.gumbel_r(scale=1.3)),
    (("gaussian", 2.3), stats.norm(scale=2.3)),
    (("normal", -1.5, 0.7), stats.norm(-1.5, 0.7)),
    (("exponential", 3.0), stats.expon(scale=3)),
    (("uniform", -1.0, 2.0), stats.uniform(-1, 3)),
]
DISCRETE: list[tuple[tuple[Any, ...], Any]] = [
    (("geometric", 0.4), stats.dlaplace(-math.log(0.4))),
    (("binomial", 9, 0.3), stats.binom(9, 0.3)),
    (("binomial", 400, 0.9), stats.binom(400, 0.9)),
    (("poisson", 3.5), stats.poisson(3.5)),
    (("bernoulli", 0.2), stats.bernoulli(0.2)),
    (("uniform", (0, 1, 2, 3)), stats.randint(0, 4)),
    (("weights", ((2, 1), (5, 3))), stats.rv_discrete(values=((2, 5), (0.25, 0.75)))),
    (("point", 4), stats.rv_discrete(values=((4,), (1.0,)))),
]


def law(family: str, arguments: Sequence[Any]) -> ScalarLaw | None:
    return law_of((family, *arguments))


def close(found: Any, expected: Any, rel: float = 1e-11) -> None:
    np.testing.assert_allclose(found, expected, rtol=rel, atol=1e-300)


@pytest.mark.parametrize("value, reference", CONTINUOUS)
def test_densities(value: Any, reference: Any) -> None:
    made = law_of(value)
    assert made is not None and not made.discrete
    close(made.above(XS), reference.sf(XS))
    close(made.below(XS, strict=True), reference.cdf(XS))
    close(made.density(XS), reference.pdf(XS))
    assert made.quantile(0.3) == pytest.approx(reference.ppf(0.3), rel=1e-12)
    assert made.upper(1e-9) == pytest.approx(reference.isf(1e-9), rel=1e-12)
    low, high = np.sort(np.random.default_rng(1).normal(0, 5, (2, 3, 200)), axis=0)
    np.testing.assert_allclose(made.between(low, high), reference.cdf(high) - reference.cdf(low), atol=1e-15)
    assert np.all(made.between(high, low) == 0)
    turned = made.scaled(-2.0, 0.5)
    close(turned.above(XS), reference.cdf((XS - 0.5) / -2))
    close(turned.density(XS), reference.pdf((XS - 0.5) / -2) / 2)


@pytest.mark.parametrize("value, reference", DISCRETE)
def test_points(value: Any, reference: Any) -> None:
    made = law_of(value)
    assert made is not None and made.discrete
    ks = np.arange(-12, 13, dtype=float)
    rel = 1e-10
    for x in (ks, ks * (1 + 1e-14), ks + 3e-14):  # ties within the tolerance
        close(made.above(x), reference.sf(ks - 1), rel)
        close(made.above(x, strict=True), reference.sf(ks), rel)
        close(made.below(x), reference.cdf(ks), rel)
        close(made.below(x, strict=True), reference.cdf(ks - 1), rel)
        close(made.density(x), reference.pmf(ks), rel)
    off = ks + 0.25
    close(made.above(off), reference.sf(ks), rel)
    close(made.below(off), reference.cdf(ks), rel)
    assert np.all(made.density(off) == 0)
    for open_low in (False, True):
        for open_high in (False, True):
            found = made.between(-2.0, ks, open_low, open_high)
            inside = [range(-1 if open_low else -2, int(h) + (not open_high)) for h in ks]
            expected = [reference.pmf(list(r)).sum() for r in inside]
            np.testing.assert_allclose(found, expected, atol=1e-15, rtol=1e-10)
    points, chances = made.atoms(1e-12)
    assert chances.sum() == pytest.approx(1, abs=1e-11)
    close(chances, reference.pmf(points), rel)
    close(made.scaled(-0.1).above(-0.1 * ks), reference.cdf(ks), rel)


def test_far_tails_keep_their_digits() -> None:
    for value, x, expected in (
        (("laplace", 2.0), 900.0, mpmath.exp(-450) / 2),
        (("gaussian", 1.0), 35.0, mpmath.erfc(35 / mpmath.sqrt(2)) / 2),
        (("geometric", 0.5), 600.0, mpmath.mpf(0.5) ** 600 / 1.5),
        (("staircase", 1.0, 1.0, 0.3), 300.0, mpmath.exp(-300) / 2),
    ):
        made = law_of(value)
        assert made is not None
        assert float(made.above(x)) == pytest.approx(float(expected), rel=1e-12)
        assert float(made.below(-x)) == pytest.approx(float(expected), rel=1e-12)
        assert float(made.between(x, math.inf)) == pytest.approx(float(expected), rel=1e-12)
    narrow = law("laplace", [1.0])
    assert narrow is not None
    assert float(narrow.between(3, 3 + 1e-9)) == pytest.approx(math.exp(-3) / 2 * 1e-9, rel=1e-6)


def test_staircase_against_its_definition() -> None:
    eps, d, gamma = 0.7, 1.5, 0.35
    made = law("staircase", [eps, d, gamma])
    assert made is not None
    k = np.arange(200)
    mass = np.exp(-eps * k) * d * (gamma + math.exp(-eps) * (1 - gamma))
    for x in (0.0, 0.2, 0.6, 1.5, 2.0, 3.3, 7.1):
        height = 1 / (2 * mass.sum())
        j = int(x // d)
        left = max(0.0, (j + gamma) * d - x) + math.exp(-eps) * ((j + 1) * d - max(x, (j + gamma) * d))
        expected = height * (math.exp(-eps * j) * left + mass[j + 1 :].sum())
        assert float(made.above(x)) == pytest.approx(expected, rel=1e-12)
        assert float(made.below(-x)) == pytest.approx(expected, rel=1e-12)
        level = j if x < (j + gamma) * d else j + 1
        assert float(made.density(-x)) == pytest.approx(height * math.exp(-eps * level), rel=1e-12)


@pytest.mark.parametrize("low, high", [(-1.0, 2.0), (3.0, 9.0), (-math.inf, -4.0), (-0.3, math.inf)])
@pytest.mark.parametrize("inner, reference", CONTINUOUS[:3])
def test_conditioned(inner: Any, reference: Any, low: float, high: float) -> None:
    made = law("conditioned", [inner, low, high])
    assert made is not None
    total = integrate.quad(reference.pdf, low, high, epsabs=0, epsrel=1e-12, points=None)[0]
    for x in (-9.0, -0.9, 0.0, 0.4, 1.9, 3.5, 8.9):
        cut = min(max(x, low), high)
        parts = sorted({cut, high, *([0.0] if cut < 0 < high else [])})
        expected = sum(integrate.quad(reference.pdf, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in pairwise(parts))
        assert float(made.above(x)) == pytest.approx(expected / total, rel=1e-9, abs=1e-14)
        assert float(made.below(x)) == pytest.approx(1 - expected / total, abs=1e-9)
    assert float(made.above(made.quantile(0.75))) == pytest.approx(0.25, rel=1e-9)
    lattice = law("conditioned", [("geometric", 0.5), max(low, -50), min(high, 50)])
    assert lattice is not None
    ks = np.arange(math.ceil(max(low, -50)), math.floor(min(high, 50)) + 1)
    weights = 0.5 ** np.abs(ks)
    close(lattice.below(ks), np.cumsum(weights) / weights.sum(), 1e-12)


def test_nothing_to_condition_on() -> None:
    with pytest.raises(Unsolved):
        law("conditioned", [("uniform", 0, 1), 2, 3])


def by_quadrature(x: float, density: Any, tail: Any) -> float:
    """P(A + B >= x) or its derivative, in mpmath."""
    ends = [-mpmath.inf, *sorted({mpmath.mpf(-40), 0, x, 40}), mpmath.inf]
    return float(mpmath.quad(lambda y: density(y) * tail(x - y), ends))


def mp_laplace(b: float) -> tuple[Any, Any]:
    b = mpmath.mpf(b)
    return (
        lambda y: mpmath.exp(-abs(y) / b) / (2 * b),
        lambda y: mpmath.exp(-y / b) / 2 if y >= 0 else 1 - mpmath.exp(y / b) / 2,
    )


def mp_gaussian(sd: float) -> tuple[Any, Any]:
    return lambda y: mpmath.npdf(y, 0, sd), lambda y: mpmath.erfc(y / (sd * mpmath.sqrt(2))) / 2


PAIRS = [
    (("laplace", 1.0), mp_laplace(1), ("laplace", 3.0), mp_laplace(3)),
    (("laplace", 2.0), mp_laplace(2), ("laplace", 2.0), mp_laplace(2)),
    (("laplace", 2.0), mp_laplace(2), ("laplace", 2.0 + 1e-7), mp_laplace(2 + 1e-7)),
    (("gaussian", 1.5), mp_gaussian(1.5), ("laplace", 2.0), mp_laplace(2)),
    (("gaussian", 4.0), mp_gaussian(4), ("laplace", 0.5), mp_laplace(0.5)),
]


@pytest.mark.parametrize("first, one, second, two", PAIRS)
def test_pairs_in_closed_form(first: Any, one: Any, second: Any, two: Any) -> None:
    a, b = law_of(first), law_of(second)
    assert a is not None and b is not None
    made = sum_of([(a, 1.0), (b, -1.0)])
    for x in (0.7, 25.0, 0.0, 5.0)[: several(2, 4)]:
        expected = by_quadrature(x, one[0], two[1])
        assert float(made.above(x)) == pytest.approx(expected, rel=1e-10)
        assert float(made.below(-x)) == pytest.approx(expected, rel=1e-10)
        assert float(made.density(x)) == pytest.approx(by_quadrature(x, one[0], two[0]), rel=1e-9)


def test_extreme_arguments_of_closed_forms() -> None:
    for first, second in ((1e-3, 1e3), (1e3, 1e-3), (1.0, 1.0)):
        for made in (
            sum_of([(law("gaussian", [first]), 1.0), (law("laplace", [second]), 1.0)]),
            sum_of([(law("laplace", [first]), 1.0), (law("laplace", [second]), 1.0)]),
        ):
            x = np.array([-math.inf, -1e200, -1e5, -1e-9, 0.0, 1e-9, 1e5, 1e200, math.inf])
            with np.errstate(all="raise", under="ignore"):
                found = made.above(x)
            assert np.all(np.isfinite(found)) and np.all(np.diff(found) <= 0)
            assert found[0] == 1 and found[-1] == 0 and found[4] == pytest.approx(0.5, abs=1e-15)


def test_two_gaussians_and_a_mean() -> None:
    made = sum_of([(law("gaussian", [3.0]), 1.0), (law("normal", [1.0, 2.0]), -2.0)])
    close(made.above(XS), stats.norm(-2, 5).sf(XS))


def test_numeric_sums() -> None:
    xs = np.array([-6.0, -1.2, 0.0, 0.31, 1.0, 2.0, 4.5, 11.0])
    uniform, gauss = law("uniform", [0, 1]), law("gaussian", [0.5])
    assert uniform is not None and gauss is not None
    made = sum_of([(uniform, 2.0), (gauss, 1.0)])
    expected = [mpmath.quad(lambda y, x=x: mp_gaussian(0.5)[1](x - y) / 2, [0, 0.5, 1, 1.5, 2]) for x in xs]
    np.testing.assert_allclose(made.above(xs), np.array(expected, float), rtol=1e-11, atol=1e-40)
    a, b, c = (law("laplace", [s]) for s in (1.0, 2.0, 3.5))
    assert a is not None and b is not None and c is not None
    three = sum_of([(a, 1.0), (b, 1.0), (c, 1.0)])
    # partial fractions of the characteristic function
    scales = [1.0, 2.0, 3.5]
    parts = [math.prod(s * s / (s * s - r * r) for r in scales if r != s) for s in scales]
    tail = sum(w * 0.5 * np.exp(-np.abs(xs) / s) for w, s in zip(parts, scales, strict=True))
    np.testing.assert_allclose(three.above(xs), np.where(xs >= 0, tail, 1 - tail), rtol=1e-11, atol=1e-14)
    exponential = law("exponential", [2.0])
    assert exponential is not None
    difference = sum_of([(exponential, 1.0), (exponential, -1.0)])
    np.testing.assert_allclose(difference.below(xs), stats.laplace(scale=2).cdf(xs), rtol=1e-11)
    triangle = sum_of([(uniform, 1.0), (uniform, 1.0)])
    np.testing.assert_allclose(triangle.below(xs), stats.triang(0.5, 0, 2).cdf(xs), rtol=1e-11, atol=1e-13)


def test_sums_with_points() -> None:
    geometric, coin, gauss = law("geometric", [0.5]), law("bernoulli", [0.3]), law("gaussian", [2.0])
    assert geometric is not None and coin is not None and gauss is not None
    ks = np.arange(-300, 301)
    mass = 0.5 ** np.abs(ks) / 3
    both = sum_of([(geometric, 1.0), (geometric, -2.0), (coin, 3.0)])
    table: dict[int, float] = {}
    for k, u in zip(ks[240:361], mass[240:361], strict=True):
        for j, v in zip(ks[240:361], mass[240:361], strict=True):
            for c, w in ((0, 0.7), (3, 0.3)):
                table[k - 2 * j + c] = table.get(k - 2 * j + c, 0.0) + u * v * w
    for x in (-8, 0, 1, 3, 12):
        assert float(both.above(x)) == pytest.approx(sum(w for k, w in table.items() if k >= x), rel=1e-12)
        assert float(both.above(x, True)) == pytest.approx(sum(w for k, w in table.items() if k > x), rel=1e-12)
    smeared = sum_of([(geometric, 2.0), (gauss, 1.0)])
    expected = np.sum(mass[:, None] * stats.norm(scale=2).sf(XS - 2 * ks[:, None]), axis=0)
    np.testing.assert_allclose(smeared.above(XS), expected, rtol=1e-11)
    off_lattice = sum_of([(coin, 1.0), (coin, math.sqrt(2))])
    assert float(off_lattice.above(math.sqrt(2))) == pytest.approx(0.3, rel=1e-12)
    convolved = law("convolve", [("binomial", 3, 0.5), ("geometric", 0.5)])
    assert convolved is not None
    tail = sum(math.comb(3, n) / 8 * mass[ks >= 2 - n].sum() for n in range(4))
    assert float(convolved.above(2)) == pytest.approx(tail, rel=1e-12)


def test_laws_of_a_program() -> None:
    text = """algorithm a "a"
param s > 0 = 2
stream x in {0, 1}
model m: x ~ bernoulli(0.5)
statistic total = sum(x over steps)
draw z ~ conditioned(laplace(2 * s), -3, 3) once
attach z to total
attach laplace(s / 4) to total
stop when total >= 5 return yes
stop when step >= 9 return no
attach randomized_response(0.9) to return
"""
    program = driver.load(Source("a.seq", text)).program
    assert program is not None
    made = noise_laws(program)
    assert sorted(made) == ["total.step", "z"]
    close(made["total.step"].above(1.0), stats.laplace(scale=0.5).sf(1.0))
    assert made["z"].support == (-3, 3) and made["z"].kinks == (-3, 0, 3)
