"""`python -m seqlang.tours`: which tours there are, how they explain themselves, what is said without their data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from seqlang.tours import between, data_file, mean_of
from seqlang.tours.shelf import title, tours

ROOT = Path(__file__).resolve().parents[2]


def _tour(*words: str, here: Path = ROOT) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    env.pop("SEQLANG_DATA", None)
    command = [sys.executable, "-m", "seqlang.tours", *words]
    return subprocess.run(command, cwd=here, env=env, capture_output=True, text=True, timeout=120)


def test_the_list(tmp_path: Path) -> None:
    """All scripts of the folder, from any folder, each with the first sentence of what it says of itself."""
    done = _tour(here=tmp_path)
    assert done.returncode == 0 and set(tours()) == {path.stem for path in (ROOT / "examples").glob("*.py")}
    said = " ".join(done.stdout.split())
    assert all(f"{name} {title(script)}" in said for name, script in tours().items())
    assert title(tours()["broken_on_purpose"]) == "One forgotten noise turns a proof into a refutation."


def test_no_such_tour() -> None:
    done = _tour("brocken_on_purpose")
    assert done.returncode == 2 and "no tour `brocken_on_purpose`" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["private_ftal", pytest.param("reusable_holdout", marks=pytest.mark.long)])
def test_help_has_the_docstring_and_examples(name: str) -> None:
    done = _tour(name, "--help")
    assert done.returncode == 0 and title(tours()[name])[:50] in " ".join(done.stdout.split())
    _, _, examples = done.stdout.partition("\nexamples\n")
    assert examples.count(f"  python -m seqlang.tours {name}") >= 2


def test_who_reads_may_leave() -> None:
    """As with `| head -1`: no traceback."""
    command = [sys.executable, "-u", "-m", "seqlang.tours", "broken_on_purpose"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tour:
        assert tour.stdout is not None and tour.stderr is not None
        tour.stdout.readline()
        tour.stdout.close()
        said = tour.stderr.read().decode()
    assert tour.returncode == 0 and "Traceback" not in said


def test_without_its_data_a_tour_says_which(tmp_path: Path) -> None:
    done = _tour("stop_a_trial", "nowhere.csv.gz", here=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "nowhere.csv.gz is not there" in done.stderr and "medicaldata" in done.stderr


def test_where_data_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named, above = tmp_path / "named", tmp_path / "shared" / "data"
    here = tmp_path / "work" / "here"
    for folder in (named, above, here):
        folder.mkdir(parents=True)
    monkeypatch.chdir(here)
    monkeypatch.delenv("SEQLANG_DATA", raising=False)
    with pytest.raises(SystemExit) as end:
        data_file("rows.csv", what="rows of a table", get="Ask somebody.")
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert "rows.csv" in said and "rows of a table" in said and "Ask somebody." in said
    for folder in (above, here, named):  # each goes before those that had the file already
        (folder / "rows.csv").touch()
        monkeypatch.setenv("SEQLANG_DATA", str(named))
        assert data_file("rows.csv", what="", get="") == folder / "rows.csv"
    assert data_file("rows.csv", what="", get="", folder=above) == above / "rows.csv"
    with pytest.raises(SystemExit):
        data_file("rows.csv", what="", get="", folder=tmp_path)


def test_intervals() -> None:
    """Of 1, 2, 3, 4: the deviation is sqrt(5/3), Student's quantile for three degrees of freedom 3.18245."""
    mean, low, high = mean_of([1, 2, 3, 4])
    assert mean == 2.5 and high - mean == pytest.approx(3.182446 * (5 / 3) ** 0.5 / 2, rel=1e-6)
    assert mean - low == pytest.approx(high - mean)
    assert mean_of([0.5]) == (0.5, -float("inf"), float("inf"))
    assert between(0.4914, 0.5126) == "[0.491, 0.513]" and between(1, 2, 1) == "[1.0, 2.0]"
