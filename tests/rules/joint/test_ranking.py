"""Noisy winners and free gaps: bounds by hand, conditions that fail, and densities by quadrature never above them."""

from __future__ import annotations

from itertools import product
from math import exp, inf, log

import numpy as np
import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of


def bounds(*lines: str) -> tuple[float, float]:
    """(pure, zcdp)."""
    made = elaborated("\n".join(("algorithm t", *lines)))
    proved = prove(made)
    return tuple(inf if b is None else size_of(made, b) for b in (proved.pure, proved.zcdp))


def pure(*lines: str) -> float:
    return bounds(*lines)[0]


FIVE = "dataset q in real size 5"
EVERY, ONE_WAY = "adjacent every q within 1", "adjacent every q within 1 same direction"
LAPLACE = "attach laplace(4) to q"
WINNER = "report a = argmax(q)"
SECOND = "report b = argmax(q[i] for i in records where i != a)"
GAP = "report g = q[a] - max(q[i] for i in records where i != a)"
HEAD = (FIVE, EVERY, LAPLACE)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((WINNER, GAP, "stop"), 0.5),
        ((WINNER, SECOND, "stop"), 1),
        # two winners and the gaps below each
        ((WINNER, SECOND, GAP, "report h = q[b] - max(q[i] for i in records where i != a and i != b)", "stop"), 1),
        # written without the reports; the same winner is read twice
        (("report g = max(q) - max(q[i] for i in records where i != argmax(q))", "stop"), 0.5),
        ((WINNER, "report g = abs(max(q) - max(q[i] for i in records where i != a))", "stop"), 0.5),
        # smallest
        (("report a = argmin(q)", "report g = q[a] - min(q[i] for i in records where i != a)", "stop"), 0.5),
        # candidates that memory decides, three rounds with new noise
        (
            ("memory out = zeros(5)", "report a = argmax(q[i] for i in records where out[i] == 0)",
             "update out = [if i == a then 1 else out[i] for i in 1..5]", "stop when step >= 3"),
            1.5,
        ),
        (("report a = argmax(q[i] for i in 2..4)", "stop"), 0.5),
        # more than the order of the largest
        ((WINNER, "report g = q[a]", "stop"), 1.25),
        ((WINNER, "report g = q[a] - q[1]", "stop"), 1.25),
        ((WINNER, "report g = q[a] - min(q)", "stop"), 1.25),
        # the gap to the best of some others is not free
        ((WINNER, "report g = q[a] - max(q[i] for i in records where i >= 3)", "stop"), 1.25),
        (("report a = argmax(q[i] for i in 2..4)", GAP, "stop"), 1.25),
    ],
)  # fmt: skip
def test_bounds(lines: tuple[str, ...], expected: float) -> None:
    assert pure(*HEAD, *lines) == pytest.approx(expected)


def test_one_direction_costs_half() -> None:
    assert pure(FIVE, ONE_WAY, LAPLACE, WINNER, GAP, "stop") == pytest.approx(0.25)


def test_other_noises() -> None:
    """Winners without gaps need the noise to move upwards only; a gap needs both ways."""
    for noise, expected in (("exponential(4)", 1.0), ("gumbel(4)", 1.0)):
        attach = f"attach {noise} to q"
        assert pure(FIVE, EVERY, attach, WINNER, SECOND, "stop") == pytest.approx(expected)
        assert pure(FIVE, EVERY, attach, WINNER, GAP, "stop") == inf
    whole = ("dataset q in 0..9 size 5", EVERY, "attach geometric(0.5) to q", WINNER)
    assert pure(*whole, SECOND, "stop") == pytest.approx(2 * 2 * log(2))
    # ties: the best loser may change sides with the winner
    assert pure(*whole, GAP, "stop") == pytest.approx(5 * log(2))


def test_noise_that_is_read_elsewhere() -> None:
    """A comparison of one noisy number: as if all numbers were shown."""
    assert pure(*HEAD, WINNER, "report c when q[1] >= 3", "stop") == pytest.approx(5 / 4)


def test_one_draw_for_all_steps_says_nothing_new() -> None:
    once = (FIVE, EVERY, "attach laplace(4) to q once", "stop when step >= 2")
    assert pure(*once, WINNER, GAP) == pytest.approx(0.5)
    assert pure(*once, WINNER) == pytest.approx(0.5)
    # candidates that change tell more of the same noise
    assert pure(*once, "report a = argmax(q[i] for i in records where i != step)") == pytest.approx(1)


def test_gumbel_noise_is_the_exponential_mechanism() -> None:
    """Bounded range: r^2 / 8, which Laplace and exponential noise do not have."""
    assert bounds(FIVE, EVERY, "attach gumbel(2) to q", "stop return argmax(q)") == pytest.approx((1, 1 / 8))
    assert bounds(FIVE, EVERY, "attach laplace(2) to q", "stop return argmax(q)") == pytest.approx((1, 1 / 2))
    assert bounds(FIVE, EVERY, "attach exponential(2) to q", "stop return argmax(q)") == pytest.approx((1, 1 / 2))
    assert bounds(FIVE, ONE_WAY, "attach gumbel(2) to q", "stop return argmax(q)") == pytest.approx((1 / 2, 1 / 32))
    # towards losing it is another mechanism, of unbounded loss as far as is known here
    assert bounds(FIVE, EVERY, "attach gumbel(2) to q", "stop return argmin(q)")[0] == inf


# ---- by quadrature: three numbers, Laplace noise of scale 1


STEP = 1 / 32
GRID = np.arange(-30, 30, STEP) + STEP / 2


def _density(z: np.ndarray) -> np.ndarray:
    return np.exp(-np.abs(z)) / 2


def _below(z: np.ndarray) -> np.ndarray:
    return np.where(z < 0, np.exp(np.minimum(z, 0)) / 2, 1 - np.exp(-np.maximum(z, 0)) / 2)


def _gap_density(q: tuple[float, ...], winner: int, gap: float) -> float:
    """Density of (winner, gap to the second): the second lies at y, the winner at y + gap, the third below y."""
    others = [j for j in range(3) if j != winner]
    total = np.zeros_like(GRID)
    for second in others:
        third = next(j for j in others if j != second)
        total += _density(GRID - q[second]) * _below(GRID - q[third])
    return float(np.sum(_density(GRID + gap - q[winner]) * total) * STEP)


def _order(q: tuple[float, ...], first: int, second: int) -> float:
    """Chance of (first, second)."""
    third = 3 - first - second
    above = 1 - _below(GRID - q[first])
    return float(np.sum(above * _density(GRID - q[second]) * _below(GRID - q[third])) * STEP)


MOVES = list(product((-1.0, 0.0, 1.0), repeat=3))


@pytest.mark.parametrize("q", [(0.0, 0.0, 0.0), (0.0, -1.0, 2.0), (3.0, 0.5, 0.0), (0.0, 4.0, 4.5)])
def test_densities_never_beat_the_bounds(q: tuple[float, ...]) -> None:
    worst_gap = worst_order = 0.0
    for move in MOVES:
        other = tuple(a + b for a, b in zip(q, move, strict=True))
        for winner in range(3):
            for gap in (0.0, 0.3, 1.0, 2.5, 6.0):
                worst_gap = max(worst_gap, _gap_density(q, winner, gap) / _gap_density(other, winner, gap))
            for second in (j for j in range(3) if j != winner):
                worst_order = max(worst_order, _order(q, winner, second) / _order(other, winner, second))
    three = ("dataset q in real size 3", EVERY, "attach laplace(1) to q", WINNER)
    assert log(worst_gap) <= pure(*three, GAP, "stop") * (1 + 1e-4)
    assert log(worst_order) <= pure(*three, SECOND, "stop") * (1 + 1e-4)
    one_way = [m for m in MOVES if max(m) <= 0 or min(m) >= 0]
    worst = max(
        _gap_density(q, winner, gap) / _gap_density(tuple(a + b for a, b in zip(q, move, strict=True)), winner, gap)
        for move in one_way for winner in range(3) for gap in (0.0, 1.0, 4.0)
    )  # fmt: skip
    assert worst <= exp(1) * (1 + 1e-4)
    assert worst_gap > exp(1.2)  # so that the comparison says something


def test_winners_among_others_than_a_memory_that_changes_between_are_two() -> None:
    """Whoever sees both knows the first two of all; each is moved by 2 over the scale 4."""
    last = "memory last = 0"
    among = "argmax(v[k] for k in 1..5 where k != last)"
    shown = (f"report a = {among}", "update last = a", f"report b = {among}")
    assert pure(FIVE, EVERY, "statistic v = q", last, "attach laplace(4) to v", *shown, "stop") == pytest.approx(1)
