"""What Cummings' lecture notes (2022) and others state wrongly or loosely: the library's specs against laws that are
worked out here, by enumeration, by integrals, or by running the printed lines."""

from __future__ import annotations

import re
from itertools import pairwise
from math import exp, log, log2

import numpy as np
import pytest
from checked import checked
from scipy import integrate, stats

import seqlang
from seqlang.results.check import CheckResult


def chance(result: CheckResult, claim: str) -> float:
    """The probability that stands in the reason of the verdict on a claim, by the words it has."""
    (verdict,) = (v for v in result.verdicts if claim in v.claim.text)
    found = re.search(r" = (\d\S*) against|in \[(\S+), (\S+)\] against", verdict.because)
    assert found is not None, verdict.because
    return float(found[1]) if found[1] else (float(found[2]) + float(found[3])) / 2


def solved(name: str, outcome: str, truth: float, **parameters: float) -> float:
    """The chance of the outcome as `solve` estimates it; the truth lies where it certainly is."""
    (law,) = seqlang.solve(seqlang.load(f"@{name}", **parameters))
    sure = law.enclosures[outcome]
    assert sure.low <= truth <= sure.high
    return law.returns[outcome]


def verdicts(result: CheckResult) -> list[str]:
    return [v.verdict for v in result.verdicts]


def set_to(name: str, **parameters: float) -> CheckResult:
    return seqlang.check(seqlang.load(f"@{name}", **parameters))


def test_the_largest_error_of_the_laplace_mechanism_and_their_sum() -> None:
    """1 - (1 - beta / d)^d, as each |noise| is exponential, and a sum of d exponentials."""
    assert chance(checked("cummings2022/laplace_largest"), "far") == pytest.approx(1 - (1 - 0.005) ** 10, rel=1e-5)
    result = checked("cummings2022/laplace_accuracy")
    assert chance(result, "near) >=") == pytest.approx(stats.gamma.cdf(log(200), 10), abs=0.01)
    assert verdicts(result) == ["refuted", "proved"]


def test_the_exponential_mechanism_at_its_hardest_scores() -> None:
    """k - 1 candidates of weight beta / k against one of weight 1; random scores are never worse."""
    result, hard = checked("cummings2022/exponential_accuracy"), 4 * 0.01 / (1 + 4 * 0.01)
    assert chance(result, "short >= ") == pytest.approx(hard, rel=1e-5)
    draws = np.random.default_rng(1)
    for scores in draws.exponential(6, (200, 5)):
        weights = np.exp((scores - scores.max()) / 2)
        assert weights[scores <= scores.max() - 2 * log(100)].sum() / weights.sum() <= hard


def test_a_group_of_records_behind_a_gaussian_answer() -> None:
    """The exact delta (Balle & Wang 2018) of one record and of three."""

    def delta(moved: float, eps: float) -> float:
        return float(stats.norm.cdf(moved / 2 - eps / moved) - exp(eps) * stats.norm.cdf(-moved / 2 - eps / moved))

    assert delta(1 / 4, 1) < 3e-6
    assert delta(3 / 4, 3) < 3 * exp(2) * 3e-6
    assert verdicts(checked("cummings2022/group_privacy")) == ["proved"]
    less = set_to("cummings2022/group_privacy", k=1, delta=2.9e-6)  # between 2.9e-6 and 3e-6 lies the truth
    assert delta(1 / 4, 1) > 2.9e-6
    assert verdicts(less) != ["proved"]


def cdf(x: float, scale: float) -> float:
    """P(Laplace(scale) <= x)."""
    return exp(x / scale) / 2 if x < 0 else 1 - exp(-x / scale) / 2


def above(shift: float, threshold: float, query: float, k: int, last: float | None = None) -> float:
    """P(no wrong answer): k - 1 noisy queries at -shift stay below a noisy threshold at 0, and the last one, at `last`,
    does not (None: k queries at -shift stay below)."""

    def given(t: float) -> float:
        density = exp(-abs(t) / threshold) / (2 * threshold)
        end = cdf(t + shift, query) if last is None else cdf(last - t, query)
        return density * cdf(t + shift, query) ** (k - 1) * end

    ends = [-60 * threshold, -shift, 0.0, *([last] if last else []), 60 * threshold]
    return sum(integrate.quad(given, a, b, epsabs=1e-13, limit=400)[0] for a, b in pairwise(ends))


def test_the_last_of_many_queries_is_above() -> None:
    alpha = 8 * (log(100) + log(40))
    result = checked("cummings2022/sparse_vector_accuracy")
    assert verdicts(result) == ["proved", "proved"]
    right = above(alpha, 2, 4, 100, alpha)
    assert solved("cummings2022/sparse_vector_accuracy", "right", right) == pytest.approx(right, abs=1e-6)
    assert right < above(alpha, 2, 4, 100)  # all of them below: less can go wrong
    assert result.to_dict()["strong"]["pure"]["upper"] == 1 < log(100)


def test_an_answer_of_thresholdout_that_is_not_corrected() -> None:
    """4 L + 8 L' > t: the sum of two Laplace noises."""
    tail = 2 / 3 * exp(-2) - exp(-4) / 6
    found = solved("cummings2022/thresholdout_uncorrected", "training", tail)
    assert found == pytest.approx(tail, rel=1e-5)
    assert above(-16, 4, 8, 1) == pytest.approx(tail, rel=1e-6)  # the same by an integral


def test_no_private_choice_overfits_by_more_than_half_of_eps_on_average() -> None:
    """An entry and what was chosen, against a new entry and the same choice: their chances differ by factors of at most
    exp(eps), so by tanh(eps / 2) in total variation. Random private channels on a few values stay below it."""
    draws, worst = np.random.default_rng(2), 0.0
    for eps in np.tile([0.1, 1.0, 3.0], 50):
        k, m = draws.integers(2, 6, 2)
        channel = (draws.random(m) + 0.1) * np.exp(eps * draws.integers(0, 2, (k, m)))
        channel /= channel.sum(axis=1, keepdims=True)
        loss = np.log(channel[:, None] / channel[None]).max()
        law = draws.dirichlet(np.ones(k))
        joint, apart = law[:, None] * channel, law[:, None] * (law @ channel)
        gap = np.abs(joint - apart).sum() / 2  # of the best query for each choice
        assert gap <= np.tanh(loss / 2) + 1e-12
        worst = max(worst, gap / loss if loss > 1e-9 else 0)
    assert 0.15 < worst <= 0.5


def read(n: int, t: int, lowest: bool, root: bool) -> int:
    """v_t as the lecture has it, with a tree whose nodes hold the sums of the entries so far, all 1."""
    levels = int(np.ceil(log2(n)))
    bits = [int(c) for c in f"{t:0{levels + 1}b}"]
    if lowest:
        bits.reverse()
    held = {(level, block): 0 for level in range(levels + 1) for block in range(2 ** (levels - level))}
    for entry in range(t):
        for level in range(levels + 1):
            held[level, entry >> level] += 1
    total = 0
    for level, bit in enumerate(bits):
        block = (t - 1) >> level
        if bit and level == levels:
            total += held[level, block] if root else 0  # a root has no sibling
        elif bit:
            total += held[level, block] if block % 2 == 0 else held[level, block - 1]
    return total


@pytest.mark.parametrize("n", [7, 8])
@pytest.mark.parametrize("lowest", [0, 1])
@pytest.mark.parametrize("root", [0, 1])
def test_which_nodes_a_sum_is_read_from(n: int, lowest: int, root: int) -> None:
    (law,) = seqlang.solve(seqlang.load("@errata/tree_reading", n=n, lowest=lowest, root=root))
    fine = all(read(n, t, bool(lowest), bool(root)) == t for t in range(1, n + 1))
    assert law.returns["right"] == pytest.approx(float(fine), abs=1e-9)
    assert fine == (lowest == 1 and (root == 1 or n == 7))


def test_the_tree_has_more_nodes_and_replaced_entries_move_it_twice() -> None:
    assert verdicts(checked("errata/tree_nodes")) == ["refuted", "proved"]
    assert sum((t & -t).bit_length() for t in range(1, 9)) == 15 > 2**3 - 1
    result = checked("errata/tree_replaced")
    assert verdicts(result) == ["refuted", "proved"]
    # three nodes of scale 3 hold the first entry, and each moves by 2 where it goes from 1 to -1
    assert result.to_dict()["strong"]["pure"]["lower"] == pytest.approx(3 * 2 / 3, rel=1e-3)


def test_one_number_as_noise_leaves_a_difference_bare() -> None:
    (verdict,) = checked("cummings2022/one_noise").verdicts
    assert verdict.verdict == "refuted"
    assert "no finite epsilon holds" in verdict.because


@pytest.mark.parametrize("shift, k, printed", [(1, 1, 0.0895), (4, 1, 2.5e-4), (4, 800, 0.165)])
def test_the_shift_of_paprika(shift: float, k: int, printed: float) -> None:
    """Noisy p-values, all at their level: the tail of two Laplace noises, and what a shared one leaves of 800."""
    bar = shift * log(2 / (3 * 2.5e-4))
    truth = 1 - above(bar, 2, 4, k)
    if k == 1:
        assert truth == pytest.approx(2 / 3 * exp(-bar / 4) - exp(-bar / 2) / 6, rel=1e-6)
    found = solved("zhang2021/paprika_shift", "reject", truth, shift=shift, k=k)
    assert found == pytest.approx(truth, rel=1e-4)
    assert found == pytest.approx(printed, rel=5e-3)
    assert truth <= 1 - (1 - 2.5e-4) ** 800 or shift < 4


def test_paprika_as_the_lecture_prints_it() -> None:
    (verdict,) = checked("errata/paprika_printed").verdicts
    assert verdict.verdict == "refuted"
    result = checked("errata/paprika_sensitivity")
    assert verdicts(result) == ["refuted", "proved"]
    # no p-value of 1 is rejected in 39 tests, though every p-value of 1e-10 would be
    z, noise = stats.laplace(scale=4), stats.laplace(scale=2)

    def none(logp: float) -> float:
        return float(
            integrate.quad(
                lambda t: noise.pdf(t) * z.sf(log(0.05) + t - logp) ** 39, -80, 80, points=[0, logp], limit=800
            )[0]
        )

    witness = result.to_dict()["strong"]["pure"]["witness"]
    assert witness["p"] == pytest.approx(none(0.0), rel=1e-3)
    assert witness["loss"] == pytest.approx(log(none(0.0) / none(log(1e-10))), abs=0.01)


def test_noise_alone_is_private() -> None:
    for name in ("dipaut/noise_only", "errata/leaking_cycle_noise", "errata/leaking_pair_noise", "errata/weight_noise"):
        assert verdicts(checked(name)) == ["proved"]
        assert checked(name).to_dict()["strong"]["pure"]["upper"] == 0
