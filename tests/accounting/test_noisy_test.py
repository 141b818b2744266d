"""Bounds for noisy tests: published values, and never below the exact loss of small tests."""

import math
from fractions import Fraction

import numpy as np
import pytest
from formulas_of_orders import at_order
from noisy_runs import (
    exponential_tail,
    gaussian_tail,
    hockey_stick,
    laplace_tail,
    one_end,
    streams,
    two_ends,
    two_ends_one_threshold,
)
from noisy_runs import renyi as exact_renyi
from scipy import stats
from thorough import several, spread

from seqlang.accounting import gaussian, renyi
from seqlang.accounting.noisy_test import looks, mixed, shared, threshold, zhu_wang
from seqlang.arithmetic.formula import number

ORDERS = (1.3, 2.0, 4.0, 8.0)
SIGMA = 2 * 0.5 * math.sqrt(2 * math.log(1.25 / 1e-5))  # PrivSPRT, Table 1: A = 0.5, eps = 1, D = 1, queries at 2 sigma


def within_horizon(order: float, once: float, look: float, horizon: int, reports: int = 1) -> float:
    """Zhu & Wang's bound at one order, from the numbers of the two curves there."""
    formula = zhu_wang.within_horizon(number(Fraction(once)), number(Fraction(look)), horizon, reports)
    return at_order(formula, order)


def moved(levels: np.ndarray, k: int, c: float) -> np.ndarray:
    out = levels.copy()
    out[k:] += c
    return out


@pytest.mark.parametrize(
    ("order", "two_instances"), [(2.0, 18.5913), (4.0, 6.48112), (8.0, 3.31321), (16.0, 2.59138), (32.0, 3.32086)]
)
def test_zhu_wang_for_privsprt(order: float, two_instances: float) -> None:
    bound = within_horizon(order, renyi.gaussian(SIGMA, order), renyi.gaussian(2 * SIGMA, order, 2.0), 10_000)
    assert 2 * bound == pytest.approx(two_instances, rel=3e-6)


def test_zhu_wang_with_the_sensitivity_of_one_sign() -> None:
    bound = within_horizon(8.0, renyi.gaussian(SIGMA, 8.0), renyi.gaussian(2 * SIGMA, 8.0, 1.0), 10_000)
    assert 2 * bound == pytest.approx(3.0576, abs=5e-5)


def test_two_ends_of_gaussian_privsprt() -> None:
    """A = 1, eps = 1: noise 2 and 4, D = 2, order 2: Zhu & Wang 22.42, the two directions 2.48."""
    old = 2 * within_horizon(2.0, renyi.gaussian(2.0, 2.0, 2.0), renyi.gaussian(4.0, 2.0, 4.0), 10_000)
    assert old == pytest.approx(22.42, abs=5e-3)
    assert threshold.renyi(2.0, 1.0) == pytest.approx(1.0456, abs=5e-5)
    assert threshold.renyi(2.0, 1.0) + looks.renyi(2.0, 0.5, 10_000) == pytest.approx(2.48, abs=5e-3)


@pytest.mark.parametrize(
    ("order", "mu", "value"), [(2.0, 1.0, 1.0456), (8.0, 1.0, 4.0), (2.0, 0.5, 0.3324), (8.0, 0.5, 1.0)]
)
def test_threshold_values(order: float, mu: float, value: float) -> None:
    assert threshold.renyi(order, mu) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize(
    ("order", "values"),
    [
        (2.0, {1: 0.0399, 10: 0.1326, 100: 0.2589, 1000: 0.385, 10000: 0.5012}),
        (8.0, {1: 0.1703, 10: 0.3643, 100: 0.5418, 1000: 0.694, 10000: 0.827}),
    ],
)
def test_looks_values(order: float, values: dict[int, float]) -> None:
    for n, value in values.items():
        assert looks.renyi(order, 0.25, n) == pytest.approx(value, abs=1e-4)


def recursion(order: float, d: float, n: int) -> float:
    """V_n on a fine grid, a lower bound for the supremum."""
    x = np.linspace(-9, max(0.0, (order - 1) * d) + 9, 60_001)
    log_g = order * stats.norm.logcdf(x) - (order - 1) * stats.norm.logcdf(x + d)
    log_h = order * stats.norm.logsf(x) - (order - 1) * stats.norm.logsf(x + d)
    top = log_h.max()
    g, h, v = np.exp(log_g), np.exp(log_h - top), math.exp(-top)
    for _ in range(n):
        v = float(np.max(g * v + h))
    return (math.log(v) + top) / (order - 1)


@pytest.mark.parametrize("order", [1.1, 2.0, 8.0, 30.0])
@pytest.mark.parametrize("d", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("n", [1, 3, 40])
def test_looks_are_above_the_recursion_and_close(order: float, d: float, n: int) -> None:
    exact = recursion(order, d, n)
    bound = looks.renyi(order, d, n)
    assert exact - 1e-13 <= bound <= exact * 1.003 + 1e-3 / (order - 1) * (1 - math.exp(-(order - 1) * exact))


def test_looks_grow_with_everything() -> None:
    assert (
        looks.renyi(2.0, 0.5, 10) < looks.renyi(2.0, 0.5, 11) < looks.renyi(2.0, 0.55, 11) < looks.renyi(2.2, 0.55, 11)
    )
    assert looks.renyi(2.0, 0.5, 10**12) < renyi.gaussian(1.0, 2.0, 0.5) + math.log1p(10**12)
    assert looks.renyi(90.0, 3.0, 100) == pytest.approx(45 * 9 + math.log(100) / 89, rel=1e-9)


@pytest.mark.parametrize(
    "tail", [gaussian_tail(1.0), laplace_tail(1.0), exponential_tail(2.0)], ids=["gauss", "lap", "exp"]
)
@pytest.mark.parametrize("sd", [1.0, 2.5])
def test_up_is_never_exceeded(tail: object, sd: float) -> None:
    for levels in streams(1, several(10, 30), 7, 1.5):
        for k in (0, 3, 6):
            p, q = one_end(levels, sd, tail), one_end(moved(levels, k, 1.0), sd, tail)
            for order in ORDERS:
                assert exact_renyi(p, q, order) <= threshold.renyi(order, 1 / sd)
            for e in (0.0, 0.3, 1.0):
                assert hockey_stick(p, q, e) <= gaussian.profile(e, 1 / sd) + 1e-12


def test_up_is_approached() -> None:
    """Hover before the change makes a wall for the threshold, a slow climb after it reveals the threshold."""
    n = 400
    levels = np.concatenate([np.full(n, -1.0), np.linspace(-4, 6, n)])
    tail = gaussian_tail(0.15)
    p, q = one_end(levels, 1.0, tail), one_end(moved(levels, n, 1.0), 1.0, tail)
    assert 0.9 * threshold.renyi(2.0, 1.0) < exact_renyi(p, q, 2.0) <= threshold.renyi(2.0, 1.0)
    assert exact_renyi(p, q, 2.0) > renyi.gaussian(
        1.0, 2.0
    )  # so the Gaussian mechanism's own curve would be wrong here


@pytest.mark.parametrize("sw", [0.7, 2.0])
@pytest.mark.parametrize("sd", [0.5, 2.0])
def test_down_is_never_exceeded(sw: float, sd: float) -> None:
    for levels in streams(2, 30, 7, 1.5):
        for k in (0, 3, 6):
            p = one_end(levels, sd, gaussian_tail(sw))
            q = one_end(moved(levels, k, -1.0), sd, gaussian_tail(sw))
            for order in ORDERS:
                assert exact_renyi(p, q, order) <= looks.renyi(order, 1 / sw, 7 - k)


def test_down_is_reached_by_the_best_levels() -> None:
    """Levels of the recursion's own optimum, no threshold noise to speak of: the bound is attained."""
    order, d, n = 2.0, 0.5, 6
    x = np.linspace(-6, 6, 20_001)
    g = np.exp(order * stats.norm.logcdf(x) - (order - 1) * stats.norm.logcdf(x + d))
    h = np.exp(order * stats.norm.logsf(x) - (order - 1) * stats.norm.logsf(x + d))
    v, best = 1.0, []
    for _ in range(n):
        i = int(np.argmax(g * v + h))
        best.append(-x[i])
        v = float(g[i] * v + h[i])
    levels = np.array(best[::-1])
    p, q = one_end(levels, 1e-9, gaussian_tail(1.0)), one_end(levels - d, 1e-9, gaussian_tail(1.0))
    assert exact_renyi(p, q, order) == pytest.approx(math.log(v), rel=1e-6)
    assert exact_renyi(p, q, order) <= looks.renyi(order, d, n) <= exact_renyi(p, q, order) * 1.003


@pytest.mark.parametrize("shared", [False, True])
def test_two_ends_gaussian_and_mixed(shared: bool) -> None:
    """Both directions at once: composed ends for own looks, the mixed bounds also for a shared Laplace look."""
    sd, scale = 1.5, 2.0
    mu, w = 1 / sd, 1 / scale
    for levels in streams(3, 12, 5, 1.5):
        for k in (0, 2):
            new = moved(levels, k, 1.0)
            p = two_ends(levels, -levels - 1, sd, laplace_tail(scale), shared)
            q = two_ends(new, -new - 1, sd, laplace_tail(scale), shared)
            for e in (w, 1.0, 1.5):
                assert hockey_stick(p, q, e) <= gaussian.profile(e - w, mu) + 1e-9
                assert hockey_stick(q, p, e) <= gaussian.profile(e - w, mu) + 1e-9
            for order in ORDERS:
                bound = mixed.two_ends_renyi(order, mu, w)
                assert max(exact_renyi(p, q, order), exact_renyi(q, p, order)) <= bound
            if not shared:
                p = two_ends(levels, -levels - 1, sd, gaussian_tail(scale))
                q = two_ends(new, -new - 1, sd, gaussian_tail(scale))
                for order in ORDERS:
                    bound = threshold.renyi(order, mu) + looks.renyi(order, 1 / scale, 5 - k)
                    assert max(exact_renyi(p, q, order), exact_renyi(q, p, order)) <= bound


def test_shared_noise_is_never_exceeded() -> None:
    sd, sw = 1.5, 2.0
    for levels in streams(6, 15, 5, 1.5):
        for k in (0, 2, 4):
            new = moved(levels, k, 1.0)
            gap = -levels - 1, -new - 1
            p = two_ends(levels, gap[0], sd, gaussian_tail(sw), True)
            q = two_ends(new, gap[1], sd, gaussian_tail(sw), True)
            one = two_ends_one_threshold(levels, gap[0], sd, gaussian_tail(sw))
            other = two_ends_one_threshold(new, gap[1], sd, gaussian_tail(sw))
            for order in ORDERS:
                bound = threshold.renyi(order, 1 / sd, shared.surcharge(order, renyi.gaussian(sw, order, 1.0), 5))
                assert max(exact_renyi(p, q, order), exact_renyi(q, p, order)) <= bound
                bound = threshold.renyi(order, 1 / sd, shared.surcharge(order, renyi.gaussian(sw, order, 2.0), 5))
                assert max(exact_renyi(one, other, order), exact_renyi(other, one, order)) <= bound


def test_surcharge_interpolates() -> None:
    assert threshold.renyi(2.0, 0.5, 0.0) == threshold.renyi(2.0, 0.5)
    with_w = threshold.renyi(2.0, 0.5, 0.4)
    assert threshold.renyi(2.0, 0.5) < with_w < threshold.renyi(2.0, 0.5) + 0.4


def test_general_zhu_wang_is_never_exceeded() -> None:
    """Arbitrary moves within D at every look: query sensitivity 2 D."""
    rng = np.random.default_rng(5)
    sd, sw = 1.0, 1.5
    for levels in streams(4, 40, 6, 1.0):
        new = levels + rng.choice([-1.0, 0.3, 1.0], 6)
        p, q = one_end(levels, sd, gaussian_tail(sw)), one_end(new, sd, gaussian_tail(sw))
        for order in ORDERS:
            bound = within_horizon(order, renyi.gaussian(sd, order), renyi.gaussian(sw, order, 2.0), 6)
            assert exact_renyi(p, q, order) <= bound
            moment = zhu_wang.with_own_moment(
                order, lambda a: renyi.gaussian(sd, a), renyi.gaussian(sw, order, 2.0), 2.0, 2 * math.log(7)
            )
            assert exact_renyi(p, q, order) <= moment


def test_several_reports() -> None:
    one = within_horizon(3.0, 0.2, 0.1, 50)
    two = within_horizon(3.0, 0.2, 0.1, 50, reports=2)
    assert two == pytest.approx(0.2 + 0.2 + math.log(1 + 50 + 1225) / 2)
    assert one == pytest.approx(0.3 + math.log(51) / 2)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="mu"):
        threshold.renyi(2.0, 0.0)
    with pytest.raises(ValueError, match="looks"):
        looks.renyi(2.0, 0.5, 0)
    with pytest.raises(ValueError, match="order"):
        looks.renyi(1.0, 0.5, 3)
    with pytest.raises(ValueError, match="horizon"):
        within_horizon(2.0, 0.1, 0.1, 0)


def small_recursion(order: float, d: float, n: int) -> float:
    """The same recursion for what V is above 1, of which nothing cancels: a lower bound for the supremum."""
    x = np.linspace(-9, 12, 40_001)
    kept, gone = (stats.norm.logcdf(x), stats.norm.logcdf(x + d)), (stats.norm.logsf(x), stats.norm.logsf(x + d))

    def part(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(q) * (np.expm1(order * (p - q)) - order * np.expm1(p - q)))

    added, goes_on = part(*kept) + part(*gone), np.exp(order * kept[0] - (order - 1) * kept[1])
    v = 0.0
    for _ in range(n):
        v = float(np.max(goes_on * v + added))
    return math.log1p(v) / (order - 1)


@pytest.mark.parametrize("order", spread([1.05, 1.5, 2.0, 8.0, 32.0], 3))
@pytest.mark.parametrize("d", [1e-3, 1e-5])
@pytest.mark.parametrize("n", [1, 3, 100])
def test_looks_after_small_moves(order: float, d: float, n: int) -> None:
    """The bound for small moves is above the recursion, and close; it costs no more where the move is smaller."""
    exact = small_recursion(order, d, n)
    assert exact * (1 - 1e-9) <= looks.renyi(order, d, n) <= exact * (1.05 + order * d * 4) + 1e-14
