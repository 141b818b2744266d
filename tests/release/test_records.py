"""Records of CSV, as RFC 4180 defines them, against Python's own reader; and what is no CSV."""

from __future__ import annotations

import csv
import io
import random
from itertools import takewhile

import pytest

from seqlang.release.live import Waiting
from seqlang.release.records import Record, Records


def cells(text: str) -> list[tuple[str, ...]]:
    found = Records(io.StringIO(text, newline="\n"))
    return [found.heading.cells, *(r.cells for r in found if isinstance(r, Record))]


@pytest.mark.parametrize(("text", "wanted"), [
    ('x,c\n1,"a\nb"\n0,d\n', [("x", "c"), ("1", "a\nb"), ("0", "d")]),
    ('x,c\r\n1,"a\r\nb"\r\n0,d\r\n', [("x", "c"), ("1", "a\r\nb"), ("0", "d")]),
    ('\ufeffx,c\n"1","p, q"\n', [("x", "c"), ("1", "p, q")]),
    ('\ufeff"x",c\n"he said ""no""",2', [("x", "c"), ('he said "no"', "2")]),
    ('"x\ny",c\n1,2\n', [("x\ny", "c"), ("1", "2")]),
    ("x,c\n\n1,2\n \t\n\n", [("x", "c"), ("1", "2")]),
    ("x\n\n1\n", [("x",), ("",), ("1",)]),
    ('x,c\n5" pipe,2\n', [("x", "c"), ('5" pipe', "2")]),
    ('x,c\n1,""\n,\n', [("x", "c"), ("1", ""), ("", "")]),
])  # fmt: skip
def test_what_is_a_record(text: str, wanted: list[tuple[str, ...]]) -> None:
    assert cells(text) == wanted


@pytest.mark.parametrize(("text", "lines", "faults"), [
    ('x,c\n1,"a\n0,b\n0,c\n', [2, 3, 4], ["a quote is not closed", "", ""]),
    ('x,c\n1,"a"b\n0,b\n', [2, 3], ["something stands behind a closing quote", ""]),
    ('x,c\n1,"a\n0,b\n0,"c"\n1,d\n', [2, 3, 4, 5], ["something stands behind a closing quote", "", "", ""]),
    ("x,c\n1\n1,2,3\n0,1\n", [2, 3, 4], ["1 cells, and the heading has 2", "3 cells, and the heading has 2", ""]),
])  # fmt: skip
def test_what_is_none_stays_on_its_line(text: str, lines: list[int], faults: list[str]) -> None:
    found = [r for r in Records(io.StringIO(text)) if isinstance(r, Record)]
    assert [r.line for r in found] == lines and [r.fault for r in found] == faults


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_written_as_csv_is_read_again(seed: int) -> None:
    """Cells with commas, quotes, line breaks and returns, by Python's writer."""
    coins = random.Random(seed)
    for _ in range(200):
        width = coins.randint(2, 4)
        rows = [
            tuple("".join(coins.choices('a,"\n\r 1é', k=coins.choice((0, 0, 1, 2, 5)))) for _ in range(width))
            for _ in range(coins.randint(1, 5))
        ]
        bare = not any("\r" in cell for row in rows for cell in row) and coins.random() < 0.5
        out = io.StringIO(newline="")
        quoting = csv.QUOTE_MINIMAL if bare else csv.QUOTE_ALL
        csv.writer(out, lineterminator=coins.choice(("\n", "\r\n")), quoting=quoting).writerows(rows)
        assert cells(out.getvalue()) == rows


@pytest.mark.parametrize("seed", range(10))
def test_any_text_against_a_strict_reader(seed: int) -> None:
    """What Python's strict reader refuses has a fault, and what it reads is read as it does. What was made of the first
    lines is the same when more have come."""
    coins, read = random.Random(seed), 0
    for _ in range(1500):
        text = "x,c\n" + "".join(coins.choice('1,"\n') for _ in range(coins.randint(0, 14)))
        records = [r for r in Records(io.StringIO(text)) if isinstance(r, Record)]
        try:
            wanted = list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
        except csv.Error:
            assert any("quote" in r.fault for r in records)
        else:
            assert [r.cells for r in records] == [tuple(r) for r in wanted if len(r) > 1 or (r and r[0].strip())]
            read += 1
        lines, known = text.split("\n"), list[Record]()
        for count in range(1, len(lines) + 1):
            until = takewhile(lambda r: isinstance(r, Record), Records([*lines[:count], Waiting(from_the_start=True)]))
            now = [r for r in until if isinstance(r, Record)]
            assert now[: len(known)] == known
            known = now
    assert read > 100


def test_a_record_that_is_open_waits() -> None:
    """Nothing of it is a row before it is closed, however many lines come."""
    wait = Waiting(from_the_start=True)
    lines = ["x,c\n", '1,"a\n', wait, "0,b\n", wait, *["0,b\n"] * 500, wait, 'end"\n', "0,d\n"]
    found = [r if isinstance(r, Waiting) else r.cells[0] for r in Records(lines)]
    assert found == [wait, wait, wait, "1", "0"]


def test_many_quotes_in_one_cell_take_no_time() -> None:
    """Each line of a cell is read once: 20,000 lines with a doubled quote each."""
    text = 'x,c\n1,"' + '""\n' * 20_000 + '"\n0,b\n'
    assert [row[0] for row in cells(text)] == ["x", "1", "0"]
