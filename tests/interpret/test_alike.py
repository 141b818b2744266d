"""Equal records are evaluated once, and nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from seqlang import driver
from seqlang.backends.interpret.alike import Alike, columns_of
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.model import expression as ir
from seqlang.model.program import Define, Program
from seqlang.source import Source

ROWS = [2.0, 0.0, -0.0, 3.0, 2.0, 2.0, 0.0, 3.0]
OTHER = [1, 1, 1, 5, 1, 4, 1, 5]


def _program(expression: str) -> Program:
    text = f"algorithm a\ndataset x in [-9, 9], y in 1..9 size {len(ROWS)}\nstatistic s = {expression}\nstop return s\n"
    return driver.load(Source("a", text)).program


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sum(x[i] * y[i] for i in records)", sum(x * y for x, y in zip(ROWS, OTHER, strict=True))),
        ("sum(x[i] for i in records where y[i] <= 4)", sum(x for x, y in zip(ROWS, OTHER, strict=True) if y <= 4)),
        ("argmax(x[i] + y[i] for i in records)", 4),
        ("argmin(y[i] for i in records where x[i] >= 3)", 4),
        ("count(y[i] >= 4 for i in records)", 3),
        ("sum(x[i] * i for i in records)", sum(x * i for i, x in enumerate(ROWS, 1))),
        ("sum(count(x[j] == x[i] for j in records) for i in records)", sum(ROWS.count(x) for x in ROWS)),
        ("sum(max(x[j] * y[i] + i for j in records) for i in records)",
         sum(max(x * y + i for x in ROWS) for i, y in enumerate(OTHER, 1))),
    ],
)  # fmt: skip
def test_values(expression: str, expected: float) -> None:
    program = _program(expression)
    machine = Machine(program, SeededRandomness(1, 0))
    machine.load({"x": tuple(ROWS), "y": tuple(OTHER)})
    machine.step({})
    assert machine.result == expected


def test_who_reads_the_number_is_not_alike() -> None:
    def columns(expression: str) -> tuple[str, ...]:
        found = next(s.expression for s in _program(expression).body if isinstance(s, Define))
        assert isinstance(found, ir.Quantified)
        return columns_of(_program(expression), (found.body,), found.variable)

    assert columns("sum(x[i] * y[i] for i in records)") == ("y", "x")
    assert columns("sum(x[i] * i for i in records)") == ()
    assert columns("sum(x[i] + x[1 + i % 2] for i in records)") == ()
    assert columns("count(true for i in records)") == ()
    assert columns("sum(max(x[j] + i for j in records) for i in records)") == ()
    assert columns("sum(max(x[j] + y[i] for j in records) for i in records)") == ("y",)


def test_each_value_is_computed_once() -> None:
    asked: list[int] = []

    def value(number: int) -> Any:
        asked.append(number)
        return OTHER[number - 1]

    columns: tuple[Sequence[Any], ...] = (tuple(ROWS), tuple(OTHER))
    assert Alike().each(columns, value) == OTHER
    assert asked == [1, 2, 3, 4, 6]  # 0.0 and -0.0 are two


def test_types_and_signs_are_told_apart() -> None:
    rows = (1, 1.0, True, 0.0, -0.0, (0.0, 1), (-0.0, 1), (0.0, 1))
    assert list(Alike().first((rows,))) == [0, 1, 2, 3, 4, 5, 6, 5]


def test_other_columns_are_not_taken_for_the_last() -> None:
    alike = Alike()
    assert list(alike.first(((1, 1),))) == [0, 0]
    assert list(alike.first(((1, 2),))) == [0, 1]
