"""Intervals and p-values beside the decision, at the levels that follow from alpha: by all ends of small tests, whose
chances are computed here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp

import pytest
from futile_blocks import FUTILE

from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.monitoring import stagewise, watch
from seqlang.results.monitor import MonitorResult
from seqlang.source import Source

RATIO = exp(-1)


@pytest.fixture(autouse=True)
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the chance of a 1 are looked at."""
    monkeypatch.setattr(stagewise, "EVENLY", 9)
    monkeypatch.setattr(stagewise, "NEARBY", 5)


Run = tuple[int, ...]


def seen(size: int, p: float) -> list[float]:
    """The law of a noisy count of coins, held within 0 and `size`: binomial and two-sided geometric noise."""
    ones = [1.0]
    for _ in range(size):
        ones = [(1 - p) * a + p * b for a, b in zip([*ones, 0.0], [0.0, *ones], strict=True)]
    found = [0.0] * (size + 1)
    for count, noise in product(range(size + 1), range(-60, 61)):
        chance = (1 - RATIO) / (1 + RATIO) * RATIO ** abs(noise)
        found[min(max(count + noise, 0), size)] += ones[count] * chance
    return found


def futile_runs(heeds: bool) -> dict[Run, bool]:
    """All runs of released counts, and whether each rejects. With `heeds` few ones end the first block."""
    runs: dict[Run, bool] = {(4,): True}
    for first in range(4):
        if heeds and first <= 1:
            runs[first,] = False
        else:
            runs |= {(first, second): first + second >= 5 for second in range(5)}
    return runs


def chances(runs: Mapping[Run, bool], law: list[float]) -> dict[Run, float]:
    found = {}
    for run in runs:
        found[run] = 1.0
        for value in run:
            found[run] *= law[value]
    return found


def rejects(heeds: bool) -> float:
    """Under the null."""
    runs = futile_runs(heeds)
    return sum(chance for run, chance in chances(runs, seen(4, 0.3)).items() if runs[run])


@cache
def told(alpha: str, run: Run) -> MonitorResult:
    """At the default levels of a program that claims alpha where ends for futility are ignored."""
    text = f"{FUTILE}claim probability(reject) <= {alpha} under null_ignored\n"
    return watch(load(Source("blocks", text)), [(Fraction(value),) for value in run])


@pytest.mark.parametrize("heeds", [True, False])
def test_the_interval_says_what_the_test_says_whether_ends_for_futility_are_heeded(heeds: bool) -> None:
    """The claimed alpha is a little more than the chance to reject where nothing is heeded. Every rejection excludes
    the null; the null is excluded exactly where p <= alpha; and so does an acceptance only in what the test leaves."""
    alpha = f"{rejects(False) + 5e-5:.4f}"
    runs = futile_runs(heeds)
    law = chances(runs, seen(4, 0.3))
    assert sum(law.values()) == pytest.approx(1)
    left = 0.0
    for run, rejected in runs.items():
        found = told(alpha, run)
        after = found.after_stop
        assert (found.decision == "reject") == rejected and after is not None
        assert (found.levels.alpha, found.levels.by) == (float(alpha), "alpha")
        assert found.levels.after_stop == pytest.approx(1 - 2 * float(alpha))
        assert found.level == pytest.approx(1 - float(alpha))
        assert after.p_value is not None and after.interval.ends is not None
        small = after.p_value <= float(alpha)
        assert small or not rejected
        assert after.interval.excludes_null == small == (after.interval.ends[0] > 0.3)
        left += law[run] * (small and not rejected)
    assert left <= float(alpha) - rejects(heeds) + 1e-12


def test_the_null_is_seldom_excluded_at_any_look() -> None:
    """With a chance of alpha at most under the null, by all runs of two blocks, at the default level."""
    alpha, runs = f"{rejects(False) + 5e-5:.4f}", futile_runs(False)
    law = chances(runs, seen(4, 0.3))

    def excluded(run: Run) -> bool:
        ends = told(alpha, run).interval
        assert ends is not None
        return not ends[0] <= 0.3 <= ends[1]

    ever = sum(chance for run, chance in law.items() if any(excluded(run[:k]) for k in range(1, len(run) + 1)))
    assert 0 < ever <= float(alpha)


COIN = """
algorithm stages
stream x in {0, 1}
model null: x ~ bernoulli(LOW)
model alternative: x ~ bernoulli(HIGH)
memory score = 0
memory used = 0
memory plan = 0
draw coin ~ {1: 0.7, 2: 0.2, 3: 0.1}
report chosen = coin when plan == 0
update plan = chosen when plan == 0
stop when plan == 3 return reject
let size = if plan == 2 then 3 else if abs(score) <= 1 then 4 else 2
report block when sum(1 since block) >= size
report total = sum(x since block) when block
let seen = if block then clip(total, 0, size) else 0
update score = score + SIGN * (2 * seen - size) when block
update used = used + 1 when block
stop when score >= (if used >= 2 then 1 else 3) return reject
stop when score <= (if used >= 2 then 0 else -3) return accept
attach geometric(exp(-1)) to total
claim probability(reject) <= ALPHA under null
"""
WEIGHTS = {1: 0.7, 2: 0.2, 3: 0.1}
End = tuple[bool, int, int]


def ends_of(plan: int, p: float, sign: int) -> dict[End, tuple[float, Run]]:
    """(rejected, blocks, score): the chance given the plan, and what was released on one way there."""
    if plan == 3:
        return {(True, 0, 0): (1.0, ())}
    found: dict[End, tuple[float, Run]] = {}
    going: list[tuple[int, float, Run]] = [(0, 1.0, ())]
    for block in (1, 2):
        later = []
        for score, mass, run in going:
            size = 3 if plan == 2 else 4 if abs(score) <= 1 else 2
            for value, chance in enumerate(seen(size, p)):
                to = score + sign * (2 * value - size)
                if block == 1 and -3 < to < 3:
                    later.append((to, mass * chance, (*run, value)))
                else:
                    end = (to >= (3 if block == 1 else 1), block, to)
                    found[end] = (found.get(end, (0.0, ()))[0] + mass * chance, (*run, value))
        going = later
    return found


def order(end: End) -> tuple[bool, int, int]:
    """Larger: more against the null. Rejections first, sooner ones more; later acceptances more; larger scores."""
    rejected, blocks, score = end
    return rejected, -blocks if rejected else blocks, score


def p_of(law: Mapping[End, float], end: End) -> float:
    return sum(chance for other, chance in law.items() if order(other) >= order(end))


@pytest.mark.parametrize(
    ("sign", "spare"),
    [(1, 0.0), *(pytest.param(*case, marks=pytest.mark.long) for case in ((1, 0.05), (-1, 0.0), (-1, 0.05)))],
)
def test_on_average_over_a_coin_the_interval_agrees_and_given_the_plan_both_figures_are_told(
    sign: int, spare: float
) -> None:
    """alpha is the chance to reject exactly, so that the least extreme rejection has the p-value alpha; or more."""
    low = 0.3 if sign == 1 else 0.7
    given = {plan: {end: c for end, (c, _) in ends_of(plan, low, sign).items()} for plan in WEIGHTS}
    law: dict[End, float] = {}
    for plan, weight in WEIGHTS.items():
        for end, chance in given[plan].items():
            law[end] = law.get(end, 0.0) + weight * chance
    size = sum(chance for end, chance in law.items() if end[0])
    alpha = size + spare
    text = COIN.replace("LOW", str(low)).replace("HIGH", f"{1 - low:.1f}").replace("SIGN", str(sign))
    loaded = load(Source("stages", text.replace("ALPHA", repr(alpha))))
    left, above = 0.0, 0
    for plan, weight in WEIGHTS.items():
        for end, (chance, run) in ends_of(plan, low, sign).items():
            found = watch(loaded, [(Fraction(value),) for value in run], plan=plan)
            after = found.after_stop
            assert after is not None and after.interval.ends is not None and after.given_plan is not None
            assert (found.plan, found.decision == "reject") == (plan, end[0])
            assert after.p_value == pytest.approx(p_of(law, end), abs=1e-12)
            assert after.given_plan.p_value == pytest.approx(p_of(given[plan], end), abs=1e-12)
            small = p_of(law, end) <= alpha + 1e-12
            toward = after.interval.ends[0] > low if sign == 1 else after.interval.ends[1] < low
            assert after.interval.excludes_null == toward == small
            assert small or not end[0]
            left += weight * chance * (small and not end[0])
            inner = after.given_plan.interval
            assert inner.excludes_null == (p_of(given[plan], end) <= alpha + 1e-12)
            above += end[0] and not inner.excludes_null
    assert left <= spare + 1e-12
    assert above or spare  # given the plan a rejection may leave the null in


CLAIMS = [
    ("", None),
    ("claim probability(reject) <= 0.05 under null", 0.05),
    ("claim probability(reject) < 0.3 under null\nclaim probability(reject) <= 1/4 under null", 0.25),
    ("claim 0.1 >= probability(reject) under null", 0.1),
    ("claim probability(reject) <= 0.2", 0.2),
    ("claim probability(reject) <= 0.02 under null\nclaim probability(reject) <= 0.03 under null_ignored", 0.03),
    ("claim probability(reject) <= 0.1 under null expect refuted", None),
    ("claim probability(accept) <= 0.1 under alternative", None),
    ("claim probability(reject) <= 0.1 under alternative", None),
    ("claim probability(reject) >= 0.1 under null", None),
    ("claim probability(reject) <= 0.7 under null", None),
]


@pytest.mark.parametrize(("claims", "alpha"), CLAIMS)
def test_the_levels_follow_from_the_claims(claims: str, alpha: float | None) -> None:
    loaded = load(Source("blocks", FUTILE + claims))
    levels = watch(loaded, []).levels
    assert levels.alpha == alpha
    after, looks = (0.95, 0.95) if alpha is None else (1 - 2 * alpha, 1 - alpha)
    assert [levels.after_stop, levels.at_all_looks] == pytest.approx([after, looks])
    assert levels.by == ("usual" if alpha is None else "alpha")
    asked = watch(loaded, [], level=0.8).levels
    assert (asked.after_stop, asked.at_all_looks, asked.by) == (0.8, 0.8, "asked")


def test_the_report_and_its_json_say_which_level_and_why(
    tmp_path: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("coin.seq", "w", encoding="utf-8") as file:
        file.write(COIN.replace("LOW", "0.3").replace("HIGH", "0.7").replace("SIGN", "1").replace("ALPHA", "0.4"))
    words = ["monitor", "coin.seq", "--plan", "2", "--counts", "3"]
    assert main(words) == 0
    report = " ".join(capsys.readouterr().out.split())
    assert "level is 1 - 2 alpha, with the alpha = 0.4 that the program claims" in report
    assert "each end alone holds with probability 0.6 at least" in report
    assert "on average over the public coin" in report and "given plan 2, which the coin showed" in report
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["level"], found["level_by"], found["alpha"], found["plan"]) == (0.6, "alpha", 0.4, 2)
    after = found["after_stop"]
    assert after["level"] == pytest.approx(0.2) and after["given_plan"]["given_plan"] is None
    assert after["p_value"] != after["given_plan"]["p_value"]
    assert main([*words, "--level", "0.9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["level"], found["level_by"], found["after_stop"]["level"]) == (0.9, "asked", 0.9)


def test_a_level_that_is_none_is_refused() -> None:
    import seqlang

    with pytest.raises(SpecError, match="level"):
        seqlang.monitor(FUTILE, [4], level=1)
