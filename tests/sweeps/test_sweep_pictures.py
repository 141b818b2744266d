"""Pictures of sweeps: which axes there are, and what is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seqlang.diagnostics import SpecError
from seqlang.record import replace
from seqlang.report.pictures import sweep_map
from seqlang.report.pictures.quantities import Quantity, point, quantities_in, quantities_of, quantity
from seqlang.results.sweep import SweepResult
from seqlang.results.sweep_row import SweepRow

pytest.importorskip("matplotlib", reason="needs the extra `plot`")
SURE = {"returns_error": 0.0, "mass_unresolved": 0.0}


def _row(a: float, b: float, model: str, exact: bool = False) -> SweepRow:
    run = {
        "runs": 100, "unstopped": 0, "steps": {"mean": 10 * a + b, "se": 0.5},
        "returns": {"up": {"probability": a / 10, "ci95": [a / 20, a / 5]}},
        "statistics": {"s": {"mean": -a, "se": 0.1}, "up": {"mean": 0.0, "se": 0.0}},
        "reports": {"r": {"mean": b, "se": 0}},
        "return_value": {"mean": 3.0, "se": 0.1},
    }  # fmt: skip
    law = {**SURE, "expected_steps": 10 * a + b + 0.1, "returns": {"up": a / 10}} if exact else None
    return SweepRow({"a": a, "b": b, "c": 5.0}, model, run, law)


def _result(exact: bool = False, models: tuple[str, ...] = ("m", "n")) -> SweepResult:
    return SweepResult("name", ("a", "b"),
                       tuple(_row(a, b, m, exact) for a in (3, 1, 2) for b in (1, 2) for m in models))  # fmt: skip


def _drawn(result: SweepResult, file: Path, **axes: str) -> list[Any]:
    """The axes of the picture, which was written too."""
    found = result.plot(str(file), **axes)
    assert file.is_file()
    return [found] if not hasattr(found, "flat") else list(found.flat)


def _named(axis: Any) -> dict[str, tuple[list[float], list[float]]]:
    return {c.get_label(): (list(c[0].get_xdata()), list(c[0].get_ydata())) for c in axis.containers}


def test_lines_are_in_order_and_named_by_the_rest(tmp_path: Path) -> None:
    (axis,) = _drawn(_result(), tmp_path / "p.png")
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("a", "mean steps")
    lines = _named(axis)
    assert list(lines) == ["b = 1, m", "b = 1, n", "b = 2, m", "b = 2, n"]
    assert lines["b = 2, m"] == ([1, 2, 3], [12, 22, 32])
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_intervals_and_exact_values(tmp_path: Path) -> None:
    (axis,) = _drawn(_result(exact=True, models=("m",)), tmp_path / "p.svg", x="b", y="up")
    assert list(_named(axis)) == ["a = 3", "a = 1", "a = 2"]
    bars = axis.containers[0][2][0].get_segments()[0]
    assert [y for _, y in bars] == pytest.approx([0.15, 0.6])
    crosses = [line for line in axis.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert [list(line.get_ydata()) for line in crosses] == [[0.3, 0.3], [0.1, 0.1], [0.2, 0.2]]


def test_a_map(tmp_path: Path) -> None:
    first, second = _drawn(_result(), tmp_path / "p.png", x="a", y="b", colour="up")
    bar = first.figure.axes[2]
    assert (first.get_title(), second.get_title(), bar.get_ylabel()) == ("under m", "under n", "P(up)")
    assert first.images[0].get_array().tolist() == [[0.1, 0.2, 0.3]] * 2
    assert [t.get_text() for t in first.texts] == ["0.1", "0.2", "0.3"] * 2


def test_two_quantities_follow_the_last_parameter(tmp_path: Path) -> None:
    lines = _named(_drawn(_result(models=("m",)), tmp_path / "p.png", x="s", y="P(up)")[0])
    assert lines["a = 3"] == ([-3, -3], [0.3, 0.3])


def _inside(axis: Any) -> bool:
    """Whether the legend covers a part of the axes."""
    axis.figure.canvas.draw()
    return bool(axis.get_legend().get_window_extent().overlaps(axis.get_window_extent()))


def test_a_long_legend_covers_nothing_and_shows_dashes(tmp_path: Path) -> None:
    (axis,) = _drawn(_result(exact=True), tmp_path / "p.png")
    legend = axis.get_legend()
    assert [t.get_text() for t in legend.get_texts()] == ["b = 1, m", "b = 1, n", "b = 2, m", "b = 2, n", "exact"]
    assert [line.get_linestyle() for line in legend.get_lines()] == ["-", "--", "-", "--", "None"]
    assert not _inside(axis)
    assert _inside(_drawn(_result(models=("m",)), tmp_path / "q.png")[0])


def test_exact_values_alone_have_no_bars(tmp_path: Path) -> None:
    rows = tuple(SweepRow({"a": a}, "m", None, {**SURE, "expected_steps": 3.0 * a, "returns": {}}) for a in (1.0, 2.0))
    (axis,) = _drawn(SweepResult("name", ("a",), rows), tmp_path / "p.png", y="steps")
    ((line, caps, bars),) = axis.containers
    assert (list(line.get_ydata()), caps, bars) == ([3.0, 6.0], (), ())


def test_wide_maps_stand_below_one_another(tmp_path: Path) -> None:
    rows = tuple(_row(a, b, m) for a in range(1, 13) for b in (1, 2) for m in "mno")
    axes = _drawn(SweepResult("name", ("a", "b"), rows), tmp_path / "p.png", x="a", y="b")
    assert [axis.get_title() for axis in axes] == ["under m", "under n", "under o"]
    assert len({round(axis.get_position().x0, 6) for axis in axes}) == 1
    assert axes[0].figure.get_size_inches()[0] <= 15


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0.022, 0.97, [0.05, 0.1, 0.2, 0.5]),
        (1.0, 100.0, [1, 2, 5, 10, 20, 50, 100]),
        (1e-5, 1.0, [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1]),
    ],
)
def test_marks_of_a_logarithmic_scale(low: float, high: float, marks: list[float]) -> None:
    assert sweep_map._marks(low, high) == marks
    many = sweep_map._marks(1e-200, 1.0)
    assert 2 <= len(many) <= 8


def test_curves_of_an_exact_law(tmp_path: Path) -> None:
    laws = {**SURE, "expected_steps": 3.0, "returns": {"up": 0.3, "down": 0.7}}
    rows = tuple(SweepRow({"a": a}, m, None, laws) for a in (1.0, 2.0) for m in "mno")
    left, right = _drawn(SweepResult("name", ("a",), rows), tmp_path / "p.png")
    assert len(left.get_legend().get_texts()) == 6
    assert not _inside(left)
    assert [t.get_text() for t in right.get_legend().get_texts()] == ["m", "n", "o"]


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    file = str(tmp_path / "p.png")
    for axes, said in (
        ({"x": "d"}, "there are `a`, `b`"),
        ({"y": "stesp"}, "did you mean `steps`"),
        ({"x": "a", "y": "c"}, "two rows stand at a = 3, c = 5"),
    ):
        with pytest.raises(SpecError) as raised:
            _result().plot(file, **axes)
        assert said in f"{raised.value} {raised.value.diagnostics[0].help}"
    many = SweepResult("name", ("a", "b"), tuple(_row(a, b, "m") for a in (1, 2) for b in range(13)))
    with pytest.raises(SpecError, match="13 lines"):
        many.plot(file)
    assert not Path(file).exists()


def test_a_long_list_of_cases_is_a_cloud(tmp_path: Path) -> None:
    rows = tuple(_row(i, i * i, "m") for i in range(1, 20))
    (axis,) = _drawn(SweepResult("name", ("a", "b"), rows), tmp_path / "p.png", y="up")
    ((x, y),) = _named(axis).values()
    assert len(x) == len(y) == 19
    assert axis.containers[0][0].get_linestyle() == "None"


def test_cases_with_two_equal_thresholds_make_a_line_for_each_of_the_rest(tmp_path: Path) -> None:
    """Between two quantities: a and b move together, so that only c tells the lines apart."""
    rows = [_row(a, a, "m") for a in (1, 2, 3)]
    several = tuple(replace(row, parameters={"c": c, **_without_c(row)}) for c in (0.5, 1.0) for row in rows)
    lines = _named(_drawn(SweepResult("name", ("c", "a", "b"), several), tmp_path / "p.png", x="up", y="steps")[0])
    assert {name: x for name, (x, _) in lines.items()} == {"c = 0.5": [0.1, 0.2, 0.3], "c = 1": [0.1, 0.2, 0.3]}


def test_cases_whose_thresholds_differ_are_lines_of_their_own(tmp_path: Path) -> None:
    rows = tuple(_row(a, b, "m") for a, b in ((1, 1), (1, 2), (2, 1), (2, 2)))
    lines = _named(_drawn(SweepResult("name", ("a", "b"), rows), tmp_path / "p.png", x="up", y="steps")[0])
    assert list(lines) == ["a = 1", "a = 2"]


def _without_c(row: SweepRow) -> dict[str, float]:
    return {name: value for name, value in row.parameters.items() if name != "c"}


def test_names_of_axes() -> None:
    known = quantities_in(_result().rows, ("a", "b"))
    assert quantity("up", known, "--y") == Quantity("return", "up")  # a label before a statistic
    assert quantity("P(up)", known, "--y") == Quantity("return", "up")
    assert quantity("r", known, "--y").title == "mean number of reports r"
    found = point(_row(1, 2, "m"), quantity("returned", known, "--y"))
    assert found is not None
    assert (found.value, found.high) == (3.0, pytest.approx(3.196, abs=1e-4))


def test_those_of_a_spec_are_those_of_its_rows() -> None:
    import seqlang

    spec = seqlang.load("@wald1945/sprt")
    rows = seqlang.sweep(spec, runs=20).rows
    assert set(quantities_in(rows, ())) <= set(quantities_of(spec.loaded.program, ()))
