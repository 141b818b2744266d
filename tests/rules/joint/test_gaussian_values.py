"""Winners, comparisons and functions of numbers with Gaussian noise cost at most what these numbers cost."""

from __future__ import annotations

from itertools import product
from math import exp, inf, isinf

import numpy as np
import pytest
from elaborated import elaborated
from scipy.special import ndtr

from seqlang.analyses.prove import prove, size_of
from seqlang.rules.joint import gaussian_values


def bounds(*lines: str) -> tuple[float, float]:
    """(zcdp, epsilon at delta 1e-6)."""
    made = elaborated("\n".join(("algorithm t", *lines)))
    proved = prove(made)
    return tuple(inf if b is None else size_of(made, b) for b in (proved.zcdp, proved.dp))


def delta(mu: float, epsilon: float) -> float:
    """Of Gaussian noise that is moved by mu deviations (Balle & Wang 2018, Theorem 8)."""
    return float(ndtr(mu / 2 - epsilon / mu) - exp(epsilon) * ndtr(-mu / 2 - epsilon / mu))


def about_mean(vertices: np.ndarray) -> float:
    """The largest sum of squares about the mean, by trying all of these moves."""
    return float(((vertices - vertices.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).max())


QUERIES = ("dataset q in real size {k}", "adjacent every q within 1{way}", "stop return argmax(q)")


@pytest.mark.parametrize("k", [2, 3, 4, 7])
@pytest.mark.parametrize("ends", [(-1, 1), (0, 1)])
def test_winner_among_queries(k: int, ends: tuple[int, int]) -> None:
    way = "" if ends[0] else " same direction"
    lines = [line.format(k=k, way=way) for line in QUERIES]
    squares = about_mean(np.array(list(product(ends, repeat=k)), dtype=float))
    rho, epsilon = bounds(*lines, "attach gaussian(8) to q")
    assert rho == pytest.approx(squares / (2 * 64))
    assert delta((squares / 64) ** 0.5, epsilon) == pytest.approx(1e-6, rel=1e-3)


VOTES = (
    "dataset vote in 1..10 size 50",
    "statistic votes = [count(vote[i] == j for i in records) for j in 1..10]",
    "report label = argmax(votes)",
)


def test_votes() -> None:
    """Papernot et al. 2018: GNMax is (a, a/sigma^2)-RDP a query, and so (1/sigma^2)-zCDP."""
    assert bounds(*VOTES, "stop when step >= 100", "attach gaussian(40) to votes")[0] == pytest.approx(100 / 1600)


def test_winner_shown_with_its_number() -> None:
    """One teacher moves two counts by 1 each; both reports are functions of one noisy histogram."""
    shown = ("statistic first = votes[1]", "report more = first", "stop", "attach gaussian(4) to votes")
    assert bounds(*VOTES, *shown)[0] == pytest.approx(2 / (2 * 16))


def test_one_draw_for_winners_in_several_steps() -> None:
    votes = "statistic votes = [count(vote == j over steps) for j in 1..10]"
    shown = ("report label = argmax(votes)", "stop when step >= 3", "attach gaussian(4) to votes")
    rho, _ = bounds("stream vote in 1..10", votes, *shown)
    assert rho == pytest.approx(3 / 16)
    assert isinf(bounds("stream vote in 1..10", votes, *shown[:2], f"{shown[2]} once")[0])


SUM = ("stream x in [0, 1]", "statistic s = sum(x over steps)", "statistic t = s + 2 * x")
ONE = ("dataset x in [0, 1] size 9", "statistic a = sum(x)", "statistic b = 2 * sum(x)")


@pytest.mark.parametrize(
    ("lines", "rho"),
    [
        # ten looks at a sum that moves by 1
        ((*SUM, "report c when s > 3", "stop when step >= 10", "attach gaussian(2) to s"), 10 / 8),
        # an entry is looked at once, under one condition
        ((*SUM, "statistic v = x", "report c when v > 3", "attach gaussian(2) to v"), 1 / 8),
        ((*SUM, "report c when step % 5 == 0 and s > 3", "stop when step >= 10", "attach gaussian(2) to s"), 2 / 8),
        # two looks at one noisy number, and at a multiple of it
        ((*ONE, "report c when a > 3", "report d when 2 * a < 5", "stop", "attach gaussian(2) to a"), 1 / 8),
        # two numbers, and how they compare
        ((*ONE, "report c when a > 3", "report d when b > 3", "report e when a > b", "stop",
          "attach gaussian(2) to a, b"), 1 / 8 + 4 / 8),
        ((*ONE, "report u = a", "report c when a > 3", "stop", "attach gaussian(2) to a"), 1 / 8),
        # in several steps under conditions that differ: in all of them
        ((*SUM, "report c when step >= 9 and s > 3", "report d when s > 4", "stop when step >= 10",
          "attach gaussian(2) to s"), 10 / 8),
        # a returned comparison is made once
        ((*SUM, "stop when step >= 10 return (if s > 3 then yes else no)", "attach gaussian(2) to s"), 1 / 8),
        # two replaced records: four times
        ((*ONE, "adjacent replace 2", "report c when a > 3", "stop", "attach gaussian(2) to a"), 4 / 8),
    ],
)  # fmt: skip
def test_comparisons(lines: tuple[str, ...], rho: float) -> None:
    assert bounds(*lines)[0] == pytest.approx(rho)


@pytest.mark.parametrize(
    "lines",
    [
        # the sum of both numbers is compared: another number with the noise of both
        (*ONE, "report c when a > 3", "report d when a + b > 3", "stop", "attach gaussian(2) to a"),
        # one draw for all looks
        (*SUM, "report c when s > 3", "stop when step >= 10", "attach gaussian(2) to s once"),
        # one draw for two numbers that move differently
        (*ONE, "draw z ~ gaussian(2)", "attach z to a, b", "report c when a > 3", "report d when b > 3", "stop"),
        # a draw that is shown beside the comparison
        (*ONE, "draw z ~ gaussian(2)", "attach z to a", "report c when a > 3", "report d = z", "stop"),
        # no limit of looks
        (*SUM, "report c when s > 3", "attach gaussian(2) to s"),
        # something plain decides as well
        (*ONE, "report c when a > 3 or b > 2", "stop", "attach gaussian(2) to a"),
        # another noise
        (*ONE, "report c when a > 3", "report d when b > 3", "stop", "attach gaussian(2) to a",
         "attach exponential(2) to b"),
    ],
)  # fmt: skip
def test_what_is_no_such_comparison(lines: tuple[str, ...]) -> None:
    assert isinf(bounds(*lines)[0])


RANGE = ("stream f in real", "adjacent every f within 1", "param low = 0", "param high = 1", "stop when f >= high",
         "stop when f < low", "stop when step >= {steps}")  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "ends", "own", "rho"),
    [
        (1, 8, 4, 2 / 128),  # one look: the two ends hide the entry, each with its own noise
        (1, 4, 4, 1 / 32),  # or the entry's noise does
        (5, 8, 4, 5 / 32),  # the ends last, and entries move to and fro: only noises of their own hide them
    ],
)
def test_ends_or_entries_hide_what_a_range_compares(steps: int, ends: float, own: float, rho: float) -> None:
    lines = [line.format(steps=steps) for line in RANGE]
    noise = (f"attach gaussian({ends}) to low, high once", f"attach gaussian({own}) to f")
    assert bounds(*lines, *noise)[0] == pytest.approx(rho)


def test_noise_that_others_rely_on_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two comparisons share the noise of the entry; the rule is asked about one of them only."""
    lines = (RANGE[0], RANGE[1], "param t = 0", "report c when f >= t", "report d when f < 3", "stop when step >= 1",
             "attach gaussian(9) to t once", "attach gaussian(2) to f")  # fmt: skip
    made = elaborated("\n".join(("algorithm t", *lines)))
    assert isinstance(gaussian_values.cost_of(made, ("c",)), str)
    monkeypatch.setattr(gaussian_values, "shared_noise", lambda *_: None)
    assert not isinstance(gaussian_values.cost_of(made, ("c",)), str)  # the fault is seen
