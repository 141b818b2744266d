"""Witnesses where neighbouring datasets differ in length: what one of them does not have cannot be told of it."""

from __future__ import annotations

import pytest

import seqlang

SPEC = """\
algorithm records
dataset x in [0, 1] size 3
adjacent add or remove one
report A = {shown}
stop
attach laplace(1) to x
"""


@pytest.mark.parametrize("shown", ["argmax(x)", "x"])
def test_a_noisy_vector_of_records_is_checked(shown: str) -> None:
    assert "proved at most" in str(seqlang.check(seqlang.load(SPEC.format(shown=shown))))


def test_the_position_of_a_missing_record_has_no_chance() -> None:
    assert "and 0 under the second" in " ".join(
        str(seqlang.check(seqlang.load(SPEC.format(shown="argmax(x)")))).split()
    )
