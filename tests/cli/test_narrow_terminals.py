"""Tables on terminals that are too narrow for them: what is cut, and what never is."""

from __future__ import annotations

import re
from io import StringIO

import pytest

from seqlang.report.document.bands import GAP, bands
from seqlang.report.document.document import Document, Table, line
from seqlang.report.document.rich_text import show

HEAD = ("p", "model", "mean steps", "± se", "exact", "z", "P(up)", "exact", "z")
ROWS = (
    ("0.25", "null", "123.45678", "0.001", "123.45679", "-0.01", "0.99998", "0.99997", "+0.70"),
    ("1e-06", "alternative", "7", "0.1", "7.1", "-1.00", "0", "1e-12", "0.00"),
)
WIDE = Table(HEAD, tuple(tuple(line(text) for text in row) for row in ROWS), "rlrrrrrrr")
TEXT = Table(
    ("claim", "because", "verdict"),
    ((line("strong pure(eps)"), line("each word of this is short, and there are many of them"), line("proved")),),
    "lll",
)


class Screen(StringIO):
    def isatty(self) -> bool:
        return True


def _shown(table: Table, columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    show(Document((table,)), screen)
    return re.sub(r"\x1b\[[\d;]*m", "", screen.getvalue()).splitlines()


def test_what_fits_stays_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(_shown(WIDE, 100, monkeypatch)) == 3


@pytest.mark.parametrize("columns", [58, 60, 70, 80])
def test_numbers_are_never_broken(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _shown(WIDE, columns, monkeypatch)
    assert max(map(len, lines)) <= columns
    words = [word for text in lines for word in text.split()]
    for cell in (cell for row in (HEAD, *ROWS) for cell in row):
        assert all(word in words for word in cell.split())


def test_a_band_begins_with_what_names_its_rows() -> None:
    assert [b.table.head for b in bands(WIDE, 60)] == [
        ("p", "model", "mean steps", "± se", "exact", "z"),
        ("p", "model", "P(up)", "exact", "z"),
    ]


def test_whose_exact_value_it_is_stays_clear() -> None:
    for room in range(55, 80):
        for band in bands(WIDE, room):
            assert band.table.head[2] in ("mean steps", "P(up)")
            assert sum(band.widths) + GAP * (len(band.widths) - 1) <= room


def test_long_texts_are_folded_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _shown(TEXT, 50, monkeypatch)
    assert max(map(len, lines)) <= 50
    assert {"strong", "pure(eps)", "short,", "proved"} <= {word for text in lines for word in text.split()}


def test_too_narrow_for_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then texts are broken, but nothing is lost."""
    for columns in (50, 40, 32):
        said = "".join(_shown(WIDE, columns, monkeypatch))
        everything = "".join("".join(row) for row in (HEAD, *ROWS))
        assert sorted(said.replace(" ", "")) == sorted(everything.replace(" ", ""))
    assert _shown(WIDE, 5, monkeypatch)
