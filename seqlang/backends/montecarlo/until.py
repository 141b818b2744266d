"""Going on until an interval is narrow enough, which is a stopping rule of its own.

The runs are looked at after fixed numbers of them, which do not depend on batches or threads. As the end is chosen by
what was seen, the 95 % intervals then reported hold a little less often than that.

The interval of a mean is `mean +- z * se` with a standard error that the same runs estimate. Where few runs make up
the scatter (a number that is nearly always 0, a run that is rarely very long), this standard error is too small exactly
when these runs were missed by chance, and a rule that waits for a small one would stop there. It therefore goes on
until the squared scatter is that of at least FEWEST runs as far off as the farthest one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from seqlang.backends.montecarlo.chunks import block_end
from seqlang.backends.montecarlo.interval import Z95, wilson
from seqlang.backends.montecarlo.progress import Estimate
from seqlang.backends.montecarlo.tally import Tally
from seqlang.record import record

GROWTH = 1.2
FEWEST = 20
"""Of runs as far from the mean as the farthest; of them a Poisson number comes within about 22 % of its mean."""


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
        values = tally.values
        if tally.numbers is None:  # vectors: how far their farthest entries are is not kept
            width = 2 * Z95 * float(np.max(values.se)) if values.count > 1 else np.inf
        else:
            size = max(1.0, abs(float(values.mean)))
            width = _width(values.count, float(values.mean), float(values.sd), tally.ends[2:], size)
        return "return_value", width if np.isfinite(width) else np.inf
    made = tally.made
    if not made.total:
        return "steps", np.inf
    return "steps", _width(made.runs, made.mean, made.sd, tally.ends[:2], made.mean) / made.mean


def _width(count: int, mean: float, sd: float, ends: tuple[float, float], size: float) -> float:
    """Of the 95 % interval of a mean; infinite while too few runs make up the scatter. `ends` are the least and the
    largest number. Where all are alike, another one may have a chance of up to FEWEST / count: `size` says how far off
    it is taken to be."""
    farthest = max(ends[1] - mean, mean - ends[0])
    if ends[0] == ends[1]:
        return size * FEWEST / count
    if sd**2 * (count - 1) < FEWEST * farthest**2:
        return np.inf
    return 2 * Z95 * sd / math.sqrt(count)
