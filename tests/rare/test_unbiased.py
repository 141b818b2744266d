"""Estimates by weighted runs have the right mean, and their intervals hold as often as they say.

Seeds are fixed, so that a test gives the same answer each time. For other seeds the probability that a test fails
though the code is right is given in its docstring, where the estimates are taken to be normal.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator

import numpy as np
import pytest
from lattice_oracle import Case, Noise, chance_of_reject, spec_of
from rare_programs import program
from scipy.special import ndtr
from scipy.stats import binom, norm
from thorough import several

from seqlang.backends.rare import Estimate, estimate
from seqlang.backends.rare.allocation import LEAST, allocation
from seqlang.backends.rare.pilot import Found, wide
from seqlang.backends.rare.setting import Setting
from seqlang.backends.rare.trust import Half

Z = 5.0
"""A normal number is farther from its mean than this with probability 5.7e-7."""
COIN = "algorithm a\nstream x in {0, 1}\nmodel null: x ~ bernoulli(0.2)\n"
REAL = "algorithm a\nstream x in real\nmodel null: x ~ normal(0, 1)\n"
SUM = "statistic s = sum(x over steps)\n"
THREE = f"{COIN}{SUM}stop when step >= 3 and s >= 3 return reject\nstop when step >= 3 return no\n"
SURE = COIN + "stop return reject\n"


@pytest.fixture
def unfitted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The proposal is the wide mixture: the same for every seed, and found in no time."""

    def pilot(setting: Setting, *_: object) -> Found:
        return Found(wide(setting), -np.inf, 1)

    monkeypatch.setattr(importlib.import_module("seqlang.backends.rare.estimate"), "pilot", pilot)
    yield


@pytest.mark.parametrize(("text", "exact", "seeds"), [(THREE, 0.2**3, 120), (SURE, 1.0, 200)])
@pytest.mark.usefixtures("unfitted")
def test_the_mean_over_seeds_is_exact(text: str, exact: float, seeds: int) -> None:
    """Three coins of three show heads; a stop that is sure. False alarm: 5.7e-7 each. With the shares that were asked
    for in the weights, the means are one standard deviation of an estimate off: 12 and 13 of those of the mean."""
    p = program(text)
    found = np.array([estimate(p, "null", "reject", runs=60, seed=s).probability for s in range(1, seeds + 1)])
    assert abs(found.mean() - exact) <= Z * found.std(ddof=1) / math.sqrt(seeds)


@pytest.mark.parametrize("runs", [1, 5, 13, 14, 15, 30, 1000, 1001])
def test_weights_contain_the_shares_that_there_are(runs: int) -> None:
    shares = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.07, 0.03])
    found = allocation(shares, runs, 1, "test")
    assert len(found.chosen) == len(found.strata) == runs
    numbers = np.bincount(found.chosen, minlength=len(shares))
    if runs >= LEAST * len(shares):
        assert np.allclose(found.shares, numbers / runs, rtol=1e-15)
        assert numbers.min() >= LEAST and np.array_equal(found.strata, found.chosen)
        assert np.all(np.abs(numbers - LEAST - (runs - LEAST * len(shares)) * shares) < 1)
    else:  # they are drawn, and independent of each other
        assert np.allclose(found.shares, shares) and len(set(found.strata)) == 1


def test_components_that_are_drawn_have_their_chances() -> None:
    """Of 10 runs, for 2000 seeds. False alarm: 7 * 5.7e-7."""
    shares = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.07, 0.03])
    counts = sum(np.bincount(allocation(shares, 10, s, "test").chosen, minlength=7) for s in range(2000))
    assert np.all(np.abs(counts - 20_000 * shares) <= Z * np.sqrt(20_000 * shares * (1 - shares)))


@pytest.mark.parametrize(("threshold", "steps"), [(5, 10), (4, 10)])
def test_one_far_entry_at_an_unknown_time(threshold: int, steps: int) -> None:
    """Some entry of ten is above 5: a tilt of all entries is no proposal for that, and finds a sixth of the chance,
    with a small error. False alarm: below 1e-4, as weights are skewed."""
    exact = -math.expm1(steps * math.log1p(-norm.sf(threshold)))
    text = f"stop when x >= {threshold} return reject\nstop when step >= {steps} return no\n"
    for seed in range(1, several(4, 40)):
        found = estimate(program(REAL + text), "null", "reject", runs=2000, seed=seed)
        assert abs(found.probability - exact) <= Z * found.se, (seed, found)
        assert found.interval[1] > exact / 2


def test_the_upper_end_allows_for_skewed_weights() -> None:
    """Of 2000 runs 12 on average contribute 1. The upper end lies below the truth in 2.0 % of all cases here; by 1.96
    standard errors alone it would in 4.5 % (2.5 % is meant). Sums over the binomial law: nothing is drawn."""
    n, p = 2000, 12 / 2000
    strata = np.zeros(n, dtype=np.intp)
    below = 0.0
    for k in range(1, 40):
        half = Half.of(np.where(np.arange(n) < k, 0.0, -np.inf), strata)
        below += float(binom.pmf(k, n, p)) * (_estimate(half).interval[1] < p)
    assert below + binom.pmf(0, n, p) <= 0.025
    half = Half.of(np.where(np.arange(n) < 12, 0.0, -np.inf), strata)
    assert half.skewness == pytest.approx((1 - 2 * p) / math.sqrt(n * p * (1 - p)), rel=1e-3)  # of a binomial law
    assert _estimate(half).interval[0] == pytest.approx(p - 1.959964 * half.se)


def _estimate(half: Half) -> Estimate:
    return Estimate(
        label="reject", model="null", probability=half.mean, se=half.se, skewness=half.skewness,
        effective=half.effective, largest_share=half.largest_share, left_over=0.0, runs=half.runs, seed=1, cap=None,
        method="", warnings=(), seconds=0.0,
    )  # fmt: skip


def _coins() -> tuple[str, float]:
    text = "stop when step >= 20 and s >= 16 return reject\nstop when step >= 20 return no\n"
    return COIN + SUM + text, float(binom.sf(15, 20, 0.2))


def _sums() -> tuple[str, float]:
    text = "stop when step >= 3 and s >= 8 return reject\nstop when step >= 3 return no\n"
    return REAL + SUM + text, float(norm.sf(8 / math.sqrt(3)))


def _once() -> tuple[str, float]:
    text = "stop when step >= 2 and x + z >= 5 return reject\nstop when step >= 2 return no\n"
    return f"{COIN}draw z ~ gaussian(1) once\n{text}", float(0.8 * ndtr(-5) + 0.2 * ndtr(-4))


def _walk() -> tuple[str, float]:
    case = Case((-2, -1, 0, 3), (0.4, 0.3, 0.2, 0.1), 5.0, 15.0, "none", None, "walk", Noise("laplace", 2.0))
    return spec_of(case), chance_of_reject(case)


def _each() -> tuple[str, float]:
    """Followed step by step; the noise is integrated out, so that weights hardly vary and a small bias shows."""
    mass, total = np.eye(1, 13)[0], 0.0
    reject = 0.5 * np.exp(-(12.0 - np.arange(13)))
    for _ in range(10):
        mass = 0.8 * mass + 0.2 * np.concatenate([[0.0], mass[:-1]])
        total += float(mass @ reject)
        mass *= 1 - reject
    text = "draw z ~ laplace(1)\nstop when s + z >= 12 return reject\nstop when step >= 10 return no\n"
    return COIN + SUM + text, total


@pytest.mark.long
@pytest.mark.parametrize("made", [_coins, _sums, _once, _walk, _each])
@pytest.mark.parametrize("runs", [200, 2000])
def test_means_and_intervals_of_whole_estimates(made: object, runs: int) -> None:
    """With pilots, over 100 seeds: the mean, the scatter beside the stated error, and how often the interval holds.
    False alarm: 5.7e-7 for the mean, 1e-4 for the interval (15 and more of 100 miss, at 5 %). With the shares that were
    asked for in the weights, estimates of `_each` from 200 runs were a third of their standard error too small."""
    assert callable(made)
    text, exact = made()
    p = program(text)
    found = [estimate(p, "null", "reject", runs=runs, seed=s) for s in range(501, 601)]
    means = np.array([e.probability for e in found])
    assert abs(means.mean() - exact) <= Z * means.std(ddof=1) / 10
    assert 0.7 < np.std([(e.probability - exact) / e.se for e in found]) < 1.4
    assert sum(e.interval[0] <= exact <= e.interval[1] for e in found) > 85
