"""Tails and densities against scipy, and against each other."""

from __future__ import annotations

from itertools import pairwise
from math import exp, fsum, inf, log

import pytest
from scipy import integrate, stats

from seqlang.backends.transcript.fixed_streams.nodes import Axis, axis_nodes
from seqlang.backends.transcript.integrals import noise_laws as laws
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.laws.numbers import log_normal_above


def law(family: str, *arguments: float) -> laws.NoiseLaw:
    made = laws.of_family(family, *arguments)
    assert made is not None
    return made


POINTS = (-7.3, -2.0, -0.4, 0.0, 0.3, 1.0, 2.5, 9.0)
SCIPY = [
    (law("laplace", 1.7), stats.laplace(scale=1.7)),
    (law("gumbel", 1.3), stats.gumbel_r(scale=1.3)),
    (law("exponential", 0.8), stats.expon(scale=0.8)),
    (law("gaussian", 2.2), stats.norm(scale=2.2)),
    (law("uniform", -1.0, 3.0), stats.uniform(-1.0, 4.0)),
]


@pytest.mark.parametrize("ours, theirs", SCIPY)
def test_tails_and_density(ours: laws.NoiseLaw, theirs: stats.rv_frozen) -> None:
    for x in POINTS:
        assert exp(ours.log_above(x)) == pytest.approx(theirs.sf(x), rel=1e-12)
        assert exp(ours.log_below(x)) == pytest.approx(theirs.cdf(x), rel=1e-12)
        assert exp(ours.log_density(x)) == pytest.approx(theirs.pdf(x), rel=1e-12)
        for y in POINTS:
            assert exp(ours.log_between(x, y)) == pytest.approx(max(0.0, theirs.cdf(y) - theirs.cdf(x)), abs=1e-13)


def test_far_normal_tail_keeps_its_accuracy() -> None:
    for x in (10.0, 24.9, 25.1, 30.0, 37.0):
        assert log_normal_above(x) == pytest.approx(stats.norm.logsf(x), rel=1e-11)


@pytest.mark.parametrize("ratio", [0.3, 0.8])
def test_geometric_by_summation(ratio: float) -> None:
    made = law("geometric", ratio)
    mass = {k: (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-200, 201)}
    for x in (-3.0, -2.5, 0.0, 0.5, 1.0, 4.0):
        assert exp(made.log_above(x)) == pytest.approx(sum(p for k, p in mass.items() if k >= x), rel=1e-12)
        assert exp(made.log_below(x)) == pytest.approx(sum(p for k, p in mass.items() if k <= x), rel=1e-12)
        inside = sum(p for k, p in mass.items() if -2 <= k <= x)
        assert exp(made.log_between(-2, x)) == pytest.approx(inside, rel=1e-12)


@pytest.mark.parametrize("gamma", [0.2, 0.5])
def test_staircase_integrates_its_density(gamma: float) -> None:
    made = law("staircase", 1.0, 2.0, gamma)
    cuts = sorted(made.kinks(-80.0, 80.0))
    whole = sum(integrate.quad(lambda x: exp(made.log_density(x)), a, b)[0] for a, b in pairwise(cuts))
    assert whole == pytest.approx(1, abs=1e-9)
    for x in (-3.1, 0.0, 0.3, 1.9, 5.0):
        points = [x, *[c for c in cuts if c > x]]
        tail = sum(integrate.quad(lambda y: exp(made.log_density(y)), a, b)[0] for a, b in pairwise(points))
        assert exp(made.log_above(x)) == pytest.approx(tail, abs=1e-9)


def test_conditioned_is_the_quotient() -> None:
    made = laws.conditioned(law("laplace", 2.0), -1.0, 3.0)
    theirs = stats.laplace(scale=2.0)
    whole = theirs.cdf(3) - theirs.cdf(-1)
    for x in (-2.0, -0.5, 0.0, 2.0, 3.5):
        expected = max(0.0, theirs.cdf(3) - max(theirs.cdf(x), theirs.cdf(-1))) / whole
        assert exp(made.log_above(x)) == pytest.approx(expected, abs=1e-13)
    assert made.support == (-1.0, 3.0)


def test_log_arithmetic() -> None:
    assert laws.log_minus(log(0.5), log(0.2)) == pytest.approx(log(0.3))
    assert laws.log_minus(-700.0, -701.0) == pytest.approx(-700 + log(1 - exp(-1)))
    assert laws.log_sum([-inf, log(0.25), log(0.5)]) == pytest.approx(log(0.75))


@pytest.mark.parametrize("ours, theirs", SCIPY)
@pytest.mark.parametrize(
    "starts", [(0.5,), (-3.0, 0.25, 4.0), tuple(-20 + 0.37 * i for i in range(120)), (-1e5, 0, 300), (0, 1e5)]
)
@pytest.mark.parametrize("slope", [1.0, -0.7])
def test_many_tails_at_once(
    ours: laws.NoiseLaw, theirs: stats.rv_frozen, starts: tuple[float, ...], slope: float
) -> None:
    above, below = ours.log_tails(True, starts, slope), ours.log_tails(False, starts, slope)
    for x in (-30.0, -2.5, 0.0, 0.1, 7.0, 55.0):
        for tails, log_tail, farthest in ((above, theirs.logsf, max), (below, theirs.logcdf, min)):
            if abs(farthest(a + slope * x for a in starts)) > 500:
                continue  # scipy's tails are 0 there
            expected = fsum(log_tail(a + slope * x) for a in starts)
            assert tails(x) == pytest.approx(expected, rel=1e-11, abs=1e-12)


def test_a_law_without_a_chance_is_none() -> None:
    with pytest.raises(ValueError, match="no value has a chance"):
        laws.conditioned(laws.finite([(8.0, 1.0)]), -3.0, 3.0)


def test_a_noise_far_narrower_than_another_is_refused_before_it_is_listed() -> None:
    with pytest.raises(Unsupported):
        axis_nodes(law("laplace", 40.0), Axis(frozenset(), frozenset(), 1e-18), 0, 1)
