"""Numbers of very different sizes: what is nothing beside one number may be all of another."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import pytest
from scipy.stats import binom

import seqlang
from seqlang import driver
from seqlang.diagnostics import SpecError
from seqlang.source import Source

HEAD = "algorithm a\nstream x in {0, 1, 2}\nmodel m: x ~ {0: 3, 1: 5, 2: 2}\n"
CHANCES = {0: 0.3, 1: 0.5, 2: 0.2}


def returns(text: str) -> dict[str, float]:
    (law,) = driver.solve(driver.load(Source("a.seq", text)))
    return {label: float(chance) for label, chance in law.returns.items()}


WEALTH = """algorithm wealth
stream x in {0, 1}
model m: x ~ bernoulli(0.6)
statistic wealth = exp(sum(log(if x == 1 then 1.5 else 0.5) over steps))
REPORT
stop when step >= 120 and CONDITION return reject
stop when step >= 120 return accept
claim probability(accept) <= 0.01 under m
"""


@pytest.mark.parametrize(("report", "condition"), [("", "wealth >= 20"), ("report big when wealth >= 20", "big")])
def test_wealth_that_is_looked_at_in_the_end(report: str, condition: str) -> None:
    """It is between 1e-36 and 1e21: what is forgiven of the largest is no matter of 20."""
    text = WEALTH.replace("REPORT", report).replace("CONDITION", condition)
    wins = next(k for k in range(121) if k * math.log(1.5) + (120 - k) * math.log(0.5) >= math.log(20))
    truth = binom.sf(wins - 1, 120, 0.6)
    assert returns(text)["reject"] == pytest.approx(truth, abs=1e-10)
    (verdict,) = driver.check(driver.load(Source("a.seq", text))).verdicts
    assert verdict.verdict == "refuted"


def test_small_chances_as_a_statistic() -> None:
    text = """algorithm a
stream x in {0, 1}
model m: x ~ bernoulli(0.7)
statistic p = exp(-sum(x over steps))
stop when p <= 0.000000000001 return tiny
stop when step >= 40 return none
"""
    assert returns(text)["tiny"] == pytest.approx(binom.sf(27, 40, 0.7), abs=1e-12)  # 28 or more


def enumerated(terms: dict[int, float], bar: float, steps: int) -> float:
    """P(a sum reaches the bar within so many steps), by all streams; in whole numbers of tenths."""
    found = 0.0
    for stream in product(CHANCES, repeat=steps):
        total = 0
        for x in stream:
            total += round(10 * terms[x])
            if total >= round(10 * bar):
                found += math.prod(CHANCES[s] for s in stream)
                break
    return found


@pytest.mark.parametrize("large", [1e3, 1e6, 1e12, 1e15])
@pytest.mark.parametrize("small", [1.0, 0.3])
def test_rare_large_terms_beside_small_ones(large: float, small: float) -> None:
    """Whole numbers are added exactly. Of others, where they might not be, there is no law rather than a wrong one."""
    text = f"{HEAD}statistic s = sum(if x == 2 then {large:.0f} else {small} * x over steps)\n"
    text += f"stop when s >= {4 * small} return high\nstop when step >= 6 return none\n"
    truth = enumerated({0: 0.0, 1: small, 2: large}, 4 * small, 6)
    try:
        assert returns(text)["high"] == pytest.approx(truth, abs=1e-12)
    except SpecError as error:
        said = error.diagnostics[0].message
        assert any(why in said for why in ("very different sizes", "exact arithmetic has to tell them apart"))
        assert large >= 1e6
        assert small != 1.0


@pytest.mark.parametrize("longest", [3, 10])
def test_windows_with_large_numbers(longest: int) -> None:
    text = f"{HEAD}statistic l = [sum(if x == 2 then 100 ^ k else x over last k) for k in 1..{longest}]\n"
    text += "stop when max(l) >= 6 return high\nstop when step >= 5 return none\n"
    try:
        assert returns(text)["high"] == pytest.approx(1 - 0.8**5, abs=1e-12)
    except SpecError as error:
        assert longest == 10
        assert error.diagnostics[0].code == "E0623"


SPACES = {
    "mesh": "x ~ normal(0.3, 1)\nstatistic s = sum(clip(x, 0, 1) * K over steps)\nstop when s >= 2.5 * K return a",
    "noise": "x ~ normal(0.3, 1)\nstatistic s = sum(x * K over steps)\nstop when s >= 2 * K return a\n"
    "attach laplace(K) to s",
    "lattice": "x ~ bernoulli(0.6)\nstatistic s = sum((if x == 1 then 0.4 else -0.4) * K over steps)\n"
    "stop when s <= 0 and step % 2 == 0 return a\nstop when s >= 2 * K return b",
    "states": "x ~ bernoulli(0.6)\nstatistic s = sum((if x == 1 then 0.7 else -0.41) * K over steps)\n"
    "statistic w = sum((if x == 1 then 0.7 else -0.7) * K over last 4)\n"
    "stop when s >= 1.7 * K and w >= 0 return a\nattach laplace(K) to s",
    "mean": "x ~ bernoulli(0.6)\nstatistic s = mean((x - 0.4) * K over steps)\nstop when s >= 0.6 * K return a\n"
    "stop when s <= 0 and step >= 5 return b",
    "since": "x ~ bernoulli(0.6)\nreport up when sum((if x == 1 then 0.3 else -0.1) * K since up) >= 0.5 * K\n"
    "stop when count(up over steps) >= 2 return a",
}


@pytest.mark.parametrize("space", SPACES)
def test_the_unit_does_not_matter(space: str) -> None:
    domain = "real" if "normal" in SPACES[space] else "{0, 1}"
    text = f"algorithm a\nstream x in {domain}\nmodel m: {SPACES[space]}\nstop when step >= 11 return none\n"
    found = [returns(text.replace("K", unit)) for unit in ("1", "0.0000000001", "10000000000")]
    for other in found[1:]:
        assert other == pytest.approx(found[0], abs=1e-9)


def test_memories_that_add_up_come_back_to_nought() -> None:
    """0.1 + 0.1 + 0.1 - 0.3 is not 0 as a float."""
    text = f"""{HEAD}memory score = 0
report r = x
update score = score + (if r == 2 then -0.3 else if r == 1 then 0.1 else 0)
stop when step >= 4 and score <= 0 and score >= 0 return even
stop when step >= 4 return uneven
"""
    assert returns(text)["even"] == pytest.approx(0.3**4 + 4 * 0.2 * 0.5**3, abs=1e-14)


@pytest.mark.parametrize(
    ("scale", "known"), [("0.5", True), pytest.param("0.0001", False, marks=pytest.mark.long), ("0.0000000001", False)]
)
def test_noise_that_is_narrow_beside_the_data_is_refused_in_time(scale: str, known: bool) -> None:
    text = "algorithm a\nstream x in real\nmodel m: x ~ normal(0.3, 1)\nstatistic s = sum(x over steps)\n"
    text += f"stop when s >= 2 return high\nstop when step >= 6 return none\nattach laplace({scale}) to s\n"
    if known:
        assert 0 < returns(text)["high"] < 1
        return
    with pytest.raises(SpecError, match="E0623"):
        returns(text)


def test_simulation_agrees(tmp_path: Path) -> None:
    """By engines that have nothing to do with it."""
    text = WEALTH.replace("REPORT", "").replace("CONDITION", "wealth >= 20").replace("120", "60")
    (tmp_path / "w.seq").write_text(text, encoding="utf-8")
    (run,) = seqlang.run(str(tmp_path / "w.seq"), runs=40_000)
    share = run.to_dict()["returns"]["reject"]["probability"]
    assert abs(share - returns(text)["reject"]) < 5 * math.sqrt(0.25 / 40_000)
