"""The subsampled Gaussian: against the closed sum at whole orders, the series at others, and plain quadrature."""

from __future__ import annotations

import math

import pytest
from mpmath import binomial, erfc, exp, inf, log, mp, mpf, pi, quad, sqrt

from seqlang.accounting import conversion
from seqlang.accounting import renyi as curves
from seqlang.accounting.subsampled_gaussian import _divergence, renyi, renyi_replace

CASES = [(0.01, 1.0), (0.1, 0.8), (0.01, 4.0), (256 / 60000, 1.1), (0.5, 2.0), (0.9, 0.5), (1e-4, 1.0), (0.3, 10.0)]


def closed_sum(q: float, s: float, order: int) -> float:
    """Mironov, Talwar & Zhang 2019, section 3.3, whole orders."""
    with mp.workdps(40):
        terms = [
            binomial(order, k) * (1 - mpf(q)) ** (order - k) * mpf(q) ** k * exp((k * k - k) / (2 * mpf(s) ** 2))
            for k in range(order + 1)
        ]
        return float(log(sum(terms)) / (order - 1))


def series(q: float, s: float, order: float) -> float:
    """The same for any order, by their two series."""
    with mp.workdps(40):
        a, q_, s_ = mpf(order), mpf(q), mpf(s)
        z = s_**2 * log(1 / q_ - 1) + mpf(1) / 2

        def term(i: int) -> mpf:
            j = a - i
            left = (1 - q_) ** j * q_**i * exp((i * i - i) / (2 * s_**2)) * erfc((i - z) / (sqrt(2) * s_)) / 2
            right = q_**j * (1 - q_) ** i * exp((j * j - j) / (2 * s_**2)) * erfc((z - j) / (sqrt(2) * s_)) / 2
            return binomial(a, i) * (left + right)

        return float(log(sum(term(i) for i in range(200))) / (a - 1))


@pytest.mark.parametrize(("q", "s"), CASES)
@pytest.mark.parametrize("order", [2, 3, 5, 16])
def test_whole_orders(q: float, s: float, order: int) -> None:
    found, truth = renyi(q, s, order), closed_sum(q, s, order)
    assert truth <= found <= truth * (1 + 1e-9) + 1e-13


@pytest.mark.parametrize(("q", "s", "order"), [(0.01, 1.0, 2.5), (0.01, 1.0, 1.5), (0.1, 0.8, 3.7), (0.05, 2.0, 9.25)])
def test_other_orders(q: float, s: float, order: float) -> None:
    found, truth = renyi(q, s, order), series(q, s, order)
    assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-9) + 1e-13


def test_published_vectors() -> None:
    assert renyi(0.01, 1, 2) == pytest.approx(1.718134e-4, abs=5e-11)
    assert renyi(0.01, 1, 2.5) == pytest.approx(2.175753e-4, abs=5e-11)
    assert renyi(0.1, 0.8, 5) == pytest.approx(1.056798, abs=5e-7)


@pytest.mark.parametrize(
    ("q", "s", "order"),
    [
        pytest.param(q, s, order, marks=() if (i + j) % 2 == 0 else pytest.mark.long)
        for i, (q, s) in enumerate(((0.01, 1.0), (0.2, 0.7), (0.05, 4.0)))
        for j, order in enumerate((1.5, 2.0, 5.5, 12.0))
    ],
)
def test_the_replaced_pair_is_the_integral(q: float, s: float, order: float) -> None:
    with mp.workdps(30):
        q_, s_ = mpf(q), mpf(s)

        def f(x: mpf) -> mpf:
            u = 1 - q_ + q_ * exp((x - mpf(1) / 2) / s_**2)
            v = 1 - q_ + q_ * exp((-x - mpf(1) / 2) / s_**2)
            return exp(-x * x / (2 * s_**2)) / (s_ * sqrt(2 * pi)) * u**order * v ** (1 - order)

        edges = [-inf, *(i * s_ for i in range(-8, 9, 2)), *(order + i * s_ for i in range(0, 9, 2)), inf]
        truth = float(log(quad(f, sorted(edges))) / (order - 1))
    found = renyi_replace(q, s, order)
    assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-8) + 1e-13


@pytest.mark.parametrize(("q", "s"), CASES)
@pytest.mark.parametrize("order", [1.1, 2.0, 7.5, 30.0])
def test_removing_costs_at_least_as_much_as_adding(q: float, s: float, order: float) -> None:
    """Mironov, Talwar & Zhang 2019, Theorem 5."""
    removed, added = _divergence(order, q, s, order, 0), _divergence(order, q, s, 1 - order, 0)
    assert added <= removed * (1 + 1e-9) + 1e-13


@pytest.mark.parametrize("order", [1.5, 4.0, 20.0])
def test_sampling_never_costs(order: float) -> None:
    """Below the same release without a sample; replacing is at least as costly as removing; more in the sample, more
    lost; everyone in the sample is the Gaussian mechanism."""
    for s in (0.5, 1.0, 4.0):
        values = [renyi(q, s, order) for q in (0.001, 0.01, 0.1, 0.5, 1.0)]
        assert values == sorted(values)
        assert values[-1] == curves.gaussian(s, order)
        for q in (0.001, 0.01, 0.1, 0.5, 1.0):
            assert renyi(q, s, order) <= renyi_replace(q, s, order) <= curves.gaussian(s, order, 2.0)


@pytest.mark.parametrize(
    ("q", "s", "uses", "epsilon", "exact"),
    [(0.01, 4.0, 10_000, 1.0355, 2e-4), (256 / 60000, 1.1, 14_062, 2.5970, 6e-4), (0.01, 1.0, 10_000, 6.712757, 6e-4)],
)
def test_composed_and_converted(q: float, s: float, uses: int, epsilon: float, exact: float) -> None:
    """At delta 1e-5, Canonne, Kamath & Steinke 2020; other tools' grids of orders miss the best one by a little."""
    found, _ = conversion.descended(lambda a: uses * renyi(q, s, a), 1e-5)
    assert epsilon - exact <= found <= epsilon


def test_replacing_composed() -> None:
    found, _ = conversion.descended(lambda a: 10_000 * renyi_replace(0.01, 4.0, a), 1e-5)
    assert found == pytest.approx(2.168, abs=3e-3)


def test_the_moments_accountant_of_abadi_et_al() -> None:
    """1.26 in their section 3.2, with Mironov's conversion at whole orders."""
    best = min(10_000 * renyi(0.01, 4.0, a) + math.log(1e5) / (a - 1) for a in range(2, 65))
    assert best == pytest.approx(1.2586, abs=5e-5)


def test_what_is_not_computed_is_infinite_or_the_release_without_a_sample() -> None:
    assert renyi(0.5, 0.01, 64.0) == curves.gaussian(0.01, 64.0)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0.0, 1.0, 2.0), "rate"), ((1.5, 1.0, 2.0), "rate"), ((math.nan, 1.0, 2.0), "rate"), ((0.1, 0.0, 2.0), "sigma"),
     ((0.1, -1.0, 2.0), "sigma"), ((0.1, 1.0, 1.0), "order"), ((0.1, 1.0, math.inf), "order")],
)  # fmt: skip
def test_bad_input_is_refused(arguments: tuple[float, float, float], name: str) -> None:
    for curve in (renyi, renyi_replace):
        with pytest.raises(ValueError, match=name):
            curve(*arguments)
