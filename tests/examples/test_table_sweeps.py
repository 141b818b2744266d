"""The settings of two published tables as lists of cases: all rows by one command, beside the exact values."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Mean lengths under null and alternative, and the errors of both kinds, by a prototype of the exact solver that shares
# no code with the package: row by row as in the file.
TABLE_1 = (
    (139.930, 171.938, 0.0048, 0.0030),
    (89.268, 126.623, 0.00031, 0.00055),
    (61.381, 88.368, 8.9e-06, 2.1e-05),
    (140.292, 196.418, 0.0019, 0.0031),
    (85.932, 121.611, 0.00047, 0.00081),
    (57.214, 82.116, 2.7e-05, 6.1e-05),
    (140.292, 196.418, 0.0019, 0.0031),
    (89.268, 126.623, 0.00031, 0.00055),
    (61.381, 88.368, 8.9e-06, 2.1e-05),
    (171.237, 225.200, 0.00064, 0.00049),
    (95.938, 136.637, 0.00014, 0.00024),
    (61.381, 88.368, 8.9e-06, 2.1e-05),
    (30.766, 28.486, 6.6e-08, 7.6e-08),
)
TABLE_2 = (
    (12.496, 0.0817), (6.965, 0.0793), (4.945, 0.0462), (12.647, 0.0823), (7.321, 0.0720), (4.735, 0.0519),
    (13.250, 0.0869), (7.385, 0.0822), (4.992, 0.0509), (16.839, 0.1206), (9.340, 0.1147), (6.035, 0.0831),
    (7.499, 0.0662), (10.213, 0.0965), (6.399, 0.0720),
)  # fmt: skip


def _rows(*arguments: str) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "seqlang", "run", *arguments, "--exact", "--json", "--runs", "1000"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _no_score_is_large(rows: list[dict[str, object]]) -> None:
    for row in rows:
        scores = [row["z"]["steps"], *row["z"]["returns"].values()]
        assert all(isinstance(z, float) and abs(z) < 4.5 for z in scores), row


def _table_1(cases: Path, expected: Sequence[tuple[float, ...]]) -> None:
    rows = _rows("@zhang2022/privsprt_bernoulli", "--cases", str(cases))
    assert len(rows) == 2 * len(expected)
    _no_score_is_large(rows)
    for numbers, null, alternative in zip(expected, rows[::2], rows[1::2], strict=True):
        assert (null["model"], alternative["model"]) == ("null", "alternative")
        found = [null["exact"]["expected_steps"], alternative["exact"]["expected_steps"]]
        errors = [null["exact"]["returns"]["reject"], alternative["exact"]["returns"]["accept"]]
        assert found == pytest.approx(numbers[:2], rel=1e-4)
        assert errors == pytest.approx(numbers[2:], rel=0.06)  # they were written down with two digits


def test_some_rows_of_table_1(tmp_path: Path) -> None:
    """The first, one from the middle, and the last, which is the plain test: as a list of cases of their own. The exact
    values of all rows are computed by tests/solve/test_published.py."""
    text = (ROOT / "examples" / "table_1.csv").read_text(encoding="utf-8")
    head, *lines = (line for line in text.splitlines() if not line.startswith("#"))
    assert len(lines) == len(TABLE_1)
    some = (0, 4, len(TABLE_1) - 1)
    (tmp_path / "some.csv").write_text("\n".join([head, *(lines[i] for i in some)]) + "\n", encoding="utf-8")
    _table_1(tmp_path / "some.csv", [TABLE_1[i] for i in some])


@pytest.mark.long
def test_table_1() -> None:
    _table_1(ROOT / "examples" / "table_1.csv", TABLE_1)


@pytest.mark.long
def test_the_left_half_of_table_2() -> None:
    rows = _rows("@zhang2022/privsprt_gaussian", "--model", "null", "--cases", "examples/table_2_left.csv")
    assert len(rows) == len(TABLE_2)
    _no_score_is_large(rows)
    for (length, error), row in zip(TABLE_2, rows, strict=True):
        assert row["exact"]["expected_steps"] == pytest.approx(length, rel=3e-4)
        assert row["exact"]["returns"]["reject"] == pytest.approx(error, rel=2e-3)
