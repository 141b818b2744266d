"""Designs against published figures, enumeration, and what no test can beat."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from published import Tell
from scipy.optimize import minimize_scalar
from thorough import spread

from seqlang.designs.blocks.blocks import Blocks, fixed_size
from seqlang.designs.blocks.evaluation import evaluate, law_of_steps
from seqlang.designs.blocks.mechanism import DiscreteGaussian, Geometric, mechanism_for
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds.lower_bounds import binary_divergence, private_divergence
from seqlang.designs.bounds.universal import universal_bound
from seqlang.designs.find import best_design
from seqlang.designs.problem.entry import coin, law_of_sum
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.designs.search import pricing
from seqlang.designs.search.pricing import Prices, Table, best_values, knots_for, stopping


def problem(p0: str, p1: str, eps: str | None, error: str = "0.05", **more: object) -> Problem:
    privacy = Privacy("none") if eps is None else Privacy("pure", (Fraction(eps),))
    return Problem(coin(Fraction(p0)), coin(Fraction(p1)), Fraction(error), Fraction(error), privacy, **more)


def test_the_clamped_release_is_what_enumeration_says() -> None:
    """Two entries of chance 1/3, noise of ratio exp(-0.6): by adding up all values of sum and noise."""
    third, ratio = Fraction(1, 3), math.exp(-0.6)
    sums = [float((1 - third) ** 2), float(2 * third * (1 - third)), float(third**2)]
    seen, plain = [0.0] * 3, [0.0] * 3
    for s, chance in enumerate(sums):
        for k in range(-90, 91):
            part = chance * ratio ** abs(k) * (1 - ratio) / (1 + ratio)
            seen[min(2, max(0, s + k))] += part
            if 0 <= s + k <= 2:
                plain[s + k] += part
    found = Geometric(Fraction(3, 5)).noisy(law_of_sum((1 - third, third), 2))
    assert found[0] == pytest.approx(seen, abs=1e-15)
    assert found[1] == pytest.approx(plain, abs=1e-15)


def test_gaussian_releases_and_their_noise() -> None:
    """rho = 1 / (2 sd^2): 1/8 needs sd 2; order 4 at eps 1/2 is the same. (eps, delta): the
    definition, by adding up all excess masses at the noise that was chosen, and at a little less; where delta is small,
    noise for (eps, 0) is less."""
    for privacy in (Privacy("zcdp", (Fraction(1, 8),)), Privacy("rdp", (Fraction(4), Fraction(1, 2)))):
        assert mechanism_for(privacy, 1) == DiscreteGaussian(Fraction(2))
    assert mechanism_for(Privacy("dp", (Fraction(1), Fraction(1, 10**5))), 1) == Geometric(Fraction(1))
    chosen = mechanism_for(Privacy("dp", (Fraction(1, 10), Fraction(1, 20))), 1)
    assert isinstance(chosen, DiscreteGaussian)
    assert float(chosen.sd) ** 2 < Geometric(Fraction(1, 10)).variance

    def delta(sd: float) -> float:
        masses = {k: math.exp(-(k**2) / (2 * sd**2)) for k in range(-300, 301)}
        excess = sum(max(0.0, p - math.exp(0.1) * masses.get(k - 1, 0.0)) for k, p in masses.items())
        return excess / sum(masses.values())

    assert delta(float(chosen.sd)) <= 0.05 < delta(float(chosen.sd) * 0.999)
    seen, _ = DiscreteGaussian(Fraction(1)).noisy(np.array([1, 3, 3, 1]) / 8)
    masses = {k: math.exp(-(k**2) / 2) for k in range(-30, 31)}
    by_hand = [0.0] * 12
    for s, ways in enumerate((1, 3, 3, 1)):
        for k, mass in masses.items():
            by_hand[min(7, max(-4, s + k)) + 4] += ways / 8 * mass / sum(masses.values())
    assert seen == pytest.approx(by_hand, abs=1e-14)


def test_the_law_of_a_sum_of_entries_of_three_values() -> None:
    entry = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    by_hand: dict[int, Fraction] = {0: Fraction(1)}
    for _ in range(5):
        after: dict[int, Fraction] = {}
        for s, chance in by_hand.items():
            for v, p in enumerate(entry):
                after[s + v] = after.get(s + v, Fraction(0)) + chance * p
        by_hand = after
    assert law_of_sum(entry, 5) == pytest.approx([float(by_hand[s]) for s in range(11)], abs=1e-15)


@pytest.mark.parametrize("sizes", spread([((1, 2, 1),), ((2, 3, 2),), ((3, 2, 7),)], 1))
def test_the_law_of_a_policy_is_that_of_all_its_paths(sizes: tuple[int, int, int]) -> None:
    """Sizes at the scores -1, 0 and 1. All (entries, looks, score) are followed in order of the entries."""
    policy = Policy(0.5, (Row(0, -1, sizes),))
    two, three = (np.array([0.6, 0.4]), np.array([-1.0, 1.0])), (np.array([0.5, 0.3, 0.2]), np.array([-2.0, 0.0, 1.0]))
    laws = {1: two[0], 2: three[0], 3: two[0][::-1], 7: three[0][::-1]}
    scores = {1: two[1], 2: three[1], 3: two[1], 7: three[1]}
    found = evaluate(policy, lambda m: laws[m], lambda m: scores[m])
    reject = accept = steps = looks = 0.0
    by_step: dict[int, float] = {}
    waiting = {(0, 0, 0): 1.0}
    while waiting:
        place = min(waiting)
        chance, (n, count, score) = waiting.pop(place), place
        if n > 400:
            break
        size = sizes[score + 1]
        for p, gain in zip(laws[size], scores[size], strict=True):
            after, part = score + int(gain), chance * float(p)
            if -1 <= after <= 1:
                key = (n + size, count + 1, after)
                waiting[key] = waiting.get(key, 0.0) + part
                continue
            reject, accept = reject + part * (after > 1), accept + part * (after < -1)
            steps, looks = steps + part * (n + size), looks + part * (count + 1)
            by_step[n + size] = by_step.get(n + size, 0.0) + part
    assert (found.reject, found.accept) == pytest.approx((reject, accept), abs=1e-12)
    assert (found.steps, found.looks) == pytest.approx((steps, looks), abs=1e-9)
    law = law_of_steps(policy, lambda m: laws[m], lambda m: scores[m])
    assert law.tolist() == pytest.approx([by_step.get(n, 0.0) for n in range(len(law))], abs=1e-12)
    assert 1 - law.sum() <= 1e-4 < 1 - law[:-1].sum()
    assert len(law_of_steps(policy, lambda m: laws[m], lambda m: scores[m], most=10)) == 11


PUBLISHED = [
    # p0, p1, eps, error, average, no test needs fewer than (a linear program over all private tests)
    ("0.3", "0.7", "2", "0.05", 10.59, 9.36),
    ("0.3", "0.7", "1", "0.05", 15.71, 13.16),
    ("0.3", "0.7", "0.5", "0.05", 25.53, 21.62),
]
LARGER = [
    ("0.3", "0.7", "0.1", "0.05", 105, 88.86),
    ("0.45", "0.55", "2", "0.05", 142, 124),
    ("0.45", "0.55", "1", "0.05", 160, 130),
    ("0.45", "0.55", "0.5", "0.05", 197, 132),
    ("0.45", "0.55", "0.1", "0.05", 506, 132),
    ("0.3", "0.7", "2", "0.01", 16.88, 15.10),
    ("0.3", "0.7", "1", "0.01", 23.83, 20.32),
    ("0.3", "0.7", "0.5", "0.01", 37.98, 32.84),
    ("0.3", "0.7", "0.1", "0.01", 156, 32.84),
]


@pytest.mark.parametrize(
    ("p0", "p1", "eps", "error", "average", "least"),
    [*PUBLISHED, *(pytest.param(*row, marks=pytest.mark.long) for row in LARGER)],
)
def test_published_designs(
    p0: str, p1: str, eps: str, error: str, average: float, least: float, published: Tell
) -> None:
    design, _, _ = best_design(problem(p0, p1, eps, error))
    published("Adaptive blocks: average", f"{p0} against {p1}, eps {eps}, errors {error}", design.cost, average)
    assert design.cost <= average * 1.005
    assert design.cost >= least * 0.999
    assert design.mean("null", "reject") <= float(error)
    assert design.mean("alternative", "accept") <= float(error)
    assert sum(design.chances) == 1
    assert design.bound <= design.cost <= design.bound * 1.002


@pytest.mark.parametrize(("eps", "fixed"), [("2", 17), ("1", 21), ("0.5", 31), ("0.1", 122)])
def test_the_best_single_block(eps: str, fixed: int) -> None:
    """Table of fixed sample sizes at .3 against .7; smaller sizes fail by definition of the search."""
    asked = problem("0.3", "0.7", eps)
    assert fixed_size(Blocks(asked, mechanism_for(asked.privacy, 1))) == fixed


def test_without_privacy_it_is_walds_test() -> None:
    """SPRT of .3 against .7 at errors .05: 8.0808, randomised between two boundaries; a walk by whole steps has
    P(reject | null) = 1 / (1 + r^k) at the boundary k, r = 7/3, and E[N] = k (1 - 2 P) / 0.4 (gambler's ruin)."""
    design, _, _ = best_design(problem("0.3", "0.7", None))
    errors = [1 / (1 + (7 / 3) ** k) for k in (3, 4)]
    needed = [k * (1 - 2 * e) / 0.4 for k, e in zip((3, 4), errors, strict=True)]
    share = (0.05 - errors[1]) / (errors[0] - errors[1])
    assert design.cost == pytest.approx(share * needed[0] + (1 - share) * needed[1], rel=1e-6)
    assert sorted(c.policy.rows[0].high + 1 for c in design.columns) == [3, 4]


@pytest.mark.parametrize(("p", "q"), [("0.02", "0.06"), pytest.param("0.01", "0.02", marks=pytest.mark.long)])
def test_walds_test_of_rare_ones_is_found(p: str, q: str) -> None:
    """Where a single entry is seldom a 1, cheap errors lead to tests that look once; what the best test needs lies
    within one step of a walk, log(q / p) of log(19) on either side, above Wald's bound."""
    design, _, _ = best_design(problem(p, q, None))
    assert design.bound <= design.cost <= design.bound * 1.001
    assert max(design.mean("null", "reject"), design.mean("alternative", "accept")) <= 0.05
    wald = sum(0.9 * math.log(19) / binary_divergence(a, b) for a, b in permutations((float(p), float(q)))) / 2
    assert wald < design.cost < wald * (1 + math.log(float(q) / float(p)) / math.log(19))


@pytest.mark.parametrize("rounds", [1, 3, 10])
def test_values_before_the_last_round_are_a_bound(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = problem("0.1", "0.2", None)
    blocks = Blocks(asked, mechanism_for(asked.privacy, 1))
    knots = knots_for(5.0, 0.02)
    table, prices = Table(blocks, (1,), knots, knots), Prices(3000.0, 2000.0)
    settled = best_values(table, prices)
    sweep = np.minimum(stopping(prices, knots).min(axis=0), table.continued(settled)[0])
    assert settled == pytest.approx(sweep, rel=1e-9)
    monkeypatch.setattr(pricing, "ROUNDS", rounds)
    early = best_values(table, prices)
    assert (early <= settled * (1 + 1e-12)).all() and early.min() > 0
    assert (early < settled * 0.999).any()


def test_without_a_coin_it_costs_a_little_more() -> None:
    """The enclosed single schedule of .3 against .7 at eps 1 takes 15.871 entries."""
    pure, _, _ = best_design(problem("0.3", "0.7", "1", public_coin=False))
    mixed, _, _ = best_design(problem("0.3", "0.7", "1"))
    assert len(pure.columns) == 1
    assert mixed.cost < pure.cost < 15.8714 * 1.005
    assert pure.mean("null", "reject") <= 0.05


def test_no_policy_costs_less_than_the_bound() -> None:
    """Random policies with the prices at which the bound was found: by weak duality none is below it."""
    asked = problem("0.3", "0.7", "1", "0.1")
    design, blocks, _ = best_design(asked)
    random = np.random.default_rng(1)
    left, right = design.columns[0], design.columns[-1]
    price = (left.cost - right.cost) / (right.errors[0] - left.errors[0])
    assert price > 0
    for _ in range(200):
        high = int(random.integers(30, 90))
        above = np.sort(random.integers(2, 16, high + 1))[::-1]
        policy = Policy(0.02, (Row(0, -high, tuple(int(m) for m in np.r_[above[:0:-1], above])),))
        sides = [evaluate(policy, blocks.laws(i), blocks.scores(0.02)) for i in (0, 1)]
        cost = (sides[0].steps + sides[1].steps) / 2
        error = (sides[0].reject + sides[1].accept) / 2
        assert cost + price * (error - 0.1) >= design.bound * 0.999


@pytest.mark.parametrize(("p", "q", "eps"), [(0.3, 0.7, 1.0), (0.7, 0.3, 0.1), (0.45, 0.55, 5.0), (0.05, 0.4, 0.5)])
def test_the_private_divergence_is_a_minimum(p: float, q: float, eps: float) -> None:
    found = minimize_scalar(
        lambda r: binary_divergence(r, q) + eps * abs(p - r),
        bounds=(1e-9, 1 - 1e-9),
        method="bounded",
        options={"xatol": 1e-12},
    )
    entries = coin(Fraction(str(p))), coin(Fraction(str(q)))
    assert private_divergence(*entries, eps) == pytest.approx(float(found.fun), rel=1e-6)
    assert private_divergence(*entries, math.inf) == pytest.approx(binary_divergence(p, q))


@pytest.mark.parametrize(("eps", "least"), [("2", 9.36), ("1", 13.16)])
def test_the_universal_program_bounds_all_private_tests(eps: str, least: float) -> None:
    """With a longer horizon the bound rises to the published value, at 60 entries; at a short one it lies below."""
    asked = problem("0.3", "0.7", eps)
    short, longer = universal_bound(asked, 12), universal_bound(asked, 24)
    assert short is not None and longer is not None
    assert short < longer < least
    assert longer > 0.9 * least


def test_the_universal_program_of_one_flip_by_hand() -> None:
    """With a horizon of one flip, decisions after it count and all that goes on is free beyond the second. Deciding 1
    after a one with chance d, and after a nought with d / e^eps (the least that is private), and the other way round
    for 0, errs with d (0.3 + 0.7 / e^eps) = 0.05 under either hypothesis, and ends d (1 + 1 / e^eps) of the runs."""
    d = 0.05 / (0.3 + 0.7 * math.exp(-1))
    assert universal_bound(problem("0.3", "0.7", "1"), 1) == pytest.approx(2 - d * (1 + math.exp(-1)), abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize(("eps", "least"), [("2", 9.36), ("1", 13.16)])
def test_the_published_bounds_of_the_universal_program(eps: str, least: float, published: Tell) -> None:
    found = universal_bound(problem("0.3", "0.7", eps), 60)
    assert found == pytest.approx(least, rel=1e-3)
    about = "Universal program of 60 entries: no private test has a smaller average"
    published(about, f"0.3 against 0.7, eps {eps}", found, least)
