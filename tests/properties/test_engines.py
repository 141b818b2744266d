"""Random programs in every engine, with the interpreter as the judge, and the tables of what was judged.

`pytest tests/properties/test_engines.py --long` is the long form; `engine_table.py --write` makes the tables anew.
"""

from __future__ import annotations

import random

import pytest
from engine_programs import random_program
from engine_rows import catalogue, rows_of
from engine_table import ENGINES, REASONS, TABLES, cells_of, judged, judged_laws
from law_programs import KINDS, METHODS
from plain_kernels import program_of

SLICE, LAWS = 8, 6
"""Programs of one test; seeds that are not in the tables."""


@pytest.mark.parametrize("first", range(100_000, 100_000 + 4 * SLICE, SLICE))
def test_engines_give_the_interpreter_s_numbers(first: int) -> None:
    assert judged(range(first, first + SLICE)).ran


@pytest.mark.parametrize("first", [200_000])
def test_exact_laws_are_those_of_simulated_runs(first: int) -> None:
    assert judged_laws(range(first, first + LAWS)).ran


@pytest.mark.long
@pytest.mark.parametrize("first", range(300_000, 310_000, 250))
def test_engines_give_the_interpreter_s_numbers_for_long(first: int) -> None:
    judged(range(first, first + 250))


@pytest.mark.long
@pytest.mark.parametrize("first", range(400_000, 402_000, 100))
def test_exact_laws_are_those_of_simulated_runs_for_long(first: int) -> None:
    judged_laws(range(first, first + 100))


@pytest.mark.parametrize(
    ("name", "rows", "columns"), [("engines.md", catalogue(), ENGINES), ("solve.md", KINDS, METHODS)]
)
def test_no_cell_of_a_table_is_empty(name: str, rows: tuple[str, ...], columns: tuple[str, ...]) -> None:
    """Each row and column is there; each cell has a count, or the number of a reason that stands below."""
    text = (TABLES / name).read_text(encoding="utf-8")
    found = dict(cells_of(text))
    assert tuple(found) == tuple(row.replace("|", "\\|") for row in rows)
    for row, cells in found.items():
        assert len(cells) == len(columns)
        for cell in cells:
            assert (cell.isdigit() and int(cell) > 0) or f"\n{cell} " in text, f"{row}: {cell!r}"
            assert cell, f"{row} is judged nowhere, and nothing says why"


def test_reasons_are_for_cells_that_exist() -> None:
    assert {row for row, _ in REASONS} <= set(catalogue())
    assert {engine for _, engine in REASONS} <= set(ENGINES)


def test_programs_use_letters_again() -> None:
    """That is what no program did when a captured letter went unseen."""
    twice = 0
    for seed in range(60):
        text = random_program(random.Random(seed))
        twice += any(row.startswith("one letter twice") for row in rows_of(text, program_of(text)))
    assert twice >= 10
