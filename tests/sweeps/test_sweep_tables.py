"""The table of a sweep: on the screen, as CSV and as Parquet."""

from __future__ import annotations

import csv
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sweep_command import ROOT, environment

from seqlang.diagnostics import SpecError
from seqlang.report.numbers import shown_chance
from seqlang.report.table_file import write_table
from seqlang.report.writable import refuse_unwritable_table
from seqlang.results.sweep import SweepResult
from seqlang.results.sweep_row import SweepRow


def _run(mean: float, chance: float, **more: Any) -> dict[str, Any]:
    return {
        "runs": 100, "seed": 1, "cap": None, "unstopped": 0,
        "steps": {"mean": mean, "se": 0.1, "sd": 1.0, "min": 1, "quantiles": {"0.5": 3}, "max": 9},
        "returns": {"up": {"probability": chance, "ci95": [chance - 0.1, chance + 0.1]}},
        "reports": {"r": {"mean": 2.0, "se": 0.5, "probability": 0.9}},
        "statistics": {"s": {"mean": 0.1, "se": 0.01}, "v": {"mean": [1.0, 2.0], "se": [0.1, 0.1]}, "none": None},
        "seconds": 1.23, "steps_per_second": 7.0, **more,
    }  # fmt: skip


EXACT = {
    "expected_steps": "inf", "expected_steps_error": None, "sd_steps": None, "returns": {"up": 0.5},
    "returns_error": 0.0, "mass_unresolved": 0.0, "never_stops": 0.25,
}  # fmt: skip
ROWS = (
    SweepRow({"b": 2.0, "a": 0.1}, "m", _run(1 / 3, 0.5), EXACT),
    SweepRow({"b": 2.0, "a": 1e-7}, "n", _run(7.0, 0.6, unstopped=3), None, "it is too hard"),
)
RESULT = SweepResult("name", ("a",), ROWS)


def test_a_frame_has_one_value_a_column_and_no_times() -> None:
    first, second = RESULT.frame()
    assert list(first)[:3] == ["a", "b", "model"]
    assert first["steps.mean"] == 1 / 3
    assert first["steps.0.5"] == 3
    assert (first["returns.up"], first["returns.up.low"]) == (0.5, 0.4)
    assert (first["reports.r.mean"], first["statistics.s.se"]) == (2.0, 0.01)
    assert (first["exact.steps"], first["exact.returns.up"], first["returns.up.z"]) == (math.inf, 0.5, 0.0)
    assert first["steps.z"] is None
    assert second["exact.why_not"] == "it is too hard"
    assert not [name for row in RESULT.frame() for name in row if "second" in name or ".v" in name]


def test_csv(tmp_path: Path) -> None:
    RESULT.save(str(tmp_path / "t.csv"))
    with (tmp_path / "t.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert float(first["steps.mean"]) == 1 / 3  # every digit
    assert first["exact.steps"] == "inf"
    assert (first["cap"], first["exact.why_not"], second["exact.steps"]) == ("", "", "")
    assert float(second["a"]) == 1e-7
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra `parquet`")
    RESULT.save(str(tmp_path / "t.parquet"))
    found = parquet.read_table(tmp_path / "t.parquet").to_pylist()
    columns = list(dict.fromkeys(name for row in RESULT.frame() for name in row))
    assert found == [{name: row.get(name) for name in columns} for row in RESULT.frame()]


def test_parquet_of_mixed_columns(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra `parquet`")
    write_table([{"x": 1, "y": None, "z": "w"}, {"x": 2.5, "y": None}], str(tmp_path / "t.parquet"))
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == [
        {"x": 1.0, "y": None, "z": "w"},
        {"x": 2.5, "y": None, "z": None},
    ]


def test_parquet_without_pyarrow(tmp_path: Path) -> None:
    code = (
        "import sys\nsys.modules['pyarrow'] = None\nfrom seqlang.cli.__main__ import main\n"
        f"sys.exit(main(['run', '@wald1945/sprt', '--output', {str(tmp_path / 't.parquet')!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env=environment())
    assert done.returncode == 2
    assert "pip install 'seqlang[parquet]'" in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(("name", "said"), [("t.xlsx", "formats are"), ("t", "formats are"), ("no/t.csv", "no folder")])
def test_files_that_cannot_be_written(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as raised:
        refuse_unwritable_table(str(tmp_path / name))
    assert said in f"{raised.value} {raised.value.diagnostics[0].help}"


def test_the_document_says_what_is_missing() -> None:
    said = str(SweepResult("name", ("a",), ROWS, missing=4))
    _, head, first, second, *remarks = said.splitlines()
    assert head.split() == [
        "a",
        "model",
        "mean",
        "steps",
        "±",
        "se",
        "exact",
        "z",
        "P(up)",
        "exact",
        "z",
        "not",
        "stopped",
    ]
    assert first.split() == ["0.1", "m", "0.33333", "0.1", "∞", "-", "0.5", "0.5", "0.00", "0", "of", "100"]
    assert second.split() == ["1e-07", "n", "7", "0.1", "-", "-", "0.6", "-", "-", "3", "of", "100"]
    assert "it is too hard" in remarks[0]
    assert "2 of 6 rows" in remarks[-1]


def test_the_headline_says_what_a_row_is_made_of() -> None:
    assert (
        str(RESULT).splitlines()[0] == "name over a under 2 models   2 rows, 100 runs each, seed 1, with exact values"
    )
    other = SweepRow({"a": 0.2, "b": 2.0}, "m", _run(7.0, 0.6, runs=1, cap=50))
    assert str(SweepResult("name", ("a",), (other,))).splitlines()[0] == (
        "name over a under m   1 row, 1 run each, seed 1, at most 50 steps"
    )
    assert "100 to 1 runs" not in str(SweepResult("name", ("a",), (*ROWS, other)))


@pytest.mark.parametrize(
    ("chance", "said"),
    [(1.0, "1"), (0.99998, "0.99998"), (1 - 1e-9, "0.999999999"), (1 - 1e-14, "> 0.999999999999"), (0.00002, "2e-05"),
     (0.0, "0"), (0.25, "0.25")],
)  # fmt: skip
def test_only_one_is_shown_as_one(chance: float, said: str) -> None:
    assert shown_chance(chance, 4) == said
    row = SweepRow({"a": 0.1, "b": 2.0}, "m", _run(7.0, chance))
    assert said in str(SweepResult("name", ("a",), (row,))).splitlines()[-1]


def test_one_run_has_no_standard_error() -> None:
    row = SweepRow({"a": 0.1, "b": 2.0}, "m", _run(7.0, 1.0), EXACT | {"expected_steps": 6.0})
    row.run["steps"] |= {"se": None, "sd": None}
    assert str(SweepResult("name", ("a",), (row,))).splitlines()[-1].split()[:6] == ["0.1", "m", "7", "-", "6", "-"]


def test_json_of_rows() -> None:
    first, second = RESULT.to_dict()["rows"]
    assert first["exact"] == EXACT
    assert first["z"] == {"steps": None, "returns": {"up": 0.0}}
    assert (second["exact"], second["exact_why_not"]) == (None, "it is too hard")


def test_html() -> None:
    assert RESULT._repr_html_().startswith("<pre")
