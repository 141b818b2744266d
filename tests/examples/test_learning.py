"""The tours that train on data: small, and skipped where the data are not at hand."""

from __future__ import annotations

import gzip
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


def test_case_study_prints_the_rows_of_the_paper(shared: Path) -> None:
    folder = str(shared / "data")
    said = _run("sequential_erm.py", "--folder", folder, "--repetitions", "1", "--steps", "150")
    assert "[0.86]" in said
    assert "[2231]" in said
    stops = [line for line in said.splitlines() if "Stopping time" in line]
    assert [float(line.split()[2]) for line in stops] == [312, 1660]  # the least that the rule allows, and one more


@pytest.fixture(scope="module")
def thinned(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every 25th row of KDD Cup 99."""
    whole = shared / "data" / "kddcup.data_10_percent.gz"
    path = tmp_path_factory.mktemp("kdd") / "thinned"
    with gzip.open(whole, "rt") as file:
        path.write_text("".join(line for i, line in enumerate(file) if i % 25 == 0))
    return path


@pytest.mark.long
def test_active_learning_slab(thinned: Path) -> None:
    said = _run("active_learning.py", "slab", "--orders", "6", "--rows", "1500", KDDCUP99=str(thinned))
    fixed, shrinking = (line for line in said.splitlines() if "labels ~ rows^" in line)
    assert float(shrinking.split("rows^")[1]) < float(fixed.split("rows^")[1]) < 1
    assert float(shrinking.split("bought ")[1].split()[0]) < float(fixed.split("bought ")[1].split()[0])


def test_active_learning_privacy(thinned: Path) -> None:
    said = _run("active_learning.py", "privacy", "--orders", "6", "--rows", "300", KDDCUP99=str(thinned))
    errors = [float(line.split()[-2]) for line in said.splitlines() if line.startswith("  ")]
    assert len(errors) == 6
    assert abs(errors[4] - errors[5]) < 0.25  # at epsilon 200 as without noise


def test_active_learning_says_where_the_data_should_be(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from seqlang.backends.interpret.data import kdd_cup_99 as k; k.find = lambda _: None; "
            "import active_learning as a; a.Study(1, 10, 1)",
        ],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'examples'}", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "kddcup.data_10_percent.gz is not here" in done.stderr
