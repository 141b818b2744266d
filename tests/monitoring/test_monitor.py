"""Where a test stands, against laws of released counts that are computed here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import exp, floor, log
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import seqlang
from seqlang.cli.__main__ import main
from seqlang.designs.find import find
from seqlang.designs.problem.request import problem_of
from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.monitoring import watch
from seqlang.monitoring.evidence import ByChance
from seqlang.results.design import DesignResult
from seqlang.source import Source

P0, P1, EPS = 0.3, 0.7, 1.0


@pytest.fixture(scope="module")
def design() -> DesignResult:
    five = Fraction(1, 20)
    asked = problem_of("x ~ bernoulli(0.3)", "x ~ bernoulli(0.7)", five, five, "pure(1)", "average", False)
    return find(asked, verify=False)


def released(*counts: int) -> list[tuple[Fraction, ...]]:
    return [(Fraction(count),) for count in counts]


@cache
def _law(size: int, p: float) -> np.ndarray:
    """The chances of the noisy count, for -40 .. size + 40."""
    noise = stats.dlaplace.pmf(np.arange(-40, 41), EPS)
    return np.convolve(stats.binom.pmf(np.arange(size + 1), size, p), noise)


@cache
def _gain(size: int, value: int, lattice: float) -> int:
    place = min(max(value, 0), size) + 40
    return floor(log(_law(size, P1)[place] / _law(size, P0)[place]) / lattice + 0.5)


@cache
def _held(size: int, p: float) -> np.ndarray:
    """The chances of the noisy count, held within 0 .. size."""
    whole = _law(size, p)
    return np.r_[whole[:41].sum(), whole[41 : 40 + size], whole[40 + size :].sum()]


def _next(design: DesignResult, score: int) -> int | str:
    for entry in design.schedule:
        if (entry.first is None or entry.first <= score) and (entry.last is None or score <= entry.last):
            found = entry.size or entry.decision
            assert found is not None
            return found
    raise AssertionError(score)


def _rejects(design: DesignResult, start: int, p: float) -> tuple[float, float]:
    """From a score: the chance to reject, and the expected further entries. By iteration until nothing goes on."""
    mass, rejected, entries = {start: 1.0}, 0.0, 0.0
    while mass:
        later: dict[int, float] = {}
        for score, chance in mass.items():
            size = _next(design, score)
            if isinstance(size, str):
                rejected += chance * (size == "reject")
                continue
            entries += chance * size
            for value, part in enumerate(_held(size, p)):
                to = score + _gain(size, value, design.lattice)
                later[to] = later.get(to, 0.0) + chance * float(part)
        mass = {score: chance for score, chance in later.items() if chance > 1e-13}
    return rejected, entries


def test_it_follows_and_looks_ahead(design: DesignResult) -> None:
    loaded = load(Source("<text>", design.spec))
    size = _next(design, 0)
    assert isinstance(size, int)
    score = _gain(size, 7, design.lattice)
    found = watch(loaded, released(7), places=[Fraction(1, 2)])
    assert (found.score, found.next_block, found.decision) == (score, _next(design, score), None)
    for outlook, p in zip(found.outlooks, (P0, P1, 0.5), strict=True):
        reject, entries = _rejects(design, score, p)
        assert outlook.returns["reject"] == pytest.approx(reject, abs=1e-9)
        assert outlook.expected == pytest.approx(entries, rel=1e-9)
    ratio = _law(size, P1)[47] / _law(size, P0)[47]
    assert found.p_value == pytest.approx(min(1, 1 / ratio), rel=1e-9)


def test_it_begins_and_it_ends(design: DesignResult) -> None:
    loaded = load(Source("<text>", design.spec))
    before = watch(loaded, [])
    assert before.p_value == 1
    assert before.interval is None
    assert before.outlooks[0].returns["reject"] == pytest.approx(design.errors["null"], abs=1e-9)
    assert before.outlooks[1].expected == pytest.approx(design.expected_steps["alternative"], rel=1e-9)
    after = watch(loaded, released(25))
    assert (after.decision, after.next_block, after.outlooks) == ("reject", None, ())
    with pytest.raises(SpecError, match="ended after block 1"):
        watch(loaded, released(25, 1))


def test_far_out_counts_say_what_the_end_says(design: DesignResult) -> None:
    """Beyond 0 .. size the ratio of two laws with geometric noise is constant."""
    loaded = load(Source("<text>", design.spec))
    assert watch(loaded, released(-1000)).p_value == watch(loaded, released(0)).p_value
    assert watch(loaded, released(1000)).p_value == pytest.approx(watch(loaded, released(11)).p_value, rel=1e-9)


def _runs(design: DesignResult, p: float, runs: int) -> Iterator[list[tuple[int, float]]]:
    """Tests that are not stopped for ten blocks, which is allowed: (size, released) of each."""
    random = np.random.default_rng(3)
    for _ in range(runs):
        score, blocks = 0, []
        for _ in range(10):
            size = _next(design, score)
            size = size if isinstance(size, int) else 5
            value = int(random.binomial(size, p) + random.geometric(1 - exp(-EPS)) - random.geometric(1 - exp(-EPS)))
            blocks.append((size, float(value)))
            score += _gain(size, value, design.lattice)
        yield blocks


def _by_chance() -> ByChance:
    values = np.arange(-40.0, 41.0)
    return ByChance((values, stats.dlaplace.pmf(values, EPS)), True)


@pytest.mark.parametrize("p", [0.3, 0.5])
def test_the_interval_covers_at_all_looks(design: DesignResult, p: float, request: pytest.FixtureRequest) -> None:
    runs = 10_000 if request.config.getoption("--long") else 400
    known = _by_chance()
    missed = sum(
        any(not low <= p <= high for low, high in (known.interval(b[:k], 0.8) for k in range(1, 11)))
        for b in _runs(design, p, runs)
    )
    assert missed / runs <= 0.2 + 3 * (0.16 / runs) ** 0.5
    assert missed > 0  # intervals that exclude nothing would cover too


def test_the_p_value_is_rarely_small_under_the_null(design: DesignResult) -> None:
    """P(1/E falls to a at some look) <= a, and about half of it is attained."""
    runs, small = 4000, 0
    for blocks in _runs(design, P0, runs):
        ratios = np.cumsum([
            log(_law(m, P1)[int(min(max(v, 0), m)) + 40] / _law(m, P0)[int(min(max(v, 0), m)) + 40]) for m, v in blocks
        ])  # fmt: skip
        small += ratios.max() >= log(10)
    assert small / runs <= 0.1 + 3 * (0.09 / runs) ** 0.5
    assert small / runs > 0.02


def test_from_python() -> None:
    ends = "x ~ bernoulli(1/4)", "x ~ bernoulli(3/4)"
    trial = seqlang.design(*ends, privacy="pure(2)", alpha=0.1, beta=0.1, looks=(8, 16), public_coin=False)
    assert trial.verdict == "proved"
    assert trial.max_steps == 16
    assert trial.curves is not None
    after = seqlang.monitor(trial.spec, [4], at=[0.5])
    assert (after.next_block, len(after.outlooks)) == (8, 3)
    with pytest.raises(SpecError, match="level"):
        seqlang.monitor(trial.spec, [4], level=1)


def test_the_command(design: DesignResult, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec, data = tmp_path / "trial.seq", tmp_path / "released.txt"
    spec.write_text(design.spec, encoding="utf-8")
    data.write_text("7\n", encoding="utf-8")
    assert main(["monitor", str(spec), "--data", str(data), "--at", "0.5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["stage"], found["decision"]) == (1, 1, None)
    assert set(found["conditional_power"]) == {"null", "alternative", "p=0.5"}
    low, high = found["interval"]
    assert 0 < low < 7 / 11 < high
    data.write_bytes(b"\xef\xbb\xbf7\r\n\r\n")
    assert main(["monitor", str(spec), "--data", str(data), "--at", "0.5", "--json"]) == 0
    assert {**json.loads(capsys.readouterr().out), "seconds": 0} == {**found, "seconds": 0}
    data.write_text("7\n\n5\n", encoding="utf-8")  # the second block is missing: 5 is not what it released
    assert main(["monitor", str(spec), "--data", str(data)]) == 2 and "line 2" in capsys.readouterr().err
    assert main(["monitor", str(spec), "--counts", "7"]) == 0
    assert "costs no privacy" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--counts", "7.5"], "whole numbers"),
        (["--counts", "7,a"], "--counts"),
        (["--counts", "7", "--plan", "2"], "one schedule only"),
        (["--data", "nowhere.txt"], "cannot read"),
    ],
)
def test_what_cannot_be_followed_is_refused(
    design: DesignResult, options: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "trial.seq"
    spec.write_text(design.spec, encoding="utf-8")
    assert main(["monitor", str(spec), *options]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spec", "why"), [("@michel2025/dp_sprt", "in blocks"), ("@tight/one_sided", "no model `null`")]
)
def test_programs_of_other_kinds_are_refused(spec: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", spec, "--counts", "1"]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(("counts", "p"), [("0", 1), ("1", 1), ("2", "end"), ("9", "end"), ("2,0", "end"), ("0,2", 1)])
def test_values_that_only_one_hypothesis_has_without_noise(counts: str, p: float | str) -> None:
    """Of two entries that are surely 1 the count is 2: with r = 1/e a count of 0 has r^2 times the chance of 2. Under
    fair coins 0 and 2 both have (1 + r)^2 / 4 times as much."""
    text = (
        "algorithm a\nstream x in {0, 1}\nmodel null: x ~ bernoulli(0.5)\nmodel alternative: x ~ bernoulli(1)\n"
        "memory score = 0\nreport block when sum(1 since block) >= 2\nreport ones = sum(x since block) when block\n"
        "update score = score + ones when block\nstop when score >= 50 return yes\nstop when score <= -50 return no\n"
        "attach geometric(exp(-1)) to ones\nclaim strong pure(1)"
    )
    found = watch(load(Source("<text>", text)), [(Fraction(y),) for y in counts.split(",")])
    assert found.p_value == pytest.approx((1 + exp(-1)) ** 2 / 4 if p == "end" else p, rel=1e-9)
