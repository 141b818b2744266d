"""Linear conditions fall apart where no noise connects them, in time linear in their number."""

from __future__ import annotations

import time
from itertools import pairwise

from seqlang.backends.transcript.integrals.linear_conditions import (
    LinearCondition,
    components,
    components_given,
    parts_of,
)

BEST = ("best", 0, ...)
MANY = 20_000


def half(constant: float, *names: str) -> LinearCondition:
    return constant, tuple(((name, 0, ...), 1.0) for name in names), False


def argmax(count: int) -> tuple[LinearCondition, ...]:
    """The candidate `best` is above each of the others: one noise in every condition."""
    return tuple((0.0, ((BEST, 1.0), ((f"q{i}", 0, ...), -1.0)), False) for i in range(count))


def test_conditions_that_share_a_noise_stay_together_in_their_order() -> None:
    a, b, c, d, e = half(0, "u"), half(1, "v", "w"), half(2, "x"), half(3, "u", "x"), half(4, "w")
    assert components((a, b, c, d, e)) == [[a, c, d], [b, e]]
    assert components((half(0), half(1), a)) == [[half(0)], [half(1)], [a]]


def test_a_chain_of_conditions_is_one() -> None:
    names = [str(i) for i in range(200)]
    chain = [half(0, a, b) for a, b in pairwise(names)]
    assert components(chain[::-1]) == [chain[::-1]]
    assert components(chain[::2] + chain[1::2]) == [chain[::2] + chain[1::2]]


def test_without_the_noise_that_all_share() -> None:
    alone: LinearCondition = (0.5, ((BEST, 1.0),), False)
    conditions = argmax(3)
    assert components_given((*conditions, alone), BEST) == [[alone], *([c] for c in conditions)]


def test_ten_thousand_candidates() -> None:
    """Merging group by group took time quadratic in them: minutes for these."""
    conditions = argmax(MANY)
    began = time.process_time()
    assert components(conditions) == [list(conditions)]
    assert len(components_given(conditions, BEST)) == MANY
    assert len(parts_of({(conditions,): 1})) == 1
    assert time.process_time() - began < 40
