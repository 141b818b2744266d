"""Composition against published values, closed forms and the hockey-stick sum itself."""

import math

import pytest

from seqlang.accounting import advanced, conversion, homogeneous, pure, renyi

TABLE = [  # eps0, k, basic, tanh form, RDP of randomised response, optimal; delta 1e-6
    (0.1, 100, 10, 5.7561, 5.0769, 4.7746),
    (0.1, 1000, 100, 21.6184, 20.4522, 19.3447),
    (1.0, 100, 100, 98.7769, 85.5247, 83.5307),
]


@pytest.mark.parametrize("row", TABLE)
def test_homogeneous_table(row: tuple[float, ...]) -> None:
    e, k, basic, tanh_form, rdp, optimal = row
    k = int(k)
    assert pure.self_composition(e, k) == pytest.approx(basic, rel=1e-12)
    assert advanced.tanh_form([e] * k, 1e-6) == pytest.approx(tanh_form, abs=6e-5)
    assert homogeneous.optimal(e, k, 1e-6) == pytest.approx(optimal, abs=6e-5)
    found, order = conversion.optimised(lambda a: k * renyi.pure(e, a), 1e-6)
    # the table's column was minimised over a coarse grid of orders: a little above the minimum
    assert rdp - 0.005 < found <= rdp
    assert found == pytest.approx(
        min(conversion.canonne(order * f, k * renyi.pure(e, order * f), 1e-6) for f in (0.99, 1, 1.01))
    )


@pytest.mark.parametrize(("e", "k", "total"), [(0.05, 200, 3.276336), (0.1, 100, 4.774567)])
def test_the_continuous_optimum(e: float, k: int, total: float) -> None:
    assert homogeneous.optimal(e, k, 1e-6) == pytest.approx(total, abs=2e-6)


def hockey_stick(e: float, k: int, total: float) -> float:
    p = math.exp(e) / (1 + math.exp(e))
    terms = [
        math.comb(k, i) * (p ** (k - i) * (1 - p) ** i - math.exp(total) * p**i * (1 - p) ** (k - i))
        for i in range(k + 1)
    ]
    return math.fsum(t for t in terms if t > 0)


@pytest.mark.parametrize(("e", "k"), [(0.3, 1), (0.3, 7), (1.2, 12), (0.05, 40), (3.0, 5)])
@pytest.mark.parametrize("total", [0.0, 0.2, 0.77, 1.9])
def test_optimum_is_the_hockey_stick_sum(e: float, k: int, total: float) -> None:
    exact = hockey_stick(e, k, total)
    if exact > 1e-9:
        assert homogeneous.optimal(e, k, exact) == pytest.approx(total, abs=1e-7)
        assert hockey_stick(e, k, homogeneous.optimal(e, k, exact)) <= exact * (1 + 1e-13)


def test_extremes_fall_back_to_the_sum() -> None:
    assert homogeneous.optimal(50.0, 100, 1e-6) <= 5000
    assert homogeneous.optimal(0.0, 10, 1e-6) == 0.0


@pytest.mark.parametrize("count", [0, -1, 2.0, True])
def test_counts_must_be_positive_integers(count: object) -> None:
    for f in (lambda: pure.self_composition(0.1, count), lambda: homogeneous.optimal(0.1, count, 1e-6)):
        with pytest.raises(ValueError, match="count"):
            f()


def test_bad_epsilons_and_deltas() -> None:
    with pytest.raises(ValueError, match="epsilon"):
        pure.basic_composition([0.1, -0.2])
    with pytest.raises(ValueError, match="epsilon"):
        advanced.tanh_form([math.nan], 1e-6)
    for delta in (0.0, 1.0, 2.0, -1e-9, math.nan):
        with pytest.raises(ValueError, match="delta"):
            advanced.tanh_form([0.1], delta)
        with pytest.raises(ValueError, match="delta"):
            homogeneous.optimal(0.1, 10, delta)
