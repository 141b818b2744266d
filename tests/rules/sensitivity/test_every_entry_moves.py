"""Where every entry may move, or several, nothing moves in a single step: not the sums in a list, nor a minimiser."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.analyses.refute import lower_bound
from seqlang.analyses.shifts import statistics
from seqlang.model.program import Program
from seqlang.source import Source


def program(text: str) -> Program:
    return driver.load(Source("every.seq", f'algorithm every "every"\n{text}\n')).program


LISTS = ["[sum(x over last 1), sum(x over last 1)]", "[sum(x over last 1) for i in 1..2]", "[x, x]"]


@pytest.mark.parametrize("statistic", LISTS)
def test_the_largest_of_a_list_moves_in_every_step(statistic: str) -> None:
    """In one step only, the noise of the threshold would not have to move: 0.75 was proved of a true loss of 1."""
    given = program(
        f"stream x in real\nadjacent every x within 1\nparam T = 3\nstatistic v = {statistic}\nstatistic a = max(v)\n"
        "attach laplace(2) to T once\nattach laplace(4) to a\nstop when a >= T"
    )
    assert {s.shift.kind for s in statistics(given)} == {"arbitrary"}
    bound, witness = prove(given).pure, lower_bound(given)
    assert bound is not None
    assert witness is not None
    assert witness.loss > 0.999
    assert size_of(given, bound) >= 1 - 1e-12


@pytest.mark.parametrize(("adjacency", "kind"), [("replace one", "single step"), ("replace 2", "arbitrary")])
def test_a_minimiser_of_this_steps_entry(adjacency: str, kind: str) -> None:
    given = program(
        f"stream x in ball(1, 2)\nadjacent {adjacency}\n"
        "statistic w = argmin(log(1 + exp(-dot(x, v))) + dot(v, v) / 2 for v in real ^ 2)\nstop when step >= 3"
    )
    assert [s.shift.kind for s in statistics(given)] == [kind]
