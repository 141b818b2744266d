"""What is said of Wang, Sibai, Mitra & Dullerud 2020: every number of the specs once more, by code that stands here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from checked import checked
from scipy import integrate, stats

import seqlang

P, Q, LENGTH = 0.3, 0.7, 60
UNIT = math.log(Q / P)
"""What one entry adds to the log-likelihood ratio where p0 = .3 and p1 = .7."""


def verdicts(name: str, **parameters: Any) -> list[tuple[str, str]]:
    """(verdict, what is said of it) of each claim, in order."""
    spec = name if "/" in name else f"wang2020/{name}"
    done = seqlang.check(seqlang.load(f"@{spec}", **parameters)) if parameters else checked(spec)
    found = done.to_dict()["claims"]
    return [(each["verdict"], each["because"]) for each in found]


def levels(alpha: float, scale: float) -> Iterator[tuple[float, int, int]]:
    """(chance, a, b): the walk ends where ones lead by a or zeros by b; both bars move with one conditioned Laplace."""
    bar = math.log((1 - alpha) / alpha)
    law = stats.laplace(scale=scale)
    ends = sorted({-bar, bar, *(x for k in range(-9, 10) for x in (k * UNIT - bar, bar - k * UNIT) if abs(x) < bar)})
    for low, high in pairwise(ends):
        z = (low + high) / 2
        chance = (law.cdf(high) - law.cdf(low)) / (law.cdf(bar) - law.cdf(-bar))
        yield float(chance), math.ceil((bar + z) / UNIT), math.ceil((bar - z) / UNIT)


def false_positives(alpha: float, scale: float) -> float:
    """Of the stopping rule alone: gambler's ruin, averaged over the draw."""
    r = Q / P
    return sum(chance * (r**b - 1) / (r ** (a + b) - 1) for chance, a, b in levels(alpha, scale))


def flipped(error: float, rate: float) -> float:
    return error + (1 - 2 * error) / (1 + math.exp(rate))


def law(position: int, value: int, alpha: float, scale: float, rate: float) -> np.ndarray:
    """P(T = t, flipped return = f | the entry at this position), an array of (LENGTH, 2), by a walk for each draw."""
    table = np.zeros((LENGTH, 2))
    for chance, a, b in levels(alpha, scale):
        at = {0: chance}
        for t in range(LENGTH):
            after: dict[int, float] = {}
            for where, mass in at.items():
                for move, p in ((1, P), (-1, Q)):
                    share = p if t + 1 != position else float((move == 1) == (value == 1))
                    if where + move >= a:
                        table[t, 0] += mass * share
                    elif where + move <= -b:
                        table[t, 1] += mass * share
                    else:
                        after[where + move] = after.get(where + move, 0.0) + mass * share
            at = after
    flip = 1 / (1 + math.exp(rate))
    return table * (1 - flip) + table[:, ::-1] * flip


def deltas(position: int, epsilon: float, **setting: float) -> tuple[float, float]:
    """(any set of transcripts, one stopping step at a time) for 0 against 1 at a position."""
    zero, one = (law(position, value, **setting) for value in (0, 1))
    more = np.maximum(zero - math.exp(epsilon) * one, 0)
    return float(more.sum()), float(more.sum(axis=1).max())


def test_theorem_1_of_the_weak_sprt() -> None:
    """At eps = .5, eps' = 3 the printed delta is above 1; with a minus sign it is too small, and so are the errors."""
    setting = {"alpha": 0.05, "scale": 2 * UNIT / 0.5, "rate": 3.0}
    slack = math.exp(-0.5 * -math.log(0.05)) / 2
    assert math.exp(0.5 * -math.log(0.05)) / 2 == pytest.approx(2.236, abs=5e-4)
    sets, step = deltas(5, 3.0, **setting)
    assert sets == pytest.approx(0.160308, abs=1e-6)
    assert step == pytest.approx(0.0827724, abs=1e-6)
    assert slack == pytest.approx(0.1118, abs=5e-5)
    assert step < slack < sets
    error = flipped(false_positives(0.05, setting["scale"]), 3.0)
    assert error == pytest.approx(0.129527, abs=1e-6)
    assert 0.5 * 0.05 / 0.5 + math.exp(-3) == pytest.approx(0.0997871, abs=1e-6)

    printed, minus, per_step, summed, strong, positives, negatives = verdicts("weak_sprt")
    assert "says nothing" in printed[1]
    assert [each[0] for each in (minus, per_step, summed, strong)] == ["refuted", "proved", "proved", "refuted"]
    assert "at least 0.160308, at position 5" in minus[1]
    assert "at most 0.0827724" in per_step[1]
    for verdict, because in (positives, negatives):
        assert verdict == "refuted"
        assert "= 0.129527" in because


def test_theorem_1_where_its_delta_is_below_one() -> None:
    """eps = .1, eps' = 5: an error of .1086 against .0123; at eps = eps' = .5 the bound is .66, and holds."""
    for eps, rate, bound, holds in ((0.1, 5.0, 0.0123, False), (0.5, 0.5, 0.6565, True)):
        error = flipped(false_positives(0.05, 2 * UNIT / eps), rate)
        assert eps * 0.05 / (1 - eps) + math.exp(-rate) == pytest.approx(bound, abs=5e-5)
        assert (error <= bound) == holds
        (solved,) = seqlang.solve(seqlang.load("@wang2020/weak_sprt", eps=eps, eps_out=rate), model="null")
        assert solved.to_dict()["returns"]["reject"] == pytest.approx(error, abs=1e-9)
    assert flipped(false_positives(0.05, 20 * UNIT), 5.0) == pytest.approx(0.1086, abs=5e-5)
    assert math.exp(0.1 * -math.log(0.05)) / 2 == pytest.approx(0.675, abs=5e-4)


def test_the_error_rates_of_18_and_19() -> None:
    """.0972 against .0056; both inequalities of (18) fail, and a bound that averages exp(-(u + z)) holds."""
    eps, alpha, bar = 0.1, 0.05, math.log(19)
    scale = 1 / (eps * 2 * UNIT)
    error, claimed = false_positives(alpha, scale), eps * alpha / (1 - eps)
    assert error == pytest.approx(0.0972449, abs=1e-7)
    assert claimed == pytest.approx(0.00555556, abs=1e-8)
    printed, _ = integrate.quad(lambda x: eps / 2 * math.exp(-(bar + x) + eps * x), math.log(alpha), -math.log(alpha))
    assert printed == pytest.approx(0.0431439, abs=1e-7)
    assert claimed < printed < error  # neither inequality holds
    draw = stats.laplace(scale=scale)
    inside = draw.cdf(bar) - draw.cdf(-bar)
    right, _ = integrate.quad(lambda z: math.exp(-(bar + z)) * draw.pdf(z) / inside, -bar, bar, points=[0])
    assert right == pytest.approx(0.1534, abs=5e-5)
    assert error < right

    first, second, middle, size = verdicts("weak_sprt_errors")
    assert [each[0] for each in (first, second, middle, size)] == ["refuted", "refuted", "refuted", "proved"]
    assert "0.0972449 against eps * alpha / (1 - eps) = 0.00555556" in first[1]
    assert "0.0431439" in middle[1]
    other = verdicts("weak_sprt_errors", as_printed=0)[0]
    assert other[0] == "refuted"
    assert f"= {false_positives(alpha, 2 * UNIT / eps):.6}" in other[1]


@pytest.mark.parametrize(("halved", "verdict"), [(1, "refuted"), (0, "proved")])
def test_how_often_the_answer_is_flipped(halved: int, verdict: str) -> None:
    """1 / (1 + exp(1/2)) = .378 exceeds exp(-1) = .368, 1 / (1 + e) = .269 does not."""
    chance = 1 / (1 + math.exp(1 / 2 if halved else 1))
    assert (chance > math.exp(-1)) == (verdict == "refuted")
    private, *errors = verdicts("weak_sprt_answer", halved=halved)
    assert private[0] == "proved"
    for found, because in errors:
        assert found == verdict
        assert f"{chance:.6}" in because


def test_their_two_streams_for_the_sprt() -> None:
    """Ones lead by 4, or by 3 at most: true where p0 + p1 = 1, and else the second stream ends too."""

    def ends(p0: float, p1: float, stream: list[int]) -> int | None:
        total = 0.0
        for t, x in enumerate(stream, 1):
            total += math.log(p1 / p0) if x else math.log((1 - p1) / (1 - p0))
            if abs(total) >= math.log(19):
                return t
        return None

    assert ends(0.3, 0.7, [1, 1, 1, 1, *[0, 1] * 98]) == 4
    assert ends(0.3, 0.7, [1, 1, 1, 0, *[0, 1] * 98]) is None
    assert ends(0.2, 0.7, [1, 1, 1, *[0, 1] * 98]) == 3
    late = ends(0.2, 0.7, [1, 1, 0, *[0, 1] * 98])
    assert late is not None
    assert [v for v, _ in verdicts("sprt_streams")] == ["proved", "proved", "proved", "refuted"]
    assert [v for v, _ in verdicts("sprt_streams", p0=0.2)] == ["proved", "proved", "refuted", "refuted"]
    assert seqlang.solve(seqlang.load("@wang2020/sprt_streams", p0=0.2), model="second")[0].to_dict()[
        "expected_steps"
    ] == pytest.approx(late, abs=1e-6)


@pytest.mark.parametrize(("alpha", "beta", "least"), [(0.5, 0.1, 42), (0.2, 0.2, 312)])
def test_their_two_streams_for_the_serm(alpha: float, beta: float, least: int) -> None:
    """Both end at N + 1: the radius of the one is 1, of the other 0, and alpha N is larger."""
    bound = 2 / alpha**2 * math.log(2 / (beta * (1 - math.exp(-(alpha**2) / 2))))
    assert math.floor(bound) + 1 == least
    assert alpha * least > 1
    for model in ("first", "second"):
        spec = seqlang.load("@wang2020/serm_streams", alpha=alpha, beta=beta)
        steps = seqlang.solve(spec, model=model)[0].to_dict()["expected_steps"]
        assert steps == pytest.approx(least, abs=1e-6)


def test_one_entry_that_signs_do_not_hide() -> None:
    """20 ones end at 42 whatever the signs; with 21 all signs agree with chance 2 ** -20, and it goes on."""
    assert math.ceil(0.5 * 42) - 1 == 20
    found = verdicts("serm_streams")
    assert [v for v, _ in found] == ["proved", "refuted", "proved", "proved", "refuted"]
    assert f"{2.0**-20:.5}" in found[-1][1]


def test_the_radius_of_two_functions() -> None:
    """Within one deviation: less often than one Gaussian variable, which would be with chance .683."""

    def inside(k: int) -> float:
        return float(stats.binom(k, 0.5).cdf((k + 4) // 2) - stats.binom(k, 0.5).cdf(math.ceil((k - 4) / 2) - 1))

    assert int(math.sqrt(36 / 2)) == 4
    chance = sum(stats.binom(36, 0.5).pmf(k) * inside(k) * inside(36 - k) for k in range(37))
    assert [v for v, _ in verdicts("serm_limit")] == ["refuted", "proved"]
    assert f"= {chance:.6}" in verdicts("serm_limit")[0][1]
    assert chance < 0.6 < stats.norm.cdf(1) - stats.norm.cdf(-1)


def test_the_first_step_of_the_serm() -> None:
    """(22) is the chance to go on, and a 1 at the first step makes stopping less likely, not more as (23) says."""
    alpha = beta = 0.2
    bound = 2 / alpha**2 * math.log(2 / (beta * (1 - math.exp(-(alpha**2) / 2))))
    least = math.floor(bound) + 1
    tail = math.sqrt(1 / (alpha**2 * math.pi * bound)) * math.exp(-(alpha**2) * bound)
    assert tail == pytest.approx(6.3e-7, abs=5e-9)
    law = np.array([1.0])
    for _ in range(least - 1):
        law = np.convolve(law, [0.25, 0.5, 0.25])  # of the other steps: a sign with chance 1/2, else nothing
    beyond = np.abs(np.arange(1 - least, least)) >= alpha * least
    up, down = (np.abs(np.arange(1 - least, least) + move) >= alpha * least for move in (1, -1))
    late = [float(law[beyond].sum()), float((law[up].sum() + law[down].sum()) / 2)]
    ratio = math.log1p(-late[1]) - math.log1p(-late[0])
    assert ratio == pytest.approx(-4.3e-8, abs=5e-10)
    assert math.sqrt(4 / (math.pi * bound)) * math.exp(-(alpha**2) * bound) == pytest.approx(2.5e-7, abs=5e-9)
    spec = seqlang.load("@wang2020/serm_first_step", alpha=alpha)
    for model, chance in zip(("with_0", "with_1", "even"), (*late, sum(late) / 2), strict=True):
        assert seqlang.solve(spec, model=model)[0].to_dict()["returns"]["later"] == pytest.approx(chance, abs=3e-12)
    assert [v for v, _ in verdicts("serm_first_step")] == ["refuted", "proved"]


@pytest.mark.parametrize(("eps", "inverse", "found"), [(0.01, 0, 0.2866), (0.01, 1, 0.2121), (0.1, 0, 0.0020)])
def test_strong_efficiency_in_the_right_order(eps: float, inverse: int, found: float) -> None:
    """Noise of scale 1 / eps below what the radius lacks: 67 entries suffice for alpha = .15, and it goes on."""
    alpha, beta, runs = 0.15, 0.1, 4000

    def least(accuracy: float) -> int:
        return math.ceil(2 / accuracy**2 * math.log(2 / (beta * (1 - math.exp(-(accuracy**2) / 2)))))

    coarse = (6 + 3 * (1 / eps if inverse else eps) / (alpha * least(alpha))) * alpha
    fixed = math.ceil(math.log(2 / beta) / (2 * alpha**2))
    assert (least(alpha), fixed) == (666, 67)
    random = np.random.default_rng(1)
    moves = random.choice([-1, 0, 0, 1], (runs, fixed))
    short = np.abs(moves.cumsum(axis=1)) - coarse * np.arange(1, fixed + 1)
    late = stats.laplace(scale=1 / eps).cdf(short[:, least(coarse) :].min(axis=1))  # the bar's noise is below all
    assert late.mean() == pytest.approx(found, abs=5e-4)
    (solved,) = seqlang.solve(seqlang.load("@wang_poster/efficiency", eps=eps, inverse=inverse))
    error = 4 * late.std() / math.sqrt(runs) + 1e-9
    assert solved.to_dict()["returns"]["late"] == pytest.approx(late.mean(), abs=error)


def test_strong_efficiency_as_printed() -> None:
    """A rule that always sees a hundred entries is useful, and later than theirs nearly surely."""
    assert 2 * math.exp(-2 * 6 * 0.5**2) <= 0.1  # six are within 1/2 of the mean but for a chance of beta
    ((verdict, because),) = verdicts("wang_poster/efficiency_printed")
    assert verdict == "refuted"
    assert "probability(sooner) = 1 against beta = 0.1" in because
