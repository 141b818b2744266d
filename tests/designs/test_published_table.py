"""The table of published figures beside ours."""

from __future__ import annotations

from published import TABLE, line, merged

ROWS = [("b", "first", 2.0, 4.0), ("a", "only", 1.5, 1.5), ("b", "second", 3.0, 2.0)]


def test_rows_are_replaced_in_their_place_and_new_ones_come_last() -> None:
    text = merged("", ROWS)
    places = [text.index(part) for part in ("## b", "| first | 2 | 4 | -50.00 % |", "| second |", "## a")]
    assert places == sorted(places)
    again = merged(text, [("b", "first", 5.0, 4.0), ("a", "other", 1.0, 1.0)])
    assert again == text.replace(line(ROWS[0]), "| first | 5 | 4 | +25.00 % |") + "| other | 1 | 1 | +0.00 % |\n"


def test_the_table_is_as_it_would_be_written() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert text == merged(text, []) and text.count("\n| ") > 20
