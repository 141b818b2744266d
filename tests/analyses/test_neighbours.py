"""The check that every witness passes: its two streams are neighbours by the letter of the file."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.analyses.witnesses.neighbours import are_neighbours
from seqlang.source import Source

STREAM = "stream x in [0, 1], y in {0, 1}\npublic u in real\n"
QUERIES = "stream q in real\n"


def _ask(text: str, first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    program = driver.load(Source("<text>", f"algorithm a\n{text}stop when step >= 3\n")).program
    return are_neighbours(program, first, second)


def _row(x: float, y: int = 0, u: float = 5.0) -> dict[str, object]:
    return {"x": x, "y": y, "u": u}


@pytest.mark.parametrize(
    ("adjacent", "first", "second", "wanted"),
    [
        ("", (_row(0), _row(1)), (_row(0), _row(0.5, 1)), True),
        ("", (_row(0), _row(1)), (_row(1), _row(0)), False),
        ("", (_row(0), _row(1)), (_row(0),), False),
        ("", (_row(0, u=1.0),), (_row(1, u=2.0),), False),
        ("adjacent replace 2\n", (_row(0), _row(1), _row(0)), (_row(1), _row(0), _row(0)), True),
        ("adjacent one x within 1 / 4\n", (_row(0.5), _row(0)), (_row(0.75), _row(0)), True),
        ("adjacent one x within 1 / 4\n", (_row(0.5), _row(0)), (_row(0.8), _row(0)), False),
        ("adjacent one x within 1 / 4\n", (_row(0.5), _row(0)), (_row(0.6), _row(0.1)), False),
    ],
)
def test_streams(adjacent: str, first: tuple[object, ...], second: tuple[object, ...], wanted: bool) -> None:
    assert _ask(STREAM + adjacent, first, second) is wanted


@pytest.mark.parametrize(
    ("adjacent", "first", "second", "wanted"),
    [
        ("adjacent every q within 1\n", (0.0, 5.0, 2.0), (1.0, 4.0, 2.5), True),
        ("adjacent every q within 1\n", (0.0, 5.0), (1.0, 3.9), False),
        ("adjacent every q within 1 same direction\n", (0.0, 5.0), (1.0, 4.5), False),
        ("adjacent every q within 1 same direction\n", (0.0, 5.0), (-1.0, 4.5), True),
        ("adjacent every log(max(q, 0.001)) within 0.7\n", (1.0, 0.0), (2.0, 0.001), True),
        ("adjacent every log(max(q, 0.001)) within 0.7\n", (1.0, 0.0), (2.1, 0.0), False),
    ],
)
def test_queries(adjacent: str, first: tuple[object, ...], second: tuple[object, ...], wanted: bool) -> None:
    assert _ask(QUERIES + adjacent, first, second) is wanted


def test_records_added_or_removed() -> None:
    text = "dataset x in {0, 1} size 3\nadjacent add or remove one\n"
    assert _ask(text, (0.0, 1.0, 0.0), (0.0, 0.0))
    assert not _ask(text, (0.0, 1.0, 0.0), (1.0, 1.0))
    assert not _ask(text, (0.0, 1.0, 0.0), (0.0,))


def test_every_shipped_witness_is_a_pair_of_neighbours() -> None:
    from seqlang.analyses.refute import lower_bound

    for name in ("tight/one_sided", "michel2025/outside_interval", "dwork2014/exponential", "wald1945/sprt"):
        program = driver.load(driver.read(f"@{name}")).program
        witness = lower_bound(program)
        assert witness is not None
        assert are_neighbours(program, *witness.streams)
        longer = (*witness.streams[0], *witness.streams[0])
        assert not are_neighbours(program, longer, witness.streams[1])
