"""Rows are read in place, whatever they hold."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.model.program import Program
from seqlang.release.form import Form
from seqlang.release.live import Waiting
from seqlang.release.rows import Rows, opened
from seqlang.source import Source


def program(domain: str) -> Program:
    return load(Source("a.seq", f"algorithm a\nstream x in {domain}\nstop when sum(x over steps) >= 3\n")).program


PLAIN = Form()


def read(domain: str, text: str, form: Form = PLAIN) -> list[object]:
    return read_from(Rows(program(domain), iter(text.splitlines(keepends=True)), "file", form))


def read_from(rows: Rows) -> list[object]:
    return [row["x"] for row in rows if not isinstance(row, Waiting)]


HOSTILE = ["", "abc", "nan", "inf", "-inf", "1e999999999", "1e-999999999", "9" * 5000, "1/0", '"', '"1', "0x1", "١",
           "1_0", " 1 ", "\0", "1e400", "--1", "5,7,9", "é" * 100]  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "inside"),
    [
        ("{0, 1}", lambda v: v in (0, 1)),
        ("0..5", lambda v: v in range(6)),
        ("[-1, 1]", lambda v: -1 <= v <= 1),
        ("real", lambda v: True),
        ("0..", lambda v: v >= 0 and v == int(v)),
    ],
)
def test_every_text_is_a_value_of_the_domain(domain: str, inside: object) -> None:
    lines = "x\n" + "\n".join(HOSTILE) + "\n"
    found = read(domain, lines)
    assert len(found) == len(HOSTILE)
    for value in found:
        assert isinstance(value, int | Fraction) and not isinstance(value, bool)
        assert inside(value)  # type: ignore[operator]


def test_nearest_values() -> None:
    assert read("{0, 1}", "x\n0.4\n0.6\n7\n-3\n0.5\n") == [0, 1, 1, 0, 0]
    assert read("0..5", "x\n2.4\n2.5\n9\n-1\n") == [2, 3, 5, 0]
    assert read("[-1, 1]", "x\n0.1\n-8\n1e300\n1/3\n") == [Fraction(1, 10), -1, 1, Fraction(1, 3)]


def test_missing_is_a_public_value() -> None:
    assert read("0..5", "x\n\n3\nwhat\n", Form(missing=Fraction(2))) == [2, 3, 2]
    with pytest.raises(SpecError, match="cannot have that value"):
        read("0..5", "x\n1\n", Form(missing=Fraction(9)))


def test_no_row_moves_another_one(tmp_path: Path) -> None:
    """Whatever the cells of one record hold (quotes, returns, commas, bytes that are no text), the others are read as
    before. So it is where the record is not written as CSV, if its line is not empty."""
    coins = random.Random(1)
    before = [i % 2 for i in range(20)]
    for turn in range(300):
        place = coins.randrange(20)
        noise = bytes(coins.choice(b"\",\r\n\0\xff\xfe 1x\\'\x0b\x0c\x1c\x85") for _ in range(coins.randrange(12)))
        cell = b'"' + noise.replace(b'"', b'""') + b'"'
        odd = (cell + b",0", b"0," + cell, b"," + noise.replace(b"\n", b" "))[turn % 3]
        lines = [b"x,y", *(odd if i == place else b"%d,0" % v for i, v in enumerate(before))]
        (tmp_path / "a.csv").write_bytes(b"\n".join(lines) + b"\n")
        found = read_from(Rows(program("{0, 1}"), opened(tmp_path / "a.csv"), "a", Form()))
        assert len(found) == 20
        assert [v for i, v in enumerate(found) if i != place] == [v for i, v in enumerate(before) if i != place]


def test_one_person_has_one_row() -> None:
    text = "id,x\na,1\nb,1\na,1\nc,1\n,1\n,1\n"
    rows = Rows(program("{0, 1}"), iter(text.splitlines(keepends=True)), "file", Form(identifiers="id"))
    assert read_from(rows) == [1, 1, 0, 1, 0, 0]
    assert rows.counts["again"] == 3


def test_columns_by_another_name() -> None:
    assert read("{0, 1}", "harm,x\n1,0\n", Form(columns=(("x", "harm"),))) == [1]
    for text, form in (("y\n1\n", Form()), ("x,x\n1,1\n", Form()), ("x\n1\n", Form(columns=(("z", "x"),)))):
        with pytest.raises(SpecError, match="E0612"):
            read("{0, 1}", text, form)
