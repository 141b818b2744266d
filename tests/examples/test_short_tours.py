"""Every tour that the package lists runs to its end in its short form: `python -m seqlang.tours NAME --short`."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from seqlang.tours.shelf import tours

ROOT = Path(__file__).resolve().parents[2]
READS = {
    "active_learning": "kddcup.data_10_percent.gz", "sequential_erm": "wdbc_sklearn_breast_cancer.csv.gz",
    "release_a_trial": "stream_indo_rct.csv.gz", "stop_a_trial": "stream_indo_rct.csv.gz",
}  # fmt: skip
"""Tours that read data, and the file."""


def short(name: str, *words: str, **environment: str) -> str:
    command = [sys.executable, "-m", "seqlang.tours", name, *words, "--short"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", [name for name in tours() if name not in READS])
def test_a_tour_in_its_short_form(name: str) -> None:
    assert len(short(name).splitlines()) >= 4


@pytest.fixture(scope="module")
def thinned(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every 100th row of KDD Cup 99."""
    path = tmp_path_factory.mktemp("kdd") / "thinned"
    with gzip.open(shared / "data" / READS["active_learning"], "rt") as file:
        path.write_text("".join(line for i, line in enumerate(file) if i % 100 == 0))
    return path


def test_active_learning_in_its_short_form(thinned: Path) -> None:
    assert "2 orders of 100 rows" in short("active_learning", "metrics", KDDCUP99=str(thinned))


def test_the_case_study_in_its_short_form(shared: Path) -> None:
    assert "2 repetitions" in short("sequential_erm", SEQLANG_DATA=str(shared / "data"))


def test_a_trial_that_is_stopped_in_its_short_form(shared: Path) -> None:
    said = short("stop_a_trial", str(shared / "data" / READS["stop_a_trial"]))
    assert re.search(r"The real trial, (10|20) of 590 patients in turn: (the drug helps|it does not)", said)


def test_a_trial_that_is_released_in_its_short_form(shared: Path) -> None:
    """From the design to the second release that is refused: every command ends as the tour says."""
    said = short("release_a_trial", SEQLANG_DATA=str(shared / "data"))
    assert "account `indo`: pure(1), neighbours replace one; public arm" in said
    assert re.search(r"stopped at step (20|40): (accept|reject)", said)
    assert "every decision follows from what was released" in said
    assert "of the budget pure(1) of `indo` is left pure(0)" in said
