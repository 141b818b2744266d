"""The tours that train on data: small, and skipped where the data are not at hand."""

from __future__ import annotations

import gzip
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run(name: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, f"examples/{name}", *arguments],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "", **environment},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_regret_of_the_approximate_leader() -> None:
    """The tree makes regret worse by about 1 / epsilon, and all three curves grow like a power of the logarithm."""
    said = _run("private_ftal.py", "--steps", "1023", "--runs", "12", "--epsilon", "10", "1")
    lines = [line for line in said.splitlines() if "rounds^" in line]
    rows = {line[:17].strip(): [float(word) for word in re.findall(r"[\d.]+", line[17:])] for line in lines}
    plain, ten, one = (rows[k][0] for k in ("without noise", "epsilon 10", "epsilon 1"))
    assert 1 < plain < 4
    assert plain < ten < one / 5
    for mean, low, high, lowest, highest, power in rows.values():
        assert low < mean < high
        assert lowest <= low < high <= highest
        assert power < 0.6


@pytest.fixture(scope="module")
def thinned(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every 25th row of KDD Cup 99."""
    whole = shared / "data" / "kddcup.data_10_percent.gz"
    path = tmp_path_factory.mktemp("kdd") / "thinned"
    with gzip.open(whole, "rt") as file:
        path.write_text("".join(line for i, line in enumerate(file) if i % 25 == 0))
    return path


def _columns(said: str, title: str) -> list[list[float]]:
    """The numbers of the lines that begin so."""
    lines = [line.strip().removeprefix(title) for line in said.splitlines() if line.strip().startswith(title)]
    return [[float(word.replace(",", "")) for word in re.findall(r"[-+]?\d[\d.,]*", line)] for line in lines]


@pytest.mark.long
def test_active_learning_slab(thinned: Path) -> None:
    """The coin alone buys 1 / (1 + exp(epsilon_s)) of the rows; a shrinking slab buys less and less of the rest."""
    said = _run("active_learning.py", "slab", "--orders", "6", "--rows", "1500", KDDCUP99=str(thinned))
    for name in ("FLMB", "FLSW"):
        fixed, shrinking = (_columns(said, f"{name}, {kind}") for kind in ("fixed", "shrinking"))
        for eps, plain, narrow in zip((1, 5), fixed, shrinking, strict=True):
            floor = 1 / (1 + math.exp(eps))
            assert narrow[1] > floor - 4.5 * math.sqrt(floor * (1 - floor) / (6 * 750))
            assert narrow[2] < plain[2] <= 1.05
        assert shrinking[1][1] < fixed[1][1]


@pytest.mark.long
def test_active_learning_buys_more_labels_with_noise(thinned: Path) -> None:
    said = _run("active_learning.py", "privacy", "--orders", "6", "--rows", "1500", KDDCUP99=str(thinned))
    private, plain = _columns(said, "private"), [[0, *row] for row in _columns(said, "without noise")]
    assert [row[0] for row in private] == [2, 6, 20, 60, 200]
    assert private[0][-1] > 1.5 * plain[0][-1]  # labels bought
    assert private[0][1] > private[-1][1]  # the error after 100 labels
    assert abs(private[-1][1] - plain[0][1]) < 0.25  # at epsilon 200 as without noise


@pytest.mark.long
def test_active_learning_takes_every_point_at_tau_2(thinned: Path) -> None:
    """No point is further from the separator than log 5; at epsilon_s = 0.1 the coin shows heads with chance .525."""
    said = _run("active_learning.py", "informativeness", "--orders", "6", "--rows", "400", KDDCUP99=str(thinned))
    rows = [line.split() for line in said.splitlines() if re.match(r" +1?[01] +\d", line)]
    assert len(rows) == 12
    for row in rows:
        eps_s, p, tau, share, bought = float(row[1]), float(row[2]), float(row[4]), float(row[5]), float(row[6])
        assert p == pytest.approx(1 / (1 + math.exp(-eps_s)), abs=1e-3)
        if tau == 0.2:
            assert share == 1
            assert abs(bought - 400 * p) < 1 + 4.5 * math.sqrt(400 * p * (1 - p) / 6)


@pytest.mark.long
def test_active_learning_errors_and_their_picture(thinned: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for picture, rows in (("errors", "800"), ("batches", "600")):
        file = tmp_path / f"{picture}.png"
        said = _run("active_learning.py", picture, "--orders", "4", "--rows", rows, "--plot", str(file),
                    KDDCUP99=str(thinned))  # fmt: skip
        assert file.stat().st_size > 10_000
    assert len([line for line in said.splitlines() if re.match(r" +1?[01] +\d", line)]) == 10


def test_active_learning_metrics(thinned: Path) -> None:
    """The histogram of the truth, counted from the file: the rows after the first 400,000 of 494,021."""
    said = _run("active_learning.py", "metrics", "--orders", "3", "--rows", "200", KDDCUP99=str(thinned))
    labels = [line.rstrip().endswith(",normal.") for line in thinned.read_text().splitlines()]
    normal = labels[round(len(labels) * 400_000 / 494_021) :]
    ((right, wrong),) = _columns(said, "truth")
    assert (right, wrong) == (sum(normal), len(normal) - sum(normal))
    for title in ("private", "without noise"):
        curve, _, counts = _columns(said, title)
        assert len(curve) == 10 and all(0 <= share <= 1 for share in curve)
        assert sum(counts) == pytest.approx(len(normal), abs=1)


def test_active_learning_says_where_the_data_should_be(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from seqlang.backends.interpret.data import kdd_cup_99 as k; k.find = lambda _: None; "
            "from seqlang.tours import shared; shared._places = lambda: []; "
            "from seqlang.tours.kdd import Study; Study(1, 10, 1)",
        ],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "kddcup.data_10_percent.gz is not" in done.stderr and "archive.ics.uci.edu" in done.stderr
