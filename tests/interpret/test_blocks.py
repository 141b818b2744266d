"""Blocks of lines against Python's own csv reader, and what goes wrong in either."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import numpy as np
import pytest

import seqlang
from seqlang.backends.interpret.data import blocks
from seqlang.backends.interpret.data.source import opened
from seqlang.diagnostics import SpecError

CELLS = [
    "",
    "0",
    "12",
    "-3.5",
    "1e-300",
    "normal.",
    "12345678",
    "123456789",
    "naïve",
    "été",
    " 7 ",
    "a longer cell",
    "x",
]


def table_of(path: Path, columns: list[int] | None = None) -> list[list[str]]:
    """The cells by the pieces."""
    source = opened(path)
    wanted = list(range(len(source.table.header))) if columns is None else columns
    return [
        [piece.columns[c].text(i) for c in wanted] for piece in source.pieces(wanted) for i in range(len(piece.lines))
    ]


def lines_of(path: Path) -> list[int]:
    return [int(line) for piece in opened(path).pieces([0]) for line in piece.lines]


@pytest.mark.parametrize("seed", range(40))
def test_as_the_csv_reader(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    monkeypatch.setattr(blocks, "BLOCK", draw.choice([30, 100, 1 << 20]))
    monkeypatch.setattr(blocks, "MOST", draw.choice([2, 1 << 12]))
    width = draw.randint(1, 5)
    end, delimiter = draw.choice(["\n", "\r\n"]), draw.choice(",;\t")
    rows = [[draw.choice(CELLS) for _ in range(width)] for _ in range(draw.randint(1, 60))]
    lines = [delimiter.join(f"c{i}" for i in range(width)) if width > 1 else "c0"]
    for row in rows:
        lines.append(delimiter.join(row))
        if draw.random() < 0.05:
            lines.append("")
        if draw.random() < 0.02:
            lines.append(delimiter.join(f'"{draw.choice(CELLS)}\nand"' for _ in range(width)))
    text = end.join(lines) + draw.choice(["", end])
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    used = delimiter if width > 1 else ","
    expected, numbers = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=used)
    for cells in reader:
        if any(c.strip() for c in cells) or len(cells) > 1:
            expected.append([c.strip() for c in cells])
            numbers.append(reader.line_num)
    if len(expected) == 1:
        with pytest.raises(SpecError, match="E0611"):
            table_of(path)
        return
    assert [[c.strip() for c in row] for row in table_of(path)] == expected[1:]
    assert lines_of(path) == numbers[1:]
    some = draw.sample(range(width), draw.randint(1, width))
    assert [[c.strip() for c in row] for row in table_of(path, some)] == [
        [row[c] for c in some] for row in expected[1:]
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b\n1,2\n3\n4,5\n", 3),
        ("a,b\n1,2\n3,4,5\n4\n", 3),  # the cells would fit again
        ("a,b\n1,2\n\n3,4\n5,6,7\n", 5),
        ("a,b\n1,2\n3,4\n5", 4),
        ('a,b\n1,2\n"3",4\n5,6,7\n', 4),
    ],
)
def test_cells_too_many_or_too_few(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(SpecError) as found:
        table_of(path)
    (problem,) = found.value.diagnostics
    assert problem.code == "E0610" and f"line {line}:" in problem.message


def test_a_lone_carriage_return_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\r3,4\n")
    with pytest.raises(SpecError, match="E0610"):
        table_of(path)


def test_numbers_are_pythons(tmp_path: Path) -> None:
    """Also those of many digits, of which the nearest float is asked."""
    draw = random.Random(3)
    texts = [repr(draw.random() * 10 ** draw.randint(-320, 300)) for _ in range(500)] + [
        "0.1", "1e23", "9007199254740993", "123456789012345678901234567890", "4.9e-324", "-0.0",
        "1.7976931348623157e308",
    ]  # fmt: skip
    path = tmp_path / "t.csv"
    path.write_text("x\n" + "\n".join(texts) + "\n")
    found = seqlang.rows("algorithm a\nstream x in real\nstop when step >= 5\n", path).fields["x"]
    assert [v.hex() for v in found.tolist()] == [float(t).hex() for t in texts]


def test_conditions_are_those_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 64)
    draw = random.Random(5)
    rows = [
        (draw.randint(0, 3), draw.choice(["a", "b", "NA"]), draw.choice(["1", "2.0", "NA", ""])) for _ in range(200)
    ]
    path = tmp_path / "t.csv"
    path.write_text("x,g,h\n" + "".join(f"{x},{g},{h}\n" for x, g, h in rows))
    spec = "algorithm a\nstream x in 0..3\nstop when step >= 5\n"
    found = seqlang.rows(spec, path, where=["g!=NA", "h>=2"]).fields["x"]
    assert found.tolist() == [x for x, g, h in rows if g != "NA" and h == "2.0"]
    with pytest.raises(SpecError) as wrong:
        seqlang.rows(spec, path, where=["x<=1", "g>1"])
    first = next(i for i, (x, g, _) in enumerate(rows) if x <= 1 and g != "NA")
    assert (wrong.value.diagnostics[0].code, f"line {first + 2}," in str(wrong.value)) == ("E0615", True)
    # a cell that is no number does no harm in a row that is left out
    path.write_text("x,g\n1,a\nmuch,b\n2,a\n")
    assert seqlang.rows(spec, path, where=["g=a"]).fields["x"].tolist() == [1, 2]
    assert np.isfinite(seqlang.rows(spec, path, where=["g=a", "x<2"]).fields["x"]).all()
