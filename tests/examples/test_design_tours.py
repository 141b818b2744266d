"""The tours that design a test: what they print is what follows from the plan, and from real patients in turn."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
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


def test_a_release_says_where_the_data_are(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "release_a_trial.py"), "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert "medicaldata" in done.stderr and "id,site,arm,pep" in done.stderr


def test_whole_patients_come_in(shared: Path, tmp_path: Path) -> None:
    module = tour("release_a_trial")
    taken = module.patients(shared / "data" / module.FILE)
    assert [(int(p["arm"]), int(p["pep"])) for p in taken] == tour("stop_a_trial").in_turn(
        str(shared / "data" / module.FILE)
    )
    module.write(taken[:7], tmp_path / "rows")
    lines = (tmp_path / "rows").read_text().splitlines()
    assert lines == ["id,arm,pep", *(f"{p['id']},{p['arm']},{p['pep']}" for p in taken[:7])]
    assert len({p["id"] for p in taken}) == len(taken) == module.COME_IN[-1] == 590


@pytest.mark.long
def test_a_trial_is_released_on_real_patients(shared: Path, tmp_path: Path) -> None:
    """What is told is near the true counts, the scores are those of the plan by convolution, and the ledger has the
    same."""
    out, data = tmp_path / "out", shared / "data"
    command = [sys.executable, str(ROOT / "examples" / "release_a_trial.py"), "--folder", str(data), "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    transcript = json.loads(next(line for line in said.splitlines() if line.startswith('{"schema"')))
    rows = [(int(p["arm"]), int(p["pep"])) for p in tour("release_a_trial").patients(data / "stream_indo_rct.csv.gz")]
    looks = [look for look in transcript["looks"] if "block" in look["reports"]]
    ends = [look["step"] for look in looks]
    assert ends == [120, 240, 360, 480, 590][: len(ends)] and transcript["stopped"]
    score = 0
    for start, look in zip([0, *ends], looks, strict=False):
        block = rows[start : look["step"]]
        for arm, name, p0, p1 in ((0, "placebo", 0.13, 0.17), (1, "drug", 0.13, 0.09)):
            told, size = look["reports"][name], len(block) // 2
            assert abs(told - sum(sick for which, sick in block if which == arm)) < 25  # by chance once in 10^10
            held = min(max(told, 0), size)
            # noisy counts within 0 .. size, and not what is held at its ends: the same but there
            low, high = (_noisy_chance(size, p, held) for p in (p0, p1))
            score += math.floor(math.log(high / low) / 0.02 + 0.5)
        assert re.search(rf"^ +\d +{len(block)} .* {score} +{look['step']}\b", said, re.MULTILINE)
    assert "every decision follows from what was released" in said
    assert said.count("is left pure(0)") == 1
    report = (out / "trial.html").read_text()
    assert "The private budget" in report and f"<td>{ends[-1]}</td>" in report
    assert "pure(1) is spent by all releases together, and pure(0) is left" in report


def _noisy_chance(size: int, p: float, value: int) -> float:
    """Of a count with geometric noise of epsilon 1."""
    counts = np.arange(size + 1)
    noise = (1 - math.exp(-1)) / (1 + math.exp(-1)) * np.exp(-np.abs(value - counts))
    return float(binom.pmf(counts, size, p) @ noise)


def test_progress_of_an_ab_test_is_the_law_added_up(capsys: pytest.CaptureFixture[str]) -> None:
    module = tour("plan_an_ab_test")
    law = np.zeros(module.A_DAY * 20 + 1)
    law[[module.A_DAY * day for day in (5, 10, 20)]] = 0.25, 0.5, 0.25
    late = np.eye(len(law))[-1]
    module.chances(SimpleNamespace(curves=SimpleNamespace(lengths={"null": law, "alternative": late})), 5)
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
