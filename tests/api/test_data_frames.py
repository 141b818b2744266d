"""Data frames of every library give what a file of the same rows gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import seqlang
from seqlang import SpecError
from seqlang.backends.interpret.data.frames import frame_source, text_rows
from seqlang.backends.interpret.data.interchange import InterchangeSource

pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")

TEXT = """\
algorithm counts
stream x in [0, 9]
stream y in {0, 1}
statistic a = sum(x over steps)
statistic b = sum(y over steps)
stop when a >= 20 return full
"""
COLUMNS: dict[str, list[Any]] = {
    "x": [1, 2.5, 9, 4, 3, 7], "y": [1, 0, 1, 1, 0, 1], "arm": ["a", "b", "a", "a", None, "a"],
    "half": [0.5, None, 1.5, 2.5, 3.5, 4.5], "seen": [True, False, None, True, True, False],
}  # fmt: skip


class OnlyInterchange:
    """A data frame that offers no Arrow."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return self._table.__dataframe__(nan_as_null, allow_copy)


def _pandas() -> Any:
    return pytest.importorskip("pandas", reason="not installed").DataFrame(COLUMNS)


def _polars() -> Any:
    return pytest.importorskip("polars", reason="not installed").DataFrame(COLUMNS, strict=False)


MAKERS: dict[str, Callable[[], Any]] = {
    "pyarrow": lambda: pyarrow.table(COLUMNS),
    "interchange": lambda: OnlyInterchange(pyarrow.table(COLUMNS)),
    "dictionary": lambda: OnlyInterchange(
        pyarrow.table({**COLUMNS, "arm": pyarrow.array(COLUMNS["arm"]).dictionary_encode()})
    ),
    "slice": lambda: OnlyInterchange(pyarrow.table({name: [v[0], v[1], *v] for name, v in COLUMNS.items()}).slice(2)),
    "pandas": _pandas,
    "polars": _polars,
}


@pytest.mark.parametrize("library", MAKERS)
def test_what_a_file_gives(library: str, tmp_path: Path) -> None:
    """By hand: the rows of arm a are 1, 9, 4, 7, and their sum reaches 20 at the fourth."""
    frame = MAKERS[library]()
    found = seqlang.run_data(TEXT, frame, where=["arm=a"])
    assert (found.file, found.run.rows, found.run.step, found.run.result) == ("DataFrame", 4, 4, "full")
    assert found.run.statistics == {"a": 21, "b": 4}
    rows = seqlang.rows(TEXT, frame, columns={"x": "half"}, where=["half>1"])
    assert rows.fields["x"].tolist() == [1.5, 2.5, 3.5, 4.5]
    assert rows.fields["y"].tolist() == [1, 1, 0, 1]
    with pytest.raises(SpecError, match=r"`DataFrame`, row 2, column `half`: the value is missing"):
        seqlang.rows(TEXT, frame, columns={"x": "half"})
    for column, message in (("arm", "row 1, column `arm`: `a` is not a number"), ("xx", "has no column `xx`")):
        with pytest.raises(SpecError, match=message):
            seqlang.rows(TEXT, frame, columns={"x": column})


@pytest.mark.parametrize("library", ["pyarrow", "interchange"])
def test_the_texts_of_the_cells(library: str) -> None:
    assert text_rows(MAKERS[library]())[:3] == [
        ("1", "1", "a", "0.5", "true"), ("2.5", "0", "b", "", "false"), ("9", "1", "a", "1.5", ""),
    ]  # fmt: skip


def test_vectors_are_columns_of_lists_or_numbered_ones() -> None:
    text = "algorithm v\nstream x in ball(1, 2)\nmemory w = 0\nstatistic s = sum(x over steps)\nstop when step >= 2\n"
    lists = pyarrow.table({"x": [[0.1, 0.2], [0.3, 0.4]]})
    numbered = pyarrow.table({"x1": [0.1, 0.3], "x2": [0.2, 0.4]})
    for frame in (lists, numbered, OnlyInterchange(numbered)):
        assert seqlang.rows(text, frame).fields["x"].tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_training_and_sessions_take_them() -> None:
    text = """algorithm mean_of_records
dataset x in [0, 1] size 4
report m = sum(x[i] for i in records) / 4 when step == 1
stop when step >= 1
"""
    frame = pyarrow.table({"x": [0, 1, 0.5, 0.25], "other": ["a", "b", "c", "d"]})
    assert seqlang.start(text, records=frame, seed=1).step().reports == {"m": 0.4375}
    (found,) = seqlang.train(text, frame)
    assert (found.rows, found.file) == (4, "DataFrame")
    with pytest.raises(SpecError, match="E0618"):
        seqlang.start(text, records=frame.slice(1))


def test_monitored_blocks() -> None:
    trial = seqlang.design("x ~ bernoulli(0.1)", "x ~ bernoulli(0.9)", privacy="none")
    found = seqlang.monitor(trial.spec, pyarrow.table({"released": [1, 0]}), plan=1)
    assert [(block.released, block.state["score"]) for block in found.blocks] == [((1,), 1), ((0,), 0)]


@pytest.mark.parametrize("wrap", [lambda table: table, OnlyInterchange])
def test_bad_frames(wrap: Callable[[Any], Any]) -> None:
    for table, code in (
        (pyarrow.table({"x": pyarrow.array([], pyarrow.int64())}), "E0611"),
        (pyarrow.table({"x": pyarrow.array([1, 2], pyarrow.timestamp("s")), "y": [1, 0]}), "E061[03]"),
    ):
        with pytest.raises(SpecError, match=code):
            seqlang.run_data(TEXT, wrap(table))
    with pytest.raises(SpecError, match="E0601"):
        seqlang.run_data(TEXT, wrap(pyarrow.table(COLUMNS)), skip=1)


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pyarrow.table(COLUMNS)
    from seqlang.backends.interpret.data import frames

    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    assert isinstance(frame_source(table), InterchangeSource)

    class OnlyArrow:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return table.__arrow_c_stream__(requested_schema)

    with pytest.raises(SpecError, match=r"E0605.*needs pyarrow"):
        frame_source(OnlyArrow())


def test_no_library_is_imported_for_data() -> None:
    """pandas is imported by `to_pandas` alone, where it is asked for."""
    found = {
        path.name
        for path in Path(seqlang.__file__).parent.rglob("*.py")
        if re.search(r"^\s*(import|from) (pandas|polars)", path.read_text(encoding="utf-8"), re.M)
    }
    assert found == {"table_file.py"}
