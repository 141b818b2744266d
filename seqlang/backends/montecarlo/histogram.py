"""How often each value came, of any number of values in bounded memory."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqlang.record import record, replace

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

MOST_DISTINCT = 1 << 16
RESOLUTION = 10
"""Bits that a bin keeps: a bin is 2^-10 as wide as its distance from the centre, and nowhere narrower than 2^-10 of the
scale."""
ONE = 1 << RESOLUTION
_FIRST = 1023 << RESOLUTION  # the leading bits of 1.0
BIN = 1e-3
"""What is said of it: 2^-10, rounded up."""
SLICE = 1 << 15


@record
class Histogram:
    """`at` (n,) are the values that came, ascending, and `counts` (n, kinds) how often each came in each kind of run.
    Beyond MOST_DISTINCT different values they are put into bins: then `coarse`, and `at` are the bins' ends towards
    `centre`, as multiples of `scale` away from it. A merged histogram depends on the order of merging in its bins only;
    steps, whose centre and scale are fixed, not even there."""

    at: Floats
    counts: Counts
    coarse: bool = False
    centre: float = 0.0
    scale: float | None = None  # None: chosen by the values when it is needed

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def kinds(self) -> Counts:
        """How many runs there are of each kind."""
        sums: Counts = self.counts.sum(axis=0)
        return sums

    @property
    def values(self) -> Floats:
        """The values, those of a bin at its end towards the centre."""
        return self.centre + (self.scale or 1.0) * self.at if self.coarse else self.at

    def quantile(self, q: Fraction) -> float:
        """The least value that at least a share q of all lie at or below (within a bin, if `coarse`)."""
        rank = max(1, math.ceil(q * self.total))
        upto = np.cumsum(self.counts.sum(axis=1))
        return float(self.values[np.searchsorted(upto, rank)])


def of_values(values: Floats, like: Histogram | None = None) -> Histogram:
    """Of numbers, none of them NaN; one kind. If `like` has bins, these are taken: much faster, and the same as if the
    two were merged."""
    if like is not None and like.coarse:
        places = _places(values, like.centre, like.scale or 1.0)
        bins, counts = _counted(places)
        return Histogram(_ends(bins), counts[:, None], coarse=True, centre=like.centre, scale=like.scale)
    low, high = float(values.min()), float(values.max())
    if math.isfinite(low) and high - low <= 4 * len(values):
        away = (values - low).astype(np.int64)
        if np.array_equal(away + low, values):  # all whole numbers apart: no need to sort
            places, counts = _counted(away)
            return Histogram(places.astype(np.float64) + low, counts[:, None])
    at, counts = np.unique(values, return_counts=True)
    return _bounded(Histogram(at, counts.astype(np.int64)[:, None]))


def of_steps(steps: NDArray[np.int64], kinds: NDArray[np.int64], number: int, least: int = 0) -> Histogram:
    """Of whole numbers >= 0 in runs of the kinds `least` .. `least + number - 1`. In bins they are exact below 2^11."""
    top = int(steps.max())
    if top <= 4 * len(steps):  # counting into a table is several times as fast as sorting
        table = _table(steps, kinds, number, least, top)
        at = np.flatnonzero(table.any(axis=1))
        counts = table[at]
    else:
        at, place = np.unique(steps, return_inverse=True)
        counts = np.bincount(place * number + (kinds - least), minlength=len(at) * number).reshape(len(at), number)
    return _bounded(Histogram(at.astype(np.float64), counts, scale=float(ONE)))


def of_counts(counts: Counts) -> Histogram:
    """Of steps 0, 1, ..: `counts` (kinds, steps) is how often each came in each kind of run."""
    at = np.flatnonzero(counts.any(axis=0))
    return _bounded(Histogram(at.astype(np.float64), counts[:, at].T.copy(), scale=float(ONE)))


def _table(steps: NDArray[np.int64], kinds: NDArray[np.int64], number: int, least: int, top: int) -> Counts:
    size = (top + 1) * number
    table = np.zeros(size, dtype=np.int64)
    room = np.empty(SLICE, dtype=np.int64)
    for i in range(0, len(steps), SLICE):  # in the processor's cache
        some = steps[i : i + SLICE]
        place = room[: len(some)]
        np.multiply(some, number, out=place)
        place += kinds[i : i + SLICE]
        place -= least
        found = np.bincount(place)
        table[: len(found)] += found
    return table.reshape(top + 1, number)


def merged(first: Histogram, second: Histogram) -> Histogram:
    """Of both together; bins are those of the first that has any."""
    if first.coarse or second.coarse:
        model = first if first.coarse else second
        first, second = (_in_bins(h, model.centre, model.scale or 1.0) for h in (first, second))
    return _bounded(_united(first, second))


def _united(first: Histogram, second: Histogram) -> Histogram:
    place = np.searchsorted(first.at, second.at)
    if not len(second.at) or (place[-1] < len(first.at) and np.array_equal(first.at[place], second.at)):
        counts = first.counts.copy()  # after some parts nothing new comes: no need to sort
        counts[place] += second.counts
        return replace(first, counts=counts)
    at = np.union1d(first.at, second.at)
    counts = np.zeros((len(at), first.counts.shape[1]), dtype=np.int64)
    for one in (first, second):
        counts[np.searchsorted(at, one.at)] += one.counts
    return replace(first, at=at, counts=counts)


def _bounded(found: Histogram) -> Histogram:
    if found.coarse or len(found.at) <= MOST_DISTINCT:
        return found
    centre, scale = _centre_and_scale(found) if found.scale is None else (found.centre, found.scale)
    return _in_bins(found, centre, scale)


def _centre_and_scale(found: Histogram) -> tuple[float, float]:
    """The median and the distance of the quartiles, or what else tells how far values lie apart."""
    marks = [found.quantile(Fraction(q, 20)) for q in (1, 5, 10, 15, 19)]
    finite = found.at[np.isfinite(found.at)]
    spreads = (marks[3] - marks[1], marks[4] - marks[0], float(np.ptp(finite)) if len(finite) else 1.0)
    scale = next((s for s in spreads if 0 < s < math.inf), 1.0)
    return marks[2] if math.isfinite(marks[2]) else 0.0, scale


def _in_bins(found: Histogram, centre: float, scale: float) -> Histogram:
    if found.coarse and found.centre == centre and found.scale == scale:
        return found
    at, place = np.unique(_places(found.values, centre, scale), return_inverse=True)
    columns = [np.bincount(place, weights, len(at)).astype(np.int64) for weights in found.counts.T]
    return Histogram(_ends(at), np.stack(columns, axis=1), coarse=True, centre=centre, scale=scale)


def _places(values: Floats, centre: float, scale: float) -> Counts:
    """The bins' numbers, 0 at the centre: equal steps up to the scale, from there on the leading bits."""
    with np.errstate(over="ignore"):
        away = np.subtract(values, centre)
        away /= scale
    near = np.abs(away) < 1
    places = np.where(near, away, 0.0)
    places *= ONE
    bits = np.abs(away).view(np.int64) >> (52 - RESOLUTION)
    return np.where(near, places.astype(np.int64), np.sign(away).astype(np.int64) * (bits - _FIRST + ONE))


def _ends(places: Counts) -> Floats:
    """The bins' ends towards the centre, in scales."""
    size = np.abs(places)
    far = (np.maximum(size, ONE) - ONE + _FIRST << (52 - RESOLUTION)).view(np.float64)
    ends: Floats = np.where(size < ONE, size / ONE, far) * np.sign(places)
    return ends


def _counted(places: Counts) -> tuple[Counts, Counts]:
    """Whole numbers, ascending, and how often each came."""
    low = int(places.min())
    if int(places.max()) - low > 4 * len(places) + ONE * ONE:
        return np.unique(places, return_counts=True)
    counts = np.bincount(places - low)
    at = np.flatnonzero(counts)
    return at + low, counts[at]
