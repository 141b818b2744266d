"""Going on until an interval is narrow enough, which is a stopping rule of its own.

The runs are looked at after fixed numbers of them, which do not depend on batches or threads. As the end is chosen by
what was seen, the 95 % intervals then reported hold a little less often than that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from seqlang.backends.montecarlo.chunks import block_end
from seqlang.backends.montecarlo.interval import Z95, wilson
from seqlang.backends.montecarlo.progress import Estimate
from seqlang.backends.montecarlo.tally import Tally
from seqlang.record import record

GROWTH = 1.2


@record
class Until:
    """The runs went on until the interval was at most `width` wide: of the chance of every returned label ("returns"),
    or of the mean returned number ("return_value"), or of the mean number of steps relative to it ("steps"), whichever
    of these the spec has first. `widest` was reached after `looks` looks."""

    width: float
    of: str
    reached: bool
    looks: int
    widest: float

    def to_dict(self) -> dict[str, Any]:
        """The entry `until_ci` of `run --json`."""
        return {
            "width": self.width,
            "of": self.of,
            "reached": self.reached,
            "looks": self.looks,
            "widest": self.widest if np.isfinite(self.widest) else "inf",
        }


def looks(most: int) -> Iterator[int]:
    """After how many runs one looks: ends of blocks, each about a fifth more than before, the last at `most` runs."""
    runs = 0
    while runs < most:
        least = runs * GROWTH
        runs = block_end(runs)
        while runs < least:
            runs = block_end(runs)
        yield min(runs, most)


def judged(tally: Tally, width: float, looks_so_far: int) -> Until:
    """Whether this is narrow enough."""
    of, widest = _widest(tally)
    return Until(width, of, widest <= width, looks_so_far, widest)


def wanted(width: float, estimate: Estimate | None, runs: int, most: int) -> int:
    """How many runs it will take, as far as the estimate after `runs` tells; the next look may be a little later."""
    if estimate is None or runs == 0:
        return most
    wide = estimate.high - estimate.low
    if estimate.name == "mean steps":
        wide /= estimate.value
    return min(most, max(block_end(0), int(runs * (wide / width) ** 2)))


def _widest(tally: Tally) -> tuple[str, float]:
    if tally.labels:
        ends = (wilson(k, tally.runs) for k in tally.counts().values())
        return "returns", max(high - low for low, high in ends)
    if tally.values is not None:
        width = 2 * Z95 * float(np.max(tally.values.se)) if tally.values.count > 1 else np.inf
        return "return_value", width if np.isfinite(width) else np.inf
    made = tally.made
    return "steps", 2 * Z95 * made.se / made.mean if made.runs > 1 and made.total else np.inf
