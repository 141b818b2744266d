"""How reports put things into words and digits."""

from __future__ import annotations

import math

import pytest

from seqlang.analyses.witnesses.confirm import epsilon_at
from seqlang.proof.witness import Event, Witness
from seqlang.report.check_json import witness_dict
from seqlang.report.document.document import Document, Heading, Paragraph, Table, Tree, line
from seqlang.report.document.plain_text import render_plain
from seqlang.report.document.rich_text import as_html
from seqlang.report.numbers import shown, shown_down, shown_up
from seqlang.report.text.check import event_words, witness_words
from seqlang.results.json_number import json_number


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (1.0, "1", "1"),
        (0.9996378, "0.999638", "0.9996"),
        (2.00000001, "2.00001", "2"),
        (1 / 3, "0.333334", "0.3333"),
        (1234567.2, "1234570", "1.234e+06"),
        (7.962330000002045e-13, "7.96233e-13", "7.962e-13"),
        (math.inf, "∞", "∞"),
        (0.0, "0", "0"),
    ],
)
def test_printed_bounds_stay_on_the_safe_side(value: float, up: str, down: str) -> None:
    assert shown_up(value) == up
    assert shown_down(value) == down


def test_json_numbers() -> None:
    assert json_number(math.inf) == "inf"
    assert json_number(None) is None
    assert json_number(3) == 3
    assert shown(-12.5) == "-12.5"


def test_streams_are_written_in_runs() -> None:
    witness = Witness(((0.0, 1.0, 1.0), (1.0,) * 2 + (0.0, 1.0) * 3), Event(not_by=3), 0.5, 0.25, math.log(2))
    said = witness_words(witness)
    assert said.startswith("[0, 1 ×2] against [1 ×2, (0, 1) ×3]: the event `nothing by step 3`")
    assert "0.6931" in said


def test_events() -> None:
    assert event_words(Event(stopped_at=3, result="reject")) == "the event `stopping at step 3 with reject`"
    reported = Event(not_by=9, reports=((4, "high", True), (6, "level", (1.0, math.inf))))
    assert event_words(reported) == "the event `high at step 4, level at step 6 in [1, ∞], nothing more by step 9`"


def test_witness_of_a_certain_difference() -> None:
    witness = Witness(((1.0,), (0.0,)), Event(stopped_at=1), 1.0, 0.0, math.inf)
    assert "0 under the second" in witness_words(witness)
    assert witness_dict(witness)["loss"] == "inf"


def test_dp_lower_counts_the_errors_against_the_witness() -> None:

    witness = Witness(((1.0,), (0.0,)), Event(stopped_at=1), 0.5, 0.1, 0.0, p_error=0.1, q_error=0.1)
    found = epsilon_at(witness, 0.1)
    assert found == pytest.approx(math.log(0.3 / 0.2))
    assert found < math.log(0.3 / 0.2) + 1e-15
    assert epsilon_at(witness, 0.5) == 0


def test_layout() -> None:
    document = Document((
        Heading("One"),
        Paragraph(line(("note", "quiet"), " " + "word " * 12), 2, 5),
        Table(("name", "value"), ((line("x"), line("1")), (line("long name"), line("22\n333"))), "lr"),
        Tree(line("top"), (Tree(line("left"), (Tree(line("below")),)), Tree(line("right")))),
    ))  # fmt: skip
    assert render_plain(document, 40) == (
        "One\n"
        "  note word word word word word word\n"
        "       word word word word word word\n"
        "  name       value\n"
        "  x              1\n"
        "  long name     22\n"
        "               333\n"
        "  top\n"
        "  ├─ left\n"
        "  │  └─ below\n"
        "  └─ right\n"
    )
    html = as_html(document)
    assert "<script" not in html
    assert "long name" in html


def test_rounding_on_many_numbers() -> None:
    """Printed bounds are bounds themselves, up to the noise of the last bits of a double."""
    import random

    draws = random.Random(1)
    for _ in range(20_000):
        value = math.exp(draws.uniform(-40, 40))
        assert float(shown_up(value)) >= value * (1 - 1e-11)
        assert float(shown_down(value)) <= value
