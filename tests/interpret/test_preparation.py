"""What may be done to columns, and what may not, since it would be taken from the data."""

from __future__ import annotations

import math

import pytest

from seqlang.backends.interpret.data.layout import Layout
from seqlang.backends.interpret.data.source import Source, opened
from seqlang.backends.interpret.data.table import Row
from seqlang.backends.interpret.data.terms import per_column, recipe
from seqlang.diagnostics import SpecError

HEADER = ("V1", "V2", "V3", "mean radius", "a-b")


def numbers(text: str, *cells: str) -> list[float]:
    found = recipe(text, HEADER)
    return [v for term, cell in zip(found.terms, cells, strict=True) for v in term.numbers(cell) or ("no",)]


def test_changes_are_made_from_left_to_right() -> None:
    assert numbers("V1/255", "51") == [0.2]
    assert numbers("V1-10/2+1", "20") == [6.0]
    assert numbers("V1*2e-1", "5") == [1.0]
    assert numbers("log1p(V1)/2,V2", str(math.e - 1), "7") == pytest.approx([0.5, 7])
    assert numbers("log1p(V1-1)/2", "1") == [0.0]
    assert numbers("a-b,mean radius/2", "3", "3") == [3, 1.5]  # a column of that name comes first
    assert numbers("V1", "TRUE") == [1]


def test_vocabularies_are_fixed() -> None:
    assert numbers("V2{tcp|udp|icmp},V1", "udp", "3") == [0, 1, 0, 3]
    assert numbers("V2{tcp|udp}", "never heard of") == [0, 0]
    assert numbers("V2{normal.=-1|*=1}", "normal.") == [-1]
    assert numbers("V2{normal.=-1|*=1}", "smurf.") == [1]
    assert numbers("V2{a=1|b=2}", "c") == ["no"]
    assert numbers("V2{*=1}", "anything") == [1]
    assert numbers("V2{<=3=1|*=0}", "<=3") == [1]  # the last = counts
    assert recipe("V1..V3/2", HEADER).terms[0].changes == (("/", 2.0),)
    assert recipe("project(V1..V3)", HEADER).project


def test_what_is_made_of_each_column() -> None:
    made = per_column("project(log1p(V1..V2)/2, V3{a|b}, mean radius)", HEADER)
    assert made == {"V1": "log1p(V1)/2", "V2": "log1p(V2)/2", "V3": "V3{a|b}", "mean radius": "mean radius"}
    assert per_column("V9", HEADER) == {}  # no column of the file


@pytest.mark.parametrize(
    "text",
    "V1/max V1-mean V1/sd V1-min(V1) standardize(V1) normalise(V1..V3) scale(V1) V2{} V2{*} one_hot(V2)".split(),
)
def test_what_the_data_decide_is_refused(text: str) -> None:
    with pytest.raises(SpecError) as refused:
        recipe(text, HEADER)
    assert [d.code for d in refused.value.diagnostics] == ["E0625"]


@pytest.mark.parametrize("text", "V1/0 V2{a|a} V2{a|} V2{a=x} V2{a=1|b} V2{a=1|a=2}".split())
def test_what_has_no_meaning_is_refused(text: str) -> None:
    with pytest.raises(SpecError) as refused:
        recipe(text, HEADER)
    assert [d.code for d in refused.value.diagnostics] == ["E0617"]


def rows_of(source: Source) -> list[Row]:
    columns = range(len(source.table.header))
    return [row for piece in source.pieces(columns) for row in piece.rows(source.table)]


def test_files_without_a_header(tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1 2  3 \n4 5 6\n")
    source = opened(path, Layout(0, ()))
    assert (source.table.header, [r.cells for r in rows_of(source)]) == (
        ("V1", "V2", "V3"),
        [("1", "2", "3"), ("4", "5", "6")],
    )
    path.write_text("about\n\n1,2\n3,4\n")
    source = opened(path, Layout(1, ("a", "b")))
    assert (source.table.header, [r.line for r in rows_of(source)]) == (("a", "b"), [3, 4])
    with pytest.raises(SpecError) as wrong:
        rows_of(opened(path, Layout(1, ("a", "b", "c"))))
    assert wrong.value.diagnostics[0].code == "E0610"
    assert "line 3" in wrong.value.diagnostics[0].message
    path.write_text("only\n")
    with pytest.raises(SpecError) as empty:
        rows_of(opened(path, Layout(1, ())))
    assert empty.value.diagnostics[0].code == "E0611"
