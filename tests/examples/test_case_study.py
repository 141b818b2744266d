"""The case study of Wang et al. 2020: `examples/sequential_erm.py`, skipped where the data are not at hand."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import special

ROOT = Path(__file__).resolve().parents[2]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "examples/sequential_erm.py", *arguments],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=240,
    )


CELL = r"(\S+) \[(\S+), (\S+)\]"


def _cells(said: str, title: str) -> list[tuple[float, ...]]:
    """(printed, raw, its interval, scaled, its interval) of each line with this title."""
    found = re.findall(rf"^  {re.escape(title)} +eps \S+ +(\S+) +{CELL} +{CELL}$", said, re.M)
    return [tuple(map(float, each)) for each in found]


def test_case_study_prints_the_rows_of_the_paper(shared: Path) -> None:
    """After a few steps already: noise matters where columns are as they are, and not where they lie in [0, 1]."""
    folder = str(shared / "data")
    done = _run("--folder", folder, "--data", "wdbc", "--repetitions", "2", "--steps", "200")
    assert done.returncode == 0, done.stderr
    said = done.stdout
    private = _cells(said, "Private train. acc.")
    assert [row[0] for row in private] == [0.86, 0.93, 0.96]
    (plain, *_) = _cells(said, "Train. acc.")
    assert plain[1] > 0.8 and plain[4] > 0.8
    for row in private:
        assert row[2] <= row[1] <= row[3] and row[5] <= row[4] <= row[6]
        assert abs(row[4] - plain[4]) < 0.02
    for row, lost in zip(private, _cells(said, "Train. acc. lost"), strict=True):
        assert lost[1] == pytest.approx(plain[1] - row[1], abs=0.0011)  # of rounded figures
    assert said.count(" eps 0.1 ") == 6 and "569 rows to train on" in said
    assert "stopping step: 312," in said  # the least that the rule allows


@pytest.mark.long
def test_case_study_in_a_picture(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra `plot`")
    few = ("--data", "wdbc", "--repetitions", "2", "--steps", "50", "--plot", str(tmp_path / "tables.png"))
    assert _run("--folder", str(shared / "data"), *few).returncode == 0
    assert (tmp_path / "tables.png").read_bytes().startswith(b"\x89PNG")


def test_case_study_says_where_the_data_should_be(tmp_path: Path) -> None:
    done = _run("--folder", str(tmp_path))
    assert done.returncode == 2
    assert f"wdbc_sklearn_breast_cancer.csv.gz is not in {tmp_path}" in done.stderr


def test_the_same_noisy_network_is_scored_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tested on the rows that it was trained on, a network has one accuracy: with one draw of the noise only."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    case = importlib.import_module("sequential_erm")
    random = np.random.default_rng(3)
    rows = random.uniform(0, 400, (60, 4)).astype(np.float32)
    classes = (rows[:, 0] > rows[:, 1]).astype(int)
    data = case.Data(rows, classes, rows, classes, np.full(4, 400, np.float32))
    table = case.scores(data, np.stack([random.permutation(60), random.permutation(60)]), 60, 30, [[1], [2]])
    train, test, private_train, private_test = table
    assert np.array_equal(train, test) and np.array_equal(private_train, private_test)
    assert not np.array_equal(train, private_train)
    alone = case.scores(data, np.stack([np.arange(60)]), 60, 30, [[2]])
    again = case.scores(data, np.stack([np.arange(60)] * 2), 60, 30, [[1], [2]])
    assert np.array_equal(alone[..., 0], again[..., 1])  # a repetition is its seed's, whatever stands beside it


def test_gradients_of_the_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against differences of the mean cross entropy, for each of two networks side by side."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    case = importlib.import_module("sequential_erm")
    random = np.random.default_rng(1)
    networks = case.Networks((3, 5, 4, 2), [random])
    networks.parameters = [p.astype(float) for p in networks.parameters]
    rows, target = random.normal(size=(2, 7, 3)), np.eye(2)[random.integers(0, 2, (2, 7))]

    def losses() -> np.ndarray:
        logits = networks.layers(rows, networks.parameters)[-1]
        return np.asarray((special.logsumexp(logits, axis=-1) - (logits * target).sum(axis=-1)).mean(axis=-1))

    for parameter, found in zip(networks.parameters, networks.gradients(rows, target), strict=True):
        for where in ((0, 0), (-1, -1)):
            before = parameter[:, *where].copy()
            parameter[:, *where] = before + 1e-5
            above = losses()
            parameter[:, *where] = before - 1e-5
            assert found[:, *where] == pytest.approx((above - losses()) / 2e-5, rel=1e-5, abs=1e-9)
            parameter[:, *where] = before
