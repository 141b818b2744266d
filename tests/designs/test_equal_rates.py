"""Two arms of one rate: the chance to reject against a chain of this file's own, and the bound over all rates."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from seqlang.cli.__main__ import main
from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds import equal_rates
from seqlang.designs.bounds.equal_rates import NEAR, PLACES, EqualArms, largest_at_equal_rates
from seqlang.designs.design import Design, single
from seqlang.designs.find import best_design
from seqlang.designs.problem.criterion import Course, Limits
from seqlang.designs.problem.request import problem_of
from seqlang.record import replace

EPS = 2.0
Pair = tuple[tuple[float, float], tuple[float, float]]


def stated(first: float, second: float) -> str:
    return f"control ~ bernoulli({first}), treatment ~ bernoulli({second})"


@cache
def designed(null: tuple[float, float], alternative: tuple[float, float], course: Course = "both ends",
             most: int | None = None) -> tuple[Design, Blocks]:  # fmt: skip
    error = Fraction(1, 5)
    asked = problem_of(stated(*null), stated(*alternative), error, error, f"pure({EPS:g})", "average", True,
                       Limits(most=most), course)  # fmt: skip
    return best_design(asked)[:2]


def noisy(share: int, p: float) -> np.ndarray:
    """Chances of a noisy count of `share` coins, for -40 .. share + 40."""
    noise = stats.dlaplace.pmf(np.arange(-40, 41), EPS)
    return np.convolve(stats.binom.pmf(np.arange(share + 1), share, p), noise)


@cache
def gains(share: int, null: float, alternative: float, lattice: float) -> tuple[int, ...]:
    """The score of each noisy count, held within 0 .. share."""
    marks = np.log(noisy(share, alternative) / noisy(share, null))[40 : 41 + share]
    return tuple(np.floor(marks / lattice + 0.5).astype(int).tolist())


def held(share: int, p: float) -> np.ndarray:
    whole = noisy(share, p)
    return np.r_[whole[:41].sum(), whole[41 : 40 + share], whole[40 + share :].sum()]


def gained(policy: Policy, rates: Pair, size: int, p: float) -> tuple[int, np.ndarray]:
    """The least score that a block earns, and the chances of all scores from there."""
    arms = [gains(size // 2, null, alternative, policy.lattice) for null, alternative in zip(*rates, strict=True)]
    sums = np.add.outer(*map(np.array, arms)).ravel()
    return int(sums.min()), np.bincount(sums - sums.min(), np.outer(held(size // 2, p), held(size // 2, p)).ravel())


def followed(policy: Policy, rates: Pair, p: float) -> tuple[float, float]:
    """(P(reject), E[N]) where both arms have the rate p, block by block until hardly a run goes on. `rates`: those of
    null and alternative, by arm."""
    policy = policy.ignoring or policy
    blocks = {size: gained(policy, rates, size, p) for size in policy.sizes}
    rows = {row.used: row for row in policy.rows}
    waiting, rejected, entries, going = {0: {0: 1.0}}, 0.0, 0.0, 1.0
    while waiting and going > 1e-12:
        n = min(waiting)
        now, row = waiting.pop(n), rows[n if policy.ends else 0]
        after: dict[int, np.ndarray] = {}
        for score, mass in now.items():
            if not row.low <= score <= row.high:
                rejected, entries, going = rejected + mass * (score > row.high), entries + mass * n, going - mass
                continue
            size = row.sizes[score - row.low]
            least, law = blocks[size]
            to = after.setdefault(size, np.zeros(4000))
            to[2000 + score + least : 2000 + score + least + len(law)] += mass * law
        for size, to in after.items():
            later = waiting.setdefault(n + size, {})
            for place in np.flatnonzero(to > 1e-17).tolist():
                later[place - 2000] = later.get(place - 2000, 0.0) + float(to[place])
    return rejected, entries


SMALL = ((0.2, 0.2), (0.05, 0.9)), ((0.3, 0.3), (0.1, 0.6)), ((0.2, 0.2), (0.2, 0.8))
CASES = [(*SMALL[0], "both ends", None), (*SMALL[1], "both ends", 16), (*SMALL[1], "futility", 16)]


@pytest.mark.parametrize(("null", "alternative", "course", "most"), CASES)
def test_no_rate_rejects_more_often_than_the_bound(
    null: tuple[float, float], alternative: tuple[float, float], course: Course, most: int | None
) -> None:
    design, blocks = designed(null, alternative, course, most)
    arms, found = EqualArms(design, blocks), largest_at_equal_rates(design, blocks)
    assert found.bound is not None and found.largest <= found.bound
    draws = np.random.default_rng(5).uniform(0, 1, 6).tolist()
    for p in [found.at, *draws]:
        expected = sum(
            float(c) * followed(column.policy, (null, alternative), p)[0]
            for c, column in zip(design.chances, design.columns, strict=True)
        )
        assert arms.at(2 * math.asin(math.sqrt(p))).reject == pytest.approx(expected, abs=1e-9)
        assert expected <= found.bound
    assert found.bound <= found.largest * (1 + NEAR) + 1e-8


@pytest.mark.parametrize(("null", "alternative"), SMALL)
def test_between_two_places_no_rate_has_more_than_the_bound(
    null: tuple[float, float], alternative: tuple[float, float]
) -> None:
    """Of the chance to reject, and of the expected entries."""
    design, blocks = designed(null, alternative)
    arms = EqualArms(design, blocks)
    plan = arms.plans[0]
    told = 0
    for a, b in pairwise(np.linspace(0.4, 2.9, 6)):
        x, y = arms.at(a), arms.at(b)
        bound = arms.most_between(x, y)
        steep = max(abs(1 / math.tan(t)) for t in (a, b))
        entries = plan.entries_between(x.further[0], y.chains[0], b - a, steep)
        told += entries < math.inf
        for t in np.linspace(a, b, 4):
            p = math.sin(t / 2) ** 2
            found = [followed(column.policy, (null, alternative), p) for column in design.columns]
            assert sum(float(c) * f for c, (f, _) in zip(design.chances, found, strict=True)) <= bound
            assert found[0][1] <= entries * (1 + 1e-9)
    assert told >= 2


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 9))])
def test_the_bound_holds_for_any_schedule(seed: int) -> None:
    """Sizes and boundaries at random, at which no design would arrive."""
    draw = np.random.default_rng(seed)
    null, alternative = SMALL[seed % 3]
    design, blocks = designed(null, alternative)
    low, high = -int(draw.integers(5, 120)), int(draw.integers(5, 120))
    sizes = tuple(int(2 * n) for n in np.repeat(draw.integers(1, 6, size=high - low + 1), 7)[: high - low + 1])
    policy = replace(design.columns[0].policy, rows=(Row(0, low, sizes),))
    made = single(design.problem, replace(design.columns[0], policy=policy), None)
    found = largest_at_equal_rates(made, blocks)
    assert found.bound is not None
    worst = max(followed(policy, (null, alternative), p)[0] for p in draw.uniform(0, 1, 2))
    assert worst <= found.bound <= found.largest * (1 + NEAR) + 1e-8


def test_a_test_that_may_go_on_for_ever_is_told_by_an_estimate() -> None:
    design, blocks = designed((0.2, 0.2), (0.05, 0.9))
    columns = tuple(replace(c, policy=replace(c.policy, endless=True)) for c in design.columns)
    found = largest_at_equal_rates(replace(design, columns=columns), blocks)
    assert (found.bound, found.to_dict()["kind"]) == (None, "estimate")


def test_without_noise_a_run_may_come_back_for_ever() -> None:
    """Where nobody shows 1, both arms' scores add up to 0. By symmetry half of the runs reject at all other rates."""
    half = Fraction(1, 20)
    asked = problem_of(stated(0.2, 0.5), stated(0.5, 0.2), half, half, "none", "average", True)
    found = largest_at_equal_rates(*best_design(asked)[:2])
    assert found.bound is None and found.largest == pytest.approx(0.5, abs=1e-9)


def test_the_time_limit_leaves_an_estimate_or_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    design, blocks = designed(*SMALL[1], "both ends", 16)
    whole = largest_at_equal_rates(design, blocks)
    for looks, kind in ((3, "estimate"), (PLACES, "bound")):
        asked = iter(range(looks))
        monkeypatch.setattr(equal_rates, "over", lambda asked=asked: next(asked, None) is None)
        found = largest_at_equal_rates(design, blocks)
        assert found.to_dict()["kind"] == kind
        assert found.places < whole.places and found.largest <= (whole.bound or 0)
        assert whole.bound is not None and (found.bound is None or whole.largest <= found.bound)


def test_what_ignores_an_arm_says_so_before_anything_else(capsys: pytest.CaptureFixture[str]) -> None:
    """Of .2 and .2 against .2 and .8, the test is about one arm: at other equal rates it rejects nearly always."""
    words = ["--null", stated(0.2, 0.2), "--alternative", stated(0.2, 0.8), "--alpha", "0.2", "--beta", "0.2"]
    assert main(["design", *words, "--privacy", "pure(2)", "--max", "20"]) == 0
    before = " ".join(capsys.readouterr().out.split("Schedule")[0].split())
    assert "odd entries are control, even ones treatment" in before
    assert "if both arms have the same rate, whatever it is, the test rejects with chance at most" in before
    assert "the error of 0.2 holds where both rates are 0.2, and not at all equal rates" in before
    assert "both hypotheses give control the same chance" in before
    assert main(["design", *words, "--privacy", "pure(2)", "--max", "20", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["equal_rates"]
    assert told["kind"] == "bound" and 0.9 < told["largest"] <= told["bound"] <= 1
