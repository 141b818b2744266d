"""The tours that design a test: what they print is what follows from the plan, and from real patients in turn."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import re
from itertools import accumulate
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

ROOT = Path(__file__).resolve().parents[2]
EASY = {
    "null": "placebo ~ bernoulli(0.2), drug ~ bernoulli(0.2)",
    "alternative": "placebo ~ bernoulli(0.6), drug ~ bernoulli(0.05)",
    "alpha": 0.1, "beta": 0.2, "privacy": "pure(2)", "looks": (10, 20), "public_coin": False,
}  # fmt: skip


def tour(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_patients_are_taken_in_turn(shared: Path) -> None:
    file = shared / "data" / "stream_indo_rct.csv.gz"
    taken = tour("stop_a_trial").in_turn(str(file))
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        lines = list(csv.reader(rows))[1:]
    for arm in (0, 1):
        own = [int(sick) for _, _, which, sick in lines if int(which) == arm]
        assert [sick for which, sick in taken if which == arm] == own[: len(taken) // 2]
    assert [arm for arm, _ in taken] == [0, 1] * (len(taken) // 2)
    assert len(taken) == 590  # 295 patients had the drug, 307 placebo: Elmunzer et al. 2012, table 1


@pytest.mark.long
def test_a_short_trial_is_planned_and_carried_out(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tour("stop_a_trial")
    monkeypatch.setattr(module, "PLAN", EASY)
    monkeypatch.setattr(module, "COMMON", (0.2,))
    module.main([str(shared / "data" / "stream_indo_rct.csv.gz")])
    said = capsys.readouterr().out
    assert "Privacy pure(2) is proved" in said
    assert "never more than 20" in said
    found = re.search(r"^  null +(\S+)", said, re.MULTILINE)
    told = re.search(r"^  (\S+) where 20% of both arms", said, re.MULTILINE)
    assert found is not None and told is not None
    assert float(told[1]) == pytest.approx(float(found[1]), abs=5e-4) and float(found[1]) <= 0.1
    assert re.search(r"The real trial, (10|20) of 590 patients in turn: (the drug helps|it does not)", said)
    assert "p-value of the null" in said


def test_progress_of_an_ab_test_is_the_law_added_up(capsys: pytest.CaptureFixture[str]) -> None:
    module = tour("plan_an_ab_test")
    law = np.zeros(module.A_DAY * 20 + 1)
    law[[module.A_DAY * day for day in (5, 10, 20)]] = 0.25, 0.5, 0.25
    late = np.eye(len(law))[-1]
    module.progress(SimpleNamespace(curves=SimpleNamespace(lengths={"null": law, "alternative": late})), 5)
    as_good, better = (line.split()[-4:] for line in capsys.readouterr().out.splitlines()[1:])
    assert as_good == ["25.0%", "75.0%", "75.0%", "100.0%"]
    assert better == ["0.0%", "0.0%", "0.0%", "100.0%"]


def noisy(size: int, p: float, eps: float, most: int = 400) -> np.ndarray:
    """The law of a count with geometric noise, clamped to 0 .. size."""
    noise = np.exp(-eps * np.abs(np.arange(-most, most + 1)))
    law = np.convolve(binom.pmf(range(size + 1), size, p), noise / noise.sum())
    inside = law[most : most + size + 1].copy()
    inside[0] += law[:most].sum()
    inside[-1] += law[most + size + 1 :].sum()
    return inside


def score_law(rates: tuple[float, float], size: int, eps: float, sides: tuple[tuple[float, float], ...]) -> np.ndarray:
    """The law of the whole score of a block, from -2000 to 2000, where the arms have these rates."""
    whole = np.zeros(4001)
    arms = []
    for arm, rate in enumerate(rates):
        ratio = np.log(noisy(size, sides[1][arm], eps) / noisy(size, sides[0][arm], eps))
        arms.append((np.floor(ratio / 0.02 + 0.5).astype(int), noisy(size, rate, eps)))
    (first, p), (second, q) = arms
    np.add.at(whole, 2000 + np.add.outer(first, second), np.multiply.outer(p, q))
    return whole


@pytest.mark.long
def test_the_printed_trial_by_convolution(capsys: pytest.CaptureFixture[str]) -> None:
    """The schedule is read off the report; the error at every common rate, by adding up the scores of its blocks."""
    module = tour("stop_a_trial")
    module.main([])
    said = capsys.readouterr().out
    accept = [int(x) for x in re.findall(r"(-?\d+) and below +accept", said)]
    reject = [int(x) for x in re.findall(r"(-?\d+) and above +reject", said)]
    told = [float(x) for x in re.findall(r"^  (\d\.\d+) where", said, re.MULTILINE)]
    assert len(accept) == len(reject) == 3 and len(told) == len(module.COMMON)
    for rate, error in zip(module.COMMON, told, strict=True):
        block = score_law((rate, rate), 100, 1.0, ((0.13, 0.13), (0.17, 0.09)))
        at, rejected = np.eye(4001)[2000], 0.0
        for low, high in zip(accept, reject, strict=True):
            at = np.convolve(at, block)[2000:6001]
            rejected += at[2000 + high :].sum()
            at[2000 + high :] = at[: 2001 + low] = 0.0
        assert error == pytest.approx(rejected, abs=6e-4)


@pytest.mark.long
def test_the_printed_calendar_by_convolution(capsys: pytest.CaptureFixture[str]) -> None:
    module = tour("plan_an_ab_test")
    module.main([])
    said = capsys.readouterr().out
    assert "No test looks every 40 visitors" in said
    accept = [int(x) for x in re.findall(r"(-?\d+) and below +accept", said)]
    reject = [int(x) for x in re.findall(r"(-?\d+) and above +reject", said)]
    sides = ((0.15, 0.15), (0.1, 0.2))
    for rates, name in zip(sides, ("as good as A", "is better"), strict=True):
        told = re.search(rf"{name} +(.*)", said)
        assert told is not None
        block, at, ended = score_law(rates, 100, 0.5, sides), np.eye(4001)[2000], []
        for low, high in zip(accept, reject, strict=True):
            at = np.convolve(at, block)[2000:6001]
            ended.append(at[2000 + high :].sum() + at[: 2001 + low].sum())
            at[2000 + high :] = at[: 2001 + low] = 0.0
        shares = [float(x.rstrip("%")) / 100 for x in told[1].split()]
        assert shares == pytest.approx(list(accumulate(ended)), abs=6e-4)
