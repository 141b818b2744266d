"""Parquet files: what a file of text with the same cells says, with columns that are lists besides."""

from __future__ import annotations

import builtins
import gzip
import json
import math
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from thorough import several

import seqlang
from seqlang.cli.__main__ import main

pyarrow = pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet files need pyarrow")

NUMBER = "algorithm a\nstream x in [-1e6, 1e6]\nstop when step >= 3 return x\n"
VECTOR = "algorithm a\nstream x in ball(1, 3), y in {-1, 1}\nstop when step >= 3 return sum(y * x over steps)\n"


def written(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def cell(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def both(tmp_path: Path, columns: dict[str, list[Any]]) -> tuple[Path, Path]:
    """The same rows as Parquet and as CSV."""
    text = tmp_path / "t.csv"
    rows = zip(*columns.values(), strict=True)
    text.write_text(",".join(columns) + "\n" + "".join(",".join(map(cell, row)) + "\n" for row in rows))
    return written(tmp_path / "t.parquet", columns), text


def outcome(spec: str, path: Path, **options: Any) -> Any:
    """Values; or the codes and texts of the errors, whatever the file and its rows are called."""
    try:
        return {name: values.tolist() for name, values in seqlang.rows(spec, path, **options).fields.items()}
    except seqlang.SpecError as error:
        return [d.code for d in error.diagnostics]


@pytest.mark.parametrize("seed", range(several(4, 25)))
def test_as_the_text_with_the_same_cells(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    n = draw.randint(1, 50)
    missing = draw.choice([0, 0, 0.1])

    def column(*made: Any) -> list[Any]:
        return [None if draw.random() < missing else draw.choice(made)() for _ in range(n)]

    columns = {
        "a": column(lambda: draw.randint(-5, 5)),
        "b": column(lambda: draw.uniform(-1, 1)),
        "c": column(lambda: draw.choice(["yes", "no", "naïve"])),
        "d": column(lambda: draw.random() < 0.5),
        "e": column(lambda: draw.choice(["1", "2.5", "x"])) if draw.random() < 0.3 else column(lambda: "7"),
    }
    if draw.random() < 0.5 and missing == 0:
        columns["b"] = [v if draw.random() < 0.9 else draw.choice([math.inf, 3e7]) for v in columns["b"]]
    typed, text = both(tmp_path, columns)
    cases: list[tuple[str, dict[str, Any]]] = [
        (NUMBER, {"columns": {"x": name}}) for name in ("a", "b", "b*2-1", "log1p(a+7)/3", "d", "e", "c", "nothing")
    ]
    cases += [
        (NUMBER, {"columns": {"x": "b"}, "where": where}) for where in (["a>0"], ["c=yes", "a!="], ["d=1"], ["e<2"])
    ]
    cases += [(NUMBER, {"columns": {"x": "b"}, "clip": True})]
    cases += [(VECTOR, {"columns": {"x": f"project({x})", "y": y}})
              for x in ("a,b,d", "c{yes|no},b/3", "a{1=1|0=0|*=-1},b,b")
              for y in ("d{true=1|false=-1}", "a{1=1|*=-1}", "d{1=1|*=-1}")]  # fmt: skip
    for spec, options in cases:
        assert outcome(spec, typed, **options) == outcome(spec, text, **options), options


def test_one_run_is_the_same_run(tmp_path: Path) -> None:
    columns = {"x1": [0.5, 0.25, 0.0], "x2": [0, 0, 1], "x3": [0.5, 0.0, 0.0], "y": [1, -1, 1]}
    typed, text = both(tmp_path, columns)
    assert seqlang.run_data(VECTOR, typed).run.result == seqlang.run_data(VECTOR, text).run.result == (0.25, 1, 0.5)


@pytest.mark.parametrize("fixed", [True, False])
def test_a_list_is_a_vector(fixed: bool, tmp_path: Path) -> None:
    lists = [[0.5, 0.0, 0.5], [0.25, 0.5, 0.0], [0.0, 0.0, 1.0]]
    kind = pyarrow.list_(pyarrow.float32(), 3) if fixed else pyarrow.list_(pyarrow.float64())
    columns = {"x": pyarrow.array(lists, kind), "other": pyarrow.array(lists, kind), "y": [1, 1, -1]}
    path = written(tmp_path / "t.parquet", columns)
    assert seqlang.rows(VECTOR, path).fields["x"].tolist() == lists
    assert seqlang.rows(VECTOR, path, columns={"x": "other"}).fields["x"].tolist() == lists
    halves = seqlang.rows(VECTOR, path, columns={"x": "other1..other3/2"}).fields["x"].tolist()
    assert halves == [[v / 2 for v in row] for row in lists]
    picked = seqlang.rows(VECTOR, path, columns={"x": "x3,x2,x1", "y": "y"}).fields["x"].tolist()
    assert picked == [row[::-1] for row in lists]
    assert outcome(VECTOR.replace("ball(1, 3)", "ball(1, 2)"), path) == ["E0617"]  # not cut to two
    assert seqlang.run_data(VECTOR, path).run.result == (0.75, 0.5, -0.5)


BAD = {
    "a list of another length": ([[0.1, 0, 0], [0.1, 0]], "E0610", "row 2"),
    "no list": ([[0.1, 0, 0], None], "E0613", "row 2"),
    "no number in it": ([[0.1, 0, 0], [0.1, None, 0]], "E0613", "row 2"),
    "a NaN in it": ([[0.1, 0, 0], [0.1, math.nan, 0]], "E0613", "row 2"),
    "outside the ball": ([[0.1, 0, 0], [0.9, 0.9, 0]], "E0614", "row 2"),
    "infinite": ([[0.1, 0, 0], [-math.inf, 0.9, 0]], "E0614", "row 2"),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize("way", ["run", "train", "test"])
def test_bad_rows_are_named(what: str, way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lists, code, place = BAD[what]
    bad = written(tmp_path / "bad.parquet", {"x": pyarrow.array(lists, pyarrow.list_(pyarrow.float64())), "y": [1, -1]})
    good = written(tmp_path / "good.parquet", {"x": [[0.1, 0.0, 0.0]] * 2, "y": [1, -1]})
    data = ["--data", str(good if way == "test" else bad)]
    held_out = [] if way == "run" else ["--test", str(good if way == "train" else bad)]
    assert main(["run", "@bittner2020/flmb", "--set", "d=3", "--set", "n=2", *data, *held_out]) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert f"error[{code}]: `{bad}`, {place}" in seen.err
    assert "clip moves" not in seen.err or what == "outside the ball"


def test_training_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(2)
    rows = [[draw.uniform(-0.5, 0.5) for _ in range(2)] for _ in range(200)]
    columns = {
        "u": [a for a, _ in rows],
        "v": [b for _, b in rows],
        "said": ["yes" if a > 0 else "no" for a, _ in rows],
    }
    found = []
    for path in both(tmp_path, columns):
        code = main(
            ["run", "@bittner2020/flmb", "--set", "d=2", "--set", "n=100", "--data", str(path), "--column", "x=u,v",
             "--column", "y=said{yes=1|no=-1}", "--test-rows", "101:200", "--permutations", "3", "--json"]
        )  # fmt: skip
        assert code == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["metrics"] == found[1]["metrics"]
    assert found[0]["file"].endswith(".parquet")


def test_dates_decimals_and_words_are_what_they_would_be_in_text(tmp_path: Path) -> None:
    import datetime

    columns = {
        "day": [datetime.date(2020, 1, 2), datetime.date(2020, 1, 3)],
        "price": [Decimal("1.50"), Decimal("2.25")],
        "word": pyarrow.array([b"normal.", b"smurf."]),
        "kind": pyarrow.array(["a", "b"]).dictionary_encode(),
    }
    path = written(tmp_path / "t.parquet", columns)
    assert outcome(NUMBER, path, columns={"x": "price"}) == {"x": [1.5, 2.25]}
    assert outcome(NUMBER, path, columns={"x": "price"}, where=["day=2020-01-03"]) == {"x": [2.25]}
    assert outcome(NUMBER, path, columns={"x": "word{normal.=1|*=0}"}, where=["kind!=b"]) == {"x": [1]}
    assert outcome(NUMBER, path, columns={"x": "day"}) == ["E0613"]


def test_files_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "t.parquet", {"x": [1.0, 2.0]})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert outcome(NUMBER, path) == ["E0610"]
    path.write_bytes(b"PAR1")
    assert outcome(NUMBER, path) == ["E0610"]
    for damaged in (whole[:30] + b"\xff" * 20 + whole[50:], whole[:4] + b"\0" * 60 + whole[64:]):
        path.write_bytes(damaged)
        assert outcome(NUMBER, path) in (["E0610"], {"x": [1.0, 2.0]})
    assert outcome(NUMBER, written(tmp_path / "no_rows.parquet", {"x": pyarrow.array([], pyarrow.float64())})) == [
        "E0611"
    ]
    nested = written(tmp_path / "nested.parquet", {"x": [{"a": 1}], "z": [1.0]})
    assert outcome(NUMBER, nested) == ["E0610"]
    assert outcome(NUMBER, nested, columns={"x": "z"}) == {"x": [1.0]}  # what is not read does no harm
    twice = written(tmp_path / "twice.parquet", {"v": [[1.0, 2.0]], "v1": [3.0]})
    assert outcome(NUMBER, twice, columns={"x": "v1"}) == ["E0610"]
    path.write_bytes(whole)
    assert outcome(NUMBER, path, names=("a", "b")) == ["E0601"]
    assert outcome(NUMBER, path, skip=1) == ["E0601"]

    plain = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return plain(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(seqlang.SpecError) as missing:
        seqlang.rows(NUMBER, path)
    assert "pip install 'seqlang[parquet]'" in str(missing.value)


def test_only_the_columns_that_are_needed_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "t.parquet", {"x": [1.0, 2.0], "big": ["z" * 1000] * 2, "g": [1, 2], "x9": [0, 0]})
    asked: list[list[str]] = []

    class Watched:
        def __init__(self, *given: Any, **more: Any) -> None:
            self.file = plain(*given, **more)
            self.schema_arrow, self.metadata = self.file.schema_arrow, self.file.metadata

        def iter_batches(self, **more: Any) -> Any:
            asked.append(more["columns"])
            return self.file.iter_batches(**more)

    plain = parquet.ParquetFile
    monkeypatch.setattr(parquet, "ParquetFile", Watched)
    assert seqlang.rows(NUMBER, path, where=["g=2"]).fields["x"].tolist() == [2]
    assert sorted(asked[0]) == ["g", "x"]


def test_its_content_tells_and_not_its_name(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", {"x": [1.0, 2.0]})
    assert outcome(NUMBER, path) == {"x": [1, 2]}
    text = tmp_path / "t.parquet"
    text.write_bytes(gzip.compress(b"x\n5\n"))
    assert outcome(NUMBER, text) == {"x": [5]}
