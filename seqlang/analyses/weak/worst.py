"""The worst position and pair of values, for any measure of how far two laws are apart."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from seqlang.analyses.weak.entries import Entry
from seqlang.analyses.weak.positions import Position, Scan
from seqlang.analyses.weak.profile import Law, Range
from seqlang.process.time_limit import poll
from seqlang.record import record

Measure = Callable[[Law, Law], Range]
PATIENCE = 30
"""Positions in a row that bring nothing new, after which a scan that no bound can complete is given up."""
SETTLED = 8
"""The same where the verdict is known already."""
RAREST = 5e-324
"""The least chance that a float can hold."""
NEWS = 1e-3
"""A larger value is news if it is larger by this share."""


@record
class Worst:
    """max over positions and ordered pairs of values: at least `lower`, reached at `position` by `pair` (the law given
    the first entry against the law given the second; None where nothing is above 0). At positions 1..`positions` it is
    at most `upper`, at later ones at most `after`."""

    lower: float
    upper: float
    after: float
    position: int | None
    pair: tuple[Entry, Entry] | None
    positions: int

    @property
    def bound(self) -> float:
        """At most this at every position."""
        return max(self.upper, self.after)


def worst(
    scan: Scan,
    measure: Measure,
    later: Callable[[float], float],
    *,
    floor: float = 0.0,
    limit: tuple[float, float] = (0.0, inf),
    patience: int = PATIENCE,
) -> Worst:
    """Looks at positions 1, 2, .. until no later one can be above what is found, or above `floor`.

    `later(reach)` bounds the measure at every position n with P(T >= n) <= reach; it grows with reach. Where it is
    infinite, or remains above what is found however rare the later positions are (a bound of the loss does), the scan
    ends after `patience` positions without a larger value; where it is known that the measure is at most limit[0]
    everywhere, or somewhere above limit[1], after SETTLED.
    """
    lower, upper, position, pair = 0.0, 0.0, None, None
    number, last, noted = 0, 0, 0.0
    rarest = later(RAREST)
    while True:
        poll()
        reach = scan.reach(number + 1)
        after = later(reach) if reach > 0 else 0.0
        settled = lower > limit[1] or max(upper, after) <= limit[0]
        endless = after == inf or rarest > max(lower, floor)
        wait = SETTLED if settled else patience if endless else inf
        if after <= max(lower, floor) or number - last >= wait:
            break
        found = scan.position(number + 1)
        if found is None:
            break
        number += 1
        for p, q, entries in _pairs(found):
            below, above = measure(p, q)
            upper = max(upper, above)
            if below > lower * (1 + 1e-9):
                last = number if below > noted * (1 + NEWS) else last
                noted = below if last == number else noted
                lower, position, pair = below, number, entries
    return Worst(lower, upper, after if scan.complete else inf, position, pair, number)


def _pairs(found: Position) -> list[tuple[Law, Law, tuple[Entry, Entry]]]:
    """All ordered pairs of different values."""
    both = list(zip(found.laws, found.entries, strict=True))
    return [(p, q, (a, b)) for i, (p, a) in enumerate(both) for j, (q, b) in enumerate(both) if i != j]
