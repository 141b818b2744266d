"""Tests that stop to reject only, and ends for futility that need not be heeded: against this file's own recursions."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Set
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from seqlang.cli.__main__ import main
from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.mechanism import mechanism_for
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.design import Design
from seqlang.designs.find import best_design, find
from seqlang.designs.problem.criterion import Course, Criterion, Limits
from seqlang.designs.problem.problem import Problem
from seqlang.designs.problem.request import problem_of
from seqlang.designs.search import search, single
from seqlang.designs.search.master import Column
from seqlang.driver.contradicted import Contradicted
from seqlang.record import replace

TENTH, NOISE = Fraction(1, 10), 60
NULL, ALTERNATIVE = 0.25, 0.75


def asked(course: Course, privacy: str = "pure(2)", coin: bool = True, **limits: object) -> Problem:
    texts = [f"x ~ bernoulli({p})" for p in (NULL, ALTERNATIVE)]
    wanted = "alternative" if course == "one-sided" else "average"
    return problem_of(texts[0], texts[1], TENTH, TENTH, privacy, wanted, coin, Limits(**limits), course)


def block(size: int, p: float, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """Chances of the noisy count, clamped to 0 .. size, and its masses without the clamp."""
    q = math.exp(-eps)
    masses = (1 - q) / (1 + q) * q ** np.abs(np.arange(-NOISE, NOISE + 1))
    whole = np.convolve(binom.pmf(np.arange(size + 1), size, p), masses)
    clamped = whole[NOISE : NOISE + size + 1].copy()
    clamped[0], clamped[-1] = whole[: NOISE + 1].sum(), whole[NOISE + size :].sum()
    return clamped, whole[NOISE : NOISE + size + 1]


def followed(design: Design, p: float, heeded: Set[int], eps: float = 2.0) -> tuple[float, float]:
    """The chance to reject, and the expected entries, where ends for futility are heeded after so many entries only:
    by the last row's entries in any case. Sizes where none is heeded are those of the schedule next to them."""
    reject = steps = 0.0
    for chance, column in zip(design.chances, design.columns, strict=True):
        policy = column.policy
        if policy.at_once is not None:
            assert policy.at_once == "reject"
            reject, steps = reject + float(chance), steps + float(chance)
            continue
        rows = {row.used: row for row in policy.rows}
        last, floor = policy.rows[-1].used, (policy.ignoring or policy).floor
        laws = {}
        for size in policy.sizes:
            plain = [block(size, h, eps)[1] for h in (NULL, ALTERNATIVE)]
            gains = np.floor(np.log(plain[1] / plain[0]) / policy.lattice + 0.5).astype(int)
            laws[size] = list(zip(gains.tolist(), block(size, p, eps)[0].tolist(), strict=True))
        waiting = {(0, 0): float(chance)}
        while waiting:
            (used, score) = min(waiting)
            mass, row = waiting.pop((used, score)), rows[used]
            if score > row.high or (score < row.low and (used == last or used in heeded)):
                reject, steps = reject + mass * (score > row.high), steps + mass * used
                continue
            size = row.sizes[max(0, score - row.low)]
            for gain, law in laws[size]:
                after = score + gain if floor is None else max(floor, score + gain)
                key = (used + size, after)
                waiting[key] = waiting.get(key, 0.0) + mass * law
    return reject, steps


def test_it_stops_to_reject_only() -> None:
    design, _, _ = best_design(asked("one-sided", most=20))
    never: Set[int] = frozenset()
    for name, p in (("null", NULL), ("alternative", ALTERNATIVE)):
        reject, steps = followed(design, p, never)
        assert design.mean(name, "reject") == pytest.approx(reject, abs=1e-10)
        assert design.mean(name, "steps") == pytest.approx(steps, rel=1e-10)
    assert design.mean("null", "reject") <= 0.1 and design.mean("alternative", "accept") <= 0.1
    assert design.mean("null", "steps") > 17  # nearly all runs of the null last to the end
    assert design.bound is not None and design.bound <= design.cost <= design.bound * 1.02


@pytest.mark.parametrize("coin", [True, pytest.param(False, marks=pytest.mark.long)])
def test_however_ends_for_futility_are_heeded_the_null_is_rejected_rarely(coin: bool) -> None:
    """Every subset of looks at which they are heeded: the error is largest where none is, and that is what is told."""
    design, _, _ = best_design(asked("futility", coin=coin, looks=(5, 9, 13)))
    told = design.mean("null", "reject")
    errors = {heeded: followed(design, NULL, frozenset(heeded)) for heeded in itertools.product((5, 0), (9, 0))}
    assert max(reject for reject, _ in errors.values()) == pytest.approx(told, abs=1e-10)
    assert told == pytest.approx(errors[0, 0][0], abs=1e-10) and told <= 0.1
    binding, steps = errors[5, 9]
    assert binding < told - 1e-4
    assert 1 - design.mean("null", "accept") == pytest.approx(binding, abs=1e-10)
    assert design.mean("null", "steps") == pytest.approx(steps, rel=1e-10)
    reject, steps = followed(design, ALTERNATIVE, frozenset((5, 9)))
    assert design.mean("alternative", "reject") == pytest.approx(reject, abs=1e-10) and reject >= 0.9
    assert design.mean("alternative", "steps") == pytest.approx(steps, rel=1e-10)
    assert design.bound is not None and design.bound <= design.cost


def test_a_floor_holds_whether_futility_is_heeded_or_not() -> None:
    """The first row goes on down to the floor: what falls below it stands there, and does not end."""
    problem = asked("futility", looks=(5, 9))
    whole = Policy(0.25, (Row(0, -4, (5,) * 9), Row(5, -4, (4,) * 12), Row(9, 1, ())), ends=True, floor=-4)
    policy = replace(whole, rows=(whole.rows[0], Row(5, -1, (4,) * 9), whole.rows[2]), ignoring=whole)
    blocks = Blocks(problem, mechanism_for(problem.privacy, 1))
    laws, scores = blocks.laws(0), blocks.scores(0.25)
    found, ignored = evaluate(policy, laws, scores), evaluate(whole, laws, scores)
    design = Design(problem, (Column(policy, found, found, (1.0,)),), (Fraction(1),), None)
    assert (found.reject, found.steps) == pytest.approx(followed(design, NULL, frozenset((5,))), abs=1e-12)
    assert (ignored.reject, ignored.steps) == pytest.approx(followed(design, NULL, frozenset()), abs=1e-12)
    assert found.steps < ignored.steps


@pytest.mark.long
def test_futility_of_normal_entries_without_noise() -> None:
    """Scores fall far below the floor there."""
    texts = ("x ~ normal(0, 1)", "x ~ normal(1.2, 1)")
    limits = Limits(looks=(6, 16, 30))
    find(problem_of(texts[0], texts[1], TENTH, TENTH / 2, "none", "alternative", True, limits, "futility"))


def least_one_sided(errors: float, most: int) -> float:
    """The least expected flips under the alternative of any test that stops to reject only and ends at `most`: the
    largest Lagrangian over prices, by backward induction over (flips, ones)."""

    def value(first: float, second: float) -> float:
        after = np.zeros(0)
        for n in range(most, -1, -1):
            ones = np.arange(n + 1)
            null, alternative = (p**ones * (1 - p) ** (n - ones) for p in (NULL, ALTERNATIVE))
            stop = first * null
            if n == most:
                after = np.minimum(stop, second * alternative)
            else:
                on = alternative + after[:-1] + after[1:]
                after = np.minimum(stop, on) if n else on
        return float(after[0]) - errors * (first + second)

    found = minimize(lambda logs: -value(*np.exp(logs)), np.log([50, 1e-3]), method="Nelder-Mead")
    return -float(found.fun)


@pytest.mark.parametrize("most", [12, 40])
def test_without_privacy_it_is_the_best_test_that_stops_to_reject_only(most: int) -> None:
    design, _, _ = best_design(asked("one-sided", "none", most=most))
    least = least_one_sided(0.1, most)
    assert least * (1 - 1e-6) <= design.cost <= least * 1.01
    assert design.bound is not None and least * 0.97 <= design.bound <= least * (1 + 1e-3)


def test_futility_is_written_proved_solved_and_run(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--null", "y ~ bernoulli(0.1)", "--alternative", "y ~ bernoulli(0.8)", "--alpha", "0.05", "--beta", "0.1"]
    options = ["--privacy", "pure(2)", "--looks", "4,9", "--futility", "--json"]
    assert main(["design", *words, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "proved" and found["course"] == "futility"
    assert found["error_if_futility_is_heeded"] < found["errors"]["null"] <= 0.05
    assert "claim probability(reject) <= 0.05 under null_ignored" in found["spec"]
    low, high = found["certified"]["errors"]["null"]
    assert low - 1e-14 <= found["errors"]["null"] <= high + 1e-14


@pytest.mark.long
def test_one_sided_is_written_proved_solved_and_run() -> None:
    found = find(asked("one-sided", looks=(5, 9)))
    assert found.verdict == "proved" and found.course == "one-sided"
    assert {line.stage for line in found.schedule if line.decision == "accept"} == {9}
    assert found.checked[0] == "check proves all claims of the program"


def test_a_mean_over_both_hypotheses_needs_an_end_which_is_at_four_times_a_single_block() -> None:
    """Under the null a test that stops to reject only would go on for ever."""
    problem = replace(asked("one-sided", "none"), criterion=Criterion())
    design, _, fixed = best_design(problem)
    assert design.most == 4 * fixed


def test_an_error_with_futility_heeded_is_not_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: the search takes the null's error where futility is heeded, and `solve` says otherwise."""
    honest = search.evaluate
    monkeypatch.setattr(
        search, "evaluate", lambda policy, *more: honest(HEEDED[0] if policy.ignoring is None else policy, *more)
    )
    HEEDED: list = []
    column = search.Search.column
    monkeypatch.setattr(search.Search, "column", lambda self, policy: HEEDED.insert(0, policy) or column(self, policy))
    with pytest.raises(Contradicted):
        find(asked("futility", looks=(5, 9)))


def test_a_single_schedule_gives_little_of_its_error_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """All boundaries moved by one score, as they were, give more of it away than single ones that are moved back."""
    errors = Fraction("0.05")
    problem = problem_of("x ~ bernoulli(0.2)", "x ~ bernoulli(0.7)", errors, errors, "pure(3)", "alternative", False,
                         Limits(every=6, most=48), "one-sided")  # fmt: skip
    design, _, _ = best_design(problem)
    assert design.mean("null", "reject") <= 0.05 and len(design.columns) == 1
    monkeypatch.setattr(single, "PASSES", 0)
    before, _, _ = best_design(problem)
    assert design.cost < before.cost and design.mean("null", "reject") > before.mean("null", "reject")
    assert design.bound is not None and design.bound <= design.cost


def test_both_cannot_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--null", "y ~ bernoulli(0.1)", "--alternative", "y ~ bernoulli(0.8)", "--privacy", "pure(1)"]
    assert main(["design", *words, "--one-sided", "--futility"]) == 2
    assert "leave one out" in capsys.readouterr().err


def power_one(privacy: str = "pure(2)", coin: bool = True, **limits: object) -> Problem:
    return replace(asked("one-sided", privacy, coin, **limits), alpha=Fraction(1, 20))


def by_powers(policy: Policy, p: float, eps: float | None, deep: int) -> tuple[float, float, float]:
    """The chance to reject before a score of -deep, that to fall below it, and the expected entries until then, by
    following all mass block by block until next to none is left."""
    (row,) = policy.rows
    laws = {}
    for size in policy.sizes:
        plain, clamped = ([block(size, h, eps)[i] if eps else binom.pmf(np.arange(size + 1), size, h)
                           for h in (NULL, ALTERNATIVE, p)] for i in (1, 0))  # fmt: skip
        gains = np.floor(np.log(plain[1] / plain[0]) / policy.lattice + 0.5).astype(int)
        laws[size] = gains, clamped[2]
    top = row.high + 1 + deep
    sizes, mass = np.array([row.sizes[max(0, s - row.low)] for s in range(-deep, row.high + 1)]), np.zeros(top)
    mass[deep], reject, below, steps = 1.0, 0.0, 0.0, 0.0
    while mass.sum() > 1e-13:
        after = np.zeros(top)
        for size, (gains, law) in laws.items():
            part = np.where(sizes == size, mass, 0.0)
            steps += size * part.sum()
            for gain, chance in zip(gains.tolist(), law.tolist(), strict=True):
                if gain >= 0:
                    after[gain:] += chance * part[: top - gain]
                    reject += chance * part[top - gain :].sum()
                else:
                    after[:gain] += chance * part[-gain:]
                    below += chance * part[:-gain].sum()
        mass = after
    return reject, below, steps


@pytest.mark.parametrize("privacy", ["pure(2)", pytest.param("none", marks=pytest.mark.long)])
def test_without_an_end_it_is_a_test_of_power_one(privacy: str) -> None:
    """Against mass that is followed further down than the design follows it."""
    design, _, _ = best_design(power_one(privacy))
    eps = None if privacy == "none" else 2.0
    null = alternative = steps = 0.0
    for chance, column in zip(design.chances, design.columns, strict=True):
        assert column.policy.endless and column.policy.at_once is None
        deep = 100 - column.policy.rows[0].low
        reject, below, _ = by_powers(column.policy, NULL, eps, deep)
        assert reject + below == pytest.approx(1, abs=1e-9)
        null += float(chance) * reject
        reject, _, entries = by_powers(column.policy, ALTERNATIVE, eps, deep)
        assert reject == pytest.approx(1, abs=1e-9)
        alternative, steps = alternative + float(chance) * reject, steps + float(chance) * entries
    assert null == pytest.approx(design.mean("null", "reject"), abs=1e-9) and 0.0499 < null <= 0.05
    assert design.mean("alternative", "accept") == 0 and design.mean("null", "steps") == math.inf
    assert design.mean("alternative", "steps") == pytest.approx(steps, rel=1e-9)
    assert design.most is None and design.bound is not None and design.bound <= design.cost <= design.bound * 1.002


def test_a_power_one_test_is_written_and_proved(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--null", "y ~ bernoulli(0.1)", "--alternative", "y ~ bernoulli(0.8)", "--privacy", "pure(2)"]
    assert main(["design", *words, "--one-sided", "--every", "6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "proved" and found["max_steps"] is None
    assert found["checked"][0] == "check proves all claims of the program"
    assert found["errors"]["alternative"] == 0 and 0.0499 < found["errors"]["null"] <= 0.05
    assert found["expected_steps"]["null"] == "inf" and set(found["quantiles"]["null"].values()) == {None}
    assert {line["decision"] for line in found["schedule"]} <= {None, "reject"}
    assert "accept" not in found["spec"].split("stream")[1]
