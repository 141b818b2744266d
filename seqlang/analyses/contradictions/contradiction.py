"""Two statements that exclude each other, and what is forgiven before they are said to."""

from __future__ import annotations

from seqlang.record import record

BEYOND = 1e-9
"""Both sides are rounded away from each other already; this part of a number is forgiven on top."""


@record
class Contradiction:
    """Two statements on one quantity that cannot both hold: who says it, and what."""

    about: str
    first_by: str
    first: str
    second_by: str
    second: str

    def __str__(self) -> str:
        return f"{self.about}: {self.first_by} says {self.first}, {self.second_by} says {self.second}"


def above(lower: float, upper: float, part: float = BEYOND) -> bool:
    """Whether what is at least `lower` cannot be at most `upper`."""
    return lower > upper + part * abs(upper) + 1e-12
