"""Numbers with their kinds, as the report of `solve` and the page show them: of laws, and of bounds.

A number is *certain* where an enclosure holds it, an *estimate* where its error is the difference of several orders of
quadrature, *simulated* where it comes from runs, with its 95 % interval. A *bound* says for how many steps it holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from seqlang.record import record
from seqlang.report.numbers import shown, shown_chance, shown_down, shown_up

if TYPE_CHECKING:
    from seqlang.arithmetic.enclosure import Enclosure
    from seqlang.results.solve import SolveResult

KINDS = (
    "A bound holds for runs of any length unless it says within how many steps. Certain: the value lies between these "
    "numbers. Estimate: computed without simulation, with an error that nothing proves. ≈: from simulated runs, with a "
    "95 % interval."
)
"""What stands below a table of such numbers."""
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


def returns_of(result: SolveResult, most: int = DIGITS) -> Iterator[Figure]:
    """The probability of each return, in so many digits at most."""
    for name in result.returns:
        yield Figure(name, digits(*result.interval(name), most), between(result.enclosures.get(name)))


def steps_of(result: SolveResult, most: int = DIGITS) -> Figure:
    """The expected stopping step."""
    mean, interval = result.expected_steps, result.steps_interval
    estimate = f"> {shown_down(result.steps_so_far, 5)}" if mean is None else digits(*(interval or (mean, mean)), most)
    return Figure("expected steps", estimate, between(None if result.certain is None else result.certain.steps))


def summary_of(result: SolveResult) -> str:
    """The estimates of a law in a few words."""
    shares = [f"{figure.name} {figure.estimate}" for figure in returns_of(result, 4)]
    return ", ".join([*shares, f"{steps_of(result, 5).estimate} steps expected"]) + " (estimates)"


def within(steps: int | None, before: str = ", ") -> str:
    """What stands behind a bound that holds for so many steps only; None: it holds for any number."""
    return "" if steps is None else f"{before}within {steps:,} steps"


def proved(found: Mapping[str, Any], of: str = "") -> str:
    """A proved bound of the JSON of `check` (`upper`, `within`), rounded up, with the steps that it holds for; `of`
    stands between the two."""
    upper = found["upper"]
    return "\u221e" if upper is None or upper == "inf" else f"{shown_up(float(upper))}{of}{within(found['within'])}"


def witnessed(lower: Any) -> str:
    """A number that a witness shows, rounded down; empty where there is none."""
    return "" if lower is None else "\u221e" if lower == "inf" else shown_down(float(lower))


def bounds_of(strong: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What is bounded, and its bound, from the part `strong` of the JSON of `check`; without Renyi bounds."""
    yield "pure epsilon", strong["pure"]
    yield f"epsilon at delta {strong['dp']['delta']:g}", strong["dp"]
    yield "zCDP rho", strong["zcdp"]


def simulated(mean: float, low: float, high: float) -> str:
    """An estimate from runs, with its 95 % interval."""
    return f"\u2248 {shown(mean, 4)} [{shown_down(low, 4)}, {shown_up(high, 4)}]"


def digits(low: float, high: float, most: int = DIGITS) -> str:
    """The digits that both ends share, at most so many; both ends where that is fewer than three."""
    if low == high or not math.isfinite(low):
        return shown(low, most)
    middle = (low + high) / 2
    count = math.floor(math.log10(abs(middle))) - math.floor(math.log10(high - low)) if middle else 0
    if count >= 3:
        return (shown_chance if high < 1 else shown)(middle, min(most, count))
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
