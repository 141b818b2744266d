"""The leaves of a test, left to right: its comparisons with noise, and its conditions on what is public."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from seqlang.model.program import And, Margin, Not, Or, PublicTest, Test


def leaves(test: Test) -> Iterator[Margin | PublicTest]:
    match test:
        case Margin() | PublicTest():
            yield test
        case And(parts) | Or(parts):
            for part in parts:
                yield from leaves(part)
        case Not(part):
            yield from leaves(part)
        case _:
            assert_never(test)


def margins(test: Test) -> Iterator[Margin]:
    """All margins of a test, also those under a `not`."""
    return (leaf for leaf in leaves(test) if isinstance(leaf, Margin))
