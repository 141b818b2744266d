"""The guided tours run, and say what they should."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run(*command: str) -> str:
    """What Python says when it is given an example of this folder, or code that imports one."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT / "examples",
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_broken_on_purpose() -> None:
    said = _run("broken_on_purpose.py")
    assert "both noises: proved" in said
    assert said.count("refuted") == 2


def _rows_of(said: str, words: int) -> list[list[str]]:
    """The first words of the lines that begin with a number."""
    return [line.split()[:words] for line in said.splitlines() if line[:5].strip().replace(".", "").isdigit()]


@pytest.mark.long
def test_printed_tables() -> None:
    """Some rows of each table, and what is said below them; the numbers of all rows are those of
    tests/solve/test_published.py and tests/solve/test_published_laplace.py."""
    said = _run(
        "-c",
        "import printed_tables as tour\n"
        "tour.TABLE_1, tour.TABLE_2_LEFT, tour.BETTER = tour.TABLE_1[4:6], tour.TABLE_2_LEFT[1:3], tour.BETTER[:1]\n"
        "tour.TABLE_2_RIGHT, tour.TABLE_3 = tour.TABLE_2_RIGHT[2:3], tour.TABLE_3[5:6]\n"
        "for part in tour.PARTS.values(): part()",
    )
    assert "85.93 and 121.61" in said
    assert "0.0793" in said
    assert _rows_of(said, 3)[:5] == [
        ["0.2", "1", "16.8"], ["0.2", "2", "9.5"], ["0.5", "1", "4"], ["0.5", "2", "2.1"], ["0.5", "1", "4.2"],
    ]  # fmt: skip
    right, third = _rows_of(said, 12)[5:]
    assert right == ["0.5", "2", "6.5", "10.482", "10.517", "-0.2", "0.05", "0.1042"]
    assert third[2:8] == ["55.136", "54.955", "0.4", "77.450", "79.082", "-2.2"]
    assert third[8:] == ["1.03e-05", "0.00022", "3.53e-05", "0.0004"]


@pytest.mark.long
def test_all_rows_of_the_printed_tables() -> None:
    said = _run("printed_tables.py", "1", "left")
    assert "85.93 and 121.61" in said
    assert "0.1206" in said
    assert len(_rows_of(said, 1)) == 12 + 15


def test_a_threshold_for_an_error() -> None:
    """exp(-h^2 / 200) is 1/100 at h = sqrt(200 log 100) = 30.3485."""
    said = _run(
        "-c", "import math, private_sprt as tour\nprint(tour.threshold_for(lambda h: math.exp(-h * h / 200), 0.01, 8))"
    )
    assert float(said) == pytest.approx(30.3485, abs=1e-3)


@pytest.mark.long
def test_private_sprt_at_one_true_error() -> None:
    """Thresholds and steps of a solver that shares no code with the package, to the two decimals that it gave."""
    said = _run("private_sprt.py", "equal", "--eps", "0.5,1,2")
    found = [_numbers(line) for line in said.splitlines() if " 0.0500 " in line]
    wanted = [(19.94, 15.34), (117.94, 65.86), (88.92, 62.08), (8.95, 8.36), (54.44, 34.44), (38.93, 31.04),
              (4.04, 4.80), (24.83, 18.24), (16.72, 15.55)]  # fmt: skip
    assert [row[-4:-2] for row in found] == [pytest.approx(pair, abs=0.011) for pair in wanted]
    assert said.count("needs\nfewer") == 3


@pytest.mark.long
def test_private_sprt_with_growing_thresholds() -> None:
    """By Wald's identity a threshold of 10 more takes 10 / 0.3 and 10 / 0.2 more steps once it is large."""
    rows = {row[0]: row for row in map(_numbers, _run("private_sprt.py", "growth").splitlines()) if len(row) >= 5}
    assert rows[60][1] - rows[50][1] == pytest.approx(100 / 3, abs=0.02)
    assert rows[640][3] - rows[320][3] == pytest.approx(1600, abs=0.02)
    assert all(rows[h][2] < rows[2 * h][2] < 1 and rows[h][4] < rows[2 * h][4] < 1 for h in (20, 40, 80, 160, 320))


@pytest.mark.long
def test_private_sprt_in_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra `plot`")
    said = _run("private_sprt.py", "figures", str(tmp_path / "figures.png"))
    assert (tmp_path / "figures.png").read_bytes().startswith(b"\x89PNG")
    for line in (line for line in said.splitlines() if "steps at" in line):
        steps = [float(part.rpartition(": ")[2]) for part in line.partition("1 %:")[2].split(", ")]
        assert len(steps) == 4 and steps == sorted(steps, reverse=True)
    assert said.count("steps at") == 4


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        "change_points.py --runs 60", "false_discoveries.py --runs 20", "printed_tables.py left", "stop_a_trial.py",
        "private_ftal.py --steps 255 --runs 4", "reusable_holdout.py --records 2000 --attributes 200 --repetitions 2",
    ],
)  # fmt: skip
def test_pictures_of_tours(words: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra `plot`")
    _run(*words.split(), "--plot", str(tmp_path / "tour.png"))
    assert (tmp_path / "tour.png").read_bytes().startswith(b"\x89PNG")


def test_no_such_table() -> None:
    done = subprocess.run(
        [sys.executable, "printed_tables.py", "4"], cwd=ROOT / "examples", env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and "no table 4: there are 1, left, right, 3" in done.stderr


def _without_seconds(text: str) -> list[list[str]]:
    """The rows of the table; its `at least` and `s` may differ between machines."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row[:6] + row[8:] for row in rows]


@pytest.mark.long
def test_published_suite() -> None:
    said = _without_seconds(_run("published_suite.py"))
    shown = _without_seconds((ROOT / "specs" / "suite" / "README.md").read_text(encoding="utf-8"))
    assert len(said) > 35
    assert said == shown


def _numbers(line: str) -> list[float]:
    """All numbers of a line but those in brackets, which are intervals."""
    bare = re.sub(r"\[.*?\]", "", line)
    return [float(word) for word in bare.split() if word.replace(".", "", 1).isdigit()]


def test_reusable_holdout() -> None:
    said = _run("reusable_holdout.py", "--records", "4000", "--attributes", "1000", "--repetitions", "1")
    assert "epsilon is at most 2.5 = B/(n*tau)" in said
    noise, signal = said.split("20 attributes tell a little")
    plain = [_numbers(line) for line in noise.splitlines() if line.startswith("  plainly")]
    private = [_numbers(line) for line in noise.splitlines() if line.startswith("  Thresholdout")]
    assert len(plain) == len(private) == 6
    assert all(told > 0.55 and fresh < 0.52 for votes, _, told, fresh in plain if votes >= 50)
    assert all(
        training > 0.59 and told < 0.52 and fresh < 0.52 for votes, training, told, fresh in private if votes >= 50
    )
    private = [_numbers(line) for line in signal.splitlines() if line.startswith("  Thresholdout")]
    assert all(abs(told - fresh) < 0.05 and fresh > 0.54 for _, _, told, fresh in private)


@pytest.mark.long
def test_false_discoveries() -> None:
    said = _run("false_discoveries.py", "--runs", "40")
    lines = [line for line in said.splitlines() if "%" in line and "[" in line]
    rows = [re.sub(r"\[.*?\]", "", line.replace("%", "")).split()[-5:] for line in lines]
    assert len(rows) == 20
    control, lost = rows[:-4], rows[-4:]
    assert all(float(fdr) < 0.1 and float(power) > 0.05 for *_, fdr, power in control)
    assert all(float(fdr) > 0.3 for *_, fdr, _ in lost)
    assert [row[2] for row in rows] == ["inf"] * 8 + ["5"] * 4 + ["1"] * 8


@pytest.mark.long
def test_change_points() -> None:
    said = _run("change_points.py", "--runs", "60")
    late = [
        _numbers(line.replace("%", "")) for line in said.splitlines() if line.startswith("  ") and "epsilon" not in line
    ]
    assert [row[0] for row in late] == [0.1, 0.5, 1, 4] + [0.875] * 3 + [3.5] * 3
    assert late[0][1] > late[1][1] > late[3][1]  # the more privacy, the further off
    assert late[4][2] > late[5][2] > late[6][2]  # a higher bar: fewer false alarms,
    assert late[4][3] < late[6][3]  # and later ones
