"""Table 2, right, and Table 3 of Zhang, Mei & Cummings 2022: tests with Laplace noise at both ends.

The figures are those on which two solvers agree that share no code with the package, as they wrote them down; the lists
of cases in examples/ are the settings that are solved here.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import seqlang

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# E, error
TABLE_2_RIGHT = (
    (22.542, 0.2151), (12.745, 0.1936), (10.517, 0.1042), (25.566, 0.1956), (18.232, 0.1311), (13.210, 0.0714),
    (23.386, 0.2271), (15.435, 0.1766), (12.481, 0.0920), (24.315, 0.2971), (21.447, 0.1991), (15.838, 0.1283),
)  # fmt: skip
# E0, E1, type I, type II
TABLE_3 = (
    (3.718, 3.746, 0.478, 0.419), (9.531, 10.411, 0.272, 0.309), (21.814, 29.133, 0.0287, 0.0479),
    (11.116, 11.670, 0.352, 0.375), (34.819, 45.061, 0.0501, 0.0744), (54.955, 79.082, 0.000221, 0.000403),
    (53.024, 66.096, 0.0866, 0.119), (100.524, 143.410, 0.000417, 0.000681), (121.622, 179.090, 1.01e-08, 1.84e-08),
)  # fmt: skip


def _settings(name: str) -> list[dict[str, float]]:
    lines = [line for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [
        {key.strip(): float(value) for key, value in row.items()}
        for row in csv.DictReader(lines, skipinitialspace=True)
    ]


def _some(name: str, wanted: tuple[tuple[float, ...], ...], quick: int) -> list[object]:
    """Settings with what they lead to; one of them, the quickest, is solved by default."""
    pairs = zip(_settings(name), wanted, strict=True)
    return [pytest.param(s, w, marks=() if i == quick else pytest.mark.long) for i, (s, w) in enumerate(pairs)]


@pytest.mark.parametrize(("setting", "wanted"), _some("table_2_right.csv", TABLE_2_RIGHT, 2))
def test_table_2_right(setting: dict[str, float], wanted: tuple[float, float]) -> None:
    spec = seqlang.load("@zhang2022/sprt_laplace_gaussian", **setting)
    (null,) = seqlang.solve(spec, model="null", tolerance=1e-5)
    assert null.solution.outcome_error < 1e-5 and null.solution.steps_error < 1e-3
    assert null.expected_steps == pytest.approx(wanted[0], abs=1.1e-3)  # both solvers cut digits off, or rounded them
    assert null.returns["reject"] == pytest.approx(wanted[1], abs=6e-5)


@pytest.mark.parametrize(("setting", "wanted"), _some("table_3.csv", TABLE_3, 7))
def test_table_3(setting: dict[str, float], wanted: tuple[float, float, float, float]) -> None:
    spec = seqlang.load("@zhang2022/sprt_laplace", **setting)
    null, alternative = seqlang.solve(spec, model=("null", "alternative"), tolerance=1e-6)
    assert null.expected_steps == pytest.approx(wanted[0], abs=1.1e-3)
    assert alternative.expected_steps == pytest.approx(wanted[1], abs=1.1e-3)
    assert null.returns["reject"] == pytest.approx(wanted[2], rel=6e-3)  # three digits
    assert alternative.returns["accept"] == pytest.approx(wanted[3], rel=6e-3)
