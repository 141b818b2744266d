"""Settings of a sweep: every combination of some values, or a list."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from seqlang.diagnostics import SpecError
from seqlang.record import record

MOST_CELLS = 100_000

Grid = Sequence[tuple[str, Sequence[Fraction]]]


@record
class Cell:
    """Values of some parameters; where a list says so a model, a seed and a number of runs of its own. `line` is that
    of the list (from 1), or None."""

    values: tuple[tuple[str, Fraction], ...] = ()
    model: str | None = None
    seed: int | None = None
    runs: int | None = None
    line: int | None = None


def combined(cases: Sequence[Cell], grid: Grid) -> tuple[Cell, ...]:
    """Each of the cases (or the one setting without any) with every combination of the grid's values, the last name
    varying fastest. Raises SpecError: E0601 where a name is varied twice, E0603 where there are too many cells."""
    names = [name for name, _ in grid]
    listed = {name for case in cases for name, _ in case.values}
    twice = [name for i, name in enumerate(names) if name in names[:i] or name in listed]
    if twice:
        raise SpecError.of("E0601", f"`{twice[0]}` is varied twice")
    empty = next((name for name, values in grid if not values), None)
    if empty is not None:
        raise SpecError.of("E0602", f"`{empty}` is varied over no values")
    count = max(1, len(cases))
    for _, values in grid:
        count *= len(values)
    if count > MOST_CELLS:
        raise SpecError.of("E0603", f"the sweep has {count:,} cells: at most {MOST_CELLS:,} are possible")
    return tuple(
        Cell((*case.values, *zip(names, values, strict=True)), case.model, case.seed, case.runs, case.line)
        for case in cases or (Cell(),)
        for values in itertools.product(*(values for _, values in grid))
    )
