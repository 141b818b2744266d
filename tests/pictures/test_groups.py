"""Sweeps over lists of cases: what makes a series; errors that span decades; intervals that are explained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seqlang.report.pictures.groups import grouped
from seqlang.report.pictures.quantities import Quantity
from seqlang.results.sweep import SweepResult
from seqlang.results.sweep_row import SweepRow

pytest.importorskip("matplotlib", reason="needs the extra `plot`")


def _row(parameters: dict[str, float], chance: float, high: float) -> SweepRow:
    share = {"probability": chance, "ci95": [chance / 2, high]}
    return SweepRow(
        parameters, "m", {"runs": 100, "seed": 3, "steps": {"mean": 5.0, "se": 0.1}, "returns": {"up": share},
                          "statistics": {}, "reports": {}},
    )  # fmt: skip


def _result(*rows: tuple[dict[str, float], float, float]) -> SweepResult:
    return SweepResult("name", tuple(rows[0][0]), tuple(_row(*row) for row in rows))


def test_cases_that_are_no_grid_are_lines_by_the_other_parameter(tmp_path: Path) -> None:
    result = _result(*(({"a": a, "b": a % 3}, 0.1 + a / 100, 0.5) for a in range(9)))
    axis = result.plot(str(tmp_path / "p.png"), y="up")
    assert sorted(c.get_label() for c in axis.containers) == ["b = 0", "b = 1", "b = 2"]
    assert [list(c[0].get_xdata()) for c in axis.containers] == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert all(c[0].get_linestyle() == "-" for c in axis.containers)
    assert len({c[0].get_marker() for c in axis.containers}) == 3


def test_what_differs_in_every_case_makes_no_groups() -> None:
    """Twenty cases with a noise of their own each: grouped by what few cases have in common."""
    result = _result(*(({"a": a, "b": a % 3, "c": 1 / (a + 1)}, 0.1, 0.2) for a in range(20)))
    found = grouped(result, (Quantity("parameter", "a"), Quantity("return", "up")))
    assert [words for words, _ in found.groups] == ["b = 0", "b = 1", "b = 2"]
    assert (found.cloud, found.within) == (True, ("c",))
    assert sum(map(len, found.groups.values())) == 20


def test_errors_that_span_decades(tmp_path: Path) -> None:
    """An error of which none was seen has no place on a logarithmic axis: its bound has one."""
    result = _result(*(({"a": a}, chance, high) for a, chance, high in
                       ((1, 0.4, 0.45), (2, 0.04, 0.06), (3, 0.001, 0.004), (4, 0.0, 0.0019))))  # fmt: skip
    axis = result.plot(str(tmp_path / "p.png"), y="up")
    assert axis.get_yscale() == "log"
    assert list(axis.containers[0][0].get_xdata()) == [1, 2, 3]
    (bound,) = [line for line in axis.lines if line.get_marker() == "v"]
    assert (list(bound.get_xdata()), list(bound.get_ydata())) == ([4], [0.0019])
    note = _note(axis)
    assert "bars: 95 % intervals" in note and "upper end of the interval" in note


def test_exact_laws_alone_need_no_note(tmp_path: Path) -> None:
    rows = tuple(SweepRow({"a": a, "b": b}, "m", None, {"expected_steps": a + b, "returns": {}})
                 for a in (1.0, 2.0) for b in (1.0, 2.0))  # fmt: skip
    assert _note(SweepResult("name", ("a", "b"), rows).plot(str(tmp_path / "p.png"))) == ""


def _note(axis: Any) -> str:
    found = axis.figure._supxlabel
    return "" if found is None else " ".join(found.get_text().split())


def test_training_has_its_rows_on_the_axis_and_its_interval(tmp_path: Path) -> None:
    import numpy as np

    import seqlang

    text = """algorithm shares
stream x in [0, 1]
memory w = 0
statistic s = sum(x over steps)
report m = s
update w = m
attach laplace(1) to m
"""
    data = {"x": np.linspace(0, 1, 40)}
    found = seqlang.train(seqlang.load(text), data, permutations=4, track={"now": "w"}, twin=True)
    axis = found.plot(str(tmp_path / "p.png"))
    assert axis.get_xlim()[0] == 0 and axis.get_xlim()[1] >= 40
    assert axis.get_xlabel() == "rows read, of 40"
    assert [c.get_label() for c in axis.containers] == ["as written", "without noise"]
    (low, high) = axis.containers[0][2][0].get_segments()[0]
    mean, half = found[0].curve[0]["tracked"]["now"]["mean"], found[0].curve[0]["tracked"]["now"]["ci95"][1]
    assert low[1] < mean < high[1] == pytest.approx(half)
    assert "Student" in _note(axis)
