"""The numbers of a law with their kinds, as the report of `solve` and the page show them.

A number is *certain* where an enclosure holds it, an *estimate* where its error is the difference of several orders of
quadrature, *simulated* where it comes from runs, with its 95 % interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.record import record
from seqlang.report.numbers import shown, shown_down, shown_up

if TYPE_CHECKING:
    from seqlang.arithmetic.enclosure import Enclosure
    from seqlang.results.solve import SolveResult

DIGITS = 12
"""What a double carries, with some left."""


@record
class Figure:
    """One number: its name, what is estimated of it, and what is certain; empty where there is nothing to show."""

    name: str
    estimate: str
    certain: str

    @property
    def words(self) -> str:
        """Both in one line."""
        parts = (("estimate", self.estimate), ("certain", self.certain))
        return "; ".join(f"{kind} {number}" for kind, number in parts if number) or "unknown"


def returns_of(result: SolveResult) -> Iterator[Figure]:
    """The probability of each return."""
    for name in result.returns:
        yield Figure(name, digits(*result.interval(name)), between(result.enclosures.get(name)))


def steps_of(result: SolveResult) -> Figure:
    """The expected stopping step."""
    mean, interval = result.expected_steps, result.steps_interval
    estimate = f"> {shown_down(result.steps_so_far, 5)}" if mean is None else digits(*(interval or (mean, mean)))
    return Figure("expected steps", estimate, between(None if result.certain is None else result.certain.steps))


def simulated(mean: float, low: float, high: float) -> str:
    """An estimate from runs, with its 95 % interval."""
    return f"\u2248 {shown(mean, 4)} [{shown_down(low, 4)}, {shown_up(high, 4)}]"


def digits(low: float, high: float) -> str:
    """The digits that both ends share, at most twelve; both ends where that is fewer than three."""
    if low == high or not math.isfinite(low):
        return shown(low, DIGITS)
    middle = (low + high) / 2
    count = math.floor(math.log10(abs(middle))) - math.floor(math.log10(high - low)) if middle else 0
    if count >= 3:
        return shown(middle, min(DIGITS, count))
    if high < 1e-12:
        return f"< {shown_up(high, 2)}"
    return f"{shown_down(low, 4)} .. {shown_up(high, 4)}"


def between(found: Enclosure | None) -> str:
    """An enclosure in few digits, rounded outwards."""
    if found is None:
        return ""
    if math.isinf(found.high):
        return "infinite" if math.isinf(found.low) else f">= {shown_down(found.low, 6)}"
    return f"{shown_down(found.low, 6)} .. {shown_up(found.high, 6)}"
