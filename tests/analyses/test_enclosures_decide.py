"""Claims that an estimate decided, against the truth: a claim is proved or refuted by enclosures alone."""

from __future__ import annotations

import json

import pytest

import seqlang
from seqlang.cli.__main__ import main

KEPT = """algorithm kept
stream x in {{0, 1}}
model m: x ~ bernoulli(1/2)
draw z ~ {law} once
stop when x + z <= {cut}
{more}claim {claim}
"""


def verdict(text: str) -> str:
    (found,) = seqlang.check(seqlang.load(text)).verdicts
    return found.verdict


@pytest.mark.parametrize(
    "law, cut",
    [
        ("laplace(1)", 25), ("laplace(1)", 22), ("logistic(1)", 25), ("gaussian(1)", 7), ("exponential(1)", 26),
        ("geometric(exp(-1))", 25), ("discrete_gaussian(1)", 7), ("gumbel(1)", 30),
    ],
)  # fmt: skip
def test_a_run_whose_noise_is_large_never_stops(law: str, cut: int) -> None:
    """With a chance of about 1e-11 it goes on for ever: the expected step is infinite."""
    assert verdict(KEPT.format(law=law, cut=cut, more="", claim="expected(step) <= 2")) in ("unknown", "refuted")


def test_a_kept_noise_against_a_fresh_one() -> None:
    """E[1 / P(w >= z - 25)] is infinite for Laplace z and Gaussian w."""
    text = KEPT.format(law="laplace(1)", cut=25, more="", claim="expected(step) <= 2")
    text = text.replace("stop when", "draw w ~ gaussian(1)\nstop when").replace("x + z <= 25", "x + z + w <= 25")
    assert verdict(text) in ("unknown", "refuted")


@pytest.mark.parametrize("claim, never", [("<= 70.74", "proved"), (">= 70.74", "refuted")])
def test_a_late_public_stop(claim: str, never: str) -> None:
    """1e12 steps with a chance of 1.4e-10: the expected step is 140.47."""
    late = "stop when step >= 1000000000000\n"
    text = KEPT.format(law="laplace(1)", cut=22, more=late, claim=f"expected(step) {claim}")
    assert verdict(text) not in (never, "computed")


def test_a_stop_at_ten_to_the_fifteen() -> None:
    """P(z > 6.8) * 10^15 is 5232."""
    text = KEPT.format(law="gaussian(1)", cut=6.8, more="stop when step >= 10^15\n", claim="expected(step) <= 2")
    text = text.replace("x + z", "z")
    assert verdict(text) in ("unknown", "refuted")


def test_no_lower_end_of_a_count_of_steps_is_below_one() -> None:
    text = KEPT.format(law="gaussian(1)", cut=6.8, more="stop when step >= 10^15\n", claim="expected(step) <= 2")
    (law,) = seqlang.solve(seqlang.load(text.replace("x + z", "z")))
    interval = law.steps_interval
    assert interval is None or interval[0] >= 1
    assert law.certain is not None
    assert law.certain.steps.low >= 1


TRAP = """algorithm trap
stream x in {0, 1}
model m: x ~ bernoulli(1/2)
draw u ~ geometric(0.1)
statistic bad = max(if abs(u) >= 11 then 1 else 0 over steps)
stop when x == 1 and bad == 0
claim expected(step) <= 3
"""


def test_fresh_noise_that_sets_a_trap() -> None:
    """A run is trapped once |u| >= 11, which has a chance of 1.8e-11 a step."""
    assert verdict(TRAP) in ("unknown", "refuted")


WALK = """algorithm walk
stream x in real
model m: x ~ normal(0, 1)
stop when abs(sum(x over steps)) <= 7
claim expected(step) <= 3
"""


def test_a_walk_that_starts_outside_its_interval() -> None:
    """A symmetric walk that has left comes back after an infinite expected time."""
    assert verdict(WALK) in ("unknown", "refuted")


QUADRATURE = """algorithm far
stream x in {0, 1}
model m: x ~ bernoulli(1/2)
draw z ~ gaussian(1) once
draw u ~ gaussian(0.03)
stop when step >= 60 and 60 - step + u - z >= 0.931434027 return up
stop when step >= 60 return no
claim probability(up) >= 0.22
claim probability(up) <= 0.2
claim probability(up) <= 0.177
claim probability(up) >= 0.1748
"""


def test_two_orders_that_agree_by_chance() -> None:
    """P(u - z >= .931434027) with u - z normal of variance 1.0009 is .175923."""
    found = [v.verdict for v in seqlang.check(seqlang.load(QUADRATURE)).verdicts]
    assert found[0] == "refuted"
    assert found[1:] == ["proved"] * 3


def test_the_estimate_of_solve_holds_the_truth() -> None:
    (law,) = seqlang.solve(seqlang.load(QUADRATURE))
    low, high = law.interval("up")
    assert low - 1e-7 <= 0.1759228 <= high + 1e-7
    assert "estimate" in str(law.to_dict()["kind"])


COMPUTED = """algorithm c
stream x in real
model m: x ~ normal(0, 1)
statistic g = max(0, previous(g, 0) + x)
stop when g >= 3 return alarm
stop when step >= 20 return none
claim probability(alarm) >= 0.1
claim probability(alarm) <= 0.1
"""


def test_what_only_an_estimate_decides_is_computed(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    """A recursion of real-valued data has no enclosure here: exit 0 where it seems to hold, 1 where it seems to fail,
    and 1 with --strict."""
    from pathlib import Path

    holds = Path(str(tmp_path)) / "holds.seq"
    holds.write_text(COMPUTED.replace("claim probability(alarm) <= 0.1\n", ""))
    assert main(["check", str(holds), "--json"]) == 0
    (claim,) = json.loads(capsys.readouterr().out)["claims"]
    assert claim["verdict"] == "computed"
    assert claim["computed"]["holds"] is True
    assert 0.1 < claim["computed"]["low"] <= claim["computed"]["value"] <= claim["computed"]["high"]
    assert main(["check", str(holds), "--strict"]) == 1
    assert "≈ computed, seems to hold" in capsys.readouterr().out
    fails = Path(str(tmp_path)) / "fails.seq"
    fails.write_text(COMPUTED.replace("claim probability(alarm) >= 0.1\n", ""))
    assert main(["check", str(fails)]) == 1
    assert "≈ computed, seems to fail" in capsys.readouterr().out


HEAD = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(1/2)\n"
TRAPPED = "claim expected(step) <= 30\nclaim probability(stops) >= 1\n"


@pytest.mark.parametrize(
    "rest",
    [
        "draw u ~ geometric(0.01)\nreport r when u >= 400\n",
        "draw u ~ poisson(1)\nreport r when u >= 300\n",
        "draw u ~ conditioned(geometric(0.01), 0, 400)\nreport r when u >= 390\n",
    ],
)
def test_a_trap_too_rare_for_floats(rest: str) -> None:
    """A run is trapped with a chance below 1e-300 a step: the expected step is infinite."""
    memory, trap = "memory k = 0\n", "update k = 1 when r\nstop when x == 1 and k == 0\n"
    found = seqlang.check(seqlang.load(HEAD + memory + rest + trap + TRAPPED)).verdicts
    assert all(v.verdict in ("unknown", "refuted") for v in found)


TWO_COINS = """algorithm a
stream x in {0, 1}
stream y in {0, 1}
stream v in {0, 1}
model m: x ~ bernoulli(1/2), y ~ bernoulli(1/10^200), v ~ bernoulli(1/10^200)
"""


def test_two_rare_coins_that_set_a_trap_together() -> None:
    """With a chance of 1e-400 a step, which is no float."""
    text = TWO_COINS + "statistic bad = max(y * v over steps)\nstop when x == 1 and bad == 0\n" + TRAPPED
    assert all(v.verdict in ("unknown", "refuted") for v in seqlang.check(seqlang.load(text)).verdicts)


def test_two_rare_coins_that_stop_together() -> None:
    """Every run stops, after 1e400 steps on average."""
    text = TWO_COINS + "stop when y * v == 1\nclaim probability(stops) >= 0.5\nclaim probability(stops) <= 0.5\n"
    first, second = seqlang.check(seqlang.load(text)).verdicts
    assert first.verdict != "refuted"
    assert second.verdict != "proved"


def test_real_data_that_hardly_ever_stop() -> None:
    """P(x >= 50) is 1e-545: no float, and yet nearly every run ends there rather than below -60."""
    text = """algorithm a
stream x in real
model m: x ~ normal(0, 1)
stop when x >= 50 return reject
stop when x <= -60 return accept
claim probability(reject) >= 0.5
claim probability(reject) <= 0.5
"""
    first, second = seqlang.check(seqlang.load(text)).verdicts
    assert first.verdict not in ("refuted", "computed")
    assert second.verdict not in ("proved", "computed")


def test_a_chain_with_noise_on_whole_numbers_still_has_a_mean() -> None:
    """P(x + u >= 2) is .125, so that three reports take 24 steps on average."""
    text = HEAD + "draw u ~ geometric(0.25)\nmemory k = 0\nreport r when x + u >= 2\nupdate k = min(k + 1, 3) when r\n"
    found = seqlang.check(seqlang.load(text + "stop when k >= 3\nclaim expected(step) <= 24.001\n")).verdicts
    assert [v.verdict for v in found] == ["proved"]


LATE = "stop when step >= 2 return no\n"


@pytest.mark.parametrize(
    "rest",
    [
        "stop when x * 1000000000 >= 1000000000.001 return yes\n",
        "draw u ~ weights\nstop when x * 1000000000 + u >= 1000000003.001 return yes\n",
        "statistic s = max(1 + x / 1000000000000 over steps)\nstop when s - 1 >= 1.5 / 1000000000000 return yes\n",
    ],
)
def test_numbers_that_agree_in_eleven_digits_are_not_equal(rest: str) -> None:
    """None of them ever stops with `yes`."""
    text = HEAD + rest.replace("weights", "uniform({0, 3})") + LATE + "claim probability(yes) >= 0.01\n"
    assert verdict(text) in ("unknown", "refuted")


def test_a_threshold_near_the_end_of_a_panel_beside_large_numbers() -> None:
    """P(z >= .504) is .496, though .5 and .504 differ by less than 1e-11 of what is added."""
    text = HEAD + "draw z ~ uniform(0, 1) once\nstop when 1000000000 * (x + 1 - x) + z >= 1000000000.504 return yes\n"
    text += "stop when step >= 1 return no\nclaim probability(yes) >= 0.4965\n"
    assert verdict(text) != "proved"
