"""Noisy values that statistics keep unseen: exact chances of transcripts, against closed forms and simulations."""

from __future__ import annotations

from math import exp, factorial, inf, log
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from seqlang.analyses.witnesses.confirm import log_chance
from seqlang.analyses.witnesses.recompute import NotEnclosed, enclosure
from seqlang.analyses.witnesses.scene import Scene
from seqlang.backends.transcript.integrals import elimination
from seqlang.backends.transcript.integrals.quadrature import COARSE, FINE
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.driver import check, load
from seqlang.proof.witness import Event
from seqlang.source import Source

HEAD = """algorithm one
stream f in real
adjacent every f within 1
model flat: f ~ point(0)
"""
LOWER = """statistic g = f
statistic x = previous(kept, 1000000)
stop when g >= x
statistic kept = g
attach LAW to g
claim strong pure(1)
"""
TWO_ENDS = """memory phase = 1
statistic g = f
statistic x = if step == 1 then start else previous(kept, 0)
stop when phase == 1 and g < low return below
stop when g >= x return above
statistic kept = if phase == 2 then g else x
update phase = 3 - phase
attach laplace(2) to low, start once
attach laplace(6) to g
claim strong pure(1)
"""
REDRAWN = """memory phase = 1
statistic entry = f
statistic later = f
statistic x = if phase == 1 then entry else previous(x, 0)
stop when phase == 2 and later >= x
update phase = 3 - phase
attach laplace(4) to entry
attach laplace(4) to later
"""


def scene(text: str, law: str = "laplace(6)") -> Scene:
    return Scene(load(Source("one.seq", HEAD + text.replace("LAW", law))).program)


def chances(found: Scene, stream: list[float], event: Event) -> tuple[float, float, float]:
    """By the fine quadrature, and bounds on it."""
    answer = log_chance(found.follower, tuple(stream), event, FINE)
    try:
        low, high = enclosure(found.follower, tuple(stream), event)
    except NotEnclosed:
        low, high = -inf, 0.0
    return exp(answer.log), exp(low), exp(high)


@pytest.mark.parametrize("law", ["laplace(6)", "gaussian(3)", "logistic(2)"])
def test_equal_values_come_out_in_one_order_of_all(law: str) -> None:
    """n independent values of one law with a density fall with chance 1/n!."""
    found = scene(LOWER, law)
    for steps in (4, 6):
        answer, low, high = chances(found, [5.0] * steps, Event(not_by=steps))
        assert answer == pytest.approx(1 / factorial(steps), rel=1e-6)
        assert low <= 1 / factorial(steps) * (1 + 1e-9) <= high * (1 + 1e-6)


def test_three_laplace_values_against_an_integral_by_hand() -> None:
    """v1 > v2 > v3 with v_i = a_i + w_i: the integral of the density of v2 times a lower and an upper tail."""

    def below(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(x < 0, np.exp(-np.abs(x) / 6) / 2, 1 - np.exp(-np.abs(x) / 6) / 2)

    for places in ([0.0, 0.0, 0.0], [0.0, 9.0, 3.0], [-4.5, 12.0, 30.0]):
        x = np.linspace(-150, 180, 660_001)
        density = np.exp(-np.abs(x - places[1]) / 6) / 12
        by_hand = np.trapezoid(density * (1 - below(x - places[0])) * below(x - places[2]), x)
        answer, low, high = chances(scene(LOWER), places, Event(not_by=3))
        assert answer == pytest.approx(by_hand, rel=1e-7)
        assert low <= answer <= high and high < 1.02 * low


def simulated_two_ends(stream: list[float], runs: int, seed: int) -> float:
    """The share of runs of TWO_ENDS (low 0, start 10) that see all of the stream."""
    rng = np.random.default_rng(seed)
    low, x = rng.laplace(0, 2, runs), 10 + rng.laplace(0, 2, runs)
    alive = np.ones(runs, dtype=bool)
    for step, entry in enumerate(stream, 1):
        noisy = entry + rng.laplace(0, 6, runs)
        alive &= (noisy < x) & ((noisy >= low) | (step % 2 == 0))
        if step % 2 == 0:
            x = noisy
    return float(alive.mean())


@pytest.mark.parametrize("stream", [[5, 5, 1, 0], [8, -3, 0, -5, 4], [2, 20, 6, 9, 1, 1]])
def test_a_threshold_that_is_replaced_comes_out_as_simulated(stream: list[float]) -> None:
    runs = 400_000
    text = "param low = 0\nparam start = 10\n" + TWO_ENDS
    answer, low, high = chances(scene(text), stream, Event(not_by=len(stream)))
    share = simulated_two_ends(stream, runs, len(stream))
    assert abs(share - answer) < 5 * (answer / runs) ** 0.5
    assert low <= answer <= high


def test_bounds_hold_what_the_quadrature_finds_and_a_wrong_tie_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: values of one cell count the other way round, so that the bounds change places."""
    found = scene("param low = 0\nparam start = 10\n" + TWO_ENDS)
    stream, event = (0, -9, 1, 3, 0, 4, -2, -3), Event(not_by=8)
    log_chance(found.follower, stream, event, FINE)
    cell = elimination.cell
    monkeypatch.setattr(elimination, "cell", lambda tie: cell(1 - tie))
    with pytest.raises(Unsupported, match="bounds by cells"):
        log_chance(Scene(found.program).follower, stream, event, FINE)


def test_the_estimate_of_a_search_is_near() -> None:
    found = scene("param low = 0\nparam start = 10\n" + TWO_ENDS)
    stream, event = (0, -9, 1, 3, 0, 4), Event(not_by=6)
    rough, fine = (log_chance(found.follower, stream, event, how).log for how in (COARSE, FINE))
    assert rough == pytest.approx(fine, abs=0.1)


@pytest.mark.parametrize(
    "kept", ["g * g", "max(g, 0)", "if g >= 0 then 1 else 0", "abs(g)", "[g, g][1]", "if h >= 0 then g else 0"]
)
def test_what_is_no_sum_of_draws_is_refused(kept: str) -> None:
    text = LOWER.replace("kept = g", f"kept = {kept}").replace("statistic g", "statistic h = f\nstatistic g")
    with pytest.raises(Unsupported):
        scene(text.replace("attach", "attach laplace(1) to h\nattach", 1))


def test_sums_of_draws_are_kept() -> None:
    """x = 2 - 3 g, kept: the next g >= x with w1, w2 noises of scale 6, so that w2 + 3 w1 >= 2 - 3 a - b."""
    text = LOWER.replace("kept = g", "kept = 2 - 3 * g").replace("g >= x", "step == 2 and g >= x")
    found = scene(text)
    rng = np.random.default_rng(5)
    w1, w2 = rng.laplace(0, 6, (2, 1_000_000))
    share = float((3.0 + w2 >= 2 - 3 * (1.0 + w1)).mean())
    answer = exp(log_chance(found.follower, (1.0, 3.0), Event(stopped_at=2), FINE).log)
    assert abs(answer - share) < 5e-3 / 2


def refuted(text: str) -> tuple[Any, Any]:
    result = check(load(Source("one.seq", HEAD + text)))
    (verdict,) = result.verdicts
    return result, verdict


def test_a_value_that_is_redrawn_from_the_data_is_refuted_for_every_epsilon() -> None:
    """In each block of two steps P(w2 - w1 < gap) changes by moves of 1 in both: by hand, with equal scales b = 4 the
    tail P(w1 - w2 > t) is (2 b + t) / (4 b) e^(-t / b)."""
    result, verdict = refuted(REDRAWN + "claim strong pure(20)\n")
    assert verdict.verdict == "refuted"
    family = result.witness.family
    gap = abs(family.block[1].first["f"] - family.block[0].first["f"])
    moved = abs(family.block[1].second["f"] - family.block[0].second["f"])

    def tail(t: float) -> float:
        return (8 + t) / 16 * exp(-t / 4)

    assert family.rate <= log(tail(gap) / tail(moved)) + 1e-9
    assert family.rate == pytest.approx(log(tail(gap) / tail(moved)), rel=0.02)


@pytest.mark.parametrize("claim", [2, 4])
def test_a_threshold_that_is_lowered_in_a_loop_is_refuted(claim: int) -> None:
    text = LOWER.replace("LAW", "laplace(6)").replace("pure(1)", f"pure({claim})")
    _, verdict = refuted(text)
    assert verdict.verdict == "refuted"
    assert verdict.witness.loss > claim


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_what_few_noisy_entries_tell_is_not_refuted(steps: int) -> None:
    """So many entries with noise of scale 6 are private with steps / 6 however they are used (composition)."""
    text = LOWER.replace("LAW", "laplace(6)").replace("stop when g", f"stop when step > {steps}\nstop when g")
    result, verdict = refuted(text.replace("pure(1)", f"pure({steps}/6)"))
    assert verdict.verdict != "refuted"
    assert result.witness is None or result.witness.loss <= steps / 6 + 1e-9


# ---- what an attack found


def checked(text: str) -> Any:
    return check(load(Source("one.seq", "algorithm one\n" + text)))


CANCELS = {
    "factors of decimals": (
        "stream f in 0..1\nstatistic k = f\nstatistic a = if step % 2 == 1 then 0.1 * k + 0.2 * k else previous(a, 0)\n"
        "report r when step % 2 == 1 and 0.3 * k < a\nstop when step >= 2\n"
    ),
    "rounded sums": (
        "stream f in [0.3, 1.3]\nstatistic k = f\nstatistic a = if step % 2 == 1 then k + 0.1 else previous(a, 0)\n"
        "report r when step % 2 == 1 and k < a - 0.1\nstop when step >= 2\n"
    ),
}


@pytest.mark.parametrize("name", CANCELS)
def test_noise_that_cancels_leaves_no_comparison_of_rounded_numbers(name: str) -> None:
    """The report is never made: .1 k + .2 k is .3 k, and (k + .1) - .1 is k, whatever the noise."""
    result = checked(CANCELS[name] + "attach laplace(1) to k\nclaim strong pure(1/100)\n")
    assert result.verdicts[0].verdict != "refuted"


def test_coordinates_of_a_list_have_draws_of_their_own() -> None:
    """One list of two numbers and two single ones, with noise of scale 1, moved by 1 and 2 at most: 6 is enough."""
    result = checked(
        HEAD.split("\n", 1)[1]
        + "statistic k = f\nstatistic v = [f, -f]\nstatistic w = v\nreport m = v when step == 1\n"
        + "statistic x = if step == 1 then k else previous(x, 0)\nstop when step == 2 and k < x\n"
        + "stop when step == 2\nattach laplace(1) to k\nattach laplace(1) to v\nclaim strong pure(6)\n"
    )
    assert result.verdicts[0].verdict != "refuted"


def test_a_condition_that_others_imply_changes_nothing() -> None:
    """v1 > v2 > v3 and v1 > v3: the chance is 1/6; with the cycle the tables have bends on which quadratures err."""
    text = (
        HEAD + "statistic g = f\nstatistic x = previous(kept, 1000)\nstatistic y = previous(x, 1000)\n"
        "stop when g >= x or g >= y\nstatistic kept = g\nattach laplace(2) to g\n"
    )
    found = Scene(load(Source("one.seq", text)).program)
    for steps in (3, 5, 7):
        answer = log_chance(found.follower, (0.0,) * steps, Event(not_by=steps), FINE)
        assert answer.log == pytest.approx(-log(factorial(steps)), abs=1e-6)


def test_equal_conditions_on_fresh_noise_are_conditions_on_draws_of_their_own() -> None:
    """In each step from the fourth on fresh noise lies below the kept value: six times, not once."""
    text = (
        HEAD + "statistic h = f\nstatistic k = f\nstatistic x = if step == 1 then k else previous(x, 0)\n"
        "stop when step == 2 and k < x\nstatistic y = if step == 2 then k else previous(y, 0)\n"
        "stop when step == 3 and k < y\nreport r when step > 3 and (h < x and k >= -step)\n"
        "attach laplace(1) to h\nattach laplace(1) to k\n"
    )
    found = Scene(load(Source("one.seq", text)).program)
    rng, runs = np.random.default_rng(1), 400_000
    x, y, z = rng.laplace(0, 1, (3, runs))
    seen = (x <= y) & (y <= z)
    for step in range(4, 10):
        seen &= (rng.laplace(0, 1, runs) < x) & (rng.laplace(0, 1, runs) >= -step)
    event = Event(not_by=9, reports=tuple((step, "r", True) for step in range(4, 10)))
    answer, low, high = chances(found, [0.0] * 9, event)
    assert abs(seen.mean() - answer) < 5 * (answer / runs) ** 0.5
    assert high < 1.05 * low
    assert low <= answer * (1 + 1e-6) and answer <= high * (1 + 1e-6)


def test_noises_of_very_different_scales_are_refused_before_memory_ends() -> None:
    text = (
        HEAD + "statistic k = f\nstatistic h = f\nstatistic a = if step % 2 == 1 then k else previous(a, 0)\n"
        "statistic b = if step % 2 == 0 then h else previous(b, 0)\nreport r when h >= a\nreport s when k >= b\n"
        "attach laplace(1) to k\nattach laplace(30000) to h\n"
    )
    found = Scene(load(Source("one.seq", text)).program)
    with pytest.raises(Unsupported):
        log_chance(found.follower, (0.0,) * 8, Event(not_by=8), FINE)


@pytest.mark.long
def test_a_threshold_that_reports_replace_is_refuted() -> None:
    text = (
        "param x1 = 0\nmemory phase = 1\nstatistic g = f\n"
        "report inside when phase == 1 and g >= x1 and g < previous(x2, 10)\n"
        "report lower when phase == 2 and g < previous(x2, 10)\nstatistic x2 = if lower then g else previous(x2, 10)\n"
        "stop when phase == 1 and not inside\nstop when phase == 2 and not lower\nupdate phase = 3 - phase\n"
        "attach laplace(2) to x1 once\nattach laplace(6) to g\nclaim strong pure(1)\n"
    )
    assert refuted(text)[1].verdict == "refuted"
