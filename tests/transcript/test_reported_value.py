"""What is told of a value without noise."""

from __future__ import annotations

from math import inf

import pytest

from seqlang.backends.transcript.reported_value import same


@pytest.mark.parametrize(
    ("value", "told", "expected"),
    [
        (0.1 + 0.2, 0.3, True),
        (1, True, True),
        (3.0, 3.1, False),
        (-inf, -inf, True),  # a maximum over no step
        (inf, -inf, False),
        (inf, 5.0, False),
        (5.0, inf, False),
        ("high", "low", False),
    ],
)
def test_a_value_is_what_was_told(value: object, told: object, expected: bool) -> None:
    assert same(value, told) == expected
