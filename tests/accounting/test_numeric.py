"""Numerical composition: above the truth, and close to it. The truths are closed forms, enumerations, quadrature, and
figures measured with other accountants at their finest grids (dp-accounting 0.6.0, PRV)."""

from __future__ import annotations

import importlib
import itertools
import math

import numpy as np
import pytest
from mpmath import mp, mpf, ncdf, quad

from seqlang.accounting import gaussian, homogeneous, subsampled_gaussian
from seqlang.accounting.numeric.losses import losses
from seqlang.accounting.numeric.parts import Gaussian, Laplace, Part, Pure, Subsampled, renyi
from seqlang.accounting.numeric.search import by_orders, delta, epsilon

CLOSE = 1.0005


@pytest.mark.parametrize(
    ("parts", "at", "best"),
    [
        ((Gaussian(math.sqrt(1000) / 30),), 1e-6, 5.1890366408),
        ((Subsampled(0.01, 1.0, False, 10_000),), 1e-5, 6.18771),
        ((Laplace(0.05, 200),), 1e-6, 3.24554),
        ((Gaussian(math.sqrt(50) / 20), Laplace(1 / 40, 50), Pure(math.log(1.5), 20)), 1e-6, 8.5965),
        ((Pure(0.1, 100),), 1e-6, 4.7745665),
        ((Pure(0.1, 1000),), 1e-6, 19.34465),
        ((Pure(1.0, 100),), 1e-6, 83.53065),
    ],
)
def test_best_known_values(parts: tuple[Part, ...], at: float, best: float) -> None:
    found = epsilon(parts, at)
    assert best <= found <= best * CLOSE
    assert found <= by_orders(parts, at)[0]


@pytest.mark.parametrize("at", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("mu", [0.05, 1.0, 3.0])
def test_one_gaussian(mu: float, at: float) -> None:
    truth = gaussian.epsilon_at(at, mu)
    found = epsilon((Gaussian(mu),), at)
    assert truth * (1 - 1e-9) <= found <= truth * CLOSE + 1e-6


@pytest.mark.parametrize(("e", "count", "at"), [(0.3, 7, 1e-3), (0.05, 400, 1e-6), (2.0, 5, 1e-9)])
def test_randomised_response(e: float, count: int, at: float) -> None:
    truth = homogeneous.optimal(e, count, at)
    assert truth * (1 - 1e-9) <= epsilon((Pure(e, count),), at) <= truth * CLOSE


def test_one_laplace() -> None:
    """delta(eps) = 1 - e^((eps - t)/2)."""
    for t, e in ((1.0, 0.3), (0.2, 0.19), (4.0, 1.0)):
        truth = -math.expm1((e - t) / 2)
        assert truth <= delta((Laplace(t, 1),), e) <= truth * 1.001


def test_a_gaussian_with_two_coins_and_two_laplace() -> None:
    """Conditioned on the other losses the Gaussian's profile is exact."""
    mu, e, t, goal = 0.8, 0.4, 0.3, 1.1
    p = 1 / (1 + math.exp(-e))
    rule, weights = np.polynomial.legendre.leggauss(40)

    def with_laplace(uses: int, rest: float) -> float:
        if uses == 0:
            return gaussian.profile(rest, mu)
        inside = [
            w * t * 0.5 * math.exp((x * t - t) / 2) / 2 * with_laplace(uses - 1, rest - x * t)
            for x, w in zip(rule.tolist(), weights.tolist(), strict=True)
        ]
        return (
            0.5 * with_laplace(uses - 1, rest - t) + 0.5 * math.exp(-t) * with_laplace(uses - 1, rest + t) + sum(inside)
        )

    truth = 0.0
    for coins in itertools.product((1, -1), repeat=2):
        chance = math.prod(p if c == 1 else 1 - p for c in coins)
        truth += chance * with_laplace(2, goal - e * sum(coins))
    found = delta((Gaussian(mu), Pure(e, 2), Laplace(t, 2)), goal)
    assert truth * (1 - 1e-9) <= found <= truth * 1.001


def one_subsampled(q: float, s: float, e: float, *, added: bool) -> mpf:
    """delta of one release in one order of the neighbours, from the half-line where the loss exceeds e."""
    floor = mp.log1p(-mpf(q))
    ratio = -e if added else e
    if ratio <= floor:
        return mpf(0) if added else 1 - mp.exp(e)
    x = mpf(s) ** 2 * mp.log((mp.exp(ratio) - 1 + q) / q) + mpf(1) / 2
    if added:
        return ncdf(x / s) - mp.exp(e) * ((1 - mpf(q)) * ncdf(x / s) + q * ncdf((x - 1) / s))
    return (1 - mpf(q)) * ncdf(-x / s) + q * ncdf(-(x - 1) / s) - mp.exp(e) * ncdf(-x / s)


@pytest.mark.parametrize(("q", "s", "e"), [(0.1, 0.8, 1.0), (0.01, 1.0, 0.05), (0.5, 2.0, 0.4), (0.9, 1.0, 2.0)])
def test_one_subsampled_gaussian(q: float, s: float, e: float) -> None:
    with mp.workdps(30):
        truth = float(max(one_subsampled(q, s, e, added=False), one_subsampled(q, s, e, added=True)))
    found = delta((Subsampled(q, s, False, 1),), e)
    assert truth <= found <= truth * 1.001


def test_two_subsampled_gaussians() -> None:
    """The second release's profile at what the first leaves over, averaged over the first."""
    q, s, e = 0.2, 1.0, 0.8
    with mp.workdps(20):

        def part(x: mpf) -> mpf:
            normal = mp.npdf(x, 0, s)
            u = 1 - mpf(q) + q * mp.exp((x - mpf(1) / 2) / s**2)
            return normal * u * one_subsampled(q, s, e - mp.log(u), added=False)

        truth = float(quad(part, [-12, -6, -3, -1, 0, 1, 2, 3, 4, 6, 12]))
    found = delta((Subsampled(q, s, False, 2),), e)
    assert truth * (1 - 1e-9) <= found <= truth * 1.002


def test_one_replaced_subsampled_gaussian() -> None:
    """Against the supremum over half-lines."""
    q, s, e = 0.1, 1.0, 0.5
    cuts = np.linspace(-3, 6, 200_001)
    tails = lambda m: np.array([0.5 * math.erfc((c - m) / s / math.sqrt(2)) for c in cuts])  # noqa: E731
    first, second = (1 - q) * tails(0) + q * tails(1), (1 - q) * tails(0) + q * tails(-1)
    truth = float(np.max(first - math.exp(e) * second))
    assert truth * (1 - 1e-9) <= delta((Subsampled(q, s, True, 1),), e) <= truth * 1.001


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize(("q", "s"), [(0.01, 1.0), (0.3, 0.6), (0.97, 3.0)])
def test_the_grid_dominates(q: float, s: float, replace: bool, added: bool) -> None:
    """At every grid point the discretised law has at least the delta of the pair, to 30 digits."""
    part, step = Subsampled(q, s, replace, 1), 0.05
    found = losses(part, step, 1e-14, added)
    grid = (found.first + np.arange(len(found.masses))) * step
    with mp.workdps(40):
        for e in grid[:: max(1, len(grid) // 23)].tolist():
            if e > 0 or not replace:
                over = np.maximum(grid - e, 0.0)
                mine = float(np.dot(found.masses, -np.expm1(-over))) + found.infinite
                truth = replaced(q, s, e) if replace else one_subsampled(q, s, mpf(e), added=added)
                assert mine >= float(truth) * (1 - 1e-10) - 1e-300
    assert float(np.sum(found.masses)) + found.infinite >= 1
    assert found.slack < 1e-11


def replaced(q: float, s: float, e: float) -> mpf:
    """The half-line where the quotient of the mixtures exceeds e^epsilon, by bisection."""
    u = lambda x: (1 - mpf(q)) + q * mp.exp((x - mpf(1) / 2) / mpf(s) ** 2)  # noqa: E731
    low, high = mpf(-200), mpf(200)
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if mp.log(u(middle) / u(-middle)) < e else (low, middle)
    tail = lambda m: ncdf(-(high - m) / s)  # noqa: E731
    return (1 - mpf(q)) * tail(0) + q * tail(1) - mp.exp(e) * ((1 - mpf(q)) * tail(0) + q * tail(-1))


def test_the_part_counts() -> None:
    """k uses are k parts, and their order does not matter."""
    once, thrice = Laplace(0.3, 1), Laplace(0.3, 3)
    assert epsilon((once, once, once), 1e-4) == pytest.approx(epsilon((thrice,), 1e-4), rel=1e-4)
    mixed = (Gaussian(0.5), Laplace(0.1, 4))
    assert epsilon(mixed, 1e-5) == pytest.approx(epsilon(mixed[::-1], 1e-5), rel=1e-9)


def test_rdp_curves_of_parts() -> None:
    parts = (Gaussian(0.5), Subsampled(0.1, 2.0, False, 3), Subsampled(0.1, 2.0, True, 2))
    a = 4.0
    one = subsampled_gaussian.renyi(0.1, 2.0, a), subsampled_gaussian.renyi_replace(0.1, 2.0, a)
    assert renyi(parts, a) == pytest.approx(a * 0.125 + 3 * one[0] + 2 * one[1], rel=1e-12)


def test_sigma_for_a_thousand_gaussians() -> None:
    """133.5961 reaches (1, 1e-6), to 6 digits and on the safe side."""
    found = gaussian.sigma(1.0, 1e-6, 1.0, 1000)
    assert f"{found:.4f}" == "133.5961"
    assert gaussian.delta(1.0, found, 1.0, 1000) <= 1e-6 < gaussian.delta(1.0, found * (1 - 1e-9), 1.0, 1000)


def test_bad_input_is_refused() -> None:
    for part, name in (
        (Gaussian(0.0), "mu"), (Laplace(-1.0, 3), "shift"), (Laplace(1.0, 0), "count"), (Pure(math.nan, 2), "epsilon"),
        (Subsampled(1.5, 1.0, False, 1), "rate"), (Subsampled(0.5, 0.0, False, 1), "sigma"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=name):
            epsilon((part,), 1e-6)
    for at in (0.0, 1.0, -1e-6, math.nan):
        with pytest.raises(ValueError, match="delta"):
            epsilon((Gaussian(1.0),), at)
    with pytest.raises(ValueError, match="epsilon"):
        delta((Gaussian(1.0),), -1.0)


@pytest.mark.dp_accounting
@pytest.mark.parametrize("at", [1e-4, 1e-7])
def test_against_dp_accounting(at: float) -> None:
    """Its direct PLD interface, pessimistic, on its own grid."""
    pld = importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    law = pld.from_gaussian_mechanism(2.0, sampling_prob=0.05, value_discretization_interval=1e-4).self_compose(500)
    law = law.compose(pld.from_laplace_mechanism(10.0, value_discretization_interval=1e-4).self_compose(20))
    theirs = law.get_epsilon_for_delta(at)
    ours = epsilon((Subsampled(0.05, 2.0, False, 500), Laplace(0.1, 20)), at)
    assert ours == pytest.approx(theirs, rel=2e-4)
