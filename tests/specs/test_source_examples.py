"""The small specs that hold statements of the sources: their numbers once more, by code that stands here."""

from __future__ import annotations

from itertools import product
from math import ceil, exp, log, sqrt

import numpy as np
import pytest
from checked import checked
from scipy import stats

import seqlang
from seqlang.results.check import CheckResult


def set_to(name: str, **parameters: float) -> CheckResult:
    return seqlang.check(seqlang.load(f"@{name}", **parameters))


def verdicts(result: CheckResult) -> list[str]:
    return [v.verdict for v in result.verdicts]


def gaussian_delta(moved: float, eps: float) -> float:
    """Of a Gaussian answer that moves by so many deviations (Balle & Wang 2018)."""
    return float(stats.norm.cdf(moved / 2 - eps / moved) - exp(eps) * stats.norm.cdf(-moved / 2 - eps / moved))


def test_the_classical_formula_of_the_gaussian_mechanism() -> None:
    """It keeps its delta far beyond eps = 1, but not for ever."""
    factor = sqrt(2 * log(1.25e5))
    for eps, keeps in ((1 / 2, True), (2, True), (8, True), (9, False)):
        assert (gaussian_delta(eps / factor, eps) < 1e-5) is keeps
        found = verdicts(set_to("zhang2022/gaussian_mechanism", eps=eps))
        assert found == ["proved" if keeps else "refuted", "proved", "proved"]


def test_three_gaussian_answers() -> None:
    assert gaussian_delta(1 / 4, 1) < 3e-6 and gaussian_delta(sqrt(3) / 4, 3) < 9e-6
    assert verdicts(checked("cummings2022/composition")) == ["proved"]
    assert verdicts(set_to("cummings2022/composition", delta=gaussian_delta(sqrt(3) / 4, 3) / 3 * 0.99)) != ["proved"]


def test_means_and_their_sensitivities() -> None:
    found = checked("cummings2022/averages").to_dict()["statistics"]
    assert [each["sensitivity"]["value"] for each in found] == [pytest.approx(1 / 50), "inf"]


def test_the_choice_of_a_colour() -> None:
    """All pairs of four people of which one has another colour."""
    found = checked("cummings2022/eye_colour")
    assert found.to_dict()["statistics"][0]["sensitivity"]["value"] == 1
    assert verdicts(found) == ["proved"]

    def law(colours: tuple[int, ...]) -> np.ndarray:
        weights = np.exp([colours.count(c) / 2 for c in range(3)])
        return np.asarray(weights / weights.sum())

    ratios = [law((a, *rest)) / law((b, *rest)) for a, b, *rest in product(range(3), repeat=5)]
    assert np.max(ratios) <= exp(1)


def test_one_record_of_a_few_at_random() -> None:
    """Two laws of the shown record, the others fair: they are 1 / n apart."""
    n = 3
    shown = [np.mean([np.mean((x, *rest)) for rest in product((0, 1), repeat=n - 1)]) for x in (0, 1)]
    assert abs(shown[1] - shown[0]) == pytest.approx(1 / n)
    assert verdicts(set_to("cummings2022/random_record", n=n)) == ["proved", "refuted"]


def test_twenty_p_values() -> None:
    """At level alpha each, 1 - 0.95^20 of the runs have a false discovery if all are true; Benjamini & Hochberg's rate
    is alpha times the share of true hypotheses, exactly."""
    nulls, mixed = seqlang.run("@cummings2022/p_values", runs=200_000)
    for result, name, wanted in (
        (nulls, "alone", 1), (nulls, "fdp_alone", 1 - 0.95**20), (nulls, "fdp", 0.05), (mixed, "fdp", 0.0375),
    ):  # fmt: skip
        told = result.to_dict()["statistics"][name]
        assert told["mean"] == pytest.approx(wanted, abs=4 * told["se"])


def gamblers_ruin(p: float, down: int, up: int) -> tuple[float, float]:
    """The chance to go up so far before going down so far, and the expected steps."""
    r = (1 - p) / p
    win = (1 - r**down) / (1 - r ** (down + up))
    return win, (win * up - (1 - win) * down) / (2 * p - 1)


def test_the_bound_without_its_logarithm() -> None:
    unit = log(0.7 / 0.3)
    down, up = ceil(log(19) / unit), ceil(19 / unit)
    null, alternative = seqlang.solve("@errata/sprt_printed")
    assert null.returns["reject"] == pytest.approx(gamblers_ruin(0.3, down, up)[0], rel=1e-4)
    assert alternative.expected_steps == pytest.approx(gamblers_ruin(0.7, down, up)[1], rel=1e-9)
    (plain,) = seqlang.solve("@wald1945/sprt", model="alternative")
    assert plain.expected_steps == pytest.approx(gamblers_ruin(0.7, down, down)[1], rel=1e-9)


def test_two_normal_means() -> None:
    """By linear equations at Gauss points between the thresholds."""
    points, weights = np.polynomial.legendre.leggauss(120)
    points, weights = 2 * points, 2 * weights  # thresholds -2 and 2; an entry adds Normal(-2, 2^2) under the null
    kernel = np.eye(120) - weights * stats.norm.pdf(points, points[:, None] - 2, 2)
    steps, wrong = np.linalg.solve(kernel, np.stack([np.ones(120), stats.norm.sf(2, points - 2, 2)], axis=1)).T
    first = weights * stats.norm.pdf(points, -2, 2)
    (null,) = seqlang.solve("@wald1945/sprt_normal", model="null")
    assert null.expected_steps == pytest.approx(1 + first @ steps, rel=1e-9)
    assert null.returns["reject"] == pytest.approx(stats.norm.sf(2, -2, 2) + first @ wrong, rel=1e-9)


def test_noise_on_every_entry() -> None:
    """By walks that are drawn here, 4,000 of them under the null."""
    draws, sigma, h = np.random.default_rng(5), sqrt(2 * log(1.25e5)), 120
    at, steps, rejected = np.zeros(4000), np.zeros(4000), 0
    while len(at):
        at = at + np.where(draws.random(len(at)) < 0.2, 0.5, -0.5) + draws.normal(0, sigma, len(at))
        steps[: len(at)] += 1  # who still walks comes first
        rejected += int((at >= h).sum())
        at = at[np.abs(at) < h]
    null = seqlang.run("@zhang2022/sprt_noisy_entries", model="null", runs=4000)[0].to_dict()
    apart = sqrt(2) * null["steps"]["se"]
    assert null["steps"]["mean"] == pytest.approx(steps.mean(), abs=4 * apart)
    assert null["returns"]["reject"]["probability"] == pytest.approx(rejected / 4000, abs=0.02)
    assert verdicts(checked("zhang2022/sprt_noisy_entries")) == ["proved"]


def test_noise_on_a_stopping_step() -> None:
    """exp(-|x| / d) / C between neighbours D apart, for d at D / eps and a little below."""
    for d, fine in ((5, True), (4.9, False)):
        law = np.exp(-np.abs(np.arange(-400, 401)) / d)
        assert bool(np.log(law[5:] / law[:-5]).max() <= 1 + 1e-9) is fine
    assert verdicts(checked("wang2020/noisy_stop")) == ["proved"]


def test_how_the_learner_counts() -> None:
    tau, r = 1, 0.0
    for _ in range(10):
        r, tau = (tau * r + 1) / (tau + 1), tau + 1
    told = seqlang.run("@errata/learner_counts", runs=3)[0].to_dict()["statistics"]
    assert told["radius"]["mean"] == pytest.approx(r) and told["ahead"]["mean"] == tau - 10


def test_the_radius_of_one_function() -> None:
    """A step is -1, 0 or 1 with chances 1/4, 1/2, 1/4: half the sum of two signs."""
    (even,) = seqlang.solve(seqlang.load("@wang2020/serm_limit", k=1, n=400))
    low, high = 400 - 14, 400 + 14  # of 800 fair coins; sqrt(200) = 14.14
    wanted = stats.binom.cdf(high, 800, 0.5) - stats.binom.cdf(low - 1, 800, 0.5)
    assert even.returns["within"] == pytest.approx(wanted, rel=1e-9)


def test_a_histogram_of_one_record_more() -> None:
    """One count moves, by 1: the sum of all moves is 1, and 2 where a record is replaced."""
    found = checked("cummings2022/histogram_added")
    assert found.to_dict()["statistics"][0]["sensitivity"]["value"] == 1
    assert verdicts(found) == ["proved", "refuted"] == verdicts(checked("cummings2022/histogram"))


def test_whether_a_window_bought_a_point() -> None:
    """Windows of two points of which one is replaced, by their chances to buy none: the worst ratio is one coin's."""
    for eps in (0.5, 1, 3):
        p = 1 / (1 + exp(-eps))
        none = {near: 1 - p if near else p for near in (True, False)}
        pairs = [(none[a] * none[c], none[b] * none[c]) for a, b, c in product((True, False), repeat=3)]
        losses = [abs(log(x / y)) for first, second in pairs for x, y in ((first, second), (1 - first, 1 - second))]
        assert max(losses) == pytest.approx(eps)
    found = checked("bittner2020/window_bought")
    assert verdicts(found) == ["proved"]
    assert found.to_dict()["strong"]["pure"]["symbolic"] == "eps_s"
