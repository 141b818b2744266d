"""Where records are added or removed the numbers of the others change: a part that reads its number moves for each."""

from __future__ import annotations

from math import inf

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of


def pure(*lines: str) -> float:
    made = elaborated("\n".join(("algorithm t", *lines)))
    bound = prove(made).pure
    return inf if bound is None else size_of(made, bound)


LINES = ("dataset x in [0, 1] size 50", "stop when step >= 1 return done", "attach laplace(1) to s")


@pytest.mark.parametrize(
    "value", ["sum(clip(i * x[i], 0, 1) for i in records)", "sum(x[i] for i in records where i > 3)"]
)
def test_numbers_change_with_the_records(value: str) -> None:
    """(1, .5, .5, ..) against (.5, .5, ..): the first sum is 50, the second 48.5."""
    assert pure(LINES[0], "adjacent add or remove one", f"report s = {value}", *LINES[1:]) == inf
    assert pure(LINES[0], "adjacent replace one", f"report s = {value}", *LINES[1:]) == 1


def test_parts_that_do_not_read_it_are_counted() -> None:
    assert pure(LINES[0], "adjacent add or remove one", "report s = sum(x[i] for i in records)", *LINES[1:]) == 1
