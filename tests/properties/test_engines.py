"""Random programs in every engine, with the interpreter as the judge, and the tables of what was judged.

`python -m random_programs.run_hunt --judge paths` is the long form; `random_programs.tables` writes the tables.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest
from plain_kernels import program_of
from random_programs.engine_rows import catalogue, rows_of
from random_programs.engine_tables import ENGINES, REASONS, cells_of
from random_programs.every_operator import random_program
from random_programs.run_hunt import JUDGES, Counts
from random_programs.simulated_laws import KINDS, METHODS
from random_programs.tables import FOLDER
from thorough import several

SLICE = {
    "paths": range(100_000, 100_000 + several(8, 24)),
    "simulated": range(200_000, 200_000 + several(2, 4)),
}
"""Seeds that are not in the tables."""


@pytest.mark.parametrize("judge", SLICE)
def test_engines_agree(judge: str) -> None:
    counts: Counts = defaultdict(Counter)
    for seed in SLICE[judge]:
        for wrong in JUDGES[judge](seed, counts, ()):
            assert wrong is None, f"seed {seed}: {wrong}"
    assert counts[judge]


@pytest.mark.long
@pytest.mark.parametrize("first", range(300_000, 310_000, 250))
def test_engines_agree_for_long(first: int) -> None:
    counts: Counts = defaultdict(Counter)
    for seed in range(first, first + 250):
        assert all(wrong is None for wrong in JUDGES["paths"](seed, counts, ())), seed


@pytest.mark.parametrize(
    ("name", "rows", "columns"), [("engines.md", catalogue(), ENGINES), ("solve.md", KINDS, METHODS)]
)
def test_no_cell_of_a_table_is_empty(name: str, rows: tuple[str, ...], columns: tuple[str, ...]) -> None:
    """Each row and column is there; each cell has a count, or the number of a reason that stands below."""
    text = (FOLDER / name).read_text(encoding="utf-8")
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
    refused = 0
    for seed in range(30):
        text = random_program(random.Random(seed))
        try:
            program = program_of(text)
        except AssertionError as problem:  # numbers whose rounding nobody knows decide something
            assert "E0419" in str(problem)
            refused += 1
            continue
        twice += any(row.startswith("one letter twice") for row in rows_of(text, program))
    assert twice >= 5
    assert refused <= 2
