"""The laws on arrays against scipy's: formulas, samples, and parameters that differ from run to run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from seqlang.backends.arrays import laws
from seqlang.backends.arrays.laws.multivariate import L2Laplace
from seqlang.backends.arrays.streams import Source, Streams

N = 20_000


def source(seed=1):
    return Source(Streams(seed, np.arange(N), "noise"), None)


def law(family, *arguments):
    return laws.make(family, *arguments)


CONTINUOUS = {
    "laplace": (law("laplace", 2.0), stats.laplace(scale=2)),
    "gumbel": (law("gumbel", 2.0), stats.gumbel_r(scale=2)),
    "exponential": (law("exponential", 3.0), stats.expon(scale=3)),
    "normal": (law("normal", 1.0, 2.0), stats.norm(1, 2)),
    "uniform": (law("uniform", -1.0, 3.0), stats.uniform(-1, 4)),
}
DISCRETE = {
    "bernoulli": (law("bernoulli", 0.3), stats.bernoulli(0.3)),
    "binomial": (law("binomial", 12, 0.3), stats.binom(12, 0.3)),
    "poisson": (law("poisson", 4.5), stats.poisson(4.5)),
    "geometric": (law("geometric", 0.6), stats.dlaplace(-math.log(0.6))),
}
POINTS = np.array([-2.5, -0.3, 0.0, 0.7, 1.0, 2.9, 6.0])
WHOLE = np.array([-3.0, -1.0, 0.0, 1.0, 2.0, 5.0, 12.0, 13.0])


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name):
    ours, theirs = CONTINUOUS[name]
    np.testing.assert_allclose(ours.pdf(POINTS), theirs.pdf(POINTS), rtol=1e-12)
    np.testing.assert_allclose(ours.cdf(POINTS), theirs.cdf(POINTS), rtol=1e-12, atol=1e-300)
    assert stats.kstest(ours.sample(source(), ()), theirs.cdf).pvalue > 1e-4
    assert ours.sample(source(), (3,)).shape == (3, N)


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete(name):
    ours, theirs = DISCRETE[name]
    np.testing.assert_allclose(ours.pmf(WHOLE), theirs.pmf(WHOLE), rtol=1e-9, atol=1e-300)
    drawn = ours.sample(source(2), ())
    for x in range(-3, 10):
        p = theirs.pmf(x)
        assert abs(np.count_nonzero(drawn == x) - N * p) <= 5 * math.sqrt(N * p * (1 - p)) + 1e-9


def test_parameters_may_differ_from_run_to_run():
    """Run i uses its own parameter: half of them one value, half the other."""
    which = np.arange(N) < N // 2
    binomial = law("binomial", np.where(which, 3.0, 9.0), np.where(which, 0.2, 0.9)).sample(source(), ())
    for mask, n, p in ((which, 3, 0.2), (~which, 9, 0.9)):
        assert abs(binomial[mask].mean() - n * p) < 5 * math.sqrt(n * p * (1 - p) / mask.sum())
    scaled = law("laplace", np.where(which, 1.0, 5.0)).sample(source(), ())
    assert stats.kstest(scaled[~which], stats.laplace(scale=5).cdf).pvalue > 1e-4
    weights = laws.Table([1, 2, 4], [np.where(which, 1.0, 0.0), 1.0, 2.0]).sample(source(), ())
    assert np.count_nonzero(weights[~which] == 1) == 0
    assert abs(np.mean(weights[which] == 4) - 0.5) < 5 * 0.5 / math.sqrt(N / 2)


def test_conditioned_convolved_and_tables():
    cut = law("conditioned", law("laplace", 1.0), -1.0, 3.0)
    mass = stats.laplace.cdf(3) - stats.laplace.cdf(-1)
    np.testing.assert_allclose(cut.pdf(np.array([-2.0, 0.5, 2.0])), [0, *(stats.laplace.pdf([0.5, 2.0]) / mass)])
    below = (stats.laplace.cdf([-1, 0.5, 3]) - stats.laplace.cdf(-1)) / mass
    np.testing.assert_allclose(cut.cdf(np.array([-2.0, 0.5, 4.0])), below)
    drawn = cut.sample(source(), ())
    assert stats.kstest(drawn, lambda x: (stats.laplace.cdf(x) - stats.laplace.cdf(-1)) / mass).pvalue > 1e-4
    rejected = law("conditioned", law("normal", 0.0, 1.0), 0.5, 2.0).sample(source(), ())
    assert stats.kstest(rejected, stats.truncnorm(0.5, 2.0).cdf).pvalue > 1e-4
    together = law("convolve", law("binomial", 5, 0.3), law("geometric", 0.4))
    for x in range(-4, 9):
        expected = sum(stats.binom.pmf(k, 5, 0.3) * 0.6 / 1.4 * 0.4 ** abs(x - k) for k in range(6))
        assert float(together.pmf(float(x))) == pytest.approx(expected, rel=1e-9)


def test_vectors():
    drawn = L2Laplace(2.0).sample(source(), (3,))
    assert stats.kstest(np.sqrt((drawn**2).sum(axis=0)), stats.gamma(3, scale=2.0).cdf).pvalue > 1e-4
    assert L2Laplace(2.0).sample(source(), ()).shape == (N,)
    ball = laws.UniformBall(3, 2.0).sample(source(), ())
    assert stats.kstest(np.sqrt((ball**2).sum(axis=0)), lambda r: (r / 2.0) ** 3).pvalue > 1e-4
    assert stats.kstest(ball[0] / np.sqrt((ball**2).sum(axis=0)), stats.uniform(-1, 2).cdf).pvalue > 1e-4


def test_staircase_and_flips():
    """Masses of stairs fall by exp(-eps); a flip tells the truth with its chance and spreads the rest evenly."""
    stair = np.abs(law("staircase", 1.2, 2.0, 0.3).sample(source(), ()))
    for k in range(3):
        p = (1 - math.exp(-1.2)) * math.exp(-1.2 * k)
        assert abs(np.mean((stair >= 2 * k) & (stair < 2 * k + 2)) - p) < 5 * math.sqrt(p / N)
    places = laws.Flip(0.4).places(source(), (), 4)
    for k, p in enumerate((0.4, 0.2, 0.2, 0.2)):
        assert abs(np.mean(places == k) - p) < 5 * math.sqrt(p / N)
