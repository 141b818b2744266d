"""The interpreter's laws against scipy's, against their definitions, and their samples against their formulas."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import pytest
from scipy import integrate, stats

from seqlang.backends.interpret.laws import make_law
from seqlang.backends.interpret.laws.listed import Table
from seqlang.backends.interpret.randomness import sample_shaped
from seqlang.backends.interpret.values import BallSet, EvaluationError, Members, OutOfReach
from seqlang.source import NOWHERE


def law(family, *arguments):
    return make_law(family, arguments, NOWHERE)


CONTINUOUS = {
    "laplace": (law("laplace", 2), stats.laplace(scale=2)),
    "exponential": (law("exponential", 3), stats.expon(scale=3)),
    "gumbel": (law("gumbel", 3), stats.gumbel_r(scale=3)),
    "normal": (law("normal", 1, 2), stats.norm(1, 2)),
    "gaussian": (law("gaussian", 0.5), stats.norm(0, 0.5)),
    "uniform": (law("uniform", -1, 3), stats.uniform(-1, 4)),
}
DISCRETE = {
    "bernoulli": (law("bernoulli", 0.3), stats.bernoulli(0.3)),
    "binomial": (law("binomial", 12, 0.3), stats.binom(12, 0.3)),
    "large binomial": (law("binomial", 3000, 0.3), stats.binom(3000, 0.3)),
    "poisson": (law("poisson", 4.5), stats.poisson(4.5)),
    "geometric": (law("geometric", 0.6), stats.dlaplace(-math.log(0.6))),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_formulas_are_those_of_scipy(name):
    ours, theirs = CONTINUOUS[name]
    for x in (-2.5, -0.3, 0.0, 0.7, 1.0, 2.9, 6.0):
        assert ours.pdf(x) == pytest.approx(theirs.pdf(x), rel=1e-12, abs=1e-300)
        assert ours.cdf(x) == pytest.approx(theirs.cdf(x), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_formulas_are_those_of_scipy(name):
    ours, theirs = DISCRETE[name]
    for x in (-3, -1, 0, 1, 2, 5, 12, 13, 900):
        assert ours.pmf(x) == pytest.approx(theirs.pmf(x), rel=1e-9, abs=1e-300)
        assert ours.cdf(x) == pytest.approx(theirs.cdf(x), rel=1e-9, abs=1e-12)
    assert ours.pmf(0.5) == 0


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_samples(name):
    ours, theirs = CONTINUOUS[name]
    random = Random(name)
    assert stats.kstest([ours.sample(random) for _ in range(4000)], theirs.cdf).pvalue > 1e-4


@pytest.mark.parametrize("name", [n for n in DISCRETE if n != "large binomial"])
def test_discrete_samples(name):
    ours, theirs = DISCRETE[name]
    random = Random(name)
    drawn = [ours.sample(random) for _ in range(4000)]
    for x in range(-3, 8):
        p = theirs.pmf(x)
        assert abs(drawn.count(x) - 4000 * p) <= 5 * math.sqrt(4000 * p * (1 - p)) + 1e-9


def test_staircase_is_a_law_and_its_samples_follow_it():
    stair = law("staircase", 1.2, 2.0, 0.3)
    pieces = [0.0] + [2.0 * k + d for k in range(30) for d in (0.6, 2.0)]
    mass = 2 * sum(integrate.quad(stair.pdf, a, b)[0] for a, b in itertools.pairwise(pieces))
    assert mass == pytest.approx(1, abs=1e-9)
    # Geng and Viswanath 2014: a shift by the width changes the density by exp(eps) at most, and by that much exactly.
    assert max(stair.pdf(x / 50) / stair.pdf(x / 50 + 2.0) for x in range(-300, 300)) == pytest.approx(math.exp(1.2))
    for x in (-3.1, -0.2, 0.5, 1.9, 4.4):
        half = sum(integrate.quad(stair.pdf, a, min(b, abs(x)))[0] for a, b in itertools.pairwise(pieces) if a < abs(x))
        assert stair.cdf(x) == pytest.approx(0.5 + math.copysign(half, x), abs=1e-9)
    random = Random(5)
    drawn = [stair.sample(random) for _ in range(4000)]
    for x in (-3.1, -0.2, 0.5, 1.9, 4.4):
        p = stair.cdf(x)
        assert abs(sum(v <= x for v in drawn) - 4000 * p) < 5 * math.sqrt(4000 * p * (1 - p))


def test_conditioned_is_cut_off_and_renormalised():
    cut = law("conditioned", law("laplace", 1), -1, 3)
    assert integrate.quad(cut.pdf, -1, 0)[0] + integrate.quad(cut.pdf, 0, 3)[0] == pytest.approx(1)
    assert cut.pdf(3.1) == 0 and cut.cdf(-1) == 0 and cut.cdf(3) == 1
    random = Random(1)
    drawn = [cut.sample(random) for _ in range(4000)]
    assert min(drawn) >= -1 and max(drawn) <= 3
    assert stats.kstest(drawn, np.vectorize(cut.cdf)).pvalue > 1e-4
    whole = law("conditioned", law("geometric", 0.5), -1, 2)
    masses = [0.5 ** abs(k) for k in (-1, 0, 1, 2)]
    assert [whole.pmf(k) for k in (-1, 0, 1, 2)] == pytest.approx([m / sum(masses) for m in masses])


def test_convolution_of_a_count_and_two_sided_geometric_noise():
    sum_law = law("convolve", law("binomial", 5, 0.3), law("geometric", 0.4))
    for x in range(-4, 9):
        expected = sum(stats.binom.pmf(k, 5, 0.3) * 0.6 / 1.4 * 0.4 ** abs(x - k) for k in range(6))
        assert sum_law.pmf(x) == pytest.approx(expected, rel=1e-12)
    normal = law("convolve", law("normal", 1, 3), law("gaussian", 4))
    assert normal.pdf(2.5) == pytest.approx(stats.norm(1, 5).pdf(2.5))


def test_tables_normalise_and_merge():
    table = make_law("uniform", (Members([1, 2, 2, 5]),), NOWHERE)
    assert [table.pmf(v) for v in (1, 2, 5, 7)] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_l2_laplace_and_uniform_ball():
    """The length of the first is gamma(d, b); of the second, radius * u^(1/d)."""
    random = Random(2)
    lengths = [math.hypot(*sample_shaped(law("l2_laplace", 2.0), (3,), random)) for _ in range(3000)]
    assert stats.kstest(lengths, stats.gamma(3, scale=2.0).cdf).pvalue > 1e-4
    ball = law("uniform", BallSet(3, 2.0))
    lengths = [math.hypot(*ball.sample(random)) for _ in range(3000)]
    assert stats.kstest(lengths, lambda r: (r / 2.0) ** 3).pvalue > 1e-4
    one = law("l2_laplace", 2.0)
    assert one.pdf((0.7,)) == pytest.approx(stats.laplace(scale=2).pdf(0.7))
    assert isinstance(sample_shaped(one, (), random), float)


def test_subsamples_and_vectors_of_parameters():
    random = Random(3)
    sizes = [len(law("sample", range(1, 11), 0.2).sample(random)) for _ in range(2000)]
    assert abs(sum(sizes) / 2000 - 2) < 5 * math.sqrt(1.6 / 2000)
    independent = law("normal", (0.0, 5.0), 1)
    assert independent.pdf((0.0, 5.0)) == pytest.approx(stats.norm.pdf(0) ** 2)


@pytest.mark.parametrize(
    "arguments",
    [("laplace", 0), ("laplace", -1), ("gaussian", -1), ("bernoulli", 1.5), ("uniform", 2, 1), ("geometric", 1)],
)
def test_impossible_parameters_are_errors(arguments):
    with pytest.raises(EvaluationError):
        law(*arguments)


def test_weights_whose_sum_is_no_number_of_the_machine() -> None:
    pairs = ((1, 1e308), (2, 1e308))
    with pytest.raises(OutOfReach):
        Table(pairs, exponentials=True)
    with pytest.raises(EvaluationError):
        Table(pairs)
